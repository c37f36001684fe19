"""What the directives of one document share: where files may be included from, and what was left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ragtrial.documents.encoding import decode
from ragtrial.errors import DataError

__all__ = ["Context"]

_MOST_INCLUDES = 100
_LARGEST = 1_000_000


class Context:
    """One reading.

    Parameters
    ----------
    source : Path, optional
        The file that is read; without it nothing can be included.
    root : Path, optional
        The folder of the documentation: the only one from which files are included.

    Attributes
    ----------
    dropped : Counter
        What was left out, by name.
    """

    def __init__(self, source: Path | None, root: Path | None) -> None:
        self.dropped: Counter[str] = Counter()
        self.toctree: list[str] = []
        self._source = source
        self._root = root.resolve() if root is not None else None
        self._parents: dict[str, str] = {}
        self._count = 0
        self._size = 0

    def include(self, name: str, parent: str | None) -> tuple[str, str] | None:
        """Return the path and text of a file that a document includes, None, counted, if it is not to be read.

        Parameters
        ----------
        name : str
            As written: from the file that includes it, or, with a slash in front, from the root.
        parent : str, optional
            The path of the included file that includes it in turn.

        A file is read only if it lies inside the root after all links are resolved, is text, does not include
        itself, and is not the 101st or beyond 1 MB of included text.
        """
        found = self._resolve(name, parent)
        if found is None or self._root is None:
            self.dropped["include outside the documentation"] += 1
            return None
        if self._includes(str(found), parent):
            self.dropped["include in a circle"] += 1
            return None
        try:
            self._count += 1
            self._size += found.stat().st_size
            if self._count > _MOST_INCLUDES or self._size > _LARGEST:
                self.dropped["include over the limit"] += 1
                return None
            text = decode(found.read_bytes())[0]
        except (OSError, DataError):
            self.dropped["include not readable"] += 1
            return None
        if parent is not None:
            self._parents[str(found)] = parent
        return str(found), text.removeprefix("\ufeff")

    def _resolve(self, name: str, parent: str | None) -> Path | None:
        if self._source is None or self._root is None or "\0" in name:
            return None
        base = self._root if name.startswith("/") else (Path(parent) if parent else self._source.resolve()).parent
        try:
            found = (base / name.lstrip("/")).resolve()
        except (OSError, RuntimeError):
            return None
        return found if found.is_relative_to(self._root) else None

    def _includes(self, path: str, parent: str | None) -> bool:
        above = parent
        seen: set[str] = set()
        while above is not None and above not in seen:
            if above == path:
                return True
            seen.add(above)
            above = self._parents.get(above)
        return self._source is not None and path == str(self._source.resolve())
