"""The prefix ``path``: titles before the chunk, and the chunk as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.paragraphs import Paragraphs
from ragtrial.chunkers.windows import Chars
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError
from ragtrial.prefixes.path import Path
from ragtrial.specs import parse_call
from ragtrial.trial.arms import Arm
from ragtrial.trial.steps import STEPS

LINES = ["# One", "## Two", "### Three", "# Один > два", "## 二", "words", "more words here", "- item", "", "```", "#"]

documents = st.lists(st.sampled_from(LINES), max_size=15).map("\n".join).map(read_markdown)
separators = st.text(max_size=4)


def chunks_of(document, chunker=None):
    return (chunker or Headers(min=0)).chunk_documents([document])


@given(documents, separators)
def test_the_prefix_is_the_joined_path_and_a_blank_line(document, separator):
    chunks = Path(separator=separator).apply(chunks_of(document))
    for chunk in chunks:
        assert chunk.prefix == separator.join(chunk.path) + "\n\n"
        assert chunk.indexed_text == chunk.prefix + chunk.text


@given(documents, st.sampled_from([Headers(min=0), Headers(dialect="study"), Chars(7), Paragraphs()]))
def test_nothing_but_the_prefix_changes(document, chunker):
    before = chunks_of(document, chunker)
    after = Path().apply(before)
    assert len(after) == len(before)
    assert after.texts == before.texts
    assert after.paths == before.paths
    for one, other in zip(before, after, strict=True):
        assert (one.document, one.index, one.spans, one.token_count) == (
            other.document,
            other.index,
            other.spans,
            other.token_count,
        )
    assert set(before.prefixes) <= {""}, "the given chunks were changed"


@given(documents)
def test_a_second_path_stands_before_the_first(document):
    chunks = Path(separator="/").apply(Path().apply(chunks_of(document)))
    for chunk in chunks:
        assert chunk.prefix == "/".join(chunk.path) + "\n\n" + " > ".join(chunk.path) + "\n\n"


def test_a_chunk_without_a_path_keeps_the_blank_line():
    [chunk] = Path().apply(chunks_of(read_markdown("No heading here.\n")))
    assert chunk.path == ()
    assert chunk.prefix == "\n\n"
    assert chunk.indexed_text == "\n\nNo heading here.\n"
    assert chunk.to_dict()["prefix"] == "\n\n"


def test_a_path_by_hand():
    text = "Before.\n\n# Guide\n\nWords.\n\n## *Set* `up`\n\nMore.\n\n# Next\n\nEnd.\n"
    chunks = Path().apply(chunks_of(read_markdown(text)))
    assert chunks.prefixes == ("\n\n", "Guide\n\n", "Guide > Set up\n\n", "Next\n\n")
    assert "".join(chunks.texts) == text


def test_the_study_s_titles_stay_as_they_are_written():
    document = read_markdown("# *Set* `up` > now\n\nWords.\n", dialect="study")
    [chunk] = Path().apply(chunks_of(document, Headers(dialect="study")))
    assert chunk.prefix == "*Set* `up` > now\n\n"


def test_a_prefix_that_is_there_stays_behind_the_path():
    """A table that was split repeats its header row in its prefix."""
    rows = "".join(f"| {number} | value {number} |\n" for number in range(40))
    document = read_markdown(f"# Table\n\n| a | b |\n| --- | --- |\n{rows}")
    chunks = chunks_of(document, Headers(max=300, oversize="split"))
    repeated = [chunk for chunk in chunks if chunk.prefix]
    assert repeated
    for before, after in zip(chunks, Path().apply(chunks), strict=True):
        assert after.prefix == "Table\n\n" + before.prefix


def test_prefixes_are_one_a_chunk():
    from ragtrial.errors import UsageError

    chunks = chunks_of(read_markdown("# One\n\nWords.\n\n# Two\n\nWords.\n"))
    with pytest.raises(UsageError, match="2 chunks need as many prefixes, not 1"):
        chunks.with_prefixes(["x"])


def test_its_spelling():
    assert str(Path()) == "path"
    assert str(Path(separator=": ")) == "path(separator=': ')"
    assert STEPS.build(parse_call("path(separator=': ')")) == Path(separator=": ")
    assert Path().to_dict() == {"component": "path", "separator": " > "}
    assert Arm.of("headers + path(separator='')").steps == (Path(separator=""),)
    assert STEPS.names() == tuple(sorted(STEPS.names()))
    assert "path" in STEPS


@pytest.mark.parametrize("separator", [1, None, ["x"], True])
def test_a_separator_is_text(separator):
    with pytest.raises(SpecError, match="path cannot be built: separator"):
        Path(separator=separator)
