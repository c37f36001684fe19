"""Where boundaries fall: one small file a chunker, one line here."""

from __future__ import annotations

from ragtrial.specs import Registry

__all__ = ["CHUNKERS"]

CHUNKERS = Registry(
    "chunker",
    {
        "chars": "ragtrial.chunkers.windows:Chars",
        "external": "ragtrial.chunkers.external:External",
        "headers": "ragtrial.chunkers.headers:Headers",
        "length_matched": "ragtrial.chunkers.length_matched:LengthMatched",
        "paragraphs": "ragtrial.chunkers.paragraphs:Paragraphs",
        "recursive": "ragtrial.chunkers.recursive:Recursive",
        "sections": "ragtrial.chunkers.sections:Sections",
        "tokens": "ragtrial.chunkers.windows:Tokens",
        "windows_matched": "ragtrial.chunkers.windows_matched:WindowsMatched",
    },
)
