"""What a run may choose without any reply changing: where replies and the ledger lie, the cap, calls at a time."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final, NamedTuple

from ragtrial.errors import UsageError
from ragtrial.storage.place import cache_folder

__all__ = ["CallSettings", "ledger_file", "prices_file", "spending_cap"]

_LEDGER: Final = "ragtrial-runs/ledger.jsonl"
_CONCURRENCY: Final = 4
_TIMEOUT_SECONDS: Final = 600


class CallSettings(NamedTuple):
    """Read from the environment, so that other processes have the same.

    - ``cache`` (RAGTRIAL_CACHE): the folder of the caches; None for ``off``. By default it is the user's cache folder.
    - ``ledger`` (RAGTRIAL_LEDGER): the file of paid calls; by default ``ragtrial-runs/ledger.jsonl`` in the working
      directory.
    - ``cap`` (RAGTRIAL_CAP): the most dollars that the calls in the ledger may cost, all runs together; None is none.
    - ``prices`` (RAGTRIAL_PRICES): the user's own table of prices; by default ``prices.toml`` in the working directory.
    - ``concurrency`` (RAGTRIAL_CONCURRENCY): most calls in flight per server; by default 4.
    - ``timeout`` (RAGTRIAL_TIMEOUT): seconds after which a silent server is given up; by default 600.
    """

    cache: Path | None
    ledger: Path
    cap: Decimal | None
    prices: Path | None
    concurrency: int
    timeout: int

    @classmethod
    def from_environment(cls) -> CallSettings:
        """Read the settings; a number that is none raises `UsageError`."""
        return cls(
            cache_folder(),
            ledger_file(),
            spending_cap(),
            prices_file(),
            _count("RAGTRIAL_CONCURRENCY", _CONCURRENCY),
            _count("RAGTRIAL_TIMEOUT", _TIMEOUT_SECONDS),
        )


def spending_cap() -> Decimal | None:
    """Return the most dollars that calls may cost, which a run without any call knows too; see `CallSettings`."""
    return _dollars("RAGTRIAL_CAP")


def ledger_file() -> Path:
    """Return the file of paid calls, which need not exist; see `CallSettings`."""
    return Path(_text("RAGTRIAL_LEDGER") or _LEDGER).expanduser().absolute()


def _text(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _count(variable: str, default: int) -> int:
    text = _text(variable)
    if not text:
        return default
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise UsageError(f"The environment variable {variable} must be a whole number from 1, not {text!r}.")
    return int(text)


def _dollars(variable: str) -> Decimal | None:
    text = _text(variable)
    if not text:
        return None
    try:
        dollars = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        dollars = Decimal("NaN")
    if not dollars.is_finite() or dollars < 0:
        raise UsageError(
            f"The environment variable {variable} must be an amount of dollars such as 0.10, not {text!r}."
        )
    return dollars


def prices_file() -> Path | None:
    """Return the user's own table of prices, None without one; one that is named and missing raises `UsageError`."""
    if named := _text("RAGTRIAL_PRICES"):
        path = Path(named).expanduser().absolute()
        if not path.is_file():
            raise UsageError(f"There is no table of prices {path}: RAGTRIAL_PRICES names it.")
        return path
    path = Path("prices.toml").absolute()
    return path if path.is_file() else None
