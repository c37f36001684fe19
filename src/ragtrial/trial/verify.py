"""An outsider's check of a record: its files, its plan, and every number made again from the tables that lie in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ragtrial.errors import MissingExtraError, RagtrialError, RecordError
from ragtrial.trial.amendments import amended_state, read_amendments
from ragtrial.trial.exploratory.write import FILES
from ragtrial.trial.hashing import sha256
from ragtrial.trial.plan import PLAN_NAME, Plan, differences
from ragtrial.trial.record import Record
from ragtrial.trial.remade.contents import content_faults
from ragtrial.trial.remade.differ import unequal
from ragtrial.trial.remade.given import given_faults
from ragtrial.trial.remade.restore import restored_build
from ragtrial.trial.remade.results import result_faults
from ragtrial.trial.tables import read_scores

__all__ = ["verify_record"]

_ALWAYS: Final = ("scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", *FILES)
"""The files that every record has."""


def verify_record(record: Record, plan: Plan | None = None) -> list[str]:
    """Return a sentence for every way in which a record does not hold; an empty list means verified.

    Checked: the sha256 of every file; the plan in the record (and, if given, that it is the
    plan that was published); parameters, inputs and package version against plan and amendments;
    effective parameters but those of arms and retrievers made again from the given keys;
    every result made again from ``scores.parquet``; counts, tokens, found evidence and doubts made again from
    documents, questions, chunks and rankings. Not checked, since a record does not hold what they are made from:
    the scores and rankings themselves, what models and servers said of themselves, and the features that need section
    paths. Where a record keeps no texts, what needs them is not made again either.

    Raises
    ------
    MissingExtraError
        The record holds mixed models, and statsmodels is not installed.
    """
    return [
        *_file_faults(record),
        *_told(lambda: _identity_faults(record)),
        *_told(lambda: _plan_faults(record, plan)),
        *_number_faults(record),
    ]


def _file_faults(record: Record) -> Iterator[str]:
    for name in _ALWAYS:
        if name not in record.header["files"]:
            yield f"record.json: files holds no sha256 of {name}"
    yield from record.damaged_files()


def _identity_faults(record: Record) -> Iterator[str]:
    header = record.header
    identity = sha256({key: header[key] for key in ("version", "inputs", "effective", "plan")})
    yield from unequal("record.json: trial", header["trial"], identity)
    yield from unequal("record.json: package", header["package"], header["inputs"]["package"])
    yield from unequal("record.json: title", header["title"], header["given"].get("title", ""))


def _plan_faults(record: Record, published: Plan | None) -> Iterator[str]:
    identity = record.header["plan"]
    if identity is None:
        if published is not None:
            yield "the record was made without a plan"
        for name, row in record.header["effective"]["contrasts"].items():
            if row["tier"] != "exploratory":
                yield f"contrast {name!r} claims a tier, but the record was made without a plan"
        return
    try:
        plan = Plan.read(record.folder / PLAN_NAME)
        amendments = read_amendments(plan)
    except RecordError as error:
        yield error.message
        return
    if plan.sha256 != identity["sha256"]:
        yield f"the plan in the record has the sha256 {plan.sha256}, the record was made under {identity['sha256']}"
    if published is not None and published.sha256 != plan.sha256:
        yield f"the record was made under another plan than {published.path}"
    if [entry["sha256"] for entry in amendments] != identity["amendments"]:
        yield "the amendments in the record are not those under which it was made"
    yield from unequal("record.json: plan.created", identity["created"], plan.content["created"])
    state = amended_state(plan, amendments)
    for kind in ("documents", "questions"):
        digest = sha256(list(state[kind].items()))
        yield from unequal(f"record.json: inputs.{kind}_sha256", record.header["inputs"][f"{kind}_sha256"], digest)
    held = {"package": record.header["package"], "parameters": record.header["effective"]}
    for line in differences({key: state[key] for key in held}, held):
        yield f"the record differs from its plan in {line}"
    ran = {row["name"] for row in record.contrasts}
    for name in state["parameters"]["contrasts"]:
        if name not in ran:
            yield f"the planned contrast {name!r} was not run"


def _number_faults(record: Record) -> Iterator[str]:
    yield from _told(lambda: given_faults(record))
    yield from _told(lambda: result_faults(record, read_scores(record)))
    yield from _told(lambda: content_faults(record, restored_build(record), read_scores(record)))


def _told(faults: Callable[[], Iterator[str]]) -> Iterator[str]:
    """Yield faults, the last of which may be that the tables are not such that anything can be made of them."""
    try:
        yield from faults()
    except MissingExtraError:
        raise
    except RagtrialError as error:
        yield error.message
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        yield f"the tables do not fit the record: {type(error).__name__}: {error}"
