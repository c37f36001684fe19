"""The prefixes that cost nothing: a document's title, its lead, and the extractive twin of enrichment."""

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.windows import Chars
from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.plain import read_text
from ragtrial.prefixes.enriched import Enriched
from ragtrial.prefixes.lead import Lead, Title, lead_of
from ragtrial.trial.arms import Arm

TEXT = (
    "# The pump\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe pump moves oil. It needs care! Change the oil every year.\n\n"
    "## Oil filter\n\nThe oil filter keeps the oil clean. Replace the oil filter when the oil pressure falls.\n"
)


def test_title():
    chunks = Headers(min=0).chunk_documents([read_markdown(TEXT, id="a"), read_text("Words.", id="b.txt")])
    assert Title().apply(chunks).prefixes == ("The pump\n\n", "The pump\n\n", "b.txt\n\n")
    assert Title().apply(chunks).texts == chunks.texts


def test_the_title_of_the_metadata_comes_first():
    document = read_markdown("---\ntitle: Front\n---\n\n# Heading\n\nWords.\n")
    assert Title().apply(Headers().chunk_documents([document])).prefixes == ("Front\n\n",)
    assert isinstance(document.meta, MappingProxyType | dict)


def test_the_lead_is_the_first_prose():
    chunks = Headers(min=0).chunk_documents([read_markdown(TEXT), read_markdown("# Only\n\n    code\n", id="b")])
    assert Lead().apply(chunks).prefixes == ("The pump moves oil. It needs care!\n\n",) * 2 + ("",)
    assert Lead(1).apply(chunks).prefixes[0] == "The pump moves oil.\n\n"
    assert Lead(4).apply(chunks).prefixes[0] == (
        "The pump moves oil. It needs care! Change the oil every year. The oil filter keeps the oil clean.\n\n"
    )


def test_they_stand_in_front():
    arm = Arm.of("headers(min=0) + path + lead(1) + title")
    assert arm.build([read_markdown(TEXT)]).prefixes[1] == (
        "The pump\n\nThe pump moves oil.\n\nThe pump > Oil filter\n\n"
    )


def test_lead_of_texts_without_sentences():
    assert lead_of([], 2) == ""
    assert lead_of(["  ", "\n"], 2) == ""
    assert lead_of(["one\ntwo", "Three. Four. Five."], 3) == "one two Three. Four."


def test_extractive_takes_the_chunk_s_own_words():
    pytest.importorskip("rapid_textrank", reason="needs the extra keywords")
    chunks = Headers(min=0).chunk_documents([read_markdown(TEXT)])
    enriched = Enriched("extractive").apply(chunks)
    first, second = (chunk.fields for chunk in enriched)
    assert first.summary == "The pump moves oil. It needs care!"
    assert second.summary == "The oil filter keeps the oil clean. Replace the oil filter when the oil pressure falls."
    assert "oil filter" in second.keywords
    assert len(second.keywords) <= 8
    assert (second.title, second.questions, second.key) == ("", (), "")
    assert enriched.prefixes[1] == f"{second.summary}\n{', '.join(second.keywords)}\n\n"
    assert Enriched("extractive", fields=("keywords",)).apply(chunks).prefixes[1] == f"{', '.join(second.keywords)}\n\n"
    assert Enriched("extractive").parameters()["library"].startswith("rapid-textrank ")


@given(
    st.text(max_size=200)
    | st.sampled_from(["давление масла. Насос.", "滤芯每年更换一次。检查油压。", "\ud800 x\0y\r\n", "😀" * 9])
)
def test_extractive_takes_any_text(text):
    pytest.importorskip("rapid_textrank", reason="needs the extra keywords")
    chunks = Chars(50).chunk_documents([read_text(text, id="d")])
    enriched = Enriched("extractive").apply(chunks)
    again = Enriched("extractive").apply(chunks)
    assert enriched.texts == chunks.texts
    assert enriched.prefixes == again.prefixes
    for chunk in enriched:
        # Sentences of the chunk, white space as one blank.
        assert chunk.fields.summary in " ".join(chunk.text.split())
