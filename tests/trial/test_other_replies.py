"""A run that goes on after its model's replies were lost never mixes scores of two generations of text."""

import json

import pytest

from ragtrial.chunkers import asking
from ragtrial.llm.base import Reply
from ragtrial.trial import run as module
from ragtrial.trial.run import run

ARMS = {"sections": "headers(min=0)", "paid": "headers(min=0) + enriched('m')"}


class Model:
    """Says the same of every chunk; no reply is kept anywhere."""

    concurrency = 1
    window = None

    def __init__(self, word):
        self.said = json.dumps({"title": word, "key": word})

    def ask(self, request, purpose):
        return Reply(self.said, 1, 1)


@pytest.fixture
def trial(trial_of):
    retrievers = {"bm25": "bm25(variant='lucene')", "okapi": "bm25"}
    contrasts = [{"name": "c", "of": "paid - sections"}]
    return lambda: trial_of(arms=ARMS, retrievers=retrievers, contrasts=contrasts, retriever="bm25")


def test_scores_of_lost_replies_are_not_used(trial, monkeypatch, tmp_path, tables):
    scored = []

    def dies(condition):
        if len(scored) == 3:  # both of "sections", and the first of "paid"
            raise KeyboardInterrupt
        scored.append(condition)
        return score(condition)

    score = module.score_condition
    monkeypatch.setattr(asking, "load", lambda options: Model("lantern"))
    with monkeypatch.context() as dying:
        dying.setattr(module, "score_condition", dies)
        with pytest.raises(KeyboardInterrupt):
            run(trial(), tmp_path / "record")
    monkeypatch.setattr(asking, "load", lambda options: Model("winter"))
    again = []
    monkeypatch.setattr(module, "score_condition", lambda condition: again.append(condition) or score(condition))
    run(trial(), tmp_path / "record")
    assert len(again) == 2  # both of "paid": its first one was of other text
    run(trial(), tmp_path / "fresh")
    assert tables(tmp_path / "record") == tables(tmp_path / "fresh")
