"""When a failed call is made again, and after how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from ragtrial.llm.wire import Fault

__all__ = ["retry_after", "wait_seconds"]

_TRIES: Final = 8
_TRIES_THAT_MAY_COST: Final = 3
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS: Final = 60.0
_LONGEST_ASKED_SECONDS: Final = 600.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def wait_seconds(faults: Sequence[Fault]) -> float | None:
    """Return how long to wait after the faults of one call so far, None if there is no use in another try.

    Waits double, from half a second to a minute, unless the server says how long; one that asks for more than ten
    minutes is given up. Faults that may have been paid for are not tried as often as those that cost nothing.
    """
    fault = faults[-1]
    costly = sum(one.unclear or one.usage is not None for one in faults)
    if fault.kind == "final" or len(faults) >= _TRIES or costly >= _TRIES_THAT_MAY_COST:
        return None
    if fault.wait is not None:
        return fault.wait if fault.wait <= _LONGEST_ASKED_SECONDS else None
    return min(_FIRST_WAIT_SECONDS * 2.0 ** (len(faults) - 1), _LONGEST_WAIT_SECONDS)
