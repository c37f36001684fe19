"""docs/replications/README.md: every preset line and test that it names exists, and no line of a preset is missing."""

import re
import tomllib
from pathlib import Path

import pytest

from ragtrial.replications.study import Study, study_names

ROOT = Path(__file__).parents[2]
PRESETS = ROOT / "src" / "ragtrial" / "presets"
TEXT = (ROOT / "docs" / "replications" / "README.md").read_text(encoding="utf-8")
LINE = re.compile(r"`([a-z-]+/[a-z0-9-]+\.toml) ([a-z_]+)(?:\.([^`]+))?`")
WHOLE = set(re.findall(r"`([a-z-]+/[a-z0-9-]+\.toml)`, all of it", TEXT))
TABLES = ("arms", "averages", "retrievers", "contrasts", "ladders")
TWINS = {
    "llm-call-per-chunk/freshstack.toml": "llm-call-per-chunk/qasper.toml",
    "pilot/freshstack.toml": "pilot/qasper.toml",
    "structure-ablation/wikipedia.toml": "structure-ablation/qasper.toml",
}
"""Each file that a row covers as a whole, and the file whose rows its own names repeat."""


def names_in(file):
    """Return the names in each table of a preset's trial file, amendments included."""
    read = tomllib.loads((PRESETS / file).read_text(encoding="utf-8"))
    found = {table: set() for table in TABLES} | {"keys": set(read)}
    for row in (read, *read.get("amendments", [])):
        for table in TABLES:
            value = row.get(table, {})
            found[table] |= set(value) if isinstance(value, dict) else {one["name"] for one in value}
    return found


@pytest.mark.parametrize("line", sorted(set(LINE.findall(TEXT))))
def test_the_lines_that_are_named_exist(line):
    file, table, name = line
    known = names_in(file)
    assert name in known[table] if name else table in known["keys"]


def test_no_line_of_a_preset_is_missing():
    named = set(LINE.findall(TEXT))
    files = {f"{study.name}/{part.trial}" for study in map(Study.open, study_names()) for part in study.parts}
    missing = [
        (file, table, name)
        for file in sorted(files - WHOLE)
        for table in TABLES
        for name in sorted(names_in(file)[table])
        if (file, table, name) not in named
    ]
    assert missing == []


def test_what_is_covered_as_a_whole_repeats_its_twin_or_is_named():
    assert set(TWINS) == WHOLE
    named = set(LINE.findall(TEXT))
    for file, twin in TWINS.items():
        for table in TABLES:
            for name in names_in(file)[table] - names_in(twin)[table]:
                assert (file, table, name) in named


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", TEXT))))
def test_the_tests_that_are_named_exist(place):
    file, name = place
    assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")
