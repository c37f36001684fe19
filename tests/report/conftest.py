"""A small real record, and copies of it that say something else."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from ragtrial.trial.config import Trial
from ragtrial.trial.record import Record
from ragtrial.trial.run import run

from .made_up_trial import hostile_record

TEXT = "# Pump\n\nPress the green button to start the pump.\n\n## Stop\n\nTurn the red valve to stop the pump.\n"

QUESTIONS = [
    {"question": "Which button starts the pump?", "evidence": ["Press the green button to start the pump."]},
    {"question": "Which valve stops it?", "evidence": ["Turn the red valve to stop the pump."], "cluster": "b"},
    {"question": "Both?", "evidence": ["Press the green button to start the pump."], "cluster": "c"},
]

KEYS = {
    "title": "Pumps",
    "documents": "docs",
    "questions": "questions.jsonl",
    "arms": {"fixed": "chars(9)", "path": "headers(min=0) + path"},
    "retrievers": {"bm25": "bm25", "lucene": "bm25(variant='lucene')"},
    "contrasts": [
        {"name": "structure", "of": "path - fixed"},
        {"name": "within five points", "of": "path - fixed", "test": "equivalence", "margin": 5},
        {"name": "not worse", "of": "path - fixed", "test": "non-inferiority", "margin": 5},
    ],
    "resamples": 200,
}


@pytest.fixture(scope="session")
def real(tmp_path_factory) -> Record:
    """Return the record of a small trial, as a run gives it."""
    folder = tmp_path_factory.mktemp("pumps")
    (folder / "docs").mkdir()
    (folder / "docs" / "pump.md").write_text(TEXT, encoding="utf-8")
    (folder / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS), encoding="utf-8")
    return run(Trial.of(KEYS, folder), folder / "record")


@pytest.fixture(scope="session")
def told(real) -> Callable[..., Record]:
    """Return a function that gives the record with other contrasts, and other keys of its header."""

    def changed(contrasts: list[dict] | None = None, **header: object) -> Record:
        record = replace(real, header={**real.header, **header})
        record.__dict__["contrasts"] = real.contrasts if contrasts is None else contrasts
        return record

    return changed


@pytest.fixture(scope="session")
def hostile(tmp_path_factory) -> Record:
    """Return the record of a trial whose documents, questions and names try to be code."""
    return hostile_record(tmp_path_factory.mktemp("hostile"))
