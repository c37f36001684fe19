"""Markdown: the scanner that finds a document's blocks in two dialects, and the reader on top of it."""

from __future__ import annotations

from ragtrial.documents.markdown.reader import read_markdown, scan

__all__ = ["read_markdown", "scan"]
