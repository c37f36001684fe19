"""Measures of spans: the study's worked example, the laws of METHODS 5.2, and a plain second implementation."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import DataError, UsageError
from ragtrial.measures.coverage_ndcg import _cells, _gains, above_one, coverage_ndcg, dcg
from ragtrial.measures.intervals import merged, overlap, size
from ragtrial.measures.names import parse_measure
from ragtrial.measures.span_coverage import covered, mean_coverage
from ragtrial.measures.span_question import score_spans
from ragtrial.measures.span_relevance import relevant_chunks, span_mrr
from ragtrial.measures.spans import GoldSpans, SpanTable

from .plain_spans import Plain, characters

NAMES = ("coverage-ndcg@10", "coverage-ndcg@3", "span-recall@50", "span-recall@2", "mrr", "span-mrr@2", "ndcg@10")
BUDGETS = ("coverage@512t", "coverage@9t", "coverage@5t", "coverage@1t")


def table_of(chunks):
    """Return the table of chunks ``(document, spans, prefix tokens, content tokens)``."""
    spans = np.array([span for _, own, *_ in chunks for span in own], dtype=np.int64).reshape(-1, 2)
    return SpanTable(
        documents=np.array([document for document, *_ in chunks], dtype=np.int64),
        offsets=np.cumsum([0, *(len(own) for _, own, *_ in chunks)]),
        starts=spans[:, 0],
        ends=spans[:, 1],
        prefix_tokens=np.array([prefix for *_, prefix, _ in chunks], dtype=np.int64),
        suffix_tokens=np.zeros(len(chunks), dtype=np.int64),
        token_bounds=lambda number: range(chunks[number][-1] + 1),
    )


def gold_of(pieces):
    return GoldSpans.of([document for document, _ in pieces], [spans for _, spans in pieces])


def score(names, ranking, chunks, pieces):
    measures = [parse_measure(name) for name in names]
    return score_spans(measures, np.array(ranking, dtype=np.int64), table_of(chunks), gold_of(pieces))


def plain(*spans):
    """Return chunks of document 0, one span each, that cost a token."""
    return [(0, [span], 0, 1) for span in spans]


# ---- chunk sets and evidence ----

COSTS = st.tuples(st.integers(0, 3), st.integers(0, 6))
SPAN = st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))
ANY_CHUNKS = st.lists(
    st.tuples(st.integers(0, 2), st.lists(SPAN, max_size=3), COSTS).map(lambda row: (*row[:2], *row[2])),
    min_size=1,
    max_size=14,
)
PIECE = st.tuples(st.integers(0, 2), st.lists(SPAN.filter(lambda span: span[0] < span[1]), min_size=1, max_size=2))
GOLD = st.lists(PIECE, min_size=1, max_size=4)


@st.composite
def tilings(draw):
    """Return chunks without overlap: documents cut at places, some of the chunks left out, some joined."""
    chunks = []
    for document in range(draw(st.integers(1, 3))):
        cuts = sorted(draw(st.sets(st.integers(0, 52), min_size=2, max_size=9)))
        parts = list(pairwise(cuts))
        owners = draw(st.lists(st.integers(0, 6), min_size=len(parts), max_size=len(parts)))
        for owner in sorted(set(owners)):
            spans = [part for part, own in zip(parts, owners, strict=True) if own == owner]
            chunks.append((document, spans, *draw(COSTS)))
    return chunks


@st.composite
def questions(draw, chunk_sets=ANY_CHUNKS):
    chunks = draw(chunk_sets)
    order = draw(st.permutations(range(len(chunks))))
    return chunks, list(order)[: draw(st.integers(0, len(chunks)))], draw(GOLD)


# ---- the worked example, and small cases by hand ----


def test_the_worked_example_of_the_study():
    chunks = plain((0, 60), (40, 100), (200, 300))
    gold = [(0, [(0, 100)])]
    assert Plain(chunks, gold).gains([0, 1, 2]) == [Fraction(3, 5), Fraction(2, 5), 0]
    assert dcg([0.6, 0.4, 0.0]) == pytest.approx(0.852, abs=5e-4)
    assert score(["coverage-ndcg@10"], [0, 1, 2], chunks, gold) == (1.0,)
    with_whole = [*chunks, *plain((0, 100))]
    assert score(["coverage-ndcg@10"], [0, 1, 2, 3], with_whole, gold)[0] == pytest.approx(0.852, abs=5e-4)


def test_a_greedy_ideal_can_be_beaten_and_is_counted():
    # The middle is the largest first gain, but the two halves are worth more together.
    chunks = plain((20, 80), (0, 50), (50, 100))
    (value,) = score(["coverage-ndcg@2"], [1, 2, 0], chunks, [(0, [(0, 100)])])
    assert value == pytest.approx((0.5 + 0.5 / math.log2(3)) / (0.6 + 0.2 / math.log2(3)))
    assert value > 1
    assert above_one([value, 1.0, 1 + 1e-12, 0.3]) == 1


def test_ties_of_the_ideal_go_to_the_lowest_number():
    # Two chunks of 50; the third adds 45 to the early one but 5 to the late one, to which the early one adds 40.
    early, late, third = (0, 50), (40, 90), (50, 95)
    gold = [(0, [(0, 100)])]
    assert score(["coverage-ndcg@2"], [0, 2], plain(early, late, third), gold) == (1.0,)
    (value,) = score(["coverage-ndcg@2"], [1, 2], plain(late, early, third), gold)
    assert value == pytest.approx((0.5 + 0.45 / math.log2(3)) / (0.5 + 0.4 / math.log2(3)))


def test_equal_gains_are_equal_whatever_they_are_sums_of():
    # In floats 1/10 + 2/10 > 3/10: the chunk of two pieces would be taken first, and the ideal would be a lower one.
    chunks = [(0, [(0, 3)], 0, 1), (0, [(10, 11), (20, 22)], 0, 1)]
    gold = [(0, [(0, 10)]), (0, [(10, 20)]), (0, [(20, 30)])]
    assert Plain(chunks, gold).greedy(1) == [0]
    assert 1 / 10 + 2 / 10 > 3 / 10
    assert score(["coverage-ndcg@1"], [0], chunks, gold) == score(["coverage-ndcg@1"], [1], chunks, gold) == (1.0,)


@pytest.mark.parametrize(
    ("chunk", "relevant"),
    [
        ((0, 50), True),  # exactly half of the span
        ((0, 49), True),  # all of it lies in the span
        ((90, 140), False),  # 10 of 100, and 10 of 50
        ((60, 110), True),  # 40 of 50 lie in the span
        ((61, 111), False),  # 39 of 50
        ((50, 5000), True),  # half of the span, however long
        ((51, 5000), False),
        ((100, 200), False),
        ((40, 40), False),
    ],
)
def test_relevance(chunk, relevant):
    candidates = table_of(plain(chunk)).candidates(gold_of([(0, [(0, 100)])]))
    assert relevant_chunks(candidates, gold_of([(0, [(0, 100)])])) == ([0] if relevant else [])


def test_only_chunks_of_the_evidences_document_score():
    chunks = [(1, [(0, 100)], 0, 1), (0, [(0, 100)], 0, 1)]
    names = ["coverage-ndcg@1", "span-recall@1", "mrr", "ndcg@1", "coverage@1t"]
    assert score(names, [0, 1], chunks, [(0, [(0, 100)])]) == (0.0, 0.0, 0.5, 0.0, 0.0)
    assert score(names, [1, 0], chunks, [(0, [(0, 100)])]) == (1.0,) * 5


def test_a_piece_in_another_document_is_found_there():
    chunks = [(0, [(0, 10)], 0, 1), (1, [(0, 10)], 0, 1)]
    gold = [(0, [(0, 10)]), (1, [(5, 10)])]
    assert score(["span-recall@1", "span-recall@2", "coverage@1t"], [1, 0], chunks, gold) == (0.5, 1.0, 0.5)


def test_mrr_is_of_the_whole_ranking_unless_it_is_cut():
    chunks = plain(*[(100 + 10 * n, 110 + 10 * n) for n in range(30)], (0, 10))
    names = ["mrr", "span-mrr@31", "span-mrr@30"]
    assert score(names, range(31), chunks, [(0, [(0, 10)])]) == (1 / 31, 1 / 31, 0.0)
    assert span_mrr(np.array([3, 1]), [1]) == 0.5


def test_without_any_coverage_every_measure_is_zero():
    assert score(NAMES + BUDGETS, [0], plain((50, 60)), [(0, [(0, 10)])]) == (0.0,) * len(NAMES + BUDGETS)
    assert score(NAMES + BUDGETS, [], plain((0, 10)), [(0, [(0, 10)])]) == (0.0,) * len(NAMES + BUDGETS)


def test_evidence_is_prepared_or_refused():
    gold = GoldSpans.of([4], [[(10, 20), (0, 5), (4, 8), (3, 3)]])
    assert gold == GoldSpans((4,), (((0, 8), (10, 20)),), (18,))
    with pytest.raises(DataError, match="without evidence"):
        GoldSpans.of([], [])
    with pytest.raises(DataError, match="evidence 1 was not located"):
        GoldSpans.of([0, 0], [[(0, 1)], []])
    with pytest.raises(DataError, match="2 pieces of evidence but 1 numbers"):
        GoldSpans.of([0], [[(0, 1)], [(0, 1)]])


@pytest.mark.parametrize(
    ("column", "value", "part"),
    [
        ("offsets", [0, 1], "2 chunks cannot have 2 offsets"),
        ("offsets", [0, 2, 1], "rise from 0"),
        ("offsets", [0, 1, 3], "number of their spans, 2"),
        ("ends", [10, 4], "ends before it starts"),
        ("prefix_tokens", [0], "1 and 2 counts of tokens"),
        ("suffix_tokens", [0], "2 and 1 counts of tokens"),
    ],
)
def test_columns_that_do_not_fit_together_are_refused(column, value, part):
    columns = {"documents": [0, 0], "offsets": [0, 1, 2], "starts": [0, 5], "ends": [5, 9]}
    columns |= {"prefix_tokens": [0, 0], "suffix_tokens": [0, 0]}
    with pytest.raises(DataError, match=part):
        SpanTable(
            **{name: np.array(own) for name, own in (columns | {column: value}).items()},
            token_bounds=lambda number: [0],
        )


def test_measures_of_texts_are_refused():
    with pytest.raises(UsageError, match=r"mrr@10 is not a measure of spans"):
        score(["mrr", "mrr@10"], [0], plain((0, 10)), [(0, [(0, 10)])])


# ---- laws ----


@given(questions())
@settings(max_examples=300)
def test_every_measure_equals_the_plain_implementation(question):
    chunks, ranking, gold = question
    slow = Plain(chunks, gold)
    expected = [
        slow.coverage_ndcg(ranking, 10),
        slow.coverage_ndcg(ranking, 3),
        slow.span_recall(ranking, 50),
        slow.span_recall(ranking, 2),
        slow.mrr(ranking),
        slow.mrr(ranking[:2]),
        slow.ndcg(ranking, 10),
        *(slow.coverage(ranking, budget) for budget in (512, 9, 5, 1)),
    ]
    assert score(NAMES + BUDGETS, ranking, chunks, gold) == pytest.approx(expected, abs=1e-12)


@given(questions(tilings()))
@settings(max_examples=300)
def test_chunks_without_overlap_never_pass_one(question):
    chunks, ranking, gold = question
    values = score(["coverage-ndcg@10", "coverage-ndcg@3", "coverage-ndcg@1"], ranking, chunks, gold)
    assert above_one(values) == 0


@given(questions())
def test_all_but_coverage_ndcg_lie_between_zero_and_one(question):
    values = score(NAMES + BUDGETS, *[question[place] for place in (1, 0, 2)])
    assert all(0 <= value <= 1 for value in values[2:])
    assert all(value >= 0 and math.isfinite(value) for value in values[:2])


@given(questions(), st.randoms(use_true_random=False))
def test_chunks_of_other_documents_below_the_last_gold_one_change_nothing(question, random):
    chunks, ranking, gold = question
    own = {document for document, _ in gold}
    kept = [number for number in ranking if chunks[number][0] in own]
    others = [number for number in range(len(chunks)) if chunks[number][0] not in own]
    random.shuffle(others)
    names = ["coverage-ndcg@10", "span-recall@50", "mrr", "ndcg@10"]
    assert score(names, kept, chunks, gold) == score(names, kept + others, chunks, gold)


@given(questions())
def test_no_character_pays_twice(question):
    chunks, ranking, gold = question
    # The same chunk once more, and again as a chunk of its own, below where it stands: nothing is new in it.
    again = ranking[:4]
    doubled = [*chunks, *(chunks[number] for number in again)]
    copies = list(range(len(chunks), len(doubled)))
    once = score(["coverage-ndcg@20"], ranking[:4], doubled, gold)
    assert score(["coverage-ndcg@20"], again + copies, doubled, gold) == once
    # All gains together are the share that the union of the chunks covers.
    prepared = gold_of(gold)
    candidates = table_of(chunks).candidates(prepared)
    seen = [candidates[number] for number in ranking if number in candidates]
    paid = sum(_gains(ranking, _cells(candidates, prepared)))
    assert paid == pytest.approx(mean_coverage(covered(seen, prepared), prepared), abs=1e-12)
    assert paid <= 1 + 1e-12


@given(questions(tilings()))
def test_the_greedy_order_itself_scores_one(question):
    chunks, _, gold = question
    slow = Plain(chunks, gold)
    table, prepared = table_of(chunks), gold_of(gold)
    value = coverage_ndcg(slow.greedy(10), table.candidates(prepared), prepared, 10)
    assert value == (1.0 if any(slow.gains(range(len(chunks)))) else 0.0)


@given(st.lists(SPAN, max_size=6), st.lists(SPAN, max_size=6))
def test_unions_are_sets_of_characters(one, two):
    assert characters(merged(one)) == characters(one)
    assert size(merged(one)) == len(characters(one))
    assert overlap(merged(one), merged(two)) == len(characters(one) & characters(two))


# ---- speed ----
