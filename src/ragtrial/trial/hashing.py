"""Identities: sha256 over canonical JSON, so that the same things always have the same name."""

from __future__ import annotations

import hashlib

from ragtrial.documents.model import Document
from ragtrial.storage.canonical import canonical_json

__all__ = ["document_sha256", "sha256"]


def sha256(value: object) -> str:
    """Return the sha256 of a value's canonical JSON in hexadecimal; lone surrogates are hashed as they are."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def document_sha256(document: Document) -> str:
    """Return the sha256 of a document's text and the dialect in which it was read.

    Where the text is not the source itself, headings need not follow from it, so blocks and sections count too.
    """
    total = hashlib.sha256((document.dialect or "").encode() + b"\0")
    total.update(document.text.encode("utf-8", "surrogatepass"))
    if document.places is not None:
        structure = [[int(block.kind), *block[1:]] for block in document.blocks]
        sections = [list(section) for section in document.section_table or ()]
        total.update(b"\0" + canonical_json([structure, sections]).encode("utf-8", "surrogatepass"))
    return total.hexdigest()
