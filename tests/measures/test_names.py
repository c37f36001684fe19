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
        ("mrr", Measure("span-mrr", 0, "chunks")),
        ("span-mrr@10", Measure("span-mrr", 10, "chunks")),
        ("ndcg@10", Measure("ndcg", 10, "chunks")),
        ("coverage-ndcg@10", Measure("coverage-ndcg", 10, "chunks")),
        ("span-recall@50", Measure("span-recall", 50, "chunks")),
        ("coverage@512t", Measure("coverage", 512, "tokens")),
        ("coverage@512t:cut", Measure("coverage", 512, "tokens", "cut")),
        ("token-f1@512t", Measure("token-f1", 512, "tokens")),
        ("nuggets@1024t", Measure("nuggets", 1024, "tokens")),
        ("nuggets@1024t:partial", Measure("nuggets", 1024, "tokens", "partial")),
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
        ("err@10", "Did you mean 'mrr'? Known: coverage, coverage-ndcg, hit, mrr, ndcg, nuggets,"),
        ("span-mrr", "Did you mean 'span-mrr@10'?"),
        ("ndcg", "Did you mean 'ndcg@10'?"),
        ("mrr:max", "a cutoff"),
        ("-mrr@10", "a cutoff"),
        ("coverage-ndcg@10t", "Write 'coverage-ndcg@10'."),
        ("coverage@10", "Write 'coverage@10t'."),
        ("token-f1@10", "Write 'token-f1@10t'."),
        ("token-f2@10t", "Did you mean 'token-f1'?"),
        ("nuggets@10t:max", "Known: nuggets@10t, nuggets@10t:partial."),
        ("coverage@512t:ceiling", "Known: coverage@512t, coverage@512t:cut."),
        ("recall@512t:cut", "There is no measure called 'recall@512t:cut'."),
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
    with pytest.raises(SpecError, match="mrr cannot be cut at 0 chunks"):
        Measure("mrr", 0, "chunks")


@pytest.mark.parametrize(
    ("names", "needs_spans"),
    [
        (["hit@5", "mrr@10", "precision@512t:ceiling", "recall@512t:max", "recall@5"], False),
        (["coverage-ndcg@10", "coverage@512t", "coverage@512t:cut", "mrr", "ndcg@10", "span-mrr@10"], True),
        (["span-recall@50"], True),
    ],
)
def test_measures_say_whether_they_need_spans(names, needs_spans):
    assert [parse_measure(name).needs_spans for name in names] == [needs_spans] * len(names)


@given(st.text(max_size=20))
def test_any_text_is_a_measure_or_a_spec_error(text):
    try:
        measure = parse_measure(text)
    except SpecError:
        return
    assert parse_measure(measure.name) == measure
