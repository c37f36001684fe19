"""From the bytes of a file to its text, or a reason why not.

The rule, in this order:

1. a byte order mark of UTF-8, UTF-16 or UTF-32 decides, and stays in the text as
   U+FEFF, so that offsets are those of the file;
2. an encoding given by the caller is used strictly;
3. bytes with a NUL are binary, or UTF-16 without a mark, which cannot be told from it: refused;
4. valid UTF-8 is UTF-8;
5. bytes in which valid UTF-8 sequences outnumber the invalid bytes are damaged UTF-8: refused;
6. else charset-normalizer guesses among the legacy encodings below. The guess is
   taken if it recognises a language in the text, or if it is an East Asian
   multi-byte encoding without a fault; windows-1252, the default of the Web, wins a tie;
7. a guessed text that holds control characters or unassigned code points is refused.
"""

from __future__ import annotations

import codecs
import unicodedata
from typing import TYPE_CHECKING

from ragtrial.errors import DataError, UsageError

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch

__all__ = ["decode"]

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_EAST_ASIAN = ["cp932", "euc_jp", "gb18030", "big5", "cp949"]
# Encodings that documents are still found in. The old DOS and Macintosh pages are left out:
# they score as well as windows-1252 on Western European text and would often be taken for it.
_LEGACY = [
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp866", "cp874", "koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7"),
    *_EAST_ASIAN,
]
_RECOGNISED = 0.2
"""charset-normalizer itself calls a language recognised from this coherence on."""


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Return the text of a file's bytes and the encoding it was in, by the rule of this module.

    Parameters
    ----------
    data : bytes
        The whole file.
    encoding : str, optional
        The encoding of files that have no byte order mark; None finds it out.

    Returns
    -------
    text : str
        Always equal to ``data.decode(encoding)`` with the returned encoding.
    encoding : str
        A name that Python knows.

    Raises
    ------
    DataError
        The bytes are not text in a known encoding; the message is the reason only,
        without the file's name.
    UsageError
        ``encoding`` is not the name of an encoding of text.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strict(data, name), name
    if encoding is not None:
        name = _known(encoding)
        return _strict(data, name), name
    if b"\0" in data:
        raise DataError(
            "it is binary: it holds NUL characters",
            hint="UTF-16 without a byte order mark needs its name given.",
        )
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        return _legacy(data, error)


def _known(encoding: str) -> str:
    try:
        "".encode(encoding)
        name = codecs.lookup(encoding).name
    except LookupError as error:
        raise UsageError(
            f"There is no text encoding called {encoding!r}.", hint="Use for example 'utf-8', 'cp1252' or 'gb18030'."
        ) from error
    # Without a mark in the data the two are one; with a mark the mark has decided.
    return "utf-8" if name == "utf-8-sig" else name


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"it is not valid {encoding} at byte {error.start} ({error.reason})") from error


def _legacy(data: bytes, error: UnicodeDecodeError) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    if _is_damaged_utf8(data):
        raise DataError(f"it is UTF-8 with a damaged byte at {error.start} ({error.reason})")
    matches = list(from_bytes(data, cp_isolation=_LEGACY))
    if not matches:
        raise DataError("it is binary or in an unknown encoding")
    guess = _guess(matches)
    if guess is None or not _is_text(data, guess):
        raise DataError(
            f"it is not UTF-8, and the guess {guess or matches[0].encoding} is not sound",
            hint="Save it as UTF-8 or name its encoding.",
        )
    return data.decode(guess), guess


def _is_damaged_utf8(data: bytes) -> bool:
    lenient = data.decode("utf-8", "surrogateescape")
    invalid = sum("\udc80" <= character <= "\udcff" for character in lenient)
    valid = sum(character > "\x7f" for character in lenient) - invalid
    return valid > invalid


def _guess(matches: list[CharsetMatch]) -> str | None:
    best = matches[0]
    for match in matches:
        if (match.chaos, match.coherence) == (best.chaos, best.coherence) and "cp1252" in match.could_be_from_charset:
            return "cp1252"
    if best.coherence >= _RECOGNISED or (best.encoding in _EAST_ASIAN and best.chaos <= 0.02):
        return best.encoding
    return None


def _is_text(data: bytes, encoding: str) -> bool:
    text = data.decode(encoding)
    kinds = {unicodedata.category(character) for character in set(text) - set("\t\n\v\f\r")}
    return kinds.isdisjoint({"Cc", "Cn", "Co", "Cs"})
