"""The section path: free text that says where a chunk stands (MDK's S+T)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.step import Step

__all__ = ["Path"]


@dataclass(frozen=True)
class Path(Step):
    """Put the titles of the enclosing headings, joined by ``separator``, and a blank line before each chunk.

    A chunk without a path gets the blank line alone (METHODS section 3).
    """

    spec_name: ClassVar[str] = "path"
    positional: ClassVar[int] = 0

    separator: str = " > "

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with their path in front of whatever prefix they have."""
        paths = (self.separator.join(path) for path in chunks.paths)
        return chunks.with_prefixes(
            [f"{path}\n\n{prefix}" for path, prefix in zip(paths, chunks.prefixes, strict=True)]
        )
