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
TABLES = ("arms", "averages", "retrievers", "contrasts", "ladders")


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
    whole = set(re.findall(r"`([a-z-]+/[a-z0-9-]+\.toml)`, all of it", TEXT))
    missing = []
    for study in map(Study.open, study_names()):
        for part in study.parts:
            file = f"{study.name}/{part.trial}"
            if file in whole or file == "pilot/qasper-bm25.toml":
                continue
            known = names_in(file)
            shared = {"hybrid"} if "per-field" in file or "robustness" in file else set()
            missing += [
                (file, table, name)
                for table in TABLES
                for name in sorted(known[table] - shared)
                if (file, table, name) not in named
            ]
    assert missing == []


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", TEXT))))
def test_the_tests_that_are_named_exist(place):
    file, name = place
    assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")
