"""Features worked out by hand, and analyses that verify makes again."""

import json

import numpy as np
import polars as pl
import pytest

from ragtrial.trial.exploratory.explore import explore
from ragtrial.trial.exploratory.features import Feature, features
from ragtrial.trial.exploratory.found import found_counts
from ragtrial.trial.exploratory.terms import terms
from ragtrial.trial.run import run
from ragtrial.trial.scores import Scores
from ragtrial.trial.verify import verify_record

TEXTS = {
    "pump.md": "# Pump\n\n## Start\n\nPress the green button firmly.\n\n## Stop\n\nTurn the red valve slowly.\n",
    "mill.md": "# Mill\n\n## Grind\n\nFill the wide hopper first.\n\n## Clean\n\nBrush the stones each day.\n",
}
QUESTIONS = [
    {"id": "button", "question": "Which green button starts it?", "evidence": ["Press the green button firmly."]},
    {"id": "valve", "question": "Does the mill need a valve?", "evidence": ["Turn the red valve slowly."]},
    {"id": "hopper", "question": "What is put in the hopper?", "evidence": ["Fill the wide hopper first."]},
    {"id": "stones", "question": "When are stones brushed?", "evidence": ["Brush the stones each day."]},
]
KEYS = {
    "documents": "docs",
    "questions": "questions.jsonl",
    "arms": {
        "sections": "headers(min=0)",
        "tiny": "chars(9)",
        "path": "headers(min=0) + path",
        "placebo": "headers(min=0) + placebo",
    },
    "retrievers": {"bm25": "bm25"},
    "contrasts": [{"name": "content", "of": "path - placebo"}, {"name": "cut", "of": "sections - tiny"}],
    "resamples": 200,
}


@pytest.fixture
def record(tmp_path):
    from ragtrial.trial.config import Trial

    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(q | {"cluster": q["id"]}) + "\n" for q in QUESTIONS))
    return run(Trial.of(KEYS, tmp_path), tmp_path / "record")


def values(record, feature, arm=None):
    table = record.features.to_dicts()
    return {row["question"]: row["value"] for row in table if (row["feature"], row["arm"]) == (feature, arm)}


def test_terms_are_words_that_mean_something():
    assert terms("What is the x of a PUMP's valve?", "unicode") == {"pump", "valve"}
    assert terms("水泵 и насос", "unicode") == {"水", "泵", "насос"}


def test_overlap_is_the_share_of_terms_in_the_evidence(record):
    found = values(record, "overlap")
    assert found["button"] == pytest.approx(2 / 3)
    assert found["valve"] == pytest.approx(1 / 3)
    assert found["stones"] == pytest.approx(1 / 2)


def test_evidence_is_split_where_no_chunk_holds_it_whole(record):
    assert set(values(record, "split", "sections").values()) == {0.0}
    assert set(values(record, "split", "tiny").values()) == {1.0}


def test_a_path_brings_nothing_that_is_not_in_the_path(record):
    assert values(record, "bridged", "path") == {}
    assert values(record, "bridged", "sections") == {}


def test_a_placebo_bridges_by_accident_and_it_is_counted(record):
    """The term "mill" is not in the pump's chunk; another document's path in front of it brings it."""
    assert values(record, "bridged", "placebo")["valve"] == 1.0
    assert values(record, "bridged", "placebo")["stones"] == 0.0
    assert values(record, "targeting", "placebo")["valve"] > 0


def test_analyses_are_made_again_by_verify(record):
    assert verify_record(record) == []
    found = record.exploratory
    (overlap,) = found["overlap"]
    assert next(group["group"] for group in overlap["groups"]) == "low"
    assert sum(group["questions"] for group in overlap["groups"]) == len(QUESTIONS)
    (bridging,) = found["bridging"]
    assert bridging["arm"] == "placebo"
    assert sum(group["questions"] for group in bridging["groups"]) == 4
    assert [row["contrast"] for row in bridging["groups"][0]["contrasts"]] == ["content"]
    path = record.folder / "exploratory.json"
    changed = record.exploratory | {"split": []}
    path.write_text(json.dumps(changed), encoding="utf-8")
    faults = verify_record(type(record).open(record.folder))
    assert any(fault.startswith("exploratory.json: split") for fault in faults)


def test_questions_without_evidence_in_place_have_no_value(record, tmp_path):
    from ragtrial.questions.model import Evidence, Question
    from ragtrial.trial.build import build_arms
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import Corpus, load_corpus
    from ragtrial.trial.progress import silent

    trial = Trial.of(KEYS, tmp_path)
    corpus = load_corpus(trial)
    lost = Question("lost", "?", (Evidence("nowhere"),), None, "lost")
    built = build_arms(Corpus(corpus.documents, (*corpus.questions, lost), (), ()), trial.arms, silent)
    found = {
        (row.feature, row.arm): row.value
        for row in features(built.corpus, built.chunks, "corpus", "unicode")
        if row.question == "lost"
    }
    assert set(found.values()) == {None}


def cut_of(name, features_of_arm, gains):
    """Return an analysis of made-up features of the arm "a", whose gain over "b" on each question is given."""
    questions = [f"q{number}" for number in range(len(gains))]
    effective = {
        "contrasts": {
            "gain": {"a": "a", "b": "b", "retriever": "r", "measure": "recall@512t"},
            "other": {"a": "b", "b": "b", "retriever": "r", "measure": "recall@512t"},
        },
        "interval": "percentile",
        "resamples": 400,
        "seed": 0,
    }
    rows = [
        Feature(feature, "a", question, value)
        for feature, values in features_of_arm.items()
        for question, value in zip(questions, values, strict=True)
    ]
    scores = Scores(
        questions=questions,
        documents=questions,
        clusters=questions,
        strata=None,
        measures=["recall@512t"],
        values={("a", "r"): np.array([[gain] for gain in gains]), ("b", "r"): np.zeros((len(gains), 1))},
    )
    (cut,) = explore(effective, rows, {}, scores)[name]
    assert {row["contrast"] for group in cut["groups"] for row in group["contrasts"]} == {"gain"}
    return cut


def test_bridged_questions_carry_a_share_of_the_gain():
    bridged, missing = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    gains = [0.6, 0.5, 0.4, 0.1, 0.0, 0.2, 0.05, 0.05, 0.05, 0.05]
    cut = cut_of("bridging", {"bridged": bridged, "missing": missing, "targeting": [0.0] * 10}, gains)
    told = {group["group"]: (group["questions"], *group["contrasts"]) for group in cut["groups"]}
    assert {name: row[0] for name, row in told.items()} == {"bridged": 3, "missing, not bridged": 3, "none missing": 4}
    assert [row[1]["difference"] for row in told.values()] == pytest.approx([0.5, 0.1, 0.05])
    assert [row[1]["share"] for row in told.values()] == pytest.approx([0.75, 0.15, 0.1])
    (between,) = cut["between"]["contrasts"]
    assert (cut["between"]["first"], cut["between"]["second"]) == ("bridged", "missing, not bridged")
    assert between["difference"] == pytest.approx(0.4)
    assert 0.2 < between["ci95"][0] < 0.4 < between["ci95"][1] < 0.6


def test_of_a_gain_that_may_be_nothing_there_is_no_share():
    gains = [0.5, -0.5, 0.4, -0.4, 0.1, -0.1]
    cut = cut_of("bridging", {"bridged": [1, 1, 0, 0, 0, 0], "missing": [1] * 6, "targeting": [0.0] * 6}, gains)
    assert [row["share"] for group in cut["groups"] for row in group["contrasts"]] == [None, None]


def test_targeting_is_cut_into_thirds_of_the_arm_s_own_contrasts():
    targeting = [-1.0, -0.5, 0.0, 0.1, 0.2, 0.3, 1.0, 1.5, 2.0]
    gains = [0.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.3, 0.2, 0.4]
    plain = {"bridged": [None] * 9, "missing": [None] * 9}
    cut = cut_of("targeting", plain | {"targeting": targeting}, gains)
    assert [(group["group"], group["low"], group["high"]) for group in cut["groups"]] == [
        ("low", -1.0, 0.0),
        ("middle", 0.1, 0.3),
        ("high", 1.0, 2.0),
    ]
    assert [group["contrasts"][0]["difference"] for group in cut["groups"]] == pytest.approx([0.0, 0.1, 0.3])
    assert (cut["between"]["first"], cut["between"]["second"]) == ("high", "low")
    assert cut["between"]["contrasts"][0]["difference"] == pytest.approx(0.3)
    assert cut["mean"] == pytest.approx(np.mean(targeting))


def test_answers_change_where_evidence_does():
    """Four questions: A found more on two, as much on one, less on one."""
    effective = {
        "contrasts": {"c": {"a": "a", "b": "b", "retriever": "r", "measure": "recall@512t"}},
        "interval": "percentile",
        "resamples": 100,
        "seed": 0,
    }
    found = {("a", "r"): {"1": 2, "2": 1, "3": 0, "4": 0}, ("b", "r"): {"1": 0, "2": 0, "3": 0, "4": 1}}
    values = {"a": [[1, 0.9], [1, 0.5], [0, 0.3], [0, 0.1]], "b": [[0, 0.1], [0, 0.5], [0, 0.1], [1, 0.6]]}
    questions = ["1", "2", "3", "4"]
    scores = Scores(
        questions=questions,
        documents=questions,
        clusters=questions,
        strata=None,
        measures=["recall@512t", "token-f1@512t"],
        values={(arm, "r"): np.array(own, dtype=np.float64) for arm, own in values.items()},
    )
    rows = explore(effective, [], found, scores)["answers"]
    told = {row["evidence"]: (row["questions"], round(row["difference"], 3)) for row in rows}
    assert told == {"more": (2, 0.4), "as much": (1, 0.2), "less": (1, -0.5)}
    assert {row["measure"] for row in rows} == {"token-f1@512t"}


def test_what_cannot_be_told_counts_as_not_found():
    table = pl.DataFrame(
        [("a", "r", "q", True), ("a", "r", "q", None), ("a", "r", "p", False)],
        schema=["arm", "retriever", "question", "found"],
        orient="row",
    )
    assert found_counts(table) == {("a", "r"): {"q": 1, "p": 0}}
