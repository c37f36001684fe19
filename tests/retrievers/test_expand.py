"""Expansion against hand-worked rankings, and its laws: nothing twice, nothing lost, counts matched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.chunkset import ChunkSet, Piece
from ragtrial.chunkers.fields import Fields
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Span
from ragtrial.errors import UsageError
from ragtrial.retrievers import RETRIEVERS
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.expand import Expand, related_links, walk_links, walk_neighbours
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.sources import Sources
from ragtrial.specs import parse_call

from .made_up import rows


def chunk_set(*documents):
    """Make a set of documents given as lists of (key, related keys, path)."""
    made, pieces, fields = [], [], []
    for number, chunks in enumerate(documents):
        text = "x" * len(chunks)
        made.append(Document(f"d{number}", text, (Block(Kind.PARAGRAPH, 0, len(text)),)))
        pieces.append([Piece((Span(place, place + 1),), path) for place, (_, _, path) in enumerate(chunks)])
        fields += [Fields(key=key, related_keys=related) for key, related, _ in chunks]
    return ChunkSet.build(made, pieces).with_fields(fields, ())


class Given(Retriever):
    """Ranks as it is told: the first rows of a list of chunk numbers, with falling scores."""

    spec_name = "given"

    def __init__(self, *order):
        object.__setattr__(self, "order", order)

    def index(self, texts, pools=None):
        return self

    nbytes = 0

    def rank(self, queries, query_pools, depth=None):
        chunks = np.array(self.order[:depth])
        return Ranking(np.array([0, len(chunks)]), chunks, 10.0 - np.arange(len(chunks)))


def expanded(chunks, by, order, depth=None):
    found = Expand(Given(*order), by).index([""] * len(chunks), None, Sources.of(chunks)).rank(["?"], [0], depth)
    return rows(found)[0]


# One document of eight chunks: a b a - c d e a, where d names c and "-" has no key.
EIGHT = chunk_set(
    [
        ("a", (), ("I",)),
        ("b", (), ("I",)),
        ("a", ("b",), ("II",)),
        ("", ("c",), ("II",)),
        ("c", (), ("II", "x")),
        ("d", ("c",), ("III",)),
        ("e", (), ("III",)),
        ("a", (), ("I",)),
    ]
)


def test_links_by_hand():
    links = related_links((tuple(range(8)),) * 8, EIGHT.generated.fields)
    assert links == ((2, 7), (2,), (0, 1, 7), (4,), (3, 5), (4,), (), (0, 2))


def test_related_by_hand():
    # 1 brings 2; 5 brings 4; 2 and 4 are there already and bring nothing; 0 brings 7 (2 is there); 3 and 6 alone.
    chunks, scores = expanded(EIGHT, "related", [1, 5, 2, 4, 0, 3, 6, 7])
    assert chunks == [1, 2, 5, 4, 0, 7, 3, 6]
    assert scores == [10, 10, 9, 9, 6, 6, 5, 4]


def test_adjacent_by_hand():
    # As many as above after the same chunks. After 1 comes 2. After 5 comes 6, the next one; then 2 is there, 4 comes
    # alone; 0 has one too: 1 is there and 2 is, so 3. The rest is there or comes at its rank.
    chunks, _ = expanded(EIGHT, "adjacent", [1, 5, 2, 4, 0, 3, 6, 7])
    assert chunks == [1, 2, 5, 6, 4, 0, 3, 7]


def test_adjacent_goes_next_previous_and_then_farther():
    steps = walk_neighbours([3], [(3, 90, 91, 92, 93, 94)], {3: tuple(range(8))})
    assert steps == [(3, 4, 2, 5, 1, 6)]
    assert walk_neighbours([0], [(0, 90, 91)], {0: (0, 1, 2, 3)}) == [(0, 1, 2)]
    assert walk_neighbours([7], [(7, 90, 91)], {7: (4, 5, 6, 7)}) == [(7, 6, 5)]


def test_a_chunk_that_is_there_already_still_gets_the_neighbours_of_its_rank():
    # 1 was added after 0; at its own rank the controlled walk adds two, so two neighbours come here too.
    assert walk_neighbours([0, 1], [(0, 90), (1, 91, 92)], (tuple(range(6)),) * 2) == [(0, 1), (2, 3)]


def test_section_by_hand():
    chunks, scores = expanded(EIGHT, "section", [4, 1, 3, 0, 2, 7, 5, 6])
    assert chunks == [4, 1, 0, 7, 3, 2, 5, 6]
    assert scores == [10, 9, 9, 9, 8, 8, 4, 4]


def test_links_stay_in_their_document():
    two = chunk_set([("a", (), ("I",))], [("a", (), ("I",))], [("", (), ())])
    for by in ("related", "adjacent", "section"):
        assert expanded(two, by, [2, 1, 0])[0] == [2, 1, 0]


def test_a_document_in_two_pools_is_two_documents():
    chunks = chunk_set([("a", (), ("I",))] * 4)
    index = Expand(BM25(), "related").index(["oil", "oil", "water", "oil"], [0, 1, 0, 1], Sources.of(chunks))
    assert [found for found, _ in rows(index.rank(["oil", "water"], [0, 1]))] == [[0, 2], [1, 3]]


def test_the_depth_cuts_what_is_expanded():
    whole, _ = expanded(EIGHT, "related", [1, 5, 2, 4, 0, 3, 6, 7])
    for depth in range(1, 9):
        assert expanded(EIGHT, "related", [1, 5, 2, 4, 0, 3, 6, 7], depth)[0] == whole[:depth]


_key = st.sampled_from(["", "", "a", "b", "c", "d"])
_chunk = st.tuples(_key, st.lists(_key, max_size=3).map(tuple), st.lists(st.sampled_from("IJ"), max_size=2).map(tuple))
corpora = st.lists(st.lists(_chunk, max_size=10), min_size=1, max_size=3).filter(any)


@given(corpora, st.sampled_from(["related", "adjacent", "section"]), st.randoms(use_true_random=False))
def test_expansion_is_a_permutation_with_falling_scores(corpus, by, random):
    chunks = chunk_set(*corpus)
    order = random.sample(range(len(chunks)), len(chunks))
    found, scores = expanded(chunks, by, order)
    assert sorted(found) == list(range(len(chunks)))
    assert scores == sorted(scores, reverse=True)
    depth = random.randint(1, len(chunks))
    assert expanded(chunks, by, order, depth)[0] == found[:depth]


@given(corpora, st.randoms(use_true_random=False), st.integers(1, 10))
def test_neighbours_are_as_many_as_linked_chunks_in_every_document(corpus, random, cut):
    chunks = chunk_set(*corpus)
    sources = Sources.of(chunks)
    documents = [tuple(np.flatnonzero(sources.document == number).tolist()) for number in sources.document]
    order = random.sample(range(len(chunks)), len(chunks))[:cut]
    related = walk_links(order, related_links(documents, sources.fields))
    near = walk_neighbours(order, related, documents)
    for number in range(len(chunks.documents)):
        own = [rank for rank, chunk in enumerate(order) if sources.document[chunk] == number]
        linked = sum(max(len(related[rank]) - 1, 0) for rank in own)
        there = {chunk for rank in own for chunk in near[rank]}
        added = sum(len(near[rank]) - (order[rank] in near[rank]) for rank in own)
        assert added == linked or there == set(np.flatnonzero(sources.document == number).tolist())
        assert added <= linked
        assert {order[rank] for rank in own} <= there


@given(corpora)
def test_links_are_mutual_and_never_by_an_empty_key(corpus):
    chunks = chunk_set(*corpus)
    sources = Sources.of(chunks)
    documents = [tuple(np.flatnonzero(sources.document == number).tolist()) for number in sources.document]
    links = related_links(documents, sources.fields)
    for chunk, linked in enumerate(links):
        assert list(linked) == sorted(set(linked) - {chunk})
        own = sources.fields[chunk]
        for other in linked:
            assert chunk in links[other]
            theirs = sources.fields[other]
            assert (
                (own.key and own.key == theirs.key) or own.key in theirs.related_keys or theirs.key in own.related_keys
            )


def test_what_it_needs():
    plain = ChunkSet.build([Document("d", "ab", (Block(Kind.PARAGRAPH, 0, 2),))], [[Piece((Span(0, 1),), ("I",))]])
    sources = Sources.of(plain)
    with pytest.raises(UsageError, match="the chunks have none"):
        Expand(BM25(), "related").index(["a"], None, sources)
    with pytest.raises(UsageError, match="where the texts come from"):
        Expand(BM25(), "section").index(["a"])
    assert rows(Expand(BM25(), "section").index(["a"], None, sources).rank(["a"], [0]))[0][0] == [0]


def test_spelling():
    for text in ("expand(bm25)", "expand(bm25, 'adjacent')", "expand(bm25(variant='lucene'), 'section')"):
        assert str(RETRIEVERS.build(parse_call(text))) == text
    assert RETRIEVERS.build(parse_call("expand(bm25, 'related')")) == Expand(BM25())
    assert Expand(BM25()).parts == (BM25(),)
