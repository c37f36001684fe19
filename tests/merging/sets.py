"""Chunk sets with made-up generated fields for tests of merges: no model writes them."""

from types import MappingProxyType

from hypothesis import strategies as st

from ragtrial.chunkers.chunkset import ChunkSet, Piece
from ragtrial.chunkers.fields import INDEXED, Fields
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Span

__all__ = ["enriched_set", "enriched_sets"]


def enriched_set(*documents, shown=INDEXED, joiner=None, behind=""):
    """Make a set of documents, each a list of (text, fields, path); fields may be a key alone, or None."""
    made, pieces, fields = [], [], []
    for number, chunks in enumerate(documents):
        text, spans = "", []
        for own, _, _ in chunks:
            spans.append(Span(len(text), len(text) + len(own)))
            text += own + "\n\n"
        blocks = tuple(Block(Kind.PARAGRAPH, *span) for span in spans)
        made.append(Document(f"d{number}", text, blocks, meta=MappingProxyType({})))
        pieces.append([Piece((span,), path, behind) for span, (_, _, path) in zip(spans, chunks, strict=True)])
        fields += [Fields(key=given) if isinstance(given, str) else given for _, given, _ in chunks]
    return ChunkSet.build(made, pieces, joiner=joiner).with_fields(fields, shown)


_text = st.text(alphabet="ab с東\n", min_size=1, max_size=40).filter(lambda text: text.strip() != "")
_fields = st.none() | st.builds(
    Fields,
    title=st.sampled_from(["", "A title"]),
    summary=st.sampled_from(["", "Says something."]),
    keywords=st.lists(st.sampled_from(["pump", "valve", "насос"]), max_size=3).map(tuple),
    key=st.sampled_from(["", "", "pumps", "valves", "oil change"]),
    related_keys=st.lists(st.sampled_from(["pumps", "valves"]), max_size=2).map(tuple),
)
_chunk = st.tuples(_text, _fields, st.lists(st.sampled_from(["Intro", "Data"]), max_size=2).map(tuple))

enriched_sets = st.lists(st.lists(_chunk, max_size=12), min_size=1, max_size=4).map(lambda docs: enriched_set(*docs))
