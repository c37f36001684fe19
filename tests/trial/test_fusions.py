"""The check of every fusion against its parts."""

import numpy as np
import pytest

from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.fusion import RRF
from ragtrial.statistics import compare
from ragtrial.trial.fusions import compare_fusions, fused_parts
from ragtrial.trial.run import run
from ragtrial.trial.scores import Scores
from ragtrial.trial.verify import verify_record

EFFECTIVE = {"primary": "hit@1", "interval": "bca", "resamples": 400, "seed": 3}


def test_only_parts_that_are_scored_alone_are_compared():
    first, second, other = BM25(), BM25(variant="lucene"), BM25(k1=0.5)
    table = {"a": first, "b": second, "mix": RRF(first, second), "half": RRF(first, other)}
    assert fused_parts(table) == {"mix": ["a", "b"], "half": ["a"]}


def test_a_row_is_the_paired_comparison():
    draw = np.random.default_rng(5)
    values = {("arm", name): draw.random((30, 1)) for name in ("a", "b", "mix")}
    clusters = [f"p{number // 2}" for number in range(30)]
    scores = Scores([str(n) for n in range(30)], [None] * 30, clusters, None, ["hit@1"], values)
    rows = compare_fusions(EFFECTIVE, {"mix": ["a", "b"]}, scores)
    assert [(row["arm"], row["fusion"], row["part"], row["measure"]) for row in rows] == [
        ("arm", "mix", "a", "hit@1"),
        ("arm", "mix", "b", "hit@1"),
    ]
    for row in rows:
        alone = compare(values["arm", "mix"][:, 0], values["arm", row["part"]][:, 0], clusters, resamples=400, seed=3)
        assert row["difference"] == pytest.approx(alone.difference)
        assert row["ci95"] == pytest.approx(list(alone.ci95))


def test_a_record_holds_the_check_and_verifies(trial_of, tmp_path):
    retrievers = {"okapi": "bm25", "lucene": "bm25(variant='lucene')", "mix": "rrf(okapi, lucene)"}
    record = run(trial_of(retrievers=retrievers), tmp_path / "record")
    assert record.header["fused"] == {"mix": ["okapi", "lucene"]}
    assert {row["part"] for row in record.header["fusions"]} == {"okapi", "lucene"}
    assert verify_record(record) == []


def test_a_trial_without_fusions_has_none(trial_of, tmp_path):
    record = run(trial_of(), tmp_path / "record")
    assert (record.header["fused"], record.header["fusions"]) == ({}, [])
