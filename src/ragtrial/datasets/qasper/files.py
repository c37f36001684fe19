"""The official QASPER files: papers by id, as their JSON has them."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import NotRequired, TypedDict

from ragtrial.errors import DataError

__all__ = ["Answer", "Paper", "PaperQuestion", "SectionText", "parse_papers", "read_split", "split_files"]

_FILE = re.compile(r"qasper-(?P<split>[a-z]+)-v[0-9.]+\.json(?:\.gz)?")
_EXAMPLE = "qasper-dev-v0.3.json or qasper-dev-v0.3.json.gz"


class SectionText(TypedDict):
    """A section: its name, parts joined by ``:::``, and its paragraphs."""

    section_name: str | None
    paragraphs: list[str]


class Answer(TypedDict):
    """One annotator's answer; the official files have more keys."""

    unanswerable: bool
    evidence: list[str]


class AnswerRecord(TypedDict):
    """The wrapper that the official files put around an answer."""

    answer: Answer


class PaperQuestion(TypedDict):
    """A question on a paper with all annotators' answers."""

    question: str
    question_id: str
    answers: list[AnswerRecord]


class Paper(TypedDict):
    """A paper of the official files."""

    title: str
    abstract: str
    full_text: list[SectionText]
    qas: list[PaperQuestion]
    figures_and_tables: NotRequired[list[dict[str, str]]]


def split_files(path: Path, splits: Sequence[str]) -> list[Path]:
    """Return the files of the wanted splits, in the order of ``splits``.

    Parameters
    ----------
    path : Path
        A folder with official files, or one file, which is then taken whatever its split.
    splits : sequence of str
        Names such as "dev"; those without a file are left out.

    Raises
    ------
    DataError
        There is no such path, or the folder has none of the splits.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DataError(f"There is no {path}.", hint=f"Give the folder with {_EXAMPLE}, or such a file.")
    # The last one wins: the newest version, and of that the plain file, which is read faster.
    names = sorted(path.iterdir(), key=lambda file: (file.name.removesuffix(".gz"), not file.name.endswith(".gz")))
    found = {match["split"]: file for file in names if (match := _FILE.fullmatch(file.name))}
    files = [found[split] for split in splits if split in found]
    if not files:
        raise DataError(
            f"The folder {path} has no QASPER file of {' or '.join(splits)}.",
            hint=f"A file is called for example {_EXAMPLE}; there {_seen(path)}.",
        )
    return files


def _seen(path: Path) -> str:
    names = sorted(file.name for file in path.iterdir())
    if not names:
        return "is nothing"
    return f"are {len(names)} other files, the first {names[0]!r}"


def read_split(path: Path) -> dict[str, Paper]:
    """Return the papers of one official file, ``.json`` or ``.json.gz``, in file order; see `parse_papers`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"Cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    return parse_papers(data, str(path))


def parse_papers(data: bytes, name: str) -> dict[str, Paper]:
    """Return the papers of an official file's bytes, packed or not, in file order.

    Raises `DataError`, with ``name``, if the file is damaged or has another layout.
    """
    try:
        content = json.loads(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name} is a damaged gzip file: {error}.") from error
    except ValueError as error:
        raise DataError(f"{name} is not JSON: {error}.") from error
    if not isinstance(content, dict) or not content:
        raise DataError(f"{name} is not a QASPER file: it must be an object of papers by id.")
    for id, paper in content.items():  # noqa: A001  # the model's own word
        for place, fits in _shape(paper):
            if not fits:
                raise DataError(f"{name} is not a QASPER file: paper {id!r} has no {place} of the official kind.")
    return content


def _shape(paper: object) -> Iterator[tuple[str, bool]]:
    """Yield the parts that are used, each with whether it is as it should be; stop at a false one."""
    yield "object", isinstance(paper, dict)
    assert isinstance(paper, dict)
    yield "'title'", isinstance(paper.get("title"), str)
    yield "'abstract'", isinstance(paper.get("abstract"), str)
    yield "'full_text'", _is_list_of(paper.get("full_text"), dict)
    for section in paper["full_text"]:
        yield "'section_name'", isinstance(section.get("section_name"), (str, NoneType))
        yield "'paragraphs'", _is_list_of(section.get("paragraphs"), str)
    yield "'qas'", _is_list_of(paper.get("qas"), dict)
    for question in paper["qas"]:
        yield "'question'", isinstance(question.get("question"), str)
        yield "'question_id'", isinstance(question.get("question_id"), str)
        yield "'answers'", _is_list_of(question.get("answers"), dict)
        for record in question["answers"]:
            answer = record.get("answer")
            yield "'answer'", isinstance(answer, dict)
            yield "'unanswerable'", isinstance(answer.get("unanswerable"), bool)
            yield "'evidence'", _is_list_of(answer.get("evidence"), str)


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
