"""The grid of cells: each is the paired comparison it says, and the planned one is marked."""

import numpy as np
import pytest

from ragtrial.statistics import compare
from ragtrial.trial.grid import grid_rows
from ragtrial.trial.run import run
from ragtrial.trial.scores import Scores
from ragtrial.trial.verify import verify_record

N = 40
EFFECTIVE = {
    "contrasts": {"c": {"a": "new", "b": "old", "retriever": "r", "measure": "hit@1"}},
    "retrievers": {"r": {}, "s": {}},
    "interval": "bca",
    "resamples": 400,
    "seed": 1,
}
TYPES = {str(number): "odd" if number % 2 else "even" for number in range(N - 4)}


@pytest.fixture
def scores():
    draw = np.random.default_rng(2)
    values = {(arm, retriever): draw.random((N, 2)) for arm in ("new", "old") for retriever in ("r", "s")}
    clusters = [f"p{number // 2}" for number in range(N)]
    return Scores([str(number) for number in range(N)], [None] * N, clusters, None, ["hit@1", "mrr@10"], values)


def test_there_is_a_row_for_each_cell_and_each_type(scores):
    rows = grid_rows(EFFECTIVE, TYPES, scores)
    cells = [(row["retriever"], row["measure"], row["type"]) for row in rows]
    assert cells == [
        *((retriever, measure, None) for retriever in "rs" for measure in ("hit@1", "mrr@10")),
        ("r", "hit@1", "even"),
        ("r", "hit@1", "odd"),
    ]
    assert [row["planned"] for row in rows] == [True, False, False, False, False, False]
    assert [row["questions"] for row in rows] == [N, N, N, N, 18, 18]


def test_a_cell_is_what_compare_gives_alone(scores):
    for row in grid_rows(EFFECTIVE, TYPES, scores):
        kept = [n for n in range(N) if row["type"] is None or TYPES.get(str(n)) == row["type"]]
        a, b = (scores.of(arm, row["retriever"], row["measure"])[kept] for arm in ("new", "old"))
        alone = compare(a, b, [scores.clusters[n] for n in kept], resamples=400, seed=1)
        assert row["difference"] == pytest.approx(alone.difference)
        assert row["ci95"] == pytest.approx(list(alone.ci95))


def test_one_type_is_no_cut(scores):
    rows = grid_rows(EFFECTIVE, dict.fromkeys(TYPES, "same"), scores)
    assert {row["type"] for row in rows} == {None}


def test_a_record_holds_the_grid_and_verifies(trial_of, tmp_path):
    record = run(trial_of(), tmp_path / "record")
    assert {row["contrast"] for row in record.grid} == {"sections or crumbs", "within a point"}
    assert sum(row["planned"] for row in record.grid) == 2
    assert verify_record(record) == []
