"""Every error that ragtrial raises on purpose.

The tree, with the exit code that the command line gives to each branch::

    RagtrialError            1
    ├── UsageError           2   what was asked for is not possible as written
    │   ├── SpecError        2   an arm, retriever or measure expression
    │   └── ConfigError      2   a trial file
    ├── DataError            1   documents, questions, data sets
    ├── RecordError          3   a record or plan that does not match or cannot be read
    ├── MissingExtraError    1   an optional library that is not installed
    ├── FailedDocumentsError 1   some documents, named, that an arm cannot be built of
    ├── ModelCallError       1   a language model that gave no reply
    ├── SpendingCapError     4   a call that could pass the spending cap; nothing was spent, and the run can go on
    └── StatisticsError      1   arrays that no statistic can be computed from

An error is a sentence for the person at the keyboard: ``message`` says what is
wrong and where, ``hint`` says what to do. Only ``ragtrial.cli`` catches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import ClassVar, Self

__all__ = [
    "ConfigError",
    "DataError",
    "FailedDocumentsError",
    "MissingExtraError",
    "ModelCallError",
    "RagtrialError",
    "RecordError",
    "SpecError",
    "SpendingCapError",
    "StatisticsError",
    "UsageError",
    "did_you_mean",
    "nearest",
]


class RagtrialError(Exception):
    """The root of all errors raised on purpose; carries a message, a hint and an exit code."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} {self.hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # The default would drop the keyword-only hint when an error crosses a process boundary.
        return (_rebuild, (type(self), self.message, self.hint))


def _rebuild(kind: type[RagtrialError], message: str, hint: str | None) -> RagtrialError:
    return kind(message, hint=hint)


class UsageError(RagtrialError):
    """What was asked for is not possible as written."""

    exit_code = 2


class SpecError(UsageError):
    """An expression for an arm, a retriever or a measure that cannot be read or built."""


class ConfigError(UsageError):
    """A trial file with faults; the message lists all of them with file and line."""


class DataError(RagtrialError):
    """Documents, questions or a data set that cannot be used."""


class RecordError(RagtrialError):
    """A record that is corrupt, newer than this version, or does not match its trial."""

    exit_code = 3


class MissingExtraError(RagtrialError):
    """An optional library is not installed; the hint is the exact command that installs it."""

    def __init__(self, message: str, *, hint: str | None = None, extra: str | None = None) -> None:
        super().__init__(message, hint=hint or (f"Install it with: pip install 'ragtrial[{extra}]'" if extra else None))


class StatisticsError(RagtrialError):
    """Arrays from which the asked statistic cannot be computed."""


class ModelCallError(RagtrialError):
    """A call to a language model that brought no reply after all tries."""


class SpendingCapError(RagtrialError):
    """A call that could pass the spending cap was not made; with a higher cap the same command goes on from there."""

    exit_code = 4


class FailedDocumentsError(RagtrialError):
    """Documents that a step of an arm cannot be made for; all others were tried.

    ``failed`` maps the ids of the documents to the reasons. A trial leaves them out of all arms.
    """

    def __init__(self, message: str, *, hint: str | None = None, failed: Mapping[str, str] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.failed = dict(failed or {})

    @classmethod
    def of(cls, failed: Mapping[str, str]) -> Self:
        """Make the error of one or more documents; its message tells the first and counts the others."""
        first, reason = next(iter(failed.items()))
        more = f" and {len(failed) - 1:,} more" if len(failed) > 1 else ""
        return cls(f"{first}{more} failed: {reason}", failed=failed)

    def __reduce__(self) -> tuple[object, ...]:
        return (partial(type(self), failed=self.failed, hint=self.hint), (self.message,))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"Did you mean 'x'? Known: x, y, z."`` for a misspelt name, without the question if nothing is near."""
    names = sorted(known)
    return f"{nearest(word, names)}Known: {', '.join(names) or 'none'}."


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``"Did you mean 'x'? "`` for a misspelt name, "" if nothing is near."""
    near = get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}? " if near else ""
