"""MediaWiki wikitext: one canonical normaliser, and the reader on top of it."""

from __future__ import annotations

from ragtrial.documents.wikitext.reader import read_wikitext

__all__ = ["read_wikitext"]
