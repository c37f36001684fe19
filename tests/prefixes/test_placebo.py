"""The placebo: real breadcrumbs, of other documents, alike in everything but their meaning."""

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import SpecError
from ragtrial.prefixes.breadcrumb import Breadcrumb
from ragtrial.prefixes.path import Path
from ragtrial.prefixes.placebo import Placebo, PlaceboDepth
from ragtrial.specs import parse_call
from ragtrial.trial.steps import STEPS

from .corpora import chunk_set, chunk_sets

depths = st.none() | st.integers(1, 4)
steps = st.builds(Placebo, depths, st.booleans(), st.booleans(), seed=st.integers(0, 99))


def breadcrumb_of(step):
    return Breadcrumb(step.depth, step.title, step.count_title, step.separator)


def pairs_of(chunks, step):
    """Return for each pair of a document and its breadcrumb the set of placebos that its chunks got."""
    found = defaultdict(set)
    real = breadcrumb_of(step).apply(chunks).prefixes
    for document, prefix, placebo in zip(chunks.document.tolist(), real, step.apply(chunks).prefixes, strict=True):
        found[document, prefix].add(placebo)
    return found


@given(chunk_sets, steps)
def test_placebos_are_a_permutation_of_the_breadcrumbs_of_the_pairs(chunks, step):
    pairs = pairs_of(chunks, step)
    assert all(len(placebos) == 1 for placebos in pairs.values())
    real = Counter(prefix for _, prefix in pairs)
    drawn = Counter(placebo for placebos in pairs.values() for placebo in placebos)
    # The same multiset: so the same formats and the same distribution of lengths.
    assert drawn == real


@given(chunk_sets, steps)
def test_depth_is_kept_chunk_by_chunk(chunks, step):
    titles = re.compile(r"T\d|Intro|Method|Data|Ünïcode › x")
    real = breadcrumb_of(step).apply(chunks).prefixes
    for before, after in zip(real, step.apply(chunks).prefixes, strict=True):
        assert len(titles.findall(before)) == len(titles.findall(after))
        assert (before == "") == (after == "")
        assert re.fullmatch(r"(\[.+\]\n\n)?", after)


@given(chunk_sets, depths, st.integers(0, 99))
def test_a_placebo_is_of_another_document_wherever_that_can_be(chunks, depth, seed):
    # With unique titles the first title of a placebo tells whose it is.
    step = Placebo(depth, seed=seed)
    own = [f"T{number}" for number in chunks.document.tolist()]
    drawn = [re.match(r"\[(T\d)", prefix)[1] for prefix in step.apply(chunks).prefixes]
    report = step.report(chunks)
    assert report.residual_chunks == sum(a == b for a, b in zip(own, drawn, strict=True))
    pairs = {(document, trail): len(trail) for document, trail in zip(own, step.trails(chunks), strict=True)}
    expected = []
    for length, count in sorted(Counter(pairs.values()).items()):
        counts = Counter(document for (document, _), depth in pairs.items() if depth == length)
        expected.append(PlaceboDepth(length, count, sum(max(2 * own - count, 0) for own in counts.values())))
    assert report.depths == tuple(expected)
    assert (report.chunks, report.pairs) == (len(chunks), len(pairs))
    assert report.residual == sum(item.residual for item in expected)


@given(chunk_sets, steps)
def test_same_chunks_same_placebos(chunks, step):
    assert step.apply(chunks).prefixes == step.apply(chunks).prefixes
    assert step.apply(chunks).texts == chunks.texts


def test_the_seed_decides():
    chunks = chunk_set(*[[["A"], ["B"], ["C"]] for _ in range(10)])
    drawn = {Placebo(seed=seed).apply(chunks).prefixes for seed in range(4)}
    assert len(drawn) == 4
    assert all(Placebo(seed=seed).report(chunks).residual == 0 for seed in range(4))


def test_a_lone_document_keeps_its_own_and_says_so():
    report = Placebo().report(chunk_set([["A"], ["A"], ["B"], ["B", "C"]]))
    assert (report.chunks, report.pairs, report.residual, report.residual_chunks) == (4, 3, 3, 4)
    assert report.depths == (PlaceboDepth(2, 2, 2), PlaceboDepth(3, 1, 1))


def test_placebos_that_read_like_the_truth_are_counted():
    chunks = chunk_set([["Introduction"]], [["Introduction"]])
    report = Placebo(title=False).report(chunks)
    assert (report.residual, report.same_text_chunks) == (0, 2)
    assert Placebo().report(chunks).same_text_chunks == 0


def test_it_stands_in_front_of_what_is_there():
    chunks = Path().apply(chunk_set([["A"]], [["B"]]))
    assert Placebo().apply(chunks).prefixes == ("[T1 › B]\n\nA\n\n", "[T0 › A]\n\nB\n\n")


def test_pairs_are_of_the_breadcrumb_that_is_shown():
    chunks = chunk_set([["A", "X"], ["A", "Y"]], [["B", "X"]])
    assert Placebo(1).apply(chunks).prefixes == ("[T1 › B]\n\n", "[T1 › B]\n\n", "[T0 › A]\n\n")


def test_an_empty_set():
    report = Placebo().report(chunk_set())
    assert (report.chunks, report.pairs, report.depths) == (0, 0, ())


def test_it_is_the_only_step_here_that_needs_the_whole_corpus():
    needed = {"behind": "(path)", "context": "('m')", "enriched": "('m')", "per_field": "('m')"}
    steps = [STEPS.build(parse_call(name + needed.get(name, ""))) for name in STEPS.names()]
    assert [step.spec_name for step in steps if step.corpus_wide] == ["placebo"]


def test_spelling():
    assert STEPS.build(parse_call("placebo(3, seed=7)")) == Placebo(3, seed=7)
    assert str(Placebo(3, seed=7)) == "placebo(3, seed=7)"
    assert str(Placebo()) == "placebo"
    with pytest.raises(SpecError, match="placebo"):
        Placebo(seed=-1)
