"""Sections, spans and documents of chunks, and who gets them."""

import numpy as np
import pytest

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.headers import Headers
from ragtrial.documents.markdown.reader import read_markdown
from ragtrial.errors import UsageError
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.routed import Routed
from ragtrial.retrievers.sources import Sources, index_with

WITH_TITLE = "# Title\n\nLead.\n\n## A\n\nUnder a.\n\n### A1\n\nDeeper.\n\n## B\n\nUnder b.\n"
WITHOUT_TITLE = "Before all.\n\n# A\n\nFirst.\n\n# B\n\nSecond.\n\n# A\n\nOnce more.\n"


def chunks_of(*texts: str) -> ChunkSet:
    documents = [read_markdown(text) for text in texts]
    chunker = Headers(min=0)
    return ChunkSet.build(documents, [chunker.split(document) for document in documents], joiner=chunker.joiner)


def test_a_section_is_a_document_and_a_top_level_heading():
    chunks = chunks_of(WITH_TITLE, WITHOUT_TITLE, WITH_TITLE)
    sources = Sources.of(chunks)
    named = list(zip(sources.document.tolist(), sources.section.tolist(), chunks.texts, strict=True))
    by_section: dict[int, set[str]] = {}
    for document, section, text in named:
        by_section.setdefault(section, set()).add(f"{document} {text.strip().splitlines()[-1]}")
    assert list(by_section.values()) == [
        {"0 Lead."},
        {"0 Under a.", "0 Deeper."},
        {"0 Under b."},
        {"1 Before all."},
        {"1 First.", "1 Once more."},
        {"1 Second."},
        {"2 Lead."},
        {"2 Under a.", "2 Deeper."},
        {"2 Under b."},
    ]


def test_spans_lead_back_to_the_document():
    chunks = chunks_of(WITHOUT_TITLE, WITH_TITLE)
    sources = Sources.of(chunks)
    assert len(sources) == len(chunks)
    for number, text in enumerate(chunks.texts):
        source = sources.documents[sources.document[number]]
        assert "\n\n".join(source[start:end] for start, end in sources.spans(number)) == text
    assert [part.tolist() for part in sources.chunks_of_documents()] == [
        np.flatnonzero(chunks.document == number).tolist() for number in range(2)
    ]


def test_sections_with_evidence_are_those_that_overlap_it():
    sources = Sources.of(chunks_of(WITHOUT_TITLE, WITH_TITLE))
    section = {"before": 0, "A": 1, "B": 2}
    start, second = WITHOUT_TITLE.index("First."), WITHOUT_TITLE.index("Second.")
    assert sources.sections_with(0, [(start, start + 2)]) == {section["A"]}
    assert sources.sections_with(0, [(start, second + 1)]) == {section["A"], section["B"]}
    assert sources.sections_with(0, [(0, 3), (second, second + 1)]) == {section["before"], section["B"]}
    assert sources.sections_with(0, []) == set()


def test_added_text_is_noticed():
    chunks = chunks_of(WITH_TITLE)
    assert not Sources.of(chunks).prefixed
    assert Sources.of(chunks.with_prefixes(["", "x", *[""] * (len(chunks) - 2)])).prefixed


def test_a_retriever_that_reads_no_sources_gets_none():
    texts, sources = ["a b", "b"], Sources.of(chunks_of("a b\n\n# x\n\nb\n"))
    assert index_with(BM25(), texts, None, sources).rank(["b"], [0]) == BM25().index(texts).rank(["b"], [0])


def test_sources_that_are_missing_or_of_other_texts_are_refused():
    with pytest.raises(UsageError, match=r"^routed needs to know where the texts come from"):
        Routed().rank(["a"], [0], ["a"], [0])
    with pytest.raises(UsageError, match="There are 1 texts, but sources of 2"):
        Routed().index(["a"], None, Sources.of(chunks_of("a b\n\n# x\n\nb\n")))
