import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import SpecError
from ragtrial.measures.names import Measure, parse_measure


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("recall@512t", Measure("recall", 512, "tokens")),
        ("recall@512t:max", Measure("recall", 512, "tokens", "max")),
        ("recall@512t:ceiling", Measure("recall", 512, "tokens", "ceiling")),
        ("precision@1024t", Measure("precision", 1024, "tokens")),
        ("precision@1024t:ceiling", Measure("precision", 1024, "tokens", "ceiling")),
        ("recall@5", Measure("recall", 5, "chunks")),
        ("recall@5:max", Measure("recall", 5, "chunks", "max")),
        ("hit@1", Measure("hit", 1, "chunks")),
        ("mrr@10", Measure("mrr", 10, "chunks")),
    ],
)
def test_names_and_measures_are_one_to_one(name, measure):
    assert parse_measure(name) == measure
    assert parse_measure(f"  {name} ") == measure
    assert measure.name == str(measure) == name
    assert pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("recal@512t", "Did you mean 'recall'?"),
        ("Recall@512t", "Did you mean 'recall'?"),
        ("ndcg@10", "Known: hit, mrr, precision, recall."),
        ("recall", "a cutoff"),
        ("recall@", "a cutoff"),
        ("recall@t", "a cutoff"),
        ("recall@0t", "a cutoff"),
        ("recall@-5", "a cutoff"),
        ("recall@5.5", "a cutoff"),
        ("recall@512tokens", "Did you mean 'recall@512t'?"),
        ("recall@٥t", "a cutoff"),
        ("recall@9999999999t", "a cutoff"),
        ("", "a cutoff"),
        ("precision@5", "Write 'precision@5t'."),
        ("hit@512t", "Write 'hit@512'."),
        ("mrr@10t", "mrr is cut after chunks, not after tokens."),
        ("recall@512t:mx", "Did you mean 'recall@512t:max'?"),
        ("recall@5:ceiling", "Known: recall@5, recall@5:max."),
        ("precision@512t:max", "precision@512t:ceiling"),
        ("hit@5:max", "There is no measure called 'hit@5:max'."),
    ],
)
def test_a_name_that_is_no_measure_is_refused_with_what_was_meant(name, part):
    with pytest.raises(SpecError) as caught:
        parse_measure(name)
    assert part in str(caught.value)


def test_a_measure_without_a_cutoff_is_refused():
    with pytest.raises(SpecError, match="cannot be cut at 0 tokens"):
        Measure("recall", 0, "tokens")


@given(st.text(max_size=20))
def test_any_text_is_a_measure_or_a_spec_error(text):
    try:
        measure = parse_measure(text)
    except SpecError:
        return
    assert parse_measure(measure.name) == measure
