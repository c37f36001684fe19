"""HTML: which part of a page is its content, and that content as a document."""

from __future__ import annotations

from ragtrial.documents.html.reader import read_html

__all__ = ["read_html"]
