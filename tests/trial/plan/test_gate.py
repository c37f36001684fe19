"""The gate: it passes what is shown to be not worse, and nothing else."""

import pytest

from ragtrial.errors import UsageError
from ragtrial.trial.config import Trial
from ragtrial.trial.gate import non_inferior
from ragtrial.trial.run import run


@pytest.fixture
def record(small_trial, tmp_path):
    return run(Trial.read(small_trial), tmp_path / "record")


def test_the_gate_follows_the_lower_end_of_the_interval(record):
    row = next(row for row in record.contrasts if row["name"] == "boundaries")
    lower = row["ci90"][0] * 100
    worse = max(0.0, -lower)
    passed = non_inferior(record, "boundaries", worse + 1.0)
    assert passed.passed
    assert passed.sentence.startswith("PASSED: headers against fixed in recall@64t under bm25 is at most")
    assert "on 50 questions in 25 clusters" in passed.sentence
    if worse > 0.5:
        shut = non_inferior(record, "boundaries", worse - 0.4)
        assert not shut.passed
        assert "is not shown to be at most" in shut.sentence


def test_only_the_better_way_round_passes(record, edit, small_trial, tmp_path):
    edit(small_trial, "headers - fixed", "fixed - headers")
    turned = run(Trial.read(small_trial), tmp_path / "turned")
    (given,), (other,) = ([row for row in r.contrasts if row["name"] == "boundaries"] for r in (record, turned))
    assert given["difference"] == pytest.approx(-other["difference"])
    assert abs(given["difference"]) > 0.2
    better, worse = (record, turned) if given["difference"] > 0 else (turned, record)
    assert non_inferior(better, "boundaries", 2).passed
    assert not non_inferior(worse, "boundaries", 2).passed


def test_too_few_clusters_do_not_pass(small_trial, tmp_path):
    lines = small_trial.with_name("questions.jsonl").read_text().splitlines()[:3]
    small_trial.with_name("questions.jsonl").write_text("\n".join(lines) + "\n")
    gate = non_inferior(run(Trial.read(small_trial), tmp_path / "few"), "path", 50)
    assert not gate.passed
    assert "too few clusters" in gate.sentence


def test_what_cannot_be_gated_is_refused(record):
    with pytest.raises(UsageError, match="no contrast 'boundary'"):
        non_inferior(record, "boundary", 2)
    with pytest.raises(UsageError, match="-1 points is none"):
        non_inferior(record, "path", -1)
