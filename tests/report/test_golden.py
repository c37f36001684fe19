"""What the report of the demo says, word for word: the same record gives the same sentences and tables.

After an intended change, run this file with the environment variable ``RAGTRIAL_GOLDEN=write``, and look at the change.
"""

import io
import os
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from rich.console import Console

from ragtrial.report.exploratory import exploratory_tables
from ragtrial.report.pages.answer import render_answer
from ragtrial.report.sentences import answer, curve_sentence
from ragtrial.report.spend import not_measured, spend_table
from ragtrial.report.terminal import print_tables
from ragtrial.trial.config import Trial
from ragtrial.trial.run import run

GOLDEN = Path(__file__).parent / "golden" / "demo.txt"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    text = (files("ragtrial.datasets") / "samples" / "demo.toml").read_text(encoding="utf-8")
    quick = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("dense ", "hybrid ")))
    return run(Trial.of(tomllib.loads(quick)), tmp_path_factory.mktemp("demo") / "record")


def told(record):
    out = io.StringIO()
    tables = [spend_table(record), *exploratory_tables(record)]
    print_tables(tables, not_measured(record), Console(file=out, width=10_000))
    curves = [f"{row['name']}: {curve_sentence(row)}" for row in record.contrasts]
    return "\n".join([*answer(record), "", *curves, "", out.getvalue()])


def test_the_demo_says_what_it_said(demo):
    if os.environ.get("RAGTRIAL_GOLDEN") == "write":
        GOLDEN.write_text(told(demo), encoding="utf-8")
    assert told(demo) == GOLDEN.read_text(encoding="utf-8")


def test_the_page_of_the_demo_is_small(demo):
    assert len(render_answer(demo).encode("utf-8")) <= 600_000
