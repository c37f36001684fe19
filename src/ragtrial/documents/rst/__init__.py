"""reStructuredText, with the directives and roles of Sphinx, read without running anything."""

from __future__ import annotations

from ragtrial.documents.rst.reader import read_rst

__all__ = ["read_rst"]
