"""Sections by a language model, for documents whose own headings are bad, missing, or to be compared with (KMR's A).

The model sees the numbered paragraphs without any heading and answers with (title, level, first, last). What it answers
is verified; what is wrong with it goes back to it once; what is then still wrong is repaired by rule. Source: METHODS
section 2.3; KMR section 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ragtrial.documents.model import Document
from ragtrial.documents.parts import DEEPEST_LEVEL, Kind, Section
from ragtrial.documents.verify import violations
from ragtrial.errors import ModelCallError
from ragtrial.llm.base import LanguageModel, Purpose, Request
from ragtrial.llm.json_reply import parse_object
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.text import tokens

__all__ = [
    "SCHEMA",
    "Entry",
    "Induced",
    "Inducer",
    "faults_of",
    "load_prompts",
    "read_entries",
    "repaired",
    "sections_of",
]

Outcome: TypeAlias = Literal["verified", "corrected", "repaired", "unusable"]

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "sections": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "level": {"type": "integer"},
                    "first": {"type": "integer"},
                    "last": {"type": "integer"},
                },
                "required": ["title", "level", "first", "last"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sections"],
    "additionalProperties": False,
}

_LONGEST_TITLE: Final = 200
_MOST_FAULTS: Final = 20
"""As many are quoted: a reply that is wrong everywhere would else fill the prompt."""
_FRAME: Final = 64


class Entry(NamedTuple):
    """A section as it was answered; ``first`` and ``last`` are numbers of paragraphs, both included."""

    title: str
    level: int
    first: int
    last: int


class Induced(NamedTuple):
    """The sections of a document, none if they are unusable, and how they came about."""

    sections: tuple[Section, ...]
    outcome: Outcome


@dataclass(frozen=True)
class Inducer:
    """Asks for the sections of documents.

    Parameters
    ----------
    model : LanguageModel
    structure, correction : Prompt
        The prompts that ask for sections and for their correction; see `load_prompts`.
    max_tokens : int
        The most tokens of a reply.
    seed : int
    """

    model: LanguageModel
    structure: Prompt
    correction: Prompt
    max_tokens: int
    seed: int

    def induce(self, document: Document) -> Induced:
        """Ask for the sections of a document: once, and once more if they break a rule.

        Raises
        ------
        ModelCallError
            No reply came, or the document does not fit into the model's window.
        """
        count = len(document.paragraphs)
        if not count:
            return Induced((Section("", 1, (), 0, len(document.text), 0, 0),), "verified")
        values = {"paragraphs": _numbered(document), "last": str(count - 1)}
        reply = self._ask(self.structure, values, Purpose("structure", document.id))
        entries, faults = _read(reply, document)
        if not faults:
            return Induced(sections_of(entries, document), "verified")
        values |= {"reply": reply, "violations": "\n".join(f"- {fault}" for fault in faults[:_MOST_FAULTS])}
        reply = self._ask(self.correction, values, Purpose("structure correction", document.id))
        corrected, faults = _read(reply, document)
        if not faults:
            return Induced(sections_of(corrected, document), "corrected")
        usable = repaired(corrected, count) or repaired(entries, count)
        return Induced(sections_of(usable, document), "repaired") if usable else Induced((), "unusable")

    def _ask(self, prompt: Prompt, values: Mapping[str, str], purpose: Purpose) -> str:
        system, user = prompt.fill(values)
        request = Request(system, user, self.max_tokens, SCHEMA, self.seed)
        needed = tokens.count(system) + tokens.count(user) + self.max_tokens + _FRAME
        if self.model.window is not None and needed > self.model.window:
            raise ModelCallError(
                f"{purpose.document} is too long for its sections to be asked for: with prompt and reply {needed:,} "
                f"tokens, and the window has {self.model.window:,}.",
                hint="Use a model with a longer window, or split the document.",
            )
        return self.model.ask(request, purpose).text


def load_prompts(structure: str, correction: str) -> tuple[Prompt, Prompt]:
    """Return the two prompts by their names or paths."""
    places = ("paragraphs", "last")
    more = (*places, "reply", "violations")
    return load_prompt(structure, places, places[:1]), load_prompt(correction, more, ("paragraphs", "violations"))


def read_entries(reply: str) -> list[Entry] | None:
    """Return the sections in a reply, None if it holds no JSON object that lists any.

    An entry without whole numbers is dropped; a title that is no text is "".
    """
    found = parse_object(reply)
    listed = found.get("sections") if found else None
    if not isinstance(listed, list):
        return None
    return [entry for item in listed if isinstance(item, dict) and (entry := _entry(item)) is not None]


def faults_of(entries: Sequence[Entry], document: Document) -> list[str]:
    """Return every rule that sections break as a sentence, as they were numbered in the prompt; none means verified."""
    if not entries:
        return ["There is no section."]
    found: list[str] = []
    expected = 0
    for number, entry in enumerate(entries):
        name = f"Section {number} ({entry.title!r}, {entry.first} to {entry.last})"
        if entry.first != expected:
            found.append(f"{name} begins with paragraph {entry.first}, not {expected}.")
        if entry.last < entry.first:
            found.append(f"{name} has no paragraph.")
        if entry.last >= len(document.paragraphs) or entry.first < 0:
            found.append(f"{name} leaves the paragraphs 0 to {len(document.paragraphs) - 1}.")
        if not 1 <= entry.level <= DEEPEST_LEVEL:
            found.append(f"{name} has level {entry.level}, which is not 1 to {DEEPEST_LEVEL}.")
        expected = entry.last + 1
    for number, (before, entry) in enumerate(pairwise(entries), start=1):
        if entry.level > before.level + 1:
            found.append(
                f"Section {number} ({entry.title!r}) has level {entry.level} right after level {before.level}."
            )
    if expected != len(document.paragraphs):
        found.append(f"The last section ends with paragraph {expected - 1}, not {len(document.paragraphs) - 1}.")
    if not found:
        # Whoever reads the document later holds it against the same rules.
        found += violations(
            document.text, document.blocks, sections_of(entries, document), document.paragraphs, induced=True
        )
    return found


def repaired(entries: Sequence[Entry], count: int) -> list[Entry]:
    """Return legal sections made of any: sorted, tiled, and with levels that rise by one at most (METHODS 2.3).

    Entries out of range and empty ones go, and of those with one start all but the first. What is left begins with
    paragraph 0, each ends before the next, the last ends with the last paragraph. Nothing is left of nothing.
    """
    legal = (entry for entry in entries if 0 <= entry.first <= entry.last < count)
    firsts: dict[int, Entry] = {}
    for entry in sorted(legal, key=lambda entry: entry.first):
        firsts.setdefault(entry.first, entry)
    kept = list(firsts.values())
    if not kept:
        return []
    starts = [0, *(entry.first for entry in kept[1:]), count]
    level = 0
    made: list[Entry] = []
    for entry, (start, end) in zip(kept, pairwise(starts), strict=True):
        level = max(min(entry.level, level + 1, DEEPEST_LEVEL), 1)
        made.append(Entry(entry.title, level, start, end - 1))
    return made


def sections_of(entries: Sequence[Entry], document: Document) -> tuple[Section, ...]:
    """Return verified entries as the sections of a document.

    A section begins with the headings that stand right before its first paragraph, as the author's own do, and without
    any with that paragraph; the first one begins with the text.
    """
    starts = [0, *(_start(document, entry.first) for entry in entries[1:]), len(document.text)]
    stack: list[Entry] = []
    sections: list[Section] = []
    for entry, (start, end) in zip(entries, pairwise(starts), strict=True):
        while stack and stack[-1].level >= entry.level:
            stack.pop()
        stack.append(entry)
        path = tuple(item.title for item in stack)
        sections.append(Section(entry.title, entry.level, path, start, end, entry.first, entry.last + 1))
    return tuple(sections)


def _start(document: Document, paragraph: int) -> int:
    before, start = document.paragraphs[paragraph - 1].end, document.paragraphs[paragraph].start
    return next((heading.start for heading in document.headings if before <= heading.start < start), start)


def _read(reply: str, document: Document) -> tuple[list[Entry], list[str]]:
    entries = read_entries(reply)
    if entries is None:
        return [], ['The answer is no JSON object with "sections".']
    return entries, faults_of(entries, document)


def _entry(item: Mapping[str, Any]) -> Entry | None:
    numbers = [item.get(name) for name in ("level", "first", "last")]
    if not all(type(number) is int for number in numbers):
        return None
    title = item.get("title")
    text = " ".join(title.split())[:_LONGEST_TITLE] if isinstance(title, str) else ""
    level, first, last = (int(str(number)) for number in numbers)
    return Entry(text, level, first, last)


def _numbered(document: Document) -> str:
    kinds = (block for block in document.blocks if block.kind not in (Kind.HEADING, Kind.FRONT_MATTER))
    return "\n\n".join(
        f"[{number}] {document.text[block.start : block.end].strip()}" for number, block in enumerate(kinds)
    )
