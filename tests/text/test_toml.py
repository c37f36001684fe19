"""A trial's keys as TOML: what is read back is what was given."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from ragtrial.text.toml import to_toml

text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.one_of(text, st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False))
values = st.one_of(scalars, st.lists(scalars, max_size=3))
tables = st.recursive(
    st.dictionaries(text, values, max_size=3),
    lambda inner: st.dictionaries(text, st.one_of(values, inner, st.lists(inner, min_size=1, max_size=2)), max_size=3),
    max_leaves=8,
)


@given(tables)
def test_what_is_written_is_read_again(keys):
    assert tomllib.loads(to_toml(keys)) == keys


def test_nothing_has_no_word_in_toml():
    assert tomllib.loads(to_toml({"pool": None, "a": 1})) == {"a": 1}


def test_the_keys_of_a_trial():
    keys = {
        "title": "Насос",
        "measures": ["hit@1", "recall@512t"],
        "resamples": 200,
        "arms": {"S+T": "headers + path", "plain": "chars(9)"},
        "only": {"bm25": ["plain"]},
        "families": {"H1": {"demands": "sign-flip"}, "H2": {}},
        "contrasts": [{"name": "a", "of": "'S+T' - plain", "margin": 2.5}, {"name": "b", "of": "plain - 'S+T'"}],
    }
    assert tomllib.loads(to_toml(keys)) == keys
