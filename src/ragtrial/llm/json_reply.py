"""JSON objects in replies: found, read as data and checked; a reply that has none is asked for again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from ragtrial.llm.base import LanguageModel, Purpose, Reply, Request

__all__ = ["SEEDS", "Asked", "ask_object", "parse_object", "without_thinking"]

SEEDS: Final = (0, 1, 2, 3)
"""The seeds of a request and of its repetitions (METHODS 3.2)."""

_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?P<closed>"?)|[{}]', re.DOTALL)
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_THINKING: Final = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)

Value = TypeVar("Value")


class Asked(NamedTuple, Generic[Value]):
    """What came of asking: the checked value, None if no reply had one; how often was asked; and the last reply."""

    value: Value | None
    attempts: int
    reply: Reply


def ask_object(
    model: LanguageModel,
    request: Request,
    purpose: Purpose,
    check: Callable[[dict[str, Any]], Value | None],
    seeds: Sequence[int] = SEEDS,
) -> Asked[Value]:
    """Ask for a JSON object, with the next seed while there is none or ``check`` rejects it (METHODS 3.2).

    Parameters
    ----------
    model : LanguageModel
    request : Request
        Its seed is replaced.
    purpose : Purpose
    check : callable
        Takes the object, returns what it means, or None to reject it.
    seeds : sequence of int
        At least one.

    Raises
    ------
    ModelCallError, SpendingCapError
        As `ragtrial.llm.base.LanguageModel.ask`: only what a reply says is asked again here.
    """
    attempts = 0
    for seed in seeds:
        attempts += 1
        reply = model.ask(replace(request, seed=seed), purpose)
        found = parse_object(reply.text)
        value = None if found is None else check(found)
        if value is not None:
            break
    return Asked(value, attempts, reply)


def parse_object(text: str) -> dict[str, Any] | None:
    """Return the first outermost JSON object in a reply, None if there is none.

    Words and code fences around it, and what the model thought before it, do not matter; an object inside one that is
    broken is never taken for it. Of a key given twice the last counts, numbers that JSON does not know become None, and
    lone surrogates U+FFFD. Nothing is executed; time is linear in the length of the text.
    """
    text = without_thinking(text)
    for start, end in _outermost(text):
        try:
            value = json.loads(text[start:end], parse_constant=_no_number, parse_float=_finite)
        except (ValueError, RecursionError):
            continue
        return _clean(value) if isinstance(value, dict) else None
    return None


def without_thinking(text: str) -> str:
    """Return a reply without the ``<think>`` part that some models write before it."""
    thought = _THINKING.match(text)
    return text[thought.end() :] if thought else text


def _outermost(text: str) -> list[tuple[int, int]]:
    """Return where the braces of the outermost level open and close; braces in strings do not count."""
    found = []
    position = text.find("{")
    while position >= 0:
        depth, end = 0, -1
        for mark in _MARK.finditer(text, position):
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            if depth == 0:
                end = mark.end()
            if depth == 0 or mark["closed"] == "":
                break
        if end < 0:
            break
        found.append((position, end))
        position = text.find("{", end)
    return found


def _no_number(_: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _clean(value: dict[str, Any]) -> dict[str, Any]:
    written = json.dumps(value, ensure_ascii=False)
    if not _LONE_SURROGATE.search(written):
        return value
    cleaned: dict[str, Any] = json.loads(_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", written))
    return cleaned
