"""The first trial as a file, and which arms get dense retrieval in the time that there is."""

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.windows import Chars
from ragtrial.documents.plain import read_text
from ragtrial.prefixes.path import Path as SectionPath
from ragtrial.questions.model import Evidence, Question
from ragtrial.trial import time_limit
from ragtrial.trial.config import Trial
from ragtrial.trial.outlook import detectable
from ragtrial.trial.starter import Starter
from ragtrial.trial.time_limit import arms_that_fit

words = st.text(min_size=1, max_size=12).filter(lambda text: "\r" not in text and text.isprintable())


@given(words, st.lists(words, min_size=1, max_size=3), words, st.lists(words, max_size=2))
def test_the_file_says_what_the_keys_say(title, documents, questions, include):
    starter = Starter.of(title, documents, questions, include=include)
    assert tomllib.loads(starter.toml()) == starter.keys()


def test_the_file_is_a_trial():
    starter = Starter.of("T", ["docs"], "q.jsonl", only={"dense": ["path"], "hybrid": ["path"]}, alternatives=True)
    trial = Trial.of(tomllib.loads(starter.toml()))
    assert trial.only == {"dense": ["path"], "hybrid": ["path"]}
    assert trial.primary == "recall@512t:max"
    assert [str(arm) for arm in trial.arms.values()][:2] == ["recursive", "tokens(256, overlap=32)"]
    assert len(trial.contrasts) == 6


class Slow:
    """An embedder that takes a second a hundred characters, by a clock of its own, and keeps what it made."""

    def __init__(self):
        self.kept = set()
        self.now = 0.0

    def clock(self):
        return self.now

    def missing(self, texts, kind="document"):
        return [text for text in dict.fromkeys(texts) if text not in self.kept]

    def embed(self, texts, kind="document", progress=None):
        new = self.missing(texts)
        self.now += sum(map(len, new)) / 100
        self.kept.update(new)
        return np.zeros((len(texts), 2), dtype=np.float32)


@pytest.fixture
def slow(monkeypatch):
    embedder = Slow()
    monkeypatch.setattr(time_limit, "perf_counter", embedder.clock)
    return embedder


def chunks():
    documents = [read_text(" ".join(f"w{n}d{d}" for n in range(2000)), id=str(d)) for d in range(3)]
    small = Chars(100).chunk_documents(documents)
    other = Chars(150).chunk_documents(documents)
    return {"one": small, "same": small, "other": other, "path": SectionPath().apply(small)}


def test_arms_are_taken_in_order_while_there_is_time(slow):
    sets = chunks()
    characters = sum(map(len, sets["one"].texts))
    order = ("one", "other", "same", "none")
    everything = arms_that_fit(sets, slow, 1e9, order)
    assert (everything.arms, everything.left_out, everything.rest) == (("one", "other", "same"), (), 0.0)
    assert everything.seconds == pytest.approx(2 * characters / 100, rel=0.1)

    # The arm of the same texts costs nothing more.
    fresh = Slow()
    time_limit.perf_counter = fresh.clock
    some = arms_that_fit(sets, fresh, 1.2 * characters / 100, order)
    assert (some.arms, some.left_out) == (("one", "same"), ("other",))
    assert some.rest == pytest.approx(characters / 100, rel=0.1)
    assert some.speed is not None

    none = arms_that_fit(sets, fresh, 0.0, order)
    assert none.arms == ()
    assert none.rest > 0


def test_what_is_kept_costs_nothing(slow):
    sets = chunks()
    slow.kept.update(sets["one"].indexed_texts)
    fit = arms_that_fit(sets, slow, 0.0, ("one", "same"))
    assert (fit.arms, fit.seconds, fit.speed) == (("one", "same"), 0.0, None)


def test_what_a_set_detects():
    question = Question("q", "?", (Evidence("e"),), None, "c")
    assert detectable([]) == "Without questions nothing can be detected."
    assert "differences from 10.6 points on with 80% power" in detectable([question] * 100)
