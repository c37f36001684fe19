"""Both studies and the pilot, every part, arm, retriever and contrast, with servers that play all models."""

import json

import pytest

from ragtrial.replications.design import design_of
from ragtrial.replications.study import Study
from ragtrial.replications.verify import verify_replication
from ragtrial.trial.record import Record
from ragtrial.trial.verify import verify_record

pytestmark = pytest.mark.usefixtures("few_resamples")


def everything(name):
    study = Study.open(name)
    return [f"--only={part.name}" for part in study.parts], study


def data_options(study, corpus):
    return [f"--data={name}={corpus}" for name in study.data]


def check_all_parts(study, folder):
    """Every arm, condition, contrast and ladder of the preset stands in a record that verifies."""
    design = design_of(study, study.roles, [part.name for part in study.parts])
    for planned in design.parts:
        keys = planned.filled.whole()
        record = Record.open(folder / planned.part.name / "record")
        assert [row["arm"] for row in record.header["arms"]] == list(keys["arms"])
        assert list(record.header["effective"]["retrievers"]) == list(keys["retrievers"])
        assert [row["name"] for row in record.contrasts] == [row["name"] for row in keys.get("contrasts", [])]
        assert [row["name"] for row in record.header["ladders"]] == [row["name"] for row in keys.get("ladders", [])]
        assert verify_record(record) == []
    return design


@pytest.mark.parametrize(
    ("name", "players"),
    [("llm-call-per-chunk", "played"), ("structure-ablation", "played_kmr"), ("pilot", "played_pilot")],
)
def test_every_arm_of_the_study(
    name, players, corpus, replicate, files_of, request, tmp_path, chat_server, vector_server
):
    options, study = everything(name)
    output = tmp_path / "out"
    arguments = [name, *options, *data_options(study, corpus), *request.getfixturevalue(players), "--freeze"]
    code, out, err = replicate(*arguments, "--output", output)
    assert code == 0, err
    assert "Beside the paper" in out
    assert err.index("All arms are built") < err.index("Scored")
    design = check_all_parts(study, output)
    assert verify_replication(output) == []
    assert chat_server.calls
    assert any(path.endswith("embeddings") for path in vector_server.requests)
    for planned in design.parts:
        plan = json.loads((output / planned.part.name / "plan.lock.json").read_text(encoding="utf-8"))
        assert plan["declared"]["study"] == name
        lines = output / planned.part.name / "plan.amendments.jsonl"
        assert len(planned.filled.amendments) == (len(lines.read_text().splitlines()) if lines.exists() else 0)
    # Once more: nothing is asked, nothing is embedded, not a byte differs.
    before = files_of(output)
    chat_server.calls.clear()
    vector_server.requests.clear()
    code, again, err = replicate(*arguments, "--output", output)
    assert code == 0, err
    assert again == out
    assert files_of(output) == before
    assert (chat_server.calls, vector_server.requests) == ([], [])
    assert "built now: 0" in err


def test_a_warm_cache_gives_the_same_tables_elsewhere(corpus, replicate, played, tmp_path, chat_server, vector_server):
    arguments = ["llm-call-per-chunk", "--only=qasper-per-field", f"--data=qasper={corpus}", *played]
    for place in ("one", "two"):
        code, _, err = replicate(*arguments, "--output", tmp_path / place)
        assert code == 0, err
        if place == "one":
            chat_server.calls.clear()
            vector_server.requests.clear()
    assert (chat_server.calls, vector_server.requests) == ([], [])
    for name in ("scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", "chunks.parquet"):
        one, two = (tmp_path / place / "qasper-per-field" / "record" / name for place in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    assert (tmp_path / "one" / "comparison.json").read_bytes() == (tmp_path / "two" / "comparison.json").read_bytes()


def test_the_comparison_says_whose_models_were_swapped(corpus, replicate, played, tmp_path):
    arguments = ["llm-call-per-chunk", "--only=qasper", "--only=S", "--only=S+T", "--only=E", "--only=bm25"]
    code, _, err = replicate(*arguments, f"--data=qasper={corpus}", *played, "--output", tmp_path / "out")
    assert code == 0, err
    rows = {row["contrast"]: row for row in json.loads((tmp_path / "out" / "comparison.json").read_text())["contrasts"]}
    row = rows["H1 bm25"]
    assert row["published"]["difference"] == 8.7
    assert row["swapped"] == ["indexer"]
    here, (low, high) = row["measured"]["difference"], row["measured"]["ci"]
    assert row["same_sign"] is (None if here == 0 else here > 0)
    assert row["overlap"] is (low <= 10.85 and high >= 6.65)
    assert rows["H1"]["measured"] is None
    assert "comparison.md" in {p.name for p in (tmp_path / "out").iterdir()}


def test_runs_vary_beside_the_interval(corpus, replicate, played, tmp_path, chat_server):
    code, _, err = replicate(
        "llm-call-per-chunk",
        "--only=qasper-robustness",
        f"--data=qasper={corpus}",
        *played,
        "--output",
        tmp_path / "out",
    )
    assert code == 0, err
    record = Record.open(tmp_path / "out" / "qasper-robustness" / "record")
    rows = {(row["contrast"], row["average"]): row for row in record.header["runs"]}
    assert set(rows) == {("H1 over runs", "E-runs"), ("H2 over runs", "E-runs"), ("H2 over runs", "CR-runs")}
    row = rows["H1 over runs", "E-runs"]
    assert list(row["runs"]) == ["E", "E-run2", "E-run3"]
    contrast = next(one for one in record.contrasts if one["name"] == "H1 over runs")
    assert sum(row["runs"].values()) / 3 == pytest.approx(contrast["difference"])
    assert row["se"] == pytest.approx(contrast["se"])
    assert row["range"][0] <= contrast["difference"] <= row["range"][1]
    paraphrased = [call for call in chat_server.calls if "piece by piece" in call.system]
    assert paraphrased


def test_no_outcome_before_all_builds(corpus, replicate, played, tmp_path, chat_server):
    """The last part cannot be built: of the first, which could, nothing is scored."""

    def broken(call):
        return chat_server.status(400) if call.body["model"] == "carol" else answer_of(call)

    answer_of = chat_server.reply
    chat_server.reply = broken
    arguments = ["llm-call-per-chunk", "--only=qasper-per-field", "--only=qasper-scaling", f"--data=qasper={corpus}"]
    code, out, err = replicate(*arguments, *played, "--output", tmp_path / "out")
    assert code == 1
    assert "Every document failed in some arm" in err
    assert out == ""
    assert not (tmp_path / "out" / "qasper-per-field" / "record").exists()
    # The server is well again: the same command goes on, and asks only for what failed.
    chat_server.reply = answer_of
    chat_server.calls.clear()
    code, _, err = replicate(*arguments, *played, "--output", tmp_path / "out")
    assert code == 0, err
    assert {call.body["model"] for call in chat_server.calls} == {"carol"}
