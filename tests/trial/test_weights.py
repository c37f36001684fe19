"""Weights tuned on held-out questions, arm by arm, without a look at what is scored."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ragtrial.errors import ConfigError, UsageError
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.fusion import RRF, Weighted
from ragtrial.retrievers.tuning import GRID
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.run import run
from ragtrial.trial.verify import verify_record
from ragtrial.trial.weights import fit_weights, is_tuned

LINES = [
    ("red lantern gate", "The red lantern marks the harbour gate at night."),
    ("blue pier", "A blue lantern marks the northern pier in winter."),
    ("сторож маяк", "Сторож зажигает маяк каждый вечер перед закатом солнца."),
    ("ключи механика", "Ключи от склада хранятся у старшего механика."),
    ("修理工具", "修理工具放在地下室的柜子里。"),
    ("主灯", "守塔人每天傍晚点亮灯塔的主灯。"),
]

TUNED = {
    "questions": "many.jsonl",
    "retrievers": {
        "short": "bm25(variant='lucene', b=0.0)",
        "long": "bm25(variant='lucene', b=1.0)",
        "mix": "weighted(short, long, weight='tuned')",
    },
    "held_out": {"share": 0.5, "seed": 3},
}


@pytest.fixture
def many(handbook):
    """Write six questions, each its own cluster."""
    rows = [
        {"id": f"q{number}", "question": question, "evidence": [quote], "cluster": f"c{number}"}
        for number, (question, quote) in enumerate(LINES)
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (handbook / "many.jsonl").write_text(text, encoding="utf-8")


def test_half_of_the_clusters_is_tuned_on_and_never_scored(trial_of, many, tmp_path):
    record = run(trial_of(**TUNED), tmp_path / "record")
    held_out = record.header["corpus"]["held_out"]
    scored = record.scores["question"].unique().to_list()
    assert len(held_out) == len(scored) == 3
    assert sorted([*held_out, *scored]) == [f"q{number}" for number in range(6)]
    assert [(row["arm"], row["retriever"]) for row in record.header["weights"]] == [
        (arm, "mix") for arm in ("sections", "tiny", "whole")
    ]
    for row in record.header["weights"]:
        assert row["tried"] == list(GRID)
        assert row["means"][row["tried"].index(row["weight"])] == max(row["means"])
    assert verify_record(record) == []


def test_the_scores_are_those_of_the_found_weight(trial_of, many, tmp_path):
    record = run(trial_of(**TUNED), tmp_path / "record")
    (found,) = (row["weight"] for row in record.header["weights"] if row["arm"] == "tiny")
    fixed = TUNED["retrievers"] | {"given": f"weighted(short, long, weight={found})"}
    again = run(trial_of(**TUNED | {"retrievers": fixed}), tmp_path / "again")
    values = {name: again.scores.filter(arm="tiny", retriever=name)["value"].to_list() for name in ("mix", "given")}
    assert values["mix"] == values["given"]


def test_what_is_scored_has_no_part_in_the_weight(trial_of, many, handbook, tmp_path):
    trial = trial_of(**TUNED)
    scored = {question.id for question in load_corpus(trial).questions}
    before = run(trial, tmp_path / "before").header["weights"]
    rows = [json.loads(line) for line in (handbook / "many.jsonl").read_text(encoding="utf-8").splitlines()]
    changed = [row | {"question": "nothing of this"} if row["id"] in scored else row for row in rows]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in changed)
    (handbook / "many.jsonl").write_text(text, encoding="utf-8")
    assert run(trial_of(**TUNED), tmp_path / "after").header["weights"] == before


def test_a_run_that_died_finds_its_weights_again(trial_of, many, tmp_path, dying_at, tables):
    whole = run(trial_of(**TUNED), tmp_path / "whole")
    with dying_at("contrasts.json"):
        run(trial_of(**TUNED), tmp_path / "died")
    assert tables(run(trial_of(**TUNED), tmp_path / "died").folder) == tables(whole.folder)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"held_out": None}, "a tuned weight needs questions that are not scored"),
        ({"retrievers": {"bm25": "bm25"}}, "no retriever has a weight to tune"),
        ({"held_out": {"share": 1.0}}, "held_out.share"),
        ({"held_out": {"part": 0.5}}, "unknown key 'part'"),
        ({"retrievers": {"mix": "weighted(bm25, bm25, weight='found')"}}, "weight"),
    ],
)
def test_what_does_not_fit_together_is_a_fault(trial_of, changed, said):
    keys = {key: value for key, value in (TUNED | changed).items() if value is not None}
    with pytest.raises(ConfigError) as error:
        trial_of(**keys)
    assert said in str(error.value)


def test_inner_weights_are_tuned_first():
    inner = Weighted(BM25(), BM25(k1=0.5), weight="tuned")
    outer = Weighted(inner, RRF(BM25(), BM25(b=0.1)), weight="tuned")
    assert is_tuned(RRF(BM25(), inner))
    assert not is_tuned(replace(inner, weight=0.5))
    asked = []

    def rank(part):
        asked.append(part)
        return part.rank(["a b", "c", "a"], [0, 0, 0], ["a", "c"], [0, 0])

    fitted = fit_weights(outer, rank, lambda ranking: np.ones(ranking.n_questions))
    assert [found.weight for found in fitted.weights] == [0.5, 0.5]  # nothing tells them apart
    assert asked[:2] == [BM25(), BM25(k1=0.5)]
    assert asked[2] == replace(inner, weight=0.5)
    assert not is_tuned(fitted.retriever)


def test_a_weight_that_is_not_tuned_yet_ranks_nothing():
    with pytest.raises(UsageError, match="has no weight yet"):
        Weighted(BM25(), BM25(), weight="tuned").rank(["a", "b"], [0, 0], ["a"], [0])
