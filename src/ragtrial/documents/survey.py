"""What a folder holds, in a few lines: documents, headings, scripts, and documents that are nearly the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

import regex

from ragtrial.documents.model import Document

__all__ = ["Survey", "survey"]

_SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Han", "Hiragana", "Katakana", "Hangul", "Devanagari"),
    *("Bengali", "Tamil", "Telugu", "Thai", "Georgian", "Armenian", "Ethiopic", "Khmer", "Lao", "Myanmar"),
)
_LETTERS = regex.compile("|".join(rf"(?P<{name}>\p{{{name}}}+)" for name in _SCRIPTS))
_SEEN = 20_000
"""Characters of a document that are looked at for its script."""

_ALIKE = 0.8
_LEAST_PARAGRAPH = 50
_BOILERPLATE = 20


@dataclass(frozen=True)
class Survey:
    """What was found.

    ``scripts`` are shares of the letters, the largest first; ``alike`` are pairs of ids of which at least
    80% of the paragraphs of 50 characters or more in one stand in the other too; paragraphs of more than 20
    documents do not count.
    """

    documents: int
    characters: int
    headings: int
    without_headings: int
    scripts: tuple[tuple[str, float], ...]
    alike: tuple[tuple[str, str], ...]

    def lines(self) -> list[str]:
        """Return the survey in sentences."""
        parts = ((self.documents, "document"), (self.characters, "character"), (self.headings, "heading"))
        counts = ", ".join(f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in parts)
        bare = f"; {self.without_headings:,} of the documents have none" if self.without_headings else ""
        lines = [f"{counts}{bare}."]
        if self.scripts:
            named = ", ".join(f"{name} {share:.0%}" for name, share in self.scripts if share >= 0.005)
            lines.append(f"Scripts of the letters: {named}.")
        if self.alike:
            first = " and ".join(self.alike[0])
            pairs = "One pair" if len(self.alike) == 1 else f"{len(self.alike):,} pairs"
            lines.append(
                f"{pairs} of nearly the same documents, the first {first}: an answer that stands in both "
                "can be found where it is not looked for."
            )
        return lines


def survey(documents: Iterable[Document]) -> Survey:
    """Look over documents, one at a time."""
    count = characters = headings = bare = 0
    letters: Counter[str] = Counter()
    paragraphs: dict[bytes, list[int]] = defaultdict(list)
    sizes: list[int] = []
    names: list[str] = []
    for number, document in enumerate(documents):
        count += 1
        characters += len(document.text)
        headings += len(document.headings)
        bare += not document.headings
        for match in _LETTERS.finditer(document.text, 0, _SEEN):
            letters[str(match.lastgroup)] += len(match[0])
        texts = {" ".join(document.text[start:end].split()) for start, end in document.paragraphs}
        kept = {_digest(text) for text in texts if len(text) >= _LEAST_PARAGRAPH}
        sizes.append(len(kept))
        names.append(document.id)
        for key in kept:
            paragraphs[key].append(number)
    total = sum(letters.values())
    scripts = sorted(((name, n / total) for name, n in letters.items()), key=lambda row: (-row[1], row[0]))
    return Survey(count, characters, headings, bare, tuple(scripts), _alike(paragraphs, sizes, names))


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _alike(paragraphs: dict[bytes, list[int]], sizes: list[int], names: list[str]) -> tuple[tuple[str, str], ...]:
    shared: Counter[tuple[int, int]] = Counter()
    for holders in paragraphs.values():
        if 1 < len(holders) <= _BOILERPLATE:
            shared.update(combinations(holders, 2))
    pairs = sorted(pair for pair, count in shared.items() if count >= _ALIKE * min(sizes[pair[0]], sizes[pair[1]]))
    return tuple((names[a], names[b]) for a, b in pairs)
