"""What the documentation writes down can be written so: expressions, measures, trial files, defaults."""

import re
import tomllib
from pathlib import Path

import pytest

from ragtrial.chunkers import CHUNKERS
from ragtrial.measures.names import parse_measure
from ragtrial.retrievers import RETRIEVERS
from ragtrial.specs import parse_call
from ragtrial.trial.arms import Arm
from ragtrial.trial.config import Trial
from ragtrial.trial.steps import STEPS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMPONENTS = (ROOT / "docs" / "components.md").read_text(encoding="utf-8")
STEP_TITLE = "Before a chunk, or behind it"


def section(title: str) -> str:
    return COMPONENTS.split(f"## {title}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)`", text, flags=re.MULTILINE)


def test_every_component_is_in_the_reference():
    for title, registry in (("Chunkers", CHUNKERS), (STEP_TITLE, STEPS), ("Retrievers", RETRIEVERS)):
        named = {re.match(r"\w+", cell)[0] for cell in first_cells(section(title))}
        assert named == set(registry.names())


@pytest.mark.parametrize("cell", [cell for cell in first_cells(section("Chunkers")) if "..." not in cell])
def test_the_reference_gives_the_defaults_of_chunkers(cell):
    name = re.match(r"\w+", cell)[0]
    if "size, overlap=0" in cell:
        assert str(Arm.of(cell.replace("(size, ", "(9, "))) == f"{name}(9)"
    else:
        assert str(Arm.of(cell)) == name


@pytest.mark.parametrize("cell", [cell for cell in first_cells(section(STEP_TITLE)) if "..." not in cell])
def test_the_reference_gives_the_defaults_of_steps(cell):
    if cell == "behind(step)":
        assert str(Arm.of("headers + behind(path)")) == "headers + behind(path)"
    else:
        assert str(Arm.of(f"headers + {cell}")) == f"headers + {re.match(r'[a-z]+', cell)[0]}"


@pytest.mark.parametrize("name", re.findall(r"`([a-z0-9-]+(?:@\d+t?)?(?::[a-z]+)?)`", section("Measures")))
def test_the_measures_of_the_reference_exist(name):
    assert parse_measure(name).name == name


def test_the_trial_of_the_readme_is_valid():
    (text,) = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)
    trial = Trial.of(tomllib.loads(text))
    assert [contrast.name for contrast in trial.contrasts] == ["boundaries", "section path"]


def test_the_expressions_of_the_readme_are_known():
    table = README.split("| part | what there is |")[1].split("\n\n")[0]
    known = {
        *CHUNKERS.names(),
        *STEPS.names(),
        *RETRIEVERS.names(),
        "qasper",
        "demo",
        "mdk",
        "kmr",
        "freshstack",
        "wikipedia",
        "featured",
    }
    known |= {"okapi", "lucene", "atire", "bm25+", "bm25l"}
    for expression in re.findall(r"`([^`]+)`", table):
        if "@" in expression or expression == "mrr":
            parse_measure(expression)
        elif expression not in known:
            assert parse_call(expression).name in known, expression


def test_the_keys_of_the_trial_file_are_documented():
    text = (ROOT / "docs" / "trial.md").read_text(encoding="utf-8")
    for key in Trial.model_fields:
        assert f"`{key}`" in text or f"[{key}]" in text or f"[{key}." in text, key
