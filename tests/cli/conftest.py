"""The command line as a user has it: in this process where only its words count, else in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ragtrial.cli import main

RAGTRIAL = (sys.executable, "-W", "error", "-c", "from ragtrial.cli import main; main()")
"""The command in a process of its own; a warning is as bad as a traceback."""


class Done(NamedTuple):
    """What a command left: its exit code, its data and its talk."""

    code: int
    out: str
    err: str


@pytest.fixture
def call(capsys) -> Callable[..., Done]:
    """Return a function that runs a command in this process."""

    def run(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        return Done(int(stop.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def command() -> Callable[..., list[str]]:
    """Return a function that makes the words of a command line for a process of its own."""
    return lambda *arguments: [*RAGTRIAL, *map(str, arguments)]


@pytest.fixture(scope="session")
def shell(command) -> Callable[..., Done]:
    """Return a function that runs a command in a process of its own; ``env`` adds to the environment."""

    def run(*arguments: object, cwd: Path | None = None, env: dict[str, str] | None = None, timeout: int = 120) -> Done:
        surroundings = os.environ | (env or {})
        done = subprocess.run(
            command(*arguments), cwd=cwd, env=surroundings, capture_output=True, check=False, timeout=timeout
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


DOCUMENTS = {
    "guide/start.md": "# Start\n\nPress the green button to start it.\n\n## Stop\n\nTurn the red valve to stop it.\n",
    "guide/наладка.md": "# Наладка\n\nПроверьте давление масла перед пуском насоса.\n",
    "notes/保养.md": "# 保养\n\n每个月更换一次水泵的滤芯。\n",
    "notes/plain.txt": "The spare filters are on the lowest shelf of the blue cupboard.\n",
}

QUESTIONS = """\
{"id": "start", "question": "Which button starts the pump?", "evidence": ["Press the green button to start it."]}
{"id": "oil", "question": "Когда проверять давление?", "evidence": "Проверьте давление масла перед пуском насоса."}
{"id": "filter", "question": "多久更换滤芯?", "evidence": ["每个月更换一次水泵的滤芯。"]}
{"id": "shelf", "question": "Where are the filters?", "evidence": ["The spare filters are on the lowest shelf"]}
"""

TRIAL = """\
title = "Насос и 水泵"
documents = "docs"
questions = "questions.jsonl"
resamples = 200

[arms]
fixed = "chars(20)"
path = "headers(min=0) + path"

[retrievers]
bm25 = "bm25"

[[contrasts]]
name = "structure"
of = "path - fixed"
"""


@pytest.fixture
def pump(tmp_path) -> Path:
    """Return a folder with a small trial on documents of its own: ``trial.toml``, ``questions.jsonl``, ``docs/``."""
    folder = tmp_path / "pump"
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    (folder / "questions.jsonl").write_text(QUESTIONS, encoding="utf-8", newline="\n")
    (folder / "trial.toml").write_text(TRIAL, encoding="utf-8", newline="\n")
    return folder
