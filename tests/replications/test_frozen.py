"""A frozen replication: nothing may differ, and the paper's amendments are amendments."""

import json

import pytest

from ragtrial.llm import prompt
from ragtrial.replications.run import families_of
from ragtrial.replications.study import Study
from ragtrial.replications.template import fill


@pytest.fixture
def frozen(corpus, replicate, played, tmp_path):
    """Return a function that runs a frozen replication of two arms again, with some options changed."""
    arguments = ["llm-call-per-chunk", "--only=qasper", "--only=S+T", "--only=E", "--only=bm25", "--freeze"]

    def run(*changed):
        kept = [option for option in played if not any(option.split("=")[1] == new.split("=")[1] for new in changed)]
        return replicate(*arguments, f"--data=qasper={corpus}", *kept, *changed, "--output", tmp_path / "out")

    code, _, err = run()
    assert code == 0, err
    return run


def test_another_model_is_refused_with_its_path(frozen, chat_server, tmp_path):
    chat_server.calls.clear()
    code, out, err = frozen(f"--model=indexer=another,url={chat_server.url}")
    assert code == 3
    assert "parameters.arms.E.steps" in err
    assert "another" in err
    assert (out, chat_server.calls) == ("", [])


def test_another_byte_of_a_prompt_is_refused_with_its_path(frozen, chat_server, monkeypatch):
    read = prompt._read
    monkeypatch.setattr(prompt, "_read", lambda name: read(name).replace("Passage:", "Passage :"))
    chat_server.calls.clear()
    code, out, err = frozen()
    assert code == 3
    assert "parameters.arms.E.steps" in err
    assert (out, chat_server.calls) == ("", [])


def test_a_prompt_that_changes_while_arms_are_built_is_noticed_before_scoring(
    corpus, replicate, played, tmp_path, monkeypatch, chat_server
):
    read = prompt._read

    def changing(name):
        return read(name).replace("Passage:", "Passage :") if len(chat_server.calls) > 5 else read(name)

    monkeypatch.setattr(prompt, "_read", changing)
    arguments = ["llm-call-per-chunk", "--only=qasper-per-field", "--only=E", "--only=PF", "--freeze"]
    code, out, err = replicate(*arguments, f"--data=qasper={corpus}", *played, "--output", tmp_path / "out")
    assert code == 3
    assert "parameters.arms.E.steps" in err
    assert out == ""
    assert not (tmp_path / "out" / "qasper-per-field" / "record").exists()
    # The plan was frozen in this run, and so its trial file stays beside it.
    assert {"plan.lock.json", "trial.toml"} <= {p.name for p in (tmp_path / "out" / "qasper-per-field").iterdir()}


def test_a_frozen_replication_runs_again(frozen):
    code, _, err = frozen()
    assert code == 0, err


def test_tiers_are_those_of_the_paper(corpus, replicate, played, tmp_path):
    only = ["--only=qasper", "--only=hybrid", "--only=KX", "--only=AX"]
    options = ["llm-call-per-chunk", *only, f"--data=qasper={corpus}", *played, "--freeze"]
    code, _, err = replicate(*options, "--output", tmp_path / "out")
    assert code == 0, err
    rows = {row["name"]: row for row in json.loads((tmp_path / "out/qasper/record/contrasts.json").read_text())}
    assert {name for name, row in rows.items() if row["tier"] == "confirmatory"} == {
        *("H1", "H2", "H3 characters", "H3 tokens", "H1s", "H2s")
    }
    assert {name for name, row in rows.items() if row["family"] == "H5"} == {"H5a", "H5b"}
    assert rows["H5a"]["tier"] == "secondary"
    assert rows["prefix"]["tier"] == "exploratory"
    lines = (tmp_path / "out/qasper/plan.amendments.jsonl").read_text().splitlines()
    added = [json.loads(line)["added"] for line in lines]
    assert "H4a" in added[0]["contrasts"]  # Amendment 1 adds retrievers alone that are not wanted here
    assert set(added[1]["retrievers"]) == {"KX", "AX"}
    assert "M-TP" in added[2]["arms"]


@pytest.mark.parametrize(
    ("name", "confirmatory"),
    [
        ("llm-call-per-chunk", {"primary", "H3", "key-secondary"}),
        ("pilot", set()),
        ("structure-ablation", {"C-qasper", "C-wikipedia"}),
    ],
)
def test_confirmatory_is_what_the_plan_s_families_hold(name, confirmatory):
    study = Study.open(name)
    rows = [row for part in study.parts for row in fill(study.templates[part.name], study.roles).whole()["contrasts"]]
    for row in rows:
        assert (row.get("tier") == "confirmatory") == (row.get("family") in confirmatory), row


def test_the_pilot_s_planned_cells_are_one_family_and_exploratory():
    study = Study.open("pilot")
    planned = families_of(study, study.roles)
    assert planned.keys() == {"planned"}
    parts = [part for part, _ in planned["planned"]]
    assert (len(set(planned["planned"])), parts.count("qasper"), parts.count("freshstack")) == (22, 12, 10)
    for part in study.parts:
        keys = fill(study.templates[part.name], study.roles).whole()
        assert keys["interval"] == "percentile"
        assert {row["tier"] for row in keys["contrasts"]} == {"exploratory"}
        assert {row.get("test", "difference") for row in keys["contrasts"] if "family" in row} <= {"difference"}
        assert all(row["test"] == "equivalence" for row in keys["contrasts"] if "margin" in row)


def test_the_pilot_s_cells_are_adjusted_over_both_parts(corpus, replicate, tmp_path):
    options = ["pilot", "--only=qasper", "--only=S", "--only=F512c", "--only=bm25", f"--data=qasper={corpus}"]
    code, _, err = replicate(*options, "--freeze", "--output", tmp_path / "out")
    assert code == 0, err
    (row,) = json.loads((tmp_path / "out/qasper/record/contrasts.json").read_text())
    assert (row["tier"], row["family"]) == ("exploratory", "planned")
    family = json.loads((tmp_path / "out/comparison.json").read_text())["families"]
    assert len(family) == 22
    (found,) = (one for one in family if one["verdict"] != "not measured")
    assert found["p_sign_flip_holm"] == pytest.approx(min(1.0, 22 * row["p_sign_flip"]))
    assert found["verdict"] == row["verdict"]  # the table marks what survives beside the interval, not in its place


def test_what_an_amendment_added_in_a_part_of_its_own_is_no_first_plan(corpus, replicate, played, tmp_path):
    options = ["llm-call-per-chunk", "--only=qasper-per-field", f"--data=qasper={corpus}", *played, "--freeze"]
    code, _, err = replicate(*options, "--output", tmp_path / "out")
    assert code == 0, err
    folder = tmp_path / "out/qasper-per-field"
    planned = json.loads((folder / "plan.lock.json").read_text())["state"]["parameters"]
    assert (set(planned["arms"]), planned["contrasts"]) == ({"E"}, {})
    (line,) = (folder / "plan.amendments.jsonl").read_text().splitlines()
    amendment = json.loads(line)
    assert amendment["reason"].startswith("Amendment 3")
    assert "In the paper: H1-H3." in amendment["seen"]
    assert (set(amendment["added"]["arms"]), set(amendment["added"]["contrasts"])) == ({"PF"}, {"H6"})


@pytest.mark.parametrize(
    ("part", "number", "arms", "measures"),
    [
        ("qasper-per-field", 3, {"PF"}, []),
        ("qasper-scaling", 1, {"E235B"}, []),
        ("freshstack-nuggets", 1, set(), ["nuggets@1024t", "nuggets@1024t:partial"]),
    ],
)
def test_parts_that_an_amendment_made(part, number, arms, measures):
    study = Study.open("llm-call-per-chunk")
    filled = fill(study.templates[part], study.roles)
    assert "contrasts" not in filled.keys
    (made,) = filled.amendments
    assert made.reason.startswith(f"Amendment {number}:")
    assert made.seen
    assert (set(made.added.get("arms", {})), made.added.get("measures", [])) == (arms, measures)
    assert [row.get("tier", "secondary") == "exploratory" for row in made.added["contrasts"]] == (
        [part == "qasper-scaling"] * len(made.added["contrasts"])
    )


def test_a_plan_that_was_stopped_between_amendments_goes_on(corpus, replicate, played, tmp_path):
    options = ["llm-call-per-chunk", "--only=qasper", "--only=hybrid", f"--data=qasper={corpus}", *played, "--freeze"]
    code, _, err = replicate(*options, "--output", tmp_path / "out")
    assert code == 0, err
    chain = tmp_path / "out/qasper/plan.amendments.jsonl"
    lines = chain.read_text().splitlines(keepends=True)
    assert len(lines) == 3
    chain.write_text("".join(lines[:1]))
    (tmp_path / "out/qasper/trial.toml").unlink()
    for name in ("record.json",):
        (tmp_path / "out/qasper/record" / name).unlink()
    code, _, err = replicate(*options, "--output", tmp_path / "out")
    assert code == 0, err
    assert [json.loads(line)["reason"] for line in chain.read_text().splitlines()] == [
        json.loads(line)["reason"] for line in lines
    ]
