"""Paid calls: each within the cap, in its turn, tried again while there is sense in it, and in the ledger."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from ragtrial.errors import ModelCallError
from ragtrial.llm import stopping
from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.bounds import TokenBounds, Weight
from ragtrial.llm.gate import Gate, Pass
from ragtrial.llm.ledger import Ledger, Reservation
from ragtrial.llm.ledger_rows import priced
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.prices import Price
from ragtrial.llm.retry import wait_seconds
from ragtrial.llm.spending import spending_arm
from ragtrial.llm.transport import Transport
from ragtrial.llm.wire import Answer, Fault, Usage, body_of
from ragtrial.servers.address import host_of
from ragtrial.storage.canonical import canonical_json

__all__ = ["Paid", "PayingClient"]

_HINTS: Final = {
    400: "The server says what it does not take; leave parameters that the model refuses out with omit=.",
    401: "Check the key in {variable}.",
    402: "The account of the key in {variable} has no money left.",
    403: "Check the key in {variable}.",
    404: "Check the url and the name of the model.",
    413: "The prompt may be longer than the model's window.",
    422: "The server says what it does not take; leave parameters that the model refuses out with omit=.",
    429: "Try again later: replies that were received are kept, and the same command goes on from there.",
}
_GO_ON: Final = "Replies that were received are kept: the same command goes on from there."


class Paid(NamedTuple):
    """An answer, the tokens that it was booked with, and the rest of its row in the ledger."""

    answer: Answer
    usage: Usage
    row: dict[str, Any]


class PayingClient:
    """One model on one server, without any memory of replies; may be used from several threads."""

    def __init__(
        self, options: ModelOptions, transport: Transport, gate: Gate, ledger: Ledger, price: Price | None
    ) -> None:
        self._options = options
        self._transport = transport
        self._gate = gate
        self._ledger = ledger
        self._price = price
        self._bounds = TokenBounds()
        self._structured = options.structured

    def ask(self, request: Request, key: str, purpose: Purpose) -> tuple[Paid, Reservation]:
        """Make a call; the reservation is still open, so that the reply can be kept before it is booked.

        ``key`` is the name under which the reply will be kept. Raises as `ragtrial.llm.base.LanguageModel.ask`.
        """
        faults: list[Fault] = []
        structured = self._structured and request.schema is not None
        while True:
            with self._gate.place() as given:
                stopping.check()
                try:
                    paid = self._once(request, key, purpose, structured=structured)
                except Fault as fault:
                    if structured and fault.about_schema:
                        structured = False
                        continue
                    faults.append(fault)
                    wait = self._wait(faults, given, purpose)
                else:
                    # A server that replies once the schema is left out knows none; replies are checked here anyway.
                    self._structured = self._structured and (structured or request.schema is None)
                    return paid
            stopping.pause(wait)

    def _once(self, request: Request, key: str, purpose: Purpose, *, structured: bool) -> tuple[Paid, Reservation]:
        body = body_of(self._options, request, structured=structured)
        weight = Weight.of_body(body)
        bound = self._bounds.of(weight)
        highest = None if self._price is None else self._price.of(bound, request.max_tokens)
        reservation = self._ledger.reserve(key, self._row(request, purpose), highest)
        try:
            answer = self._transport.send(body)
        except Fault as fault:
            self._book_fault(reservation, fault)
            raise
        except Exception:
            self._ledger.drop(reservation)
            raise
        self._gate.replied()
        usage = answer.usage or Usage(bound, self._bounds.of(Weight.of(answer.text)))
        if answer.usage is not None:
            self._bounds.learn(weight, answer.usage.input)
        return Paid(answer, usage, self._paid(usage, answer)), reservation

    def _book_fault(self, reservation: Reservation, fault: Fault) -> None:
        if fault.usage is not None:
            self._ledger.settle(reservation, self._paid(fault.usage, None))
        elif fault.unclear:
            self._ledger.settle(reservation, {"price": priced(reservation.bound), "unclear": True})
        else:
            self._ledger.drop(reservation)

    def _wait(self, faults: list[Fault], given: Pass, purpose: Purpose) -> float:
        fault, wait = faults[-1], wait_seconds(faults)
        if wait is None:
            where = f" of {purpose.document!r}" if purpose.document else ""
            where += f", chunk {purpose.chunk}" if purpose.chunk is not None else ""
            tries = f" after {len(faults)} tries" if len(faults) > 1 else ""
            hint = _HINTS.get(fault.status or 0, _GO_ON).format(variable=self._options.variable or "the environment")
            raise ModelCallError(
                f"The step {purpose.step!r}{where} got no reply: {self._options.address} {fault.message}{tries}.",
                hint=hint,
            ) from None
        if fault.kind == "busy":
            self._gate.busy(given, wait)
        return wait

    def _row(self, request: Request, purpose: Purpose) -> dict[str, Any]:
        prompt = canonical_json({"system": request.system, "user": request.user}).encode("utf-8", "surrogatepass")
        return {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "arm": spending_arm(),
            "step": purpose.step,
            "document": purpose.document,
            "chunk": purpose.chunk,
            "model": self._options.model,
            "server": host_of(self._options.address),
            "prompt": hashlib.sha256(prompt).hexdigest(),
        }

    def _paid(self, usage: Usage, answer: Answer | None) -> dict[str, Any]:
        price = None if self._price is None else priced(self._price.of(usage.input, usage.output))
        row: dict[str, Any] = {"input_tokens": usage.input, "output_tokens": usage.output, "price": price}
        return row | {"fingerprint": answer.fingerprint if answer else None}
