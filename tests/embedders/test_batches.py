"""Batches hold every text once, longest first, and the remaining time follows from the work that is left."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.embedders.batches import Pace, by_length, distinct, without_surrogates


@given(st.lists(st.sampled_from(["a", "b", "cc", "", "ddd"])))
def test_distinct_items_and_rows_give_the_items_again(items: list[str]):
    unique, rows = distinct(items)
    assert [unique[row] for row in rows] == items
    assert unique == list(dict.fromkeys(items))


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 9))
def test_batches_hold_every_text_once_and_the_longest_first(lengths: list[int], batch: int):
    batches = list(by_length(lengths, batch))
    places = [place for part in batches for place in part]
    assert places == sorted(range(len(lengths)), key=lambda place: -lengths[place])
    assert all(len(part) == batch for part in batches[:-1])


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 9), st.floats(0.001, 10))
def test_the_remaining_time_is_exact_where_a_token_takes_its_time(lengths: list[int], batch: int, second: float):
    now = 0.0
    pace = Pace(lengths, batch, clock=lambda: now)
    work = [len(part) * max(1, *(lengths[place] for place in part)) for part in by_length(lengths, batch)]
    done = 0
    for number, part in enumerate(by_length(lengths, batch)):
        now += work[number] * second
        done += len(part)
        progress = pace.after([lengths[place] for place in part])
        assert (progress.done, progress.total) == (done, len(lengths))
        assert progress.seconds_left == pytest.approx(sum(work[number + 1 :]) * second, abs=1e-9)


def test_surrogates_become_the_replacement_character_and_nothing_else_changes():
    assert without_surrogates("a\ud800b\udfff🙂") == "a\ufffdb\ufffd🙂"
    text = "Grüße 東京 🙂"
    assert without_surrogates(text) is text


def test_distinct_rows_are_an_index():
    _, rows = distinct(["x", "y", "x"])
    assert np.array([10, 20])[rows].tolist() == [10, 20, 10]
