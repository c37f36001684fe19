"""What every reader's document must satisfy, whatever was read."""

from ragtrial.documents.model import Document


def check(document: Document, source: str | None = None, *, marked: bool = False) -> None:
    """Assert that offsets, sections, links, anchors and places fit the text.

    ``source`` bounds the lines; ``marked`` says that titles stand in the text with Markdown's own signs in them.
    """
    assert document.verify() == []
    length = len(document.text)
    for link in document.meta.get("links", ()):
        assert 0 <= link.start < link.end <= length
        assert document.text[link.start : link.end].strip()
    for offset in document.meta.get("anchors", {}).values():
        assert 0 <= offset <= length
    for heading in document.headings:
        assert marked or heading.title in document.text[heading.start : heading.end]
    if document.places is not None:
        assert list(document.places.starts) == sorted(document.places.starts)
        assert len(document.places.starts) == len(document.places.numbers)
        assert min(document.places.numbers) >= 1
        if source is not None and document.places.unit == "line":
            lines = len(source.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
            assert max(document.places.numbers) <= lines


def lines_hold_words(document: Document, source: str) -> None:
    """Assert that the first word of each block stands on the line of the source that its place names."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for block in document.blocks:
        words = [word for word in document.text[block.start : block.end].split() if word.isalpha()]
        if words:
            at = document.text.index(words[0], block.start)
            assert words[0] in lines[document.line_at(at) - 1], (block, words[0])
