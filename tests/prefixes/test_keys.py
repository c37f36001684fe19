"""The rolling dictionary of keys: order, counts, and who leaves when it is full."""

from hypothesis import given
from hypothesis import strategies as st

from ragtrial.prefixes.keys import MOST_KEYS, RollingKeys


def listed(keys):
    return [line.removeprefix("- ").rsplit(" (seen ", 1)[0] for line in keys.lines().split("\n")]


def filled(*given):
    keys = RollingKeys()
    for position, key in enumerate(given):
        keys.add(key, position)
    return keys


def test_keys_stand_in_the_order_of_their_first_use_with_their_counts():
    assert filled("b", "a", "", "b", "c", "b").lines() == "- b (seen 3x)\n- a (seen 1x)\n- c (seen 1x)"
    assert filled("", "").lines() == ""


def test_the_one_that_was_used_longest_ago_leaves_and_the_rest_is_put_by_recency():
    keys = filled(*(f"k{number}" for number in range(40)))
    assert listed(keys) == [f"k{number}" for number in range(40)]
    keys.add("k0", 40)  # used again: it stays where it is, and now k1 is the oldest
    assert listed(keys)[0] == "k0"
    keys.add("new", 41)
    assert len(keys) == 40
    assert "k1" not in keys
    assert listed(keys) == ["new", "k0", *(f"k{number}" for number in range(39, 1, -1))]
    assert keys.lines().startswith("- new (seen 1x)\n- k0 (seen 2x)\n- k39 (seen 1x)\n")


def test_after_an_eviction_new_keys_stand_at_the_end_until_the_next_one():
    keys = filled(*(f"k{number}" for number in range(41)))
    assert listed(keys) == [f"k{number}" for number in range(40, 0, -1)]
    keys.add("k5", 41)
    assert listed(keys)[-5:] == ["k5", "k4", "k3", "k2", "k1"]
    keys.add("fresh", 42)
    assert listed(keys)[:3] == ["fresh", "k5", "k40"]
    assert "k1" not in keys


def test_a_key_that_was_evicted_and_comes_back_begins_anew():
    keys = filled("old", "old", *(f"k{number}" for number in range(40)))
    assert "old" not in keys
    keys.add("old", 50)
    assert "- old (seen 1x)" in keys.lines()


@given(st.lists(st.integers(-1, 60).map(lambda number: "" if number < 0 else f"k{number}"), max_size=200))
def test_it_never_holds_more_than_forty_and_holds_the_most_recent(given_keys):
    keys = RollingKeys()
    last = {}
    for position, key in enumerate(given_keys):
        before = set(last) if len(keys) == len(last) else None
        keys.add(key, position)
        if key:
            last[key] = position
        assert len(keys) <= MOST_KEYS
        if before is not None and len(last) <= MOST_KEYS:
            assert all(known in keys for known in last)
    recent = sorted(last, key=last.get)[-MOST_KEYS:]
    # Whatever was evicted on the way had been used longest ago then, so it can only be here if used again since.
    assert all(key in keys for key in recent)
    assert len(keys) == min(len(last), MOST_KEYS)
