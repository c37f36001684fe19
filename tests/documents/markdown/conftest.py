"""Two independent CommonMark parsers, asked for the blocks and headings of the document itself."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pyromark
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind

KINDS = {
    "blockquote_open": Kind.QUOTE,
    "bullet_list_open": Kind.LIST,
    "code_block": Kind.CODE,
    "fence": Kind.CODE,
    "heading_open": Kind.HEADING,
    "hr": Kind.RULE,
    "html_block": Kind.HTML,
    "ordered_list_open": Kind.LIST,
    "paragraph_open": Kind.PARAGRAPH,
    "table_open": Kind.TABLE,
}


class Parsed(NamedTuple):
    """Blocks as (kind, first line, line after the last that is not blank); headings as (level, title, start, end)."""

    blocks: list[tuple[Kind, int, int]]
    headings: list[tuple[int, str, int, int]]


def parser() -> MarkdownIt:
    """GFM without its autolinks; every link target allowed, as in CommonMark."""
    markdown = MarkdownIt("commonmark", {"maxNesting": 500}).enable(["table", "strikethrough"])
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown


def squeezed(title: str) -> str:
    return re.sub(r"[ \t\n]+", " ", title).strip()


def plain(tokens: list[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(plain(token.children or []))
    return "".join(parts)


def line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer(r"\r\n?|\n", text))]


def line_end(text: str, starts: list[int], number: int) -> int:
    if number + 1 == len(starts):
        return len(text)
    return starts[number] + len(text[starts[number] : starts[number + 1]].rstrip("\r\n"))


@pytest.fixture(scope="session")
def markdown_it() -> Callable[[str], Parsed]:
    """Return what markdown-it-py finds at the top level of a text."""
    markdown = parser()
    blocks_only = parser().disable(["inline", "text_join"])

    def parse(text: str) -> Parsed:
        lines = re.split(r"\r\n?|\n", text)
        starts = line_starts(text)
        blocks, headings = [], []
        references: dict[str, object] = {}
        tokens = blocks_only.parse(text, references)
        for place, token in enumerate(tokens):
            if token.level or token.nesting < 0 or not token.map:
                continue
            first, end = token.map[0], min(token.map[1], len(lines))
            while end > first + 1 and not lines[end - 1].strip(" \t"):
                end -= 1
            blocks.append((KINDS[token.type], first, end))
            if token.type == "heading_open":
                (inline,) = markdown.parseInline(tokens[place + 1].content, references)
                title = squeezed(plain(inline.children or []))
                headings.append((int(token.tag[1]), title, starts[first], line_end(text, starts, end - 1)))
        return Parsed(blocks, headings)

    return parse


@pytest.fixture(scope="session")
def pyromark_headings() -> Callable[..., list[tuple[int, str, int, int]]]:
    """Return the headings that pyromark finds at the top level of a text; its offsets are bytes, ours characters."""
    options = pyromark.Options
    base = options.ENABLE_TABLES | options.ENABLE_STRIKETHROUGH

    def parse(text: str, *, attributes: bool = False) -> list[tuple[int, str, int, int]]:
        source = text.encode()
        headings = []
        depth = 0
        level, title = 0, ""
        flags = base | options.ENABLE_HEADING_ATTRIBUTES if attributes else base
        for event, span in pyromark.events_with_range(text, options=flags):
            name, value = (event, None) if isinstance(event, str) else next(iter(event.items()))
            if name == "Start":
                if depth == 0:
                    heading = value.get("Heading") if isinstance(value, dict) else None
                    level, title = int(heading["level"][1]) if heading else 0, ""
                depth += 1
            elif name == "End":
                depth -= 1
                if depth == 0 and level:
                    line = max(source.rfind(b"\n", 0, span["start"]), source.rfind(b"\r", 0, span["start"])) + 1
                    end = len(source[: span["end"]].decode().rstrip("\r\n"))
                    headings.append((level, squeezed(title), len(source[:line].decode()), end))
                    level = 0
            elif name in ("Text", "Code"):
                title += value
            elif name in ("SoftBreak", "HardBreak"):
                title += " "
        return headings

    return parse


@pytest.fixture(scope="session")
def plain_inlines() -> Callable[[str], str]:
    """Return the plain text that markdown-it-py gives a heading; ``[r]`` is a defined reference."""
    markdown = parser()

    def render(content: str) -> str:
        tokens = markdown.parse(f"{content}\n===\n\n[r]: /u\n")
        assert tokens[0].type == "heading_open"
        return squeezed(plain(tokens[1].children or []))

    return render


@pytest.fixture(scope="session")
def blocks_by_line() -> Callable[[Document], list[tuple[Kind, int, int]]]:
    """Return a document's blocks as the oracles give them."""

    def convert(document: Document) -> list[tuple[Kind, int, int]]:
        assert document.verify() == []
        starts = line_starts(document.text)
        rows = []
        for block in document.blocks:
            first = document.line_at(block.start) - 1
            assert block.start == starts[first] + (document.text.startswith("\ufeff") and first == 0)
            last = document.line_at(block.end) - 1
            assert block.end == line_end(document.text, starts, last)
            rows.append((block.kind, first, last + 1))
        return rows

    return convert
