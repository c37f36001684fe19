"""From options to a language model."""

from __future__ import annotations

import os
from functools import cache

from ragtrial.llm.client import PayingClient
from ragtrial.llm.gate import Gate
from ragtrial.llm.ledger import open_ledger
from ragtrial.llm.model import KeptModel
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.prices import PICO, Price, read_prices
from ragtrial.llm.replies import open_replies
from ragtrial.llm.settings import CallSettings, prices_file
from ragtrial.llm.transport import Transport
from ragtrial.servers.address import host_of
from ragtrial.storage.canonical import canonical_json

__all__ = ["load", "price_of"]


def load(options: ModelOptions) -> KeptModel:
    """Return the model that options describe, with the cache, ledger, cap, prices and concurrency of `CallSettings`.

    One process has one model for the same options and settings. Nothing is sent, and no library imported that sends,
    before a reply is asked for that is not kept.

    Raises
    ------
    UsageError, ConfigError, DataError, RecordError, MissingExtraError
        A setting is none, the prices, the cache or the ledger cannot be used, or a library is not installed.
    """
    # Python takes 1 and True for equal, and JSON does not: the identity keeps such options apart.
    return _shared(options, canonical_json(options.identity()), CallSettings.from_environment(), os.getpid())


def price_of(options: ModelOptions) -> Price | None:
    """Return what a token of a model costs, None where neither ragtrial nor the user's table knows it."""
    prices = read_prices(prices_file())
    return prices.of(options.model, host_of(options.address))


@cache
def _shared(options: ModelOptions, identity: str, settings: CallSettings, process: int) -> KeptModel:  # noqa: ARG001
    gate = _gate(options.address, options.concurrency or settings.concurrency, process)
    cap = None if settings.cap is None else int(settings.cap * PICO)
    ledger = open_ledger(settings.ledger, cap)
    replies = None if settings.cache is None else open_replies(settings.cache)

    def rest_of_row(key: str) -> dict[str, object] | None:
        kept = None if replies is None else replies.get(key)
        return None if kept is None else kept["row"]

    ledger.recover(rest_of_row)
    price = read_prices(settings.prices).of(options.model, host_of(options.address))
    client = PayingClient(options, Transport(options, settings.timeout), gate, ledger, price)
    return KeptModel(options, gate.limit, client, ledger, replies)


@cache
def _gate(address: str, limit: int, process: int) -> Gate:  # noqa: ARG001  # models on one server share one
    return Gate(limit)
