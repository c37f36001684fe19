"""A small trial on files: enough questions for intervals, quick enough to run often."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "sigma")

TRIAL = """\
title     = "Small"
documents = "docs/"
questions = "questions.jsonl"
primary   = "recall@64t"
measures  = ["recall@32t", "recall@128t", "hit@1"]

[arms]
fixed   = "chars(200)"
headers = "headers(min=0)"
path    = "headers(min=0) + path"

[retrievers]
bm25 = "bm25"

[[contrasts]]
name   = "boundaries"
of     = "headers - fixed"
family = "H1"
tier   = "confirmatory"

[[contrasts]]
name   = "path"
of     = "path - headers"
test   = "equivalence"
margin = 5
family = "H2"
tier   = "confirmatory"
"""


def write_small_trial(folder: Path, *, pages: int = 25) -> Path:
    """Write documents, questions and trial.toml below a folder and return the path of the trial file."""
    draw = random.Random(7)
    (folder / "docs").mkdir(parents=True)
    questions = []
    for page in range(pages):
        parts = [f"# Page {page}"]
        for number in range(4):
            sentence = f"The {draw.choice(WORDS)} setting {page * 10 + number} controls the {draw.choice(WORDS)} motor."
            filler = " ".join(draw.choice(WORDS) for _ in range(60))
            parts += [f"## Part {number}", f"{filler}. {sentence} {filler}."]
            if number % 2 == 0:
                question = f"What does setting {page * 10 + number} control, {draw.choice(WORDS)}?"
                questions.append({"question": question, "evidence": [sentence]})
        (folder / "docs" / f"p{page:02}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    lines = [json.dumps(question) for question in questions]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / "trial.toml"
    path.write_text(TRIAL, encoding="utf-8")
    return path


@pytest.fixture
def small_trial(tmp_path: Path) -> Path:
    return write_small_trial(tmp_path / "small")


@pytest.fixture
def edit() -> Callable[[Path, str, str], None]:
    """Replace a text in a file, which must hold it."""

    def replace(path: Path, old: str, new: str) -> None:
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return replace
