"""What the keys of a trial mean, made again from the keys as they were given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from ragtrial.errors import RagtrialError
from ragtrial.retrievers.bm25 import BM25
from ragtrial.trial.arms import Arm
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.record import Record
from ragtrial.trial.remade.differ import unequal
from ragtrial.trial.setup import Setup

__all__ = ["given_faults"]

_BUILT: Final = ("arms", "retrievers", "answers")
"""What is made of objects of the trial's own, which may run code that the trial names: a check builds none of it."""


def given_faults(record: Record) -> Iterator[str]:
    """Yield a sentence for each effective parameter that does not follow from the given keys.

    Of arms and retrievers the names are compared, of answers nothing.
    """
    given, effective = record.header["given"], record.header["effective"]
    for table in ("arms", "retrievers"):
        yield from unequal(f"record.json: effective.{table}", list(effective[table]), list(given[table]))
    try:
        made = _effective(given, effective)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        yield f"record.json: given is no trial: {place}: {error.errors()[0]['msg']}"
        return
    except RagtrialError as error:
        yield f"record.json: given is no trial: {error.message}"
        return
    stored = {key: value for key, value in effective.items() if key not in _BUILT}
    yield from unequal("record.json: effective", stored, made)


def _effective(given: Mapping[str, Any], effective: Mapping[str, Any]) -> dict[str, Any]:
    arm, retriever = Arm.of("chars(512)"), BM25()
    stood_in = {"arms": dict.fromkeys(given["arms"], arm), "retrievers": dict.fromkeys(given["retrievers"], retriever)}
    trial = Trial.model_validate({key: value for key, value in given.items() if key not in _BUILT} | stood_in)
    # Where no key says so, pool and words are those of the data set's protocol, and tiers are those of the plan.
    corpus = Corpus((), (), (), (), pool=effective["pool"], words=effective["words"])
    tiers = {name: row["tier"] for name, row in effective["contrasts"].items()}
    setup = Setup(trial, corpus, dict.fromkeys((row.name for row in trial.contrasts), "exploratory") | tiers)
    return {key: value for key, value in setup.effective.items() if key not in _BUILT}
