"""Chunkers of other libraries: their chunks are found exactly, in order, or the document fails with a sentence."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragtrial.chunkers import external as module
from ragtrial.chunkers.external import External, external
from ragtrial.chunkers.foreign import Cut, find_in_order
from ragtrial.chunkers.recursive import Recursive
from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError, FailedDocumentsError, MissingExtraError, SpecError
from ragtrial.text import tokens
from ragtrial.trial.arms import Arm
from ragtrial.trial.build import build_arms
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.progress import silent

LANGCHAIN = "langchain_text_splitters:RecursiveCharacterTextSplitter"

texts = st.text(alphabet=st.sampled_from("ab \n\t.é中🚀\r\u00a0\x00"), max_size=200)


def slices(text, spans):
    return [text[start:end] for start, end in spans]


def by_line(text, keep=0):
    """Cut at line ends: a chunker that a user may have in a module of his own."""
    return [line for line in text.split("\n") if len(line) >= keep]


def shouting(text):
    """Return what is not in the text."""
    return [text.upper()]


class Halves:
    """A made-up chunker with the ways of chonkie: an object with places."""

    def __init__(self, shift=0):
        self.shift = shift

    def chunk(self, text):
        middle = len(text) // 2
        cuts = [(0, middle), (middle, len(text))]
        return [SimpleNamespace(text=text[a:b], start_index=a + self.shift, end_index=b + self.shift) for a, b in cuts]


def two(text):
    return 2


def make_two():
    return two


def cut_with(text, measure):
    assert measure(text) == 2
    return text.split("\n")


def made(shift=0):
    return Halves(shift).chunk


def plain(text):
    return read_text(text, id="d")


HERE = by_line.__module__


@given(st.lists(st.text(alphabet="ab c\n", min_size=1, max_size=8), max_size=12), st.data())
def test_consecutive_slices_are_found_where_they_were(parts, data):
    text = "".join(parts)
    spans = find_in_order(text, [Cut(part) for part in parts])
    expected = [part.strip() for part in parts if part.strip()]
    assert slices(text, spans) == expected
    starts = [len("".join(parts[:n])) + len(part) - len(part.lstrip()) for n, part in enumerate(parts) if part.strip()]
    assert [span.start for span in spans] == starts


@given(texts, st.integers(1, 30), st.data())
def test_the_recursive_splitter_gives_its_own_chunks(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    expected = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap).split_text(text)
    chunks = Recursive(size, overlap).chunk(plain(text))
    assert [chunk.text for chunk in chunks] == [part for part in expected if part.strip()]
    starts = [chunk.start_index for chunk in chunks]
    assert starts == sorted(starts)


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=4), min_size=1, max_size=20), st.integers(1, 5))
def test_white_space_may_differ(words, width):
    text = "\n \t".join(words)
    chunks = [" ".join(words[start : start + width]) for start in range(0, len(words), width)]
    spans = find_in_order(text, [Cut(chunk) for chunk in chunks])
    assert [" ".join(part.split()) for part in slices(text, spans)] == chunks
    assert [span.start for span in spans] == sorted(span.start for span in spans)


def test_overlapping_chunks_of_a_repetitive_text_are_all_found():
    text = "aaaaaaaaaa"
    spans = find_in_order(text, [Cut("aaaa")] * 4)
    assert slices(text, spans) == ["aaaa"] * 4
    assert [span.start for span in spans] == sorted({span.start for span in spans})


def test_a_chunk_within_the_one_before_it_is_found():
    assert find_in_order("one two three", [Cut("one two three"), Cut("two three")]) == [(0, 13), (4, 13)]


def test_a_chunk_that_is_not_in_the_text_is_named():
    with pytest.raises(DataError, match=r"chunk 2 of 2 is not in the document after the chunk before it: 'four'"):
        find_in_order("one two three", [Cut("one"), Cut("four")])
    with pytest.raises(DataError, match="chunk 2 of 2"):
        find_in_order("one two", [Cut("two"), Cut("one")])


def test_places_are_taken_only_if_they_are_right():
    text = "ab ab ab"
    assert find_in_order(text, [Cut("ab", (6, 8))]) == [(6, 8)]
    assert find_in_order(text, [Cut("ab", (5, 7))]) == [(0, 2)]
    assert find_in_order(text, [Cut("ab", (-2, 8))]) == [(0, 2)]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (f"external('{LANGCHAIN}', chunk_size=8, chunk_overlap=0)", ["one two", "three", "four"]),
        (f"external('{LANGCHAIN}', chunk_size=99, separators=['e t'], chunk_overlap=0)", ["one two\nthree\n\nfour"]),
        (f"external('{HERE}:by_line')", ["one two", "three", "four"]),
        (f"external('{HERE}:by_line', keep=5)", ["one two", "three"]),
        (f"external('{HERE}:Halves')", ["one two\nt", "hree\n\nfour"]),
        (f"external('{HERE}:Halves', shift=1)", ["one two\nt", "hree\n\nfour"]),
        (f"external('{HERE}:made()', shift=0)", ["one two\nt", "hree\n\nfour"]),
        (f"external('{HERE}:cut_with', measure='import:{HERE}:two')", ["one two", "three", "four"]),
        (f"external('{HERE}:cut_with', measure='import:{HERE}:make_two()')", ["one two", "three", "four"]),
        (f"external('{HERE}:Halves.chunk')", None),
    ],
)
def test_chunkers_by_name(spec, expected):
    chunker = Arm.of(spec).chunker
    assert str(chunker) == spec
    document = plain("one two\nthree\n\nfour")
    if expected is None:
        with pytest.raises(FailedDocumentsError, match="TypeError"):
            chunker.split(document)
        return
    assert [chunk.text for chunk in chunker.chunk(document)] == expected


def test_a_callable_is_named_by_its_place():
    chunker = external(RecursiveCharacterTextSplitter, chunk_size=8, chunk_overlap=2)
    assert chunker == External(chunker.target, (("chunk_size", 8), ("chunk_overlap", 2)))
    assert chunker.target.endswith(":RecursiveCharacterTextSplitter")
    assert chunker.parameters()["code"].startswith("langchain-text-splitters ")
    assert external(by_line).target == f"{HERE}:by_line"
    assert external(by_line).parameters()["code"].startswith("sha256 ")
    assert external(cut_with, measure=two).options == (("measure", f"import:{HERE}:two"),)
    assert len(external(cut_with, measure=two).chunk(plain("a\nb"))) == 2
    with pytest.raises(SpecError, match="cannot be imported by its name"):
        external(lambda text: [text])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nothing", "needs a module and a name"),
        ("no_such_module_here:x", "Cannot import 'no_such_module_here'"),
        ("json:nothing", "There is no 'nothing' in the module 'json'"),
        ("json:__name__", "cannot be called"),
        ("types:SimpleNamespace", "cuts nothing"),
        (f"{LANGCHAIN}.nothing()", "There is no"),
    ],
)
def test_a_wrong_target_is_told(target, message):
    with pytest.raises(SpecError, match=message):
        External(target).parameters()


def test_wrong_parameters_are_told():
    with pytest.raises(SpecError, match="cannot be made: TypeError"):
        External(LANGCHAIN, (("size", 3),)).parameters()
    with pytest.raises(SpecError, match="takes at most 1 arguments"):
        Arm.of("external('a:b', 3)")
    with pytest.raises(SpecError, match="got 'x' twice"):
        Arm.of("external('a:b', x=1, x=2)")
    with pytest.raises(SpecError, match="no step forward"):
        Recursive(5, 5)


def test_a_text_that_was_changed_fails_its_document_only():
    documents = (read_text("quiet", id="a"), read_text("LOUD", id="b"))
    corpus = Corpus(documents, (), (), ())
    built = build_arms(corpus, {"x": Arm.of(f"external('{HERE}:shouting')")}, silent)
    assert list(built.failed) == ["a"]
    assert "chunk 1 of 1 is not in the document" in built.failed["a"]
    assert [chunk.text for chunk in built.chunks["x"]] == ["LOUD"]


@pytest.mark.parametrize(("returned", "message"), [("one text", "returned str"), (3, "returned int"), ([3], "int")])
def test_what_is_no_list_of_chunks_is_told(monkeypatch, returned, message):
    monkeypatch.setattr(module, "_splitter", lambda chunker: lambda text: returned)
    with pytest.raises(FailedDocumentsError, match=message):
        External("a:b").split(plain("one text"))


def test_what_foreign_code_raises_fails_the_document_with_its_name(monkeypatch):
    def broken(text):
        raise ValueError("no such text")

    monkeypatch.setattr(module, "_splitter", lambda chunker: broken)
    with pytest.raises(FailedDocumentsError) as raised:
        External("a:b").split(plain("one text"))
    assert list(raised.value.failed.values()) == ["a:b raised ValueError: no such text"]


def test_blank_documents_have_no_chunk():
    assert Recursive().chunk(plain(" \n")) == []
    assert External(f"{HERE}:by_line").chunk(plain(" \n")) == []


def test_sizes_in_tokens():
    text = "Retrieval augmented generation indexes documents as chunks. " * 40
    counts = [tokens.count(chunk.text) for chunk in Recursive(64, 8, unit="tokens").chunk(plain(text))]
    # The splitter adds up the parts' tokens, which may be one fewer than those of the whole.
    assert max(counts) <= 66
    assert len(counts) > 5


def test_the_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "langchain_text_splitters", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragtrial\[langchain\]'"):
        Recursive(777, 7).parameters()
