"""Scores: each pair once, in batches, checked, and kept under complete keys."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ragtrial.embedders.cache.store import VectorCache
from ragtrial.errors import DataError
from ragtrial.retrievers.rerankers.model import Reranker
from ragtrial.retrievers.rerankers.selftest import PROBE_QUERY

from .made_up import MadeUpScorer

QUESTIONS = [("abc", ["a", "ab", "x", "a"]), ("xyz", ["a", "zzz y", "", "\ud800 x"]), ("abc", [])]


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path)


def scored(reranker: Reranker, questions: list = QUESTIONS) -> list[list[float]]:
    return [scores.tolist() for scores in reranker.scores(questions)]


def test_scores_come_in_the_order_of_the_texts_each_pair_asked_once():
    scorer = MadeUpScorer()
    assert scored(Reranker("Letters", scorer)) == [[1, 2, 0, 1], [0, 2, 0, 1], []]
    assert sorted(scorer.seen()) == sorted(
        [("abc", "a"), ("abc", "ab"), ("abc", "x"), ("xyz", "a"), ("xyz", "zzz y"), ("xyz", ""), ("xyz", "� x")]
    )


@pytest.mark.parametrize(("batch", "largest"), [(None, 3), (2, 2), (64, 4)])
def test_batches_hold_so_many_texts_and_change_nothing(batch: int | None, largest: int):
    scorer = MadeUpScorer()
    assert scored(Reranker("Letters", scorer, None, batch)) == [[1, 2, 0, 1], [0, 2, 0, 1], []]
    assert max(len(texts) for query, texts in scorer.calls if query != PROBE_QUERY) == largest


def test_the_cache_gives_the_same_scores_without_asking_again(cache: VectorCache):
    cold, warm = MadeUpScorer(), MadeUpScorer()
    assert scored(Reranker("Letters", cold, cache)) == scored(Reranker("Letters", warm, cache))
    assert not warm.calls
    assert scored(Reranker("Letters", warm, cache), [("abc", ["ab", "new c"])]) == [[2, 1]]
    assert warm.seen() == [("abc", "new c")]


def test_a_pair_is_kept_under_model_question_and_text(cache: VectorCache):
    scored(Reranker("Letters", MadeUpScorer(), cache))
    scored(Reranker("Letters", MadeUpScorer("other"), cache))
    other = MadeUpScorer("other")
    questions = [("abc", ["a"]), ("ab", ["a"]), ("a", ["bca"])]
    scored(Reranker("Letters", other, cache), questions)
    assert other.seen() == [("ab", "a"), ("a", "bca")]
    models = {model.identity["name"]: model for model in cache.models()}
    assert {name: model.vectors for name, model in models.items()} == {"letters": 8, "other": 10}  # with one probe each


def test_what_was_scored_before_a_failure_is_kept(cache: VectorCache):
    class Failing(MadeUpScorer):
        def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
            if "bad" in texts:
                raise DataError("Down.")
            return super().score(query, texts)

    with pytest.raises(DataError, match=r"Down\."):
        scored(Reranker("Letters", Failing(), cache), [("abc", ["a", "b"]), ("abc", ["bad"])])
    again = MadeUpScorer()
    assert scored(Reranker("Letters", again, cache), [("abc", ["a", "b"])]) == [[1, 1]]
    assert not again.calls


def test_scores_are_float32_with_a_cache_or_without(cache: VectorCache):
    class Thirds(MadeUpScorer):
        def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
            return super().score(query, texts) / 3

    runs = [scored(Reranker("Thirds", Thirds(), store)) for store in (None, cache, cache)]
    assert runs[0] == runs[1] == runs[2]
    assert runs[0][0][0] == float(np.float32(1 / 3))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_refused_and_never_kept(wrong: float, cache: VectorCache):
    class Broken(MadeUpScorer):
        def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
            return np.array([wrong if text == "bad" else 1.0 for text in texts])

    with pytest.raises(DataError, match=r"not finite \(NaN or infinite\) for the text 'bad'"):
        scored(Reranker("Broken", Broken(), cache), [("q", ["good", "bad"])])
    assert cache.models()[0].vectors == 1  # the probe


def test_another_number_of_scores_is_refused():
    class Short(MadeUpScorer):
        def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
            return super().score(query, texts)[: 2 if query != PROBE_QUERY else None]

    with pytest.raises(DataError, match=r"gave scores of the shape \(2,\) for 3 texts"):
        scored(Reranker("Short", Short()), [("q", ["a", "b", "c"])])


class Mixing(MadeUpScorer):
    """Scores depend on the longest text of the batch, as with dynamic quantisation."""

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        return super().score(query, texts) + max(map(len, texts)) / 100


def test_a_model_that_mixes_texts_is_given_one_at_a_time():
    scorer = Mixing()
    together = Reranker("Mixing", scorer)
    assert together.tested.alone
    ((first, second),) = scored(together, [("abc", ["a", "ab and much more"])])
    assert [first, second] == pytest.approx([1.01, 3.16])
    assert all(len(texts) == 1 for query, texts in scorer.calls if query != PROBE_QUERY)
    assert not Reranker("Letters", MadeUpScorer()).tested.alone


def test_noise_is_not_taken_for_mixing():
    class Noisy(MadeUpScorer):
        def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
            return super().score(query, texts) + noise.normal(scale=0.01, size=len(texts))

    noise = np.random.default_rng(0)
    tested = Reranker("Noisy", Noisy()).tested
    assert tested.batched > 1e-4
    assert not tested.alone


def test_another_model_under_the_same_name_is_refused(cache: VectorCache):
    class Changed(MadeUpScorer):
        def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
            return super().score(query, texts) * 2 + 1

    scored(Reranker("Letters", MadeUpScorer(), cache))
    with pytest.raises(DataError, match="gives other scores now than those under its name in the cache"):
        scored(Reranker("Letters", Changed(), cache), [("abc", ["new"])])
