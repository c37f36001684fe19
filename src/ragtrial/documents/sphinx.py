"""Sources of Sphinx under names of plain text: read as that, they lose their headings and keep their mark-up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from ragtrial.documents.model import Document

__all__ = ["TextSources", "text_sources"]

_CONFIGURATION: Final = "conf.py"
_ENDING: Final = ".txt"
_SEEN: Final = 20_000
"""Characters of a text that are looked at."""

# A directive or a label, a title over its line, a role.
_MARKUP: Final = re.compile(
    r"""^\.\.\ (?:[A-Za-z][\w.:-]*::|_[^\s:][^\n]*:)
      | ^\S[^\n]*\n(?P<line>[=\-~^"'*+#`])(?P=line){2,}[ \t]*$
      | :[a-z]{2,12}:`[^`\n]""",
    re.MULTILINE | re.VERBOSE,
)


class TextSources(NamedTuple):
    """How many plain texts lie below a ``conf.py``, and how many of them look like reStructuredText."""

    texts: int
    alike: int

    def sentence(self, option: str) -> str:
        """Say it, and how to have them read; ``option`` is what is to be added."""
        return (
            f"{self.alike:,} of the {self.texts:,} files in {_ENDING} beside or below a {_CONFIGURATION} look like "
            f"reStructuredText and were read as plain text, without headings: add {option} {_ENDING}=rst."
        )


def text_sources(documents: Iterable[Document], roots: Sequence[Path]) -> TextSources | None:
    """Count the ``.txt`` files that were read as plain text and belong to the sources of Sphinx.

    Parameters
    ----------
    documents : iterable of Document
    roots : sequence of Path
        What was read; in the folders above it no ``conf.py`` is looked for.

    Returns
    -------
    TextSources or None
        None unless at least half of them have a directive, a label, a role or an underlined title.
    """
    tops = {root if root.is_dir() else root.parent for root in roots}

    @cache
    def configured(folder: Path) -> bool:
        if (folder / _CONFIGURATION).is_file():
            return True
        return folder not in tops and folder.parent != folder and configured(folder.parent)

    texts = alike = 0
    for document in documents:
        source = document.source
        if source is not None and _is_plain(document) and configured(source.parent):
            texts += 1
            alike += _MARKUP.search(document.text.replace("\r\n", "\n"), 0, _SEEN) is not None
    return TextSources(texts, alike) if alike and 2 * alike >= texts else None


def _is_plain(document: Document) -> bool:
    name = PurePath(document.id.lower().removesuffix(".gz"))
    return name.suffix == _ENDING and document.dialect is None and document.places is None
