"""A part on disk: its sample, its trial file, its plan with the paper's amendments."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragtrial.datasets.registry import load_dataset
from ragtrial.errors import DataError, RecordError, UsageError
from ragtrial.replications.design import Planned
from ragtrial.replications.select import select_papers, smaller
from ragtrial.replications.study import DataNeed, Part
from ragtrial.text.toml import to_toml
from ragtrial.trial.amendments import amend, read_amendments
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Corpus, load_corpus
from ragtrial.trial.frozen import planned_setup
from ragtrial.trial.plan import PLAN_NAME, Plan, freeze
from ragtrial.trial.record import write_whole

__all__ = ["RECORD", "Given", "Promise", "draw", "kept_if_refused", "keys_of", "other_data", "settle"]

RECORD: Final = "record"
"""A part's record in the part's folder."""

_TRIAL: Final = "trial.toml"
_SELECTION: Final = "selection.txt"
_QUESTIONS: Final = "questions.jsonl"
_DOCUMENTS: Final = "documents"


@dataclass(frozen=True)
class Given:
    """What the user has: by the name of a data set its path, its questions and a selection of them; a sample's size."""

    data: Mapping[str, Path]
    questions: Mapping[str, Path] = field(default_factory=dict)
    select: Mapping[str, Path] = field(default_factory=dict)
    sample: int | None = None


@dataclass(frozen=True)
class Promise:
    """What is written into a plan beside the trial: what outcomes were seen, and what else is declared."""

    seen: str
    declared: Mapping[str, Any]


def other_data(part: Part, need: DataNeed, given: Given) -> str | None:
    """Return what stands in place of the paper's data or sample, in words; None where nothing does.

    Where the ids of the paper's questions are in its release alone, a selection is how they are named.
    """
    if _is_own(given.data[part.data]):
        return "documents and questions of the user's own"
    if need.selection:
        return None if part.data in given.select else "all questions of the data set"
    return "a selection of the user's own" if part.data in given.select else None


def _is_own(path: Path) -> bool:
    return (path / _DOCUMENTS).is_dir() and (path / _QUESTIONS).is_file()


def draw(part: Part, need: DataNeed, given: Given, folder: Path) -> dict[str, Any]:
    """Draw a part's sample, write it into the part's folder, and return the keys of the trial that name its data.

    A path with ``documents/`` and ``questions.jsonl`` is read as such; any other goes to the data set's reader. Of
    QASPER a smaller sample is one of papers, of other data one of questions; draws are seeded as the preset says.

    Raises
    ------
    DataError, UsageError
        Files are missing or damaged, or the size is none.
    """
    path = given.data[part.data].absolute()
    own = _is_own(path)
    if part.data in given.select and (own or need.needs_questions):
        raise UsageError(
            f"A selection is one of the data set's own questions, and those of {part.data} are in a file of yours.",
            hint="Leave --select out, and put into that file what you want to ask.",
        )
    if own:
        questions = _fewer_questions(path / _QUESTIONS, given.sample, part.sample.seed, folder)
        return {
            "documents": str(path / _DOCUMENTS),
            "questions": str(questions),
            "dialect": need.dialect or "commonmark",
        }
    source: dict[str, Any] = {"reader": need.reader, "path": str(path), "protocol": need.protocol}
    if need.dialect is not None:
        source["dialect"] = need.dialect
    if need.needs_questions:
        file = given.questions[part.data].absolute()
        source["questions"] = str(_fewer_questions(file, given.sample, part.sample.seed, folder))
        return {"dataset": source}
    if (ids := _selected(part, source, given)) is not None:
        _write(folder / _SELECTION, "".join(f"{id}\n" for id in ids))  # noqa: A001  # the data set's own word
        source["select"] = _SELECTION
    return {"dataset": source}


def _selected(part: Part, source: Mapping[str, Any], given: Given) -> list[str] | None:
    chosen = given.select.get(part.data)
    own = None if chosen is None else _read(chosen).split()
    if source["reader"] == "qasper":
        path = Path(source["path"])
        if own is None:
            return select_papers(path, part.sample, given.sample)
        return own if given.sample is None else smaller(path, own, given.sample, part.sample.seed)
    if own is None and given.sample is not None:
        dataset = load_dataset(**{**source, "path": Path(source["path"])})
        own = [question.id for question in dataset.questions]
    return own if own is None or given.sample is None else _some(own, given.sample, part.sample.seed)


def _fewer_questions(file: Path, size: int | None, seed: int, folder: Path) -> Path:
    if size is None:
        return file
    rows = [line for line in _read(file).splitlines() if line.strip()]
    try:
        for row in rows:
            json.loads(row)
    except ValueError as error:
        raise DataError(f"{file} is not JSON Lines, which a sample is drawn from: {error}.") from error
    own = folder / _QUESTIONS
    _write(own, "".join(f"{row}\n" for row in _some(rows, size, seed)))
    return own.absolute()


def _some(items: list[str], size: int, seed: int) -> list[str]:
    if size < 1:
        raise UsageError(f"A sample of {size} questions is none.", hint="Write --sample 5 for a first try.")
    if size >= len(items):
        return items
    chosen = set(random.Random(seed).sample(range(len(items)), size))  # noqa: S311  # a sample, not a secret
    return [item for number, item in enumerate(items) if number in chosen]


@contextmanager
def kept_if_refused(folders: Iterable[Path]) -> Iterator[None]:
    """Put the files of trials that are there back as they were where one differs from its plan or record.

    Of a trial that was not there before they stay: a plan that was frozen meanwhile is a plan of these files.
    """
    there = [folder for folder in folders if (folder / _TRIAL).exists()]
    files = [folder / name for folder in there for name in (_TRIAL, _SELECTION, _QUESTIONS)]
    before = {file: file.read_bytes() if file.exists() else None for file in files}
    try:
        yield
    except RecordError:
        for file, data in before.items():
            if data is None:
                file.unlink(missing_ok=True)
            elif file.read_bytes() != data:
                write_whole(file, data)
        raise


def keys_of(planned: Planned, source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the keys of a part's trial file as first planned, and after each amendment."""
    return [{**keys, **source} for keys in planned.filled.stages()]


def settle(planned: Planned, source: Mapping[str, Any], folder: Path, promise: Promise | None) -> Trial:
    """Write a part's trial file and return the trial; with a promise, freeze its plan and amend it as the paper did.

    A plan that is there is kept, and amended where it lacks some: the run holds the trial against it.

    Raises
    ------
    RecordError
        The trial has more or other keys than its plan and the amendments; or a plan would be frozen after scoring.
    """
    stages = keys_of(planned, source)
    file = folder / _TRIAL
    if promise is None and not (folder / PLAN_NAME).exists():
        return _written(file, stages[-1])
    corpus: Corpus | None = None
    if not (folder / PLAN_NAME).exists():
        assert promise is not None
        if (folder / RECORD / "record.json").exists():
            raise RecordError(
                f"{folder} holds a record already: outcomes were seen, and a plan frozen now would say that none were.",
                hint="Choose another --output.",
            )
        trial = _written(file, stages[0])
        corpus = load_corpus(trial)
        freeze(planned_setup(trial, corpus), seen=promise.seen, declared=promise.declared)
    plan = Plan.read(folder / PLAN_NAME)
    made = len(read_amendments(plan))
    for amendment, keys in list(zip(planned.filled.amendments, stages[1:], strict=True))[made:]:
        trial = _written(file, keys)
        corpus = corpus or load_corpus(trial)
        amend(plan, planned_setup(trial, corpus), reason=amendment.reason, seen=amendment.seen)
    return _written(file, stages[-1])


def _written(file: Path, keys: Mapping[str, Any]) -> Trial:
    _write(file, to_toml(keys))
    return Trial.read(file)


def _write(file: Path, text: str) -> None:
    data = text.encode("utf-8")
    if file.exists() and file.read_bytes() == data:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {file.parent}: {error.strerror or error}.") from error
    write_whole(file, data)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Cannot read {file}: {error}.") from error
