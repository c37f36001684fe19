"""Arms with random draws: a question's scores are the mean over all draws, everything else is of the first."""

import json

import numpy as np
import polars as pl
import pytest

from ragtrial.chunkers import asking
from ragtrial.llm.base import Reply
from ragtrial.trial.arms import Arm
from ragtrial.trial.config import Trial
from ragtrial.trial.run import run

SECTIONS = [f"lamp {number} burns oil" for number in range(12)]


class Model:
    """Gives every third chunk one key, so that merges by key make three of four chunks one."""

    concurrency = 1
    window = None

    def ask(self, request, purpose):
        key = "shared" if purpose.chunk % 3 == 0 else f"own {purpose.chunk}"
        return Reply(json.dumps({"title": "", "key": key}), 1, 1)


@pytest.fixture
def record(monkeypatch, tmp_path):
    monkeypatch.setattr(asking, "load", lambda options: Model())
    (tmp_path / "docs").mkdir()
    for name in "ab":
        text = "".join(f"## {name}{n}\n\nThe {line}.\n\n" for n, line in enumerate(SECTIONS))
        (tmp_path / "docs" / f"{name}.md").write_text(text)
    questions = [
        {"id": f"{name}{n}", "question": f"{line}", "evidence": [f"The {line}."], "document": f"{name}.md"}
        for name in "ab"
        for n, line in enumerate(SECTIONS)
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    base = "headers(min=0) + enriched('m')"
    arms = {"key": f"{base} + merge", "random": f"{base} + merge('random', draws=3)"}
    arms |= {f"r{seed}": f"{base} + merge('random', seed={seed}, draws=1)" for seed in range(3)}
    keys = {
        "documents": "docs",
        "questions": "questions.jsonl",
        "pool": "document",
        "primary": "precision@40t",
        "measures": ["precision@40t", "mrr@10"],
        "arms": arms,
        "retrievers": {"bm25": "bm25"},
        "contrasts": [{"name": "merges", "of": "key - random"}],
        "resamples": 200,
    }
    return run(Trial.of(keys, tmp_path), tmp_path / "record")


def test_scores_are_the_mean_over_the_draws(record):
    scores = pl.read_parquet(record.folder / "scores.parquet").sort("question")

    def values(arm, measure):
        return scores.filter((pl.col("arm") == arm) & (pl.col("measure") == measure))["value"].to_numpy()

    for measure in ("precision@40t", "mrr@10"):
        single = [values(f"r{seed}", measure) for seed in range(3)]
        assert len({tuple(own) for own in single}) > 1
        assert len(single[0]) == 24
        assert np.allclose(values("random", measure), np.mean(single, axis=0), rtol=0, atol=1e-15)


def test_chunks_and_rankings_are_of_the_first_draw(record):
    rows = {row["arm"]: row for row in record.header["arms"]}
    assert rows["random"]["chunks"] == rows["r0"]["chunks"] == rows["key"]["chunks"] == 18
    ranked = pl.read_parquet(record.folder / "rankings.parquet").drop("retriever")
    own = {arm: ranked.filter(pl.col("arm") == arm).drop("arm") for arm in ("random", "r0", "r1")}
    assert own["random"].equals(own["r0"])
    assert not own["random"].equals(own["r1"])


def test_what_is_drawn():
    arm = Arm.of("headers + enriched('m') + merge('random', seed=4, draws=2)")
    assert [str(drawn) for drawn in arm.drawn] == [
        "headers + enriched('m') + merge('random', seed=4, draws=1)",
        "headers + enriched('m') + merge('random', seed=5, draws=1)",
    ]
    plain = Arm.of("headers + enriched('m') + merge")
    assert plain.drawn == (plain,)
    assert len(Arm.of("headers + enriched('m') + merge('random')").drawn) == 5
