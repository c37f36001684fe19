"""What a token costs: the table that comes with ragtrial, and the user's own, which wins."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from ragtrial.errors import ConfigError
from ragtrial.servers.address import is_loopback

__all__ = ["PICO", "Price", "Prices", "read_prices"]

PICO: Final = 10**12
"""Money is counted in whole picodollars, so that sums are exact."""

_MILLION: Final = 10**6
_KINDS: Final = ("models", "servers")


class Price(NamedTuple):
    """Picodollars a token of input, and of output."""

    input: int
    output: int

    def of(self, input_tokens: int, output_tokens: int) -> int:
        """Return the price of a call in picodollars."""
        return self.input * input_tokens + self.output * output_tokens


_FREE: Final = Price(0, 0)


@dataclass(frozen=True)
class Prices:
    """Prices by the name of a model, else by the host of a server; the user's before those that came with ragtrial.

    A server on this machine costs nothing where the user gives no price.
    """

    models: Mapping[str, Price]
    servers: Mapping[str, Price]
    known: Mapping[str, Price]

    def of(self, model: str, host: str) -> Price | None:
        """Return the price of a model on a server (``localhost:11434``), None where nobody has said it."""
        own = self.models.get(model) or self.servers.get(host)
        return own or (_FREE if is_loopback(host) else self.known.get(model))


@lru_cache(maxsize=8)
def read_prices(own: Path | None) -> Prices:
    """Return the prices that come with ragtrial, and those of the user's table if there is one.

    A table has dollars per million tokens: ``[models."name"]`` or ``[servers."host:port"]`` with ``input`` and
    ``output``; one that cannot be read, or has other keys, raises `ConfigError`.
    """
    shipped = _tables((files("ragtrial.llm") / "prices.toml").read_bytes(), "prices.toml")
    if own is None:
        return Prices({}, {}, shipped["models"])
    try:
        data = own.read_bytes()
    except OSError as error:
        raise ConfigError(f"Cannot read the prices {own}: {error.strerror or error}.") from error
    user = _tables(data, str(own))
    return Prices(user["models"], user["servers"], shipped["models"])


def _tables(data: bytes, name: str) -> dict[str, dict[str, Price]]:
    try:
        read = tomllib.loads(data.decode("utf-8-sig"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prices {name} are no TOML: {error}.") from error
    for key, rows in read.items():
        if key not in _KINDS or not isinstance(rows, dict):
            raise ConfigError(
                f"The prices {name} have the key {key!r}.", hint='Write [models."name"] or [servers."host:port"].'
            )
    return {
        kind: {key: _price(row, f"{kind}.{key}", name) for key, row in read.get(kind, {}).items()} for kind in _KINDS
    }


def _price(row: Any, key: str, name: str) -> Price:
    if not isinstance(row, dict) or set(row) != {"input", "output"} or not all(map(_is_amount, row.values())):
        raise ConfigError(
            f"The prices {name} need input and output for {key}, in dollars per million tokens.",
            hint="Write for example input = 0.15 and output = 0.60; 0 is free.",
        )
    return Price(*(int(Decimal(row[side]) * PICO / _MILLION) for side in ("input", "output")))


def _is_amount(value: object) -> bool:
    return type(value) in (int, Decimal) and Decimal(value).is_finite() and value >= 0  # type: ignore[operator, arg-type]
