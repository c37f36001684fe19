"""A rehearsal: everything is done as it will be, but no model is asked, and what would have been sent is counted.

Prompts are rendered with the real chunks, so their tokens are exact as far as they do not depend on earlier replies.
A reply that is kept is given as it is, and costs nothing. In place of any other stands one of usual length that has
the form that was asked for; in a lavish rehearsal one as long as what is kept of a reply can be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from ragtrial.errors import MissingExtraError
from ragtrial.llm.base import Identity, Purpose, Reply, Request
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.replies import ReplyCache, open_replies, reply_key
from ragtrial.llm.settings import CallSettings
from ragtrial.llm.spending import spending_arm
from ragtrial.text import tokens

__all__ = ["Line", "Rehearsal", "RehearsedModel", "Tally"]

_WORDS: Final = (
    *("area", "base", "case", "data", "edge", "fact", "goal", "hand", "idea", "join", "kind", "line", "mode", "name"),
    *("open", "part", "rate", "side", "term", "unit", "view", "work", "year", "zone", "body", "code", "date", "face"),
    *("game", "half", "item", "land", "mark", "note"),
)
"""Words of one token each."""

_USUAL: Final = {"title": 6, "summary": 45, "key": 3, "question": 15, "questions": 12, "keywords": 2}
"""Words of a text by the name of its field (METHODS 3.2 asks for about so many); 4 of any other."""

_ITEMS: Final = {"keywords": 6, "entities": 4, "questions": 3, "related_keys": 0}
"""Items of a list by its name; 3 of any other."""

_LONGEST: Final = {"summary": 1000, "key": 80}
"""Characters that are kept of what later prompts show again (METHODS 3.2)."""

_USUAL_SHARE: Final = 0.6
"""The share of its limit that a reply in plain words usually takes."""


def _kept_replies() -> ReplyCache | None:
    """Return the replies that are kept, None if there are none or the library that reads them is not installed."""
    try:
        folder = CallSettings.from_environment().cache
        if folder is None or not (folder / "replies").is_dir():
            return None
        return open_replies(folder)
    except MissingExtraError:
        return None


@dataclass(frozen=True)
class Line:
    """What calls are for: an arm, a step, and the model that is asked."""

    arm: str
    step: str
    model: ModelOptions


@dataclass
class Tally:
    """Calls that would be made, with their cl100k tokens; ``limit`` is the most that their replies could have.

    ``kept`` counts calls whose reply was paid for before, ``shared`` those that another call of the rehearsal pays.
    """

    calls: int = 0
    kept: int = 0
    shared: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    limit: int = 0


@dataclass
class Rehearsal:
    """What was counted, by arm, step and model, and the tokens of input by arm and document.

    ``counted`` holds tokens of requests that were counted before, so that a second rehearsal is quick.
    """

    lavish: bool
    counted: MutableMapping[str, int] = field(default_factory=dict)
    lines: dict[Line, Tally] = field(default_factory=dict)
    documents: dict[tuple[str, str], int] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)
    cache: ReplyCache | None = field(default_factory=_kept_replies)

    def model(self, options: ModelOptions) -> RehearsedModel:
        """Return what stands for a model."""
        return RehearsedModel(options, self)

    def ask(self, options: ModelOptions, request: Request, purpose: Purpose) -> Reply:
        """Count a call and return a reply."""
        arm = spending_arm()
        tally = self.lines.setdefault(Line(arm, purpose.step, options), Tally())
        key = reply_key(options.identity(), request)
        if key in self.replies:
            tally.shared += 1
            return self.replies[key]
        reply = self._kept(key)
        if reply is None:
            if key not in self.counted:
                self.counted[key] = tokens.count(request.system) + tokens.count(request.user)
            text = _made_up(request, lavish=self.lavish, mark=key)
            reply = Reply(text, self.counted[key], min(tokens.count(text), request.max_tokens))
            tally.calls += 1
            tally.input_tokens += reply.input_tokens
            tally.output_tokens += reply.output_tokens
            tally.limit += request.max_tokens
            place = (arm, purpose.document)
            self.documents[place] = self.documents.get(place, 0) + reply.input_tokens
        else:
            tally.kept += 1
        self.replies[key] = reply
        return reply

    def _kept(self, key: str) -> Reply | None:
        kept = None if self.cache is None else self.cache.get(key)
        if kept is None:
            return None
        return Reply(kept["text"], kept["input_tokens"], kept["output_tokens"], kept["finish"], cached=True)


class RehearsedModel:
    """A `ragtrial.llm.base.LanguageModel` that asks nobody."""

    concurrency = 1

    def __init__(self, options: ModelOptions, counting: Rehearsal) -> None:
        self._options = options
        self._counting = counting

    @property
    def window(self) -> int | None:
        """The most tokens of input and output together, as the user says."""
        return self._options.window

    def identity(self) -> Identity:
        """Return what the options say of the model."""
        return self._options.identity()

    def ask(self, request: Request, purpose: Purpose) -> Reply:
        """Return a kept or a made-up reply."""
        return self._counting.ask(self._options, request, purpose)


def _made_up(request: Request, *, lavish: bool, mark: str) -> str:
    if request.schema is None:
        return _some_words(mark, int(request.max_tokens * (1.0 if lavish else _USUAL_SHARE)))
    return json.dumps(_value("", request.schema, mark, lavish=lavish))


def _value(name: str, schema: Mapping[str, Any], mark: str, *, lavish: bool) -> Any:
    match schema.get("type"):
        case "object":
            properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
            return {key: _value(key, inner, mark, lavish=lavish) for key, inner in properties.items()}
        case "array":
            items = range(_ITEMS.get(name, 3))
            return [_value(name, schema.get("items", {}), f"{mark}{number}", lavish=lavish) for number in items]
        case "string" | None:
            if "enum" in schema:
                return schema["enum"][0]
            if lavish and name in _LONGEST:
                return _some_words(mark, _LONGEST[name])[: _LONGEST[name]]
            return _some_words(mark, _USUAL.get(name, 4))
        case "boolean":
            return False
        case _:
            return 0


def _some_words(mark: str, count: int) -> str:
    """Return words that depend on a mark, so that different calls give, for example, different keys."""
    digest = hashlib.sha256(mark.encode()).digest()
    return " ".join(_WORDS[(digest[place % 32] + place // 32) % len(_WORDS)] for place in range(count))
