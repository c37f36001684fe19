"""Chunk sets made up for tests of prefixes."""

from types import MappingProxyType

from hypothesis import strategies as st

from ragtrial.chunkers.chunkset import ChunkSet, Piece
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Span

__all__ = ["chunk_set", "chunk_sets"]


def chunk_set(*documents):
    """Make a chunk set of documents, each given as its chunks' paths; a document's title is T0, T1 ..."""
    made = []
    pieces = []
    for number, paths in enumerate(documents):
        text = "x" * max(len(paths), 1)
        meta = MappingProxyType({"title": f"T{number}"})
        made.append(Document(f"d{number}", text, (Block(Kind.PARAGRAPH, 0, len(text)),), meta=meta))
        pieces.append([Piece((Span(place, place + 1),), tuple(path)) for place, path in enumerate(paths)])
    return ChunkSet.build(made, pieces)


_path = st.lists(st.sampled_from(["Intro", "Method", "Data", "Ünïcode › x"]), max_size=4)

chunk_sets = st.lists(st.lists(_path, max_size=8), max_size=6).map(lambda documents: chunk_set(*documents))
