"""Titles as plain text: what a reader sees of a heading's inline Markdown (CommonMark 0.31, section 6).

Emphasis marks, link targets and raw HTML go; the text of links, code and images stays;
escapes and character references are resolved. The time is linear in the length of a title.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container
from html.entities import html5

from ragtrial.documents.markdown.definitions import LABEL, TITLE, destination_end, normalised
from ragtrial.documents.markdown.emphasis import Delimiters

__all__ = ["plain_title", "split_attributes"]

_ATTRIBUTE = r"""(?:[#.][^\s{}"'=]++|[^\s{}"'=#.]++=(?:"[^"{}]*+"|'[^'{}]*+'|[^\s{}"']++))"""
_ATTRIBUTES = re.compile(
    rf"(?<!\\)(?:(?<!\S)|(?=\{{:?[ \t]*#))\{{:?[ \t]*+({_ATTRIBUTE}(?:[ \t]++{_ATTRIBUTE})*+)[ \t]*+\}}[ \t]*+$"
)
_BLANKS = re.compile(r"[ \t\n]+")
_CODE = re.compile(r"`+")
_ENTITY = re.compile(r"&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));")
_GAP = re.compile(r"[ \t]*+(?:\n[ \t]*+)?+")
_ID = re.compile(r"(?<!\S)#(\S+)")
_INTEREST = re.compile(r"[\\`*_~\[\]<&\n\t\0]")
_MARK = re.compile(r"[\\`*_~\[\]<&]|!\[")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_AUTOLINK = re.compile(
    r"""<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>]*+
        |[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]++@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?
         (?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*+)>""",
    re.VERBOSE,
)
_ONLY_CODE = re.compile(r"(?:[^\\`*_~\[\]<&\n\t\0]|`[^`\n\t\0]++`(?!`))*+")
_TAG = re.compile(
    r"""<(?:[A-Za-z][A-Za-z0-9-]*+
          (?:[ \t\n]++[A-Za-z_:][A-Za-z0-9_.:-]*+
             (?:[ \t\n]*+=[ \t\n]*+(?:[^ \t\n"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+[ \t\n]*+/?
        |/[A-Za-z][A-Za-z0-9-]*+[ \t\n]*+)>""",
    re.VERBOSE,
)
_ENDS_OF_HTML = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>", "<!": ">"}


def split_attributes(content: str) -> tuple[str, str]:
    """Split the attributes off a heading: ``Title {#id .class key=value}``.

    Parameters
    ----------
    content : str
        The content of a heading as written.

    Returns
    -------
    tuple of str, str
        The content before the attributes, and the id, "" if there is none.
    """
    if not content.endswith("}"):
        return content, ""
    found = _ATTRIBUTES.search(content)
    if found is None:
        return content, ""
    name = _ID.search(found[1])
    return content[: found.start()].rstrip(" \t\n"), name[1] if name else ""


def plain_title(content: str, references: Container[str]) -> str:
    """Return the plain text of a heading.

    Parameters
    ----------
    content : str
        The content of the heading as written; the lines of a Setext heading are joined by LF.
    references : container of str
        The normalised labels of the document's link reference definitions.

    Returns
    -------
    str
        One line, without blanks at its ends and with single spaces between words.
    """
    if "  " not in content and not _INTEREST.search(content):
        return content.strip()
    if _ONLY_CODE.fullmatch(content) and "  " not in content:
        return content.replace("`", "").strip()
    text = _Inlines(content.replace("\0", "\ufffd"), references).text()
    return _BLANKS.sub(" ", text).strip()


class _Bracket:
    """An opening bracket that may become a link or an image."""

    __slots__ = ("after", "holds_bracket", "image", "piece", "runs")

    def __init__(self, piece: int, after: int, runs: int, *, image: bool) -> None:
        self.piece = piece
        self.after = after
        self.runs = runs
        self.image = image
        self.holds_bracket = False


class _Inlines:
    """Reads the inlines of one title; each method reads one at a position and returns the position after it."""

    def __init__(self, source: str, references: Container[str]) -> None:
        self._source = source
        self._references = references
        self._pieces: list[str] = []
        self._delimiters = Delimiters(self._pieces)
        self._brackets: list[_Bracket] = []
        # Links hold no links: brackets below this height of the stack open none.
        self._links_above = 0
        self._code_runs: dict[int, list[int]] | None = None
        self._absent: set[str] = set()

    def text(self) -> str:
        source, pieces = self._source, self._pieces
        readers = {
            "\\": self._escape,
            "`": self._code,
            "<": self._angle,
            "&": self._reference,
            "[": self._open_bracket,
            "![": self._open_bracket,
            "]": self._close_bracket,
        }
        position = 0
        while found := _MARK.search(source, position):
            pieces.append(source[position : found.start()])
            reader = readers.get(found[0], self._run)
            position = reader(found.start())
        pieces.append(source[position:])
        self._delimiters.pair()
        return "".join(pieces)

    def _escape(self, start: int) -> int:
        following = self._source[start + 1 : start + 2]
        if following == "\n":
            return start + 1
        if following and following in _PUNCTUATION:
            self._pieces.append(following)
            return start + 2
        self._pieces.append("\\")
        return start + 1

    def _code(self, start: int) -> int:
        opening = _CODE.match(self._source, start)
        assert opening is not None
        if self._code_runs is None:
            self._code_runs = {}
            for run in _CODE.finditer(self._source):
                self._code_runs.setdefault(len(run[0]), []).append(run.start())
        closings = self._code_runs.get(len(opening[0]), [])
        place = bisect_left(closings, opening.end())
        if place == len(closings):
            self._pieces.append(opening[0])
            return opening.end()
        self._pieces.append(self._source[opening.end() : closings[place]])
        return closings[place] + len(opening[0])

    def _angle(self, start: int) -> int:
        source = self._source
        if link := _AUTOLINK.match(source, start):
            self._pieces.append(link[0][1:-1])
            return link.end()
        if tag := _TAG.match(source, start):
            return tag.end()
        if source.startswith("!", start + 1) or source.startswith("?", start + 1):
            end = self._markup_end(start)
            if end >= 0:
                return end
        self._pieces.append("<")
        return start + 1

    def _markup_end(self, start: int) -> int:
        """Return the end of a comment, instruction, declaration or CDATA section, -1 if none starts here."""
        source = self._source
        for short in ("<!-->", "<!--->"):
            if source.startswith(short, start):
                return start + len(short)
        for opening, closing in _ENDS_OF_HTML.items():
            if source.startswith(opening, start):
                after = start + len(opening)
                if opening == "<!" and not (
                    source[after : after + 1].isascii() and source[after : after + 1].isalpha()
                ):
                    return -1
                # What was not found once is not looked for again.
                end = -1 if closing in self._absent else source.find(closing, after)
                if end < 0:
                    self._absent.add(closing)
                    return -1
                return end + len(closing)
        return -1

    def _reference(self, start: int) -> int:
        found = _ENTITY.match(self._source, start)
        if found is None:
            self._pieces.append("&")
            return start + 1
        if found[3]:
            self._pieces.append(html5.get(found[3] + ";", found[0]))
        else:
            self._pieces.append(_character(int(found[1], 16) if found[1] else int(found[2])))
        return found.end()

    def _run(self, start: int) -> int:
        source = self._source
        character = source[start]
        end = start + 1
        while source.startswith(character, end):
            end += 1
        self._delimiters.add(character, end - start, source[start - 1 : start], source[end : end + 1])
        return end

    def _open_bracket(self, start: int) -> int:
        image = self._source[start] == "!"
        after = start + 1 + image
        if self._brackets:
            self._brackets[-1].holds_bracket = True
        self._brackets.append(_Bracket(len(self._pieces), after, len(self._delimiters), image=image))
        self._pieces.append(self._source[start:after])
        return after

    def _close_bracket(self, start: int) -> int:
        bracket = self._brackets.pop() if self._brackets else None
        height = len(self._brackets)
        inactive = bracket is None or (not bracket.image and height < self._links_above)
        self._links_above = min(self._links_above, height)
        end = -1 if bracket is None or inactive else self._link_end(bracket, start)
        if bracket is None or end < 0:
            self._pieces.append("]")
            return start + 1
        self._pieces[bracket.piece] = ""
        self._delimiters.pair(bracket.runs)
        if not bracket.image:
            self._links_above = height
        return end

    def _link_end(self, bracket: _Bracket, start: int) -> int:
        """Return the end of the link whose text ends at a position, -1 if there is no link."""
        source = self._source
        if source.startswith("(", start + 1):
            end = _target_end(source, start + 2)
            if end >= 0:
                return end
        label = LABEL.match(source, start + 1)
        if label and label[1]:
            return label.end() if normalised(label[1]) in self._references else -1
        if bracket.holds_bracket or normalised(source[bracket.after : start]) not in self._references:
            return -1
        return label.end() if label else start + 1


def _target_end(source: str, position: int) -> int:
    """Return the position after the ``)`` of an inline link's target, -1 if the target is none."""
    end = destination_end(source, _after(_GAP, source, position))
    if end < 0:
        return -1
    gap = _after(_GAP, source, end)
    title = TITLE.match(source, gap) if gap > end else None
    position = _after(_GAP, source, title.end()) if title else gap
    return position + 1 if source.startswith(")", position) else -1


def _after(pattern: re.Pattern[str], source: str, position: int) -> int:
    found = pattern.match(source, position)
    return found.end() if found else position


def _character(code: int) -> str:
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return chr(code)
