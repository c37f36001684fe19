"""A whole trial with a reader and a judge: record, contrasts, verification, faults."""

import json
import re

import polars as pl
import pytest

from ragtrial.errors import ConfigError, DataError, RecordError, SpendingCapError, UsageError
from ragtrial.trial.amendments import amend
from ragtrial.trial.answers import run as stage
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.frozen import planned_setup
from ragtrial.trial.plan import freeze
from ragtrial.trial.record import Record
from ragtrial.trial.run import run
from ragtrial.trial.verify import verify_record

DOCUMENTS = {
    f"page{number}.md": f"# Page {number}\n\n## Colour\n\nThe lamp number {number} shines in the colour c{number}.\n\n"
    f"## Place\n\nThe lamp number {number} hangs over the gate g{number}.\n"
    for number in range(6)
}
QUESTIONS = [
    {
        "id": f"q{number}",
        "question": f"Which colour has lamp number {number}?",
        "evidence": [f"The lamp number {number} shines in the colour c{number}."],
        "answers": [f"c{number}"],
        "nuggets": [f"colour c{number}"],
    }
    for number in range(6)
]
KEYS = {
    "documents": "docs",
    "questions": "questions.jsonl",
    "primary": "token-f1@24t",
    "measures": ["recall@24t", "token-f1@24t", "nuggets@24t"],
    "arms": {"sections": "headers(min=0)", "tiny": "chars(6)"},
    "retrievers": {"bm25": "bm25(variant='lucene')"},
    "contrasts": [
        {"name": "f1", "of": "sections - tiny"},
        {"name": "nuggets", "of": "sections - tiny", "measure": "nuggets@24t"},
    ],
    "answers": {"reader": "qwen2.5:7b", "judge": {"model": "llama-3.3-70b", "url": "ollama"}, "human_kappa": 0.9},
    "resamples": 200,
}


def reads(request):
    found = re.search(r"the colour (c\d)", request.user)
    return f"Answer: {found[1]}" if found else "I don't know."


def judges(request):
    answer = request.user.split("Answer to check:\n")[1].split("\n")[0]
    nugget = request.user.split("1. ")[1].split("\n")[0]
    said = answer.strip() and answer in nugget
    return json.dumps({"labels": [{"fact": 1, "label": "support" if said else "no_support"}]})


@pytest.fixture
def folder(tmp_path):
    for name, text in DOCUMENTS.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def models(scripted, monkeypatch):
    made = {"qwen2.5:7b": scripted(reads), "llama-3.3-70b": scripted(judges)}
    monkeypatch.setattr(stage, "load", lambda options: made[options.model])
    return made


def test_answers_are_measures_like_any_other(folder, models):
    record = run(Trial.of(KEYS, folder), folder / "record")
    f1, nuggets = record.contrasts
    assert (f1["measure"], f1["mean_a"], f1["mean_b"]) == ("token-f1@24t", 1.0, 0.0)
    assert (nuggets["measure"], nuggets["mean_a"], nuggets["mean_b"]) == ("nuggets@24t", 1.0, 0.0)
    assert record.header["effective"]["measures"] == ["token-f1@24t", "recall@24t", "nuggets@24t"]
    assert record.scores.height == 6 * 2 * 3
    assert verify_record(Record.open(folder / "record")) == []
    answers = pl.read_parquet(folder / "record" / "answers.parquet")
    assert answers.columns == ["question", "arm", "retriever", "budget", "answer", "judged"]
    assert answers.filter(pl.col("arm") == "sections")["answer"].to_list() == [f"c{n}" for n in range(6)]
    assert set(answers.filter(pl.col("arm") == "tiny")["answer"]) == {"Unanswerable"}
    labels = pl.read_parquet(folder / "record" / "judgements.parquet")
    assert labels.filter(pl.col("arm") == "sections")["label"].to_list() == ["support"] * 6
    assert {"answers.parquet", "judgements.parquet"} <= record.header["files"].keys()
    controls = record.header["answers"]["controls"]
    assert (controls["accepted"], controls["other"], controls["faults"]) == (1.0, 0.0, [])
    effective = record.header["effective"]["answers"]
    assert effective["reader"]["model"] == "qwen2.5:7b"
    assert effective["judge"]["url"] == "http://localhost:11434/v1"
    assert len(effective["reader_prompt"]["sha256"]) == 64
    assert len(models["qwen2.5:7b"].calls) == 12
    assert {arm for arm, _, _ in models["qwen2.5:7b"].calls} == {"sections", "tiny"}


def test_an_edit_of_judgements_and_answers_is_named(folder, models, rewrite, retable):
    home = run(Trial.of(KEYS, folder), folder / "record").folder
    retable(home, "judgements.parquet", 0, label="no_support")
    (fault,) = verify_record(Record.open(home))
    assert fault.startswith("scores.parquet: nuggets@24t of ('sections', 'bm25')[0] is 1.0 in the record, and 0.0 when")
    retable(home, "judgements.parquet", 0, label="support")
    retable(home, "answers.parquet", 0, answer="")
    (fault,) = verify_record(Record.open(home))
    assert "'1 of 12 answers are empty and score 0.' when it is made again" in fault
    retable(home, "answers.parquet", 0, answer="c0")
    rewrite(home, "record.json", lambda header: header["answers"]["controls"].update(faults=["it is bad"]))
    faults = verify_record(Record.open(home))
    assert any(fault.startswith("record.json: answers.controls.faults is ['it is bad'] in") for fault in faults), faults
    rewrite(home, "record.json", lambda header: header["answers"]["controls"].update(faults=[], human_kappa=0.99))
    (fault,) = verify_record(Record.open(home))
    assert fault == ("record.json: answers.controls.human_kappa is 0.99 in the record, and 0.9 when it is made again")


def test_the_same_bytes_again(folder, models, tables):
    for name in ("one", "two"):
        run(Trial.of(KEYS, folder), folder / name)
    one, two = tables(folder / "one"), tables(folder / "two")
    differing = {name for name in one if one[name] != two[name]}
    assert differing <= {"record.json"}
    assert one.keys() == two.keys()


PLANNED = """
documents = "docs"
questions = "questions.jsonl"
measures = ["recall@24t"]
[arms]
sections = "headers(min=0)"
tiny = "chars(6)"
[retrievers]
bm25 = "bm25(variant='lucene')"
[[contrasts]]
name = "recall"
of = "sections - tiny"
"""
NUGGETS = """
[[contrasts]]
name = "nuggets"
of = "sections - tiny"
measure = "nuggets@24t"
[answers]
reader = "qwen2.5:7b"
judge = "llama-3.3-70b"
"""


def write_trial(folder, *parts):
    path = folder / "trial.toml"
    path.write_text("".join(parts), encoding="utf-8")
    trial = Trial.read(path)
    return trial, planned_setup(trial, load_corpus(trial))


def tiers_of(record):
    return {row["name"]: row["tier"] for row in record.contrasts}


@pytest.mark.parametrize(("kappa", "word"), [("", "exploratory"), ("human_kappa = 0.9\n", "secondary")])
def test_a_judge_without_people_makes_its_rows_exploratory_under_a_plan(folder, models, kappa, word):
    trial, setup = write_trial(folder, PLANNED, NUGGETS, kappa)
    freeze(setup, seen="nothing")
    record = run(trial, folder / "record")
    assert tiers_of(record) == {"recall": "secondary", "nuggets": word}
    assert verify_record(record) == []
    said = any("Rows on nuggets are exploratory" in doubt for doubt in record.header["doubts"])
    assert said == (word == "exploratory")


def test_answers_and_then_people_are_added_to_a_plan(folder, models):
    plan = freeze(write_trial(folder, PLANNED)[1], seen="nothing")
    trial, setup = write_trial(folder, PLANNED, NUGGETS)
    with pytest.raises(RecordError, match="differs from its plan"):
        run(trial, folder / "one")
    amend(plan, setup, reason="a reader", seen="recall")
    assert tiers_of(run(trial, folder / "one"))["nuggets"] == "exploratory"
    trial, setup = write_trial(folder, PLANNED, NUGGETS, "human_kappa = 0.7\n")
    amend(plan, setup, reason="two people labelled 60 nuggets", seen="everything")
    record = run(trial, folder / "two")
    assert tiers_of(record)["nuggets"] == "secondary"
    assert verify_record(record) == []
    trial, setup = write_trial(folder, PLANNED, NUGGETS, "human_kappa = 0.8\n")
    with pytest.raises(RecordError, match="human_kappa"):
        amend(plan, setup, reason="better", seen="everything")


def test_other_references_are_other_inputs(folder, models):
    trial, setup = write_trial(folder, PLANNED, NUGGETS)
    freeze(setup, seen="nothing")
    rows = [row | {"nuggets": ["another fact"]} for row in QUESTIONS]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(RecordError, match="nuggets_sha256: its content has changed"):
        run(trial, folder / "record")
    assert models["qwen2.5:7b"].calls == []


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"answers": None}, "token-f1@24t needs a reader: write a section [answers]"),
        ({"answers": {"reader": "a"}}, "nuggets@24t needs a judge"),
        ({"answers": {"reader": "qwen3:8b", "judge": "qwen2.5"}}, "is of the family of the reader ('qwen3:8b': Qwen)"),
        ({"answers": {"reader": {"model": "a", "url": "nowhere"}, "judge": "b"}}, "There is no server 'nowhere'"),
        ({"answers": {"reader": {"modell": "a"}, "judge": "b"}}, "answers.reader"),
        ({"answers": {"reader": "a", "judge": "b", "rader": 1}}, "unknown key 'rader'. Did you mean 'reader'?"),
        ({"answers": {"reader": "a", "judge": "b", "max_tokens": 0}}, "max_tokens"),
    ],
)
def test_faults_of_the_section(folder, changed, part):
    keys = {key: value for key, value in (KEYS | changed).items() if value is not None}
    with pytest.raises(ConfigError) as caught:
        Trial.of(keys, folder)
    assert part in str(caught.value)


def test_a_section_that_no_measure_needs_is_a_fault(folder):
    keys = KEYS | {"primary": "recall@24t", "measures": [], "contrasts": []}
    with pytest.raises(ConfigError, match=r"no measure needs \[answers\]"):
        Trial.of(keys, folder)


def test_questions_without_answers_are_named_before_any_call(folder, models):
    rows = [{key: value for key, value in row.items() if key != "answers"} for row in QUESTIONS]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(DataError, match="6 of 6 questions have no reference answers"):
        run(Trial.of(KEYS, folder), folder / "record")
    assert models["qwen2.5:7b"].calls == []


def test_rankings_that_were_cut_too_short_are_refused(folder, models):
    with pytest.raises(UsageError, match="Raise keep"):
        run(Trial.of(KEYS | {"keep": 1}, folder), folder / "record")
    assert models["qwen2.5:7b"].calls == []


def test_answers_that_no_measure_reads_change_no_identity(folder, models):
    keys = {key: value for key, value in KEYS.items() if key != "answers"}
    keys |= {"primary": "recall@24t", "measures": [], "contrasts": []}
    with_them = run(Trial.of(keys, folder), folder / "one").header["inputs"]
    rows = [{key: row[key] for key in ("id", "question", "evidence")} for row in QUESTIONS]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run(Trial.of(keys, folder), folder / "two").header["inputs"] == with_them


def test_a_trial_of_answers_alone(folder, models):
    keys = KEYS | {"measures": [], "contrasts": KEYS["contrasts"][:1], "answers": {"reader": "qwen2.5:7b"}}
    record = run(Trial.of(keys, folder), folder / "record")
    assert record.header["effective"]["measures"] == ["token-f1@24t"]
    assert record.contrasts[0]["mean_a"] == 1.0
    assert verify_record(record) == []
    assert not (folder / "record" / "judgements.parquet").exists()


@pytest.fixture
def served(folder, chat_server):
    """Return the trial on the scripted server, which answers as the models do."""

    def say(call):
        return judges(call) if "Facts" in call.user else reads(call)

    chat_server.reply = say
    answers = {
        "reader": {"model": "gpt-4o-mini", "url": chat_server.url},
        "judge": {"model": "claude-haiku-4-5", "url": chat_server.url},
    }
    return Trial.of(KEYS | {"answers": answers}, folder)


def test_faults_of_a_server_change_no_table(folder, served, chat_server, tables, monkeypatch):
    run(served, folder / "calm")
    calm = tables(folder / "calm")
    calls = len(chat_server.calls)
    monkeypatch.setenv("RAGTRIAL_CACHE", str(folder / "other-cache"))
    chat_server.script = [
        fault for _ in range(4) for fault in (chat_server.busy(), chat_server.status(503), chat_server.reply)
    ]
    run(served, folder / "stormy")
    stormy = tables(folder / "stormy")
    assert len(chat_server.calls) == 2 * calls + 8
    assert stormy == calm


def test_a_judge_that_talks_is_asked_again_and_the_rest_stays(folder, served, chat_server):
    chat_server.reply = lambda call: "I like it." if "Facts" in call.user and call.seed == 0 else served_reply(call)

    def served_reply(call):
        return judges(call) if "Facts" in call.user else reads(call)

    record = run(served, folder / "record")
    assert record.header["answers"]["controls"]["unreadable"] == 0
    assert record.contrasts[1]["mean_a"] == 1.0


def test_a_cap_stops_the_answers_and_a_higher_one_goes_on(folder, served, chat_server, monkeypatch):
    price = f'[servers."127.0.0.1:{chat_server.port}"]\ninput = 0.15\noutput = 0.60\n'
    (folder / "prices.toml").write_text(price, encoding="utf-8")
    monkeypatch.setenv("RAGTRIAL_PRICES", str(folder / "prices.toml"))
    monkeypatch.setenv("RAGTRIAL_CAP", "0.0007")
    with pytest.raises(SpendingCapError):
        run(served, folder / "record")
    made = len(chat_server.calls)
    monkeypatch.setenv("RAGTRIAL_CAP", "10")
    record = run(served, folder / "record")
    assert 0 < made < len(chat_server.calls)
    reading = [call for call in chat_server.calls if "Pieces:" in call.user]
    assert len(reading) == len({call.user for call in reading})
    assert record.contrasts[0]["mean_a"] == 1.0
    ledger = [json.loads(line) for line in (folder / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["arm"] for row in ledger if row["step"] == "reader"} == {"sections", "tiny"}
    # What the sections' answers say is what the accepted ones say: the controls have paid for that.
    assert {row["arm"] for row in ledger if row["step"] == "judge"} == {"", "tiny"}
