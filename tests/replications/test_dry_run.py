"""The design before anything is spent: what it prints, what is missing, what the cap leaves out."""

import json
import re

import pytest

from ragtrial.errors import SpecError
from ragtrial.replications.needs import lacks
from ragtrial.replications.roles import Role
from ragtrial.replications.study import Study
from ragtrial.replications.template import fill, roles_in


def test_the_studies_are_listed(replicate):
    code, out, _ = replicate()
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()] == ["llm-call-per-chunk", "pilot", "structure-ablation"]


def test_the_whole_design(corpus, replicate, played, tmp_path, chat_server, vector_server):
    options = ["llm-call-per-chunk", "--dry-run", f"--data=qasper={corpus}", "--calls-per-minute=60", *played]
    code, out, err = replicate(*options, "--output", tmp_path / "out")
    assert code == 0, err
    study = Study.open("llm-call-per-chunk")
    for part in study.parts:
        if part.main:
            assert f"\n{part.name}\t" in out
            for arm in study.templates[part.name]["arms"]:
                assert f"{part.name}\t{arm}\t" in out
            for contrast in study.templates[part.name].get("contrasts", []):
                assert contrast["name"] in out
    assert "data freshstack\tno path is given" in out
    assert "ragtrial data fetch freshstack" in out
    assert "key-secondary" in out
    assert "is not counted: a model" not in out  # minilm is here
    assert "qasper-pooled\tqasper\trecall@512t\tretrieval across all sampled papers" in out
    assert out.count("\tnot run unless named") == 3
    assert "Not counted, since their data is missing: freshstack, freshstack-nuggets." in out
    assert "H4\tqasper: H4a\tdifference\tsign-flip\t8\t" in out
    assert "key-secondary\tqasper-answers: F1 of H1\tequivalence (5)\t\t5\t" in out
    assert "qasper\tlate\tlate('minilm')\tS\t\tAmendment 1" in out
    assert "recall@512t under late, B under jina\tdifference\t\tsecondary\tAmendment 1" in out
    assert "300 drawn with seed 2027, 100 of these with seed 2027" in out
    assert "mrr@10\tbca\t10000\t0" in out
    calls = {line.split("\t")[1]: line.split("\t")[3] for line in out.splitlines() if line.startswith("qasper\t")}
    assert calls["S"] == "0"
    assert int(calls["E"]) > 0
    assert calls["E"] == calls["CR"]
    assert chat_server.calls == []
    assert vector_server.requests == []
    assert not (tmp_path / "out").exists()


def rows_of(out, title):
    """Return the rows of the table with a title, as lists of cells."""
    table = out.split(f"{title}\n", 1)[1].split("\n\n")[0]
    return [line.split("\t") for line in table.splitlines()[1:]]


def numbers_of(out):
    """Return the sum of calls and of dollars below the arms."""
    found = re.search(r"counted once: ([\d,]+) calls, [\d,]+ tokens in, dollars (.+?), time", out)
    return int(found[1].replace(",", "")), found[2]


def test_arms_that_parts_share_are_summed_once(corpus, replicate, played, prices):
    prices(alpha=1000)
    options = ["llm-call-per-chunk", "--dry-run", f"--data={corpus}", *played]
    code, alone, err = replicate(*options, "--only=qasper-per-field")
    assert code == 0, err
    code, both, err = replicate(*options, "--only=qasper-per-field", "--only=qasper-scaling")
    assert code == 0, err
    rows = {(row[0], row[1]): row for row in rows_of(both, "Arms") if len(row) > 3}
    shared, own = rows["qasper-scaling", "E"], rows["qasper-scaling", "E235B"]
    assert shared[3:] == rows["qasper-per-field", "E"][3:]
    assert float(shared[5]) > 0
    bravo = rows["qasper-scaling", "Es"]
    assert numbers_of(both)[0] == numbers_of(alone)[0] + int(own[3]) + int(bravo[3])
    assert numbers_of(both)[1] == numbers_of(alone)[1]


def test_an_unknown_price_does_not_hide_the_others(corpus, replicate, played):
    elsewhere = "--model=largest=nobody-knows-it,url=http://gpu.lan:8000/v1"
    options = ["llm-call-per-chunk", "--dry-run", "--only=qasper-scaling", f"--data={corpus}", *played, elsewhere]
    code, out, err = replicate(*options, "--cap", 1)
    assert code == 0, err
    assert numbers_of(out)[1] == "0.00 + ?"
    assert "No price is known of nobody-knows-it." in out
    assert {row[1]: row[5] for row in rows_of(out, "Arms") if len(row) > 3} == {"E": "0.00", "Es": "0.00", "E235B": "?"}
    assert "an estimate without nobody-knows-it, of which no price is known" in err


def test_texts_of_a_model_that_is_not_here_are_counted(corpus, replicate, played):
    kept = [option for option in played if "=late=" not in option and "=nomic=" not in option]
    options = ["llm-call-per-chunk", "--dry-run", "--only=qasper", "--only=S", "--only=nomic", "--only=late"]
    code, out, err = replicate(*options, "--only=jina", f"--data={corpus}", *kept)
    assert code == 0, err
    rows = rows_of(out, "Texts to embed")
    chunks, questions = 6 * 5, 18
    assert ["qasper", "nomic-embed-text", "1", str(chunks + questions), "?"] in rows
    assert ["qasper", "models/jina-embeddings-v3", "1", str(chunks + questions), "?"] in rows
    assert "What late would read is not counted" in out


def test_data_that_cannot_be_read_is_missing(replicate, played, tmp_path):
    code, out, err = replicate("llm-call-per-chunk", "--dry-run", f"--data=freshstack={tmp_path}", *played)
    assert code == 0, err
    lost = [row for row in rows_of(out, "Missing here") if row[0].startswith("data ")]
    assert [(row[0], row[2]) for row in lost] == [
        ("data qasper", "qasper, qasper-answers, qasper-per-field, qasper-scaling"),
        ("data freshstack", "freshstack, freshstack-nuggets"),
    ]
    assert str(tmp_path) in lost[1][1]


def test_as_json(corpus, replicate, played):
    options = ["llm-call-per-chunk", "--dry-run", "--only=qasper-per-field", f"--data={corpus}", *played, "--json"]
    code, out, err = replicate(*options)
    assert code == 0, err
    found = json.loads(out)
    assert list(found["parts"]["qasper-per-field"]["keys"]["arms"]) == ["E", "PF"]
    steps = {row["step"]: row["calls"] for row in found["parts"]["qasper-per-field"]["estimate"]["calls"]}
    assert steps["per_field"] == 4 * steps["enriched"]
    assert found["missing"] == []


def test_what_is_missing_stops_the_run_before_anything(corpus, replicate, played, tmp_path, chat_server):
    kept = [option for option in played if not option.startswith("--model=indexer")]
    dead = "--model=indexer=alpha,url=http://127.0.0.1:9/v1"
    code, _, err = replicate("llm-call-per-chunk", "--only=qasper", f"--data={corpus}", *kept, dead)
    assert code == 2
    assert "model indexer: alpha (nothing answers at http://127.0.0.1:9/v1): ollama pull qwen2.5:7b" in err
    assert "--model indexer=NAME" in err
    assert chat_server.calls == []


def test_a_key_that_is_not_set_is_missing(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    role = Study.open("llm-call-per-chunk").roles["large"]
    assert lacks(role) == "the environment variable OPENROUTER_API_KEY is not set"
    monkeypatch.setenv("OPENROUTER_API_KEY", "secret")
    assert lacks(role) == ""


def test_a_folder_that_is_not_there_is_missing():
    assert "models/jina-embeddings-v3" in lacks(Study.open("llm-call-per-chunk").roles["late"])


def test_the_library_that_counts_tokens_is_missing(monkeypatch):
    role = Study.open("llm-call-per-chunk").roles["qwen3"]
    monkeypatch.setattr("ragtrial.replications.needs.find_spec", lambda module: None)
    assert lacks(role) == "its library is not installed: pip install 'ragtrial[local]'"


def test_an_option_that_is_none_is_said():
    role = Role("r", "embedder", "", "", {"model": "minilm", "colour": "red"})
    assert "colour" in lacks(role)


def test_data_that_is_named_and_missing_stops(replicate, played):
    code, _, err = replicate("llm-call-per-chunk", "--only=freshstack", *played)
    assert code == 2
    assert "1 thing is missing on this machine" in err
    assert "data freshstack (no path is given)" in err


def test_questions_of_wikipedia_are_asked_for(replicate, played_kmr, tmp_path):
    (tmp_path / "articles").mkdir()
    options = ["structure-ablation", "--only=wikipedia", f"--data={tmp_path / 'articles'}", *played_kmr]
    code, _, err = replicate(*options)
    assert code == 2
    assert "questions wikipedia (no file is given)" in err
    assert "ragtrial questions generate" in err


def test_how_to_get_wikipedia_is_said_once(replicate, played_kmr):
    code, out, err = replicate("structure-ablation", "--dry-run", "--only=wikipedia", *played_kmr)
    assert code == 0, err
    assert out.count("--data wikipedia") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--only=H1"], "no part, arm or retriever 'H1'"),
        (["--only=qasper-pool"], "Did you mean 'qasper-pooled'? Known: llm-free; parts: freshstack, "),
        (["--only=qasper-per-field", "--only=llm-free"], "Nothing of the study is left"),
        (["--data=nowhere=x"], "no data set 'nowhere'"),
        (["--data=x"], "of which data?"),
        (["--model=x=y"], "no model called 'x'"),
        (["--sample=0"], "0"),
    ],
)
def test_faults_of_options(replicate, options, words):
    code, _, err = replicate("llm-call-per-chunk", *options)
    assert code == 2
    assert words in err


@pytest.fixture
def prices(tmp_path, monkeypatch):
    """Return a function that sets dollars per million tokens of each model; the others cost nothing."""

    def write(**dollars):
        names = ("alpha", "bravo", "carol", "delta", "eagle")
        tables = (f"[models.{name}]\ninput = {dollars.get(name, 0)}\noutput = 0\n" for name in names)
        (tmp_path / "prices.toml").write_text("".join(tables))
        monkeypatch.setenv("RAGTRIAL_PRICES", str(tmp_path / "prices.toml"))

    return write


@pytest.mark.parametrize(
    ("dollars", "cap", "scaling", "answers"),
    [
        ({}, 5.5, True, True),  # nothing costs anything
        ({"carol": 1000}, 0.1, False, True),  # the scaling arm is left out first, and that is enough
        ({"carol": 1000, "bravo": 1000}, 0.1, False, False),  # then the arms of the 120B model
        ({"alpha": 1000}, 0.0001, False, False),  # all of them, and still the ledger has the last word
    ],
)
def test_reductions_come_in_their_order(corpus, replicate, played, prices, dollars, cap, scaling, answers):
    prices(**dollars)
    options = ["llm-call-per-chunk", "--dry-run", f"--data=qasper={corpus}", *played, "--cap", cap]
    code, out, err = replicate(*options)
    assert code == 0, err
    assert ("\nqasper-scaling\t" in out) is scaling
    assert ("qasper-answers\tCRs\t" in out) is answers
    assert ("the arms CRs of qasper will be left out" in err) is not answers
    assert ("qasper-scaling will be left out (exploratory)" in err) is not scaling


def test_a_reduction_that_changes_nothing_is_neither_said_nor_declared(corpus, replicate, played, prices, tmp_path):
    prices(alpha=1000)
    options = ["llm-call-per-chunk", "--dry-run", "--only=qasper-per-field", f"--data={corpus}", *played]
    code, _, err = replicate(*options, "--cap", "0.0001")
    assert code == 0, err
    assert "will be left out" not in err
    # Of a design without the arm CRs neither.
    code, _, err = replicate(*options[:2], "--only=qasper", "--only=S", "--only=E", *options[3:], "--cap", "0.0001")
    assert code == 0, err
    assert "will be left out" not in err


def test_a_model_that_the_cap_leaves_out_is_not_missing(corpus, replicate, played, prices):
    prices(carol=1000, bravo=1000)
    kept = [option for option in played if not option.startswith("--model=largest")]
    dead = "--model=largest=carol,url=http://127.0.0.1:9/v1"
    options = ["llm-call-per-chunk", "--dry-run", "--only=qasper-scaling", "--only=qasper-per-field"]
    code, out, err = replicate(*options, f"--data={corpus}", *kept, dead)
    assert code == 0, err
    assert "model largest: carol" in out
    code, out, err = replicate(*options, f"--data={corpus}", *kept, dead, "--cap", "0.1")
    assert code == 0, err
    assert "qasper-scaling will be left out" in err
    assert "model largest: carol" not in out


def test_data_that_cannot_be_read_stops_a_run(replicate, played, tmp_path):
    options = ["llm-call-per-chunk", "--only=qasper-scaling", f"--data={tmp_path}", *played, "--cap", 1]
    code, _, err = replicate(*options, "--output", tmp_path / "out")
    assert code == 1
    assert str(tmp_path) in err
    assert not (tmp_path / "out").exists()


def test_what_the_cap_leaves_out_stands_in_the_plan(corpus, replicate, played, prices, tmp_path):
    prices(carol=1000)
    options = ["llm-call-per-chunk", "--only=qasper-per-field", "--only=qasper-scaling", f"--data={corpus}", *played]
    code, _, err = replicate(*options, "--cap", "0.1", "--freeze", "--output", tmp_path / "out")
    assert code == 0, err
    assert not (tmp_path / "out" / "qasper-scaling").exists()
    declared = json.loads((tmp_path / "out" / "qasper-per-field" / "plan.lock.json").read_text())["declared"]
    assert declared["applied"] == [{"part": "qasper-scaling", "why": "exploratory", "arms": []}]
    assert declared["reductions"][0]["part"] == "qasper-scaling"
    # The same command goes on with the same reductions, though what is left to pay would leave nothing out by now.
    prices()
    code, _, err = replicate(*options, "--cap", "0.1", "--freeze", "--output", tmp_path / "out")
    assert code == 0, err
    assert not (tmp_path / "out" / "qasper-scaling").exists()


def test_a_place_without_a_role_is_refused():
    with pytest.raises(SpecError, match="neither a piece nor a role"):
        fill({"arms": {"A": "headers + enriched({nobody})"}}, {})


def test_pieces_hold_places_of_their_own():
    template = {"pieces": {"base": "sections({model=r})", "more": "{base} + path"}, "arms": {"A": "{more}"}}
    role = Role("r", "model", "", "", {"model": "m", "url": "vllm"})
    assert fill(template, {"r": role}).keys["arms"]["A"] == "sections(model='m', url='vllm') + path"
    assert roles_in(template, template["arms"]) == {"r"}
