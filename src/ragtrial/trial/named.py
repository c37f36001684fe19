"""The retrievers of a trial, which may name each other: ``hybrid = "rrf(bm25, dense)"``."""

from __future__ import annotations

from collections.abc import Mapping

from ragtrial.errors import SpecError
from ragtrial.retrievers import RETRIEVERS
from ragtrial.retrievers.base import Retriever
from ragtrial.specs import Call, Component, parse_call
from ragtrial.trial.check import Fault

__all__ = ["build_retrievers"]


def build_retrievers(table: Mapping[str, object]) -> tuple[dict[str, Retriever], list[Fault]]:
    """Build the table ``[retrievers]``: expressions, or retrievers as objects.

    Inside an expression a plain name is the retriever of that name in the table, else a
    known retriever. Returns those that could be built, and a fault for each other.
    """
    book = _Book(table)
    built: dict[str, Retriever] = {}
    faults: list[Fault] = []
    for name in table:
        try:
            built[name] = book.get(name)
        except SpecError as error:
            faults.append(Fault(("retrievers", name), f"retrievers.{name}: {error}"))
    return built, faults


class _Book:
    def __init__(self, table: Mapping[str, object]) -> None:
        self._table = table
        self._built: dict[str, Retriever] = {}
        self._open: list[str] = []

    def get(self, name: str) -> Retriever:
        if name not in self._built:
            if name in self._open:
                raise SpecError(f"These retrievers are made of each other: {' -> '.join([*self._open, name])}.")
            self._open.append(name)
            try:
                self._built[name] = self._build(name)
            finally:
                self._open.pop()
        return self._built[name]

    def _build(self, name: str) -> Retriever:
        given = self._table[name]
        built = self._resolve(parse_call(given), within=name) if isinstance(given, str) else given
        if not isinstance(built, Retriever):
            raise SpecError(f"{given!r} is not a retriever.", hint="Write for example \"bm25(variant='lucene')\".")
        return built

    def _resolve(self, call: Call, within: str) -> Component:
        # bm25 = "bm25" is the known retriever of that name, not itself.
        if call == Call(call.name) and call.name in self._table and call.name != within:
            return self.get(call.name)
        return RETRIEVERS.build(call, lambda inner: self._resolve(inner, within))
