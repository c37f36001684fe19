"""The study's 300 papers: the numbers that are published and those that an independent script gave."""

import numpy as np
import polars as pl
import pytest

from ragtrial.trial.config import Trial
from ragtrial.trial.run import run

pytestmark = pytest.mark.slow

ARMS = {
    "fixed": "chars(512)",
    "headers": "headers(dialect='study')",
    "path": "headers(dialect='study') + path",
    "default": "headers",
}


@pytest.fixture(scope="module")
def record(shared, tmp_path_factory):
    keys = {
        "dataset": {
            "reader": "qasper",
            "path": str(shared("data/qasper")),
            "protocol": "mdk",
            "select": str(shared("data/selections/qasper-300.txt")),
        },
        "pool": "document",
        "arms": ARMS,
        "retrievers": {"bm25": "bm25(variant='okapi', words='study')"},
        "contrasts": [{"name": "path", "of": "path - headers"}],
    }
    return run(Trial.of(keys), tmp_path_factory.mktemp("selected") / "record")


def test_the_selection_is_the_study_s(record):
    corpus = record.header["corpus"]
    assert (corpus["documents"], corpus["questions"], corpus["evidence"]) == (300, 951, 2245)
    assert record.scores["question"].n_unique() == 951


def test_the_header_led_chunks_are_7222(record):
    chunks = {row["arm"]: row["chunks"] for row in record.header["arms"]}
    assert chunks["headers"] == chunks["path"] == 7222


def test_the_means_are_the_published_ones(record):
    means = {
        row["arm"]: round(row["mean"], 4) for row in record.header["conditions"] if row["measure"] == "recall@512t"
    }
    assert means["path"] == 0.2989
    assert means["headers"] == 0.2973
    assert means["fixed"] == 0.2676


def test_scores_are_shares(record):
    values = record.scores["value"].to_numpy()
    assert np.isfinite(values).all()
    assert values.min() >= 0
    assert values.max() <= 1
    assert record.scores.height == 951 * len(ARMS) * len(record.header["effective"]["measures"])
    assert record.scores.filter(pl.col("value").is_null()).is_empty()
