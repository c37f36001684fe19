"""Effect sizes and agreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import Tally, cohens_dz, kappa, spearman, win_tie_loss

numbers = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=30)


@given(numbers)
def test_spearman_equals_scipy(x):
    stats = pytest.importorskip("scipy.stats")
    y = [(value * 7 + place * 3) % 5 for place, value in enumerate(x)]
    ours = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize(("x", "y"), [([1.0], [2.0]), ([], []), ([1.0, 2.0], [1.0])])
def test_spearman_needs_pairs(x, y):
    with pytest.raises(StatisticsError, match="needs pairs"):
        spearman(x, y)


def test_dz():
    values = np.array([0.1, 0.0, -0.2, 0.5])
    assert cohens_dz(values) == values.mean() / values.std(ddof=1)
    assert cohens_dz([0.4]) is None
    assert cohens_dz([0.0, 0.0]) is None
    assert cohens_dz([0.1 + 0.2, 0.3]) is None


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1))
def test_win_tie_loss_counts_every_question_once(pairs):
    a, b = zip(*pairs, strict=True)
    tally = win_tie_loss(a, b)
    assert sum(tally) == len(pairs)
    assert win_tie_loss(b, a) == Tally(tally.losses, tally.ties, tally.wins)
    assert tally.wins == sum(x > y for x, y in pairs)


def test_kappa_at_its_ends():
    assert kappa(["a", "b", "c"], ["a", "b", "c"]) == 1.0
    assert kappa(["a", "b"], ["b", "a"]) == -1.0
    assert kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [([], [], "two lists"), (["a"], ["a", "b"], "1 and 2 labels"), (["a", "a"], ["a", "a"], "undefined")],
)
def test_kappa_refuses(first, second, message):
    with pytest.raises(StatisticsError, match=message):
        kappa(first, second)
