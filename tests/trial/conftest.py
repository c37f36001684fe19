"""A small corpus in several scripts, small enough to work out every score by hand, and the real pilot trial."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from ragtrial.trial.config import Trial
from ragtrial.trial.record import Record, file_sha256
from ragtrial.trial.run import run

DOCUMENTS = {
    "harbour/lights.md": (
        "# Lights\n\n## Red lantern\n\nThe red lantern marks the harbour gate at night.\n\n"
        "## Blue lantern\n\nA blue lantern marks the northern pier in winter.\n"
    ),
    "harbour/stock.md": "# Stock\n\n## Red paint\n\nRed red red lantern lantern lantern harbour harbour harbour.\n",
    "hill/tools.txt": "The blue blue blue northern northern pier pier pier winter winter winter.",
    "hill/охрана.md": (
        "# Охрана\n\n## Маяк\n\nСторож зажигает маяк каждый вечер перед закатом солнца.\n\n"
        "## Склад\n\nКлючи от склада хранятся у старшего механика.\n"
    ),
    "hill/灯塔.md": "# 灯塔\n\n## 开灯\n\n守塔人每天傍晚点亮灯塔的主灯。\n\n## 修理\n\n修理工具放在地下室的柜子里。\n",
}
"""By id, in the order in which a folder is read."""

BLUE = DOCUMENTS["harbour/lights.md"].index("A blue lantern")

QUESTIONS = [
    {
        "id": "red",
        "question": "red lantern harbour",
        "evidence": ["The red lantern marks the harbour gate at night."],
        "type": "place",
    },
    {
        "id": "blue",
        "question": "blue northern pier winter",
        "evidence": [{"document": "harbour/lights.md", "start": BLUE, "end": BLUE + 49}],
        "cluster": "night shift",
        "type": "place",
    },
    {"question": "кто зажигает маяк", "evidence": "Сторож зажигает маяк каждый вечер перед закатом солнца."},
    {
        "id": "zh",
        "question": "修理工具放在哪里",
        "evidence": ["修理工具放在地下室的柜子里。"],
        "document": "hill/灯塔.md",
    },
]
"""The third has no id: it is called after its line."""

BOTH = {
    "id": "both",
    "question": "ключи склада 主灯",
    "evidence": ["Ключи от склада хранятся у старшего механика.", "守塔人每天傍晚点亮灯塔的主灯。"],
}
"""A question on two documents, which no pool of one document can answer."""

KEYS = {
    "title": "Handbook",
    "documents": "docs",
    "questions": "questions.jsonl",
    "primary": "hit@1",
    "measures": ["hit@1", "recall@1", "recall@5", "mrr@10", "recall@64t", "recall@512t"],
    "arms": {"sections": "headers(min=0)", "tiny": "chars(6)", "whole": "chars(10000)"},
    # Okapi gives no weight to a word that stands in just half of the chunks, as most do in a pool of two.
    "retrievers": {"bm25": "bm25(variant='lucene')"},
    "contrasts": [
        {"name": "sections or crumbs", "of": "sections - tiny"},
        {"name": "within a point", "of": "whole - sections", "test": "equivalence", "margin": 1},
    ],
    "resamples": 200,
}


def lines_of(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def handbook(tmp_path) -> Path:
    """Return a folder with ``docs/``, ``questions.jsonl``, and ``single.jsonl`` with the questions on one document."""
    folder = tmp_path / "handbook"
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    (folder / "questions.jsonl").write_text(lines_of([*QUESTIONS, BOTH]), encoding="utf-8")
    (folder / "single.jsonl").write_text(lines_of(QUESTIONS), encoding="utf-8")
    return folder


@pytest.fixture
def trial_of(handbook) -> Callable[..., Trial]:
    """Return a function that makes the trial on the handbook with some keys changed."""
    return lambda **changed: Trial.of(KEYS | changed, handbook)


@pytest.fixture
def tables() -> Callable[[Path], dict[str, bytes]]:
    """Return a function that reads every file of a record's folder: nothing else may lie there."""
    return lambda folder: {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class Killed(BaseException):
    """Stands for the end of a process: nothing that it would still do to the disk happens."""


@pytest.fixture
def dying_at(monkeypatch) -> Callable[[int | str], object]:
    """Return a context in which the process dies before a change to the file system.

    A number is that of the change, from 0; a name is that of the file whose finished text would
    take its place. The context's value lists the changes that were made. After the end every
    change is refused, so that no clean-up runs that a killed process could not run.
    """

    @contextmanager
    def dying(end: int | str) -> Iterator[list[str]]:
        done: list[str] = []

        def counted(name, call):
            def change(*arguments, **keywords):
                place = Path(os.fspath(arguments[-1])).name if name == "replace" else ""
                if done[-1:] == ["killed"] or len(done) == end or place == end:
                    done.append("killed")
                    raise Killed
                done.append(name)
                return call(*arguments, **keywords)

            return change

        with monkeypatch.context() as patch:
            for name in ("fsync", "mkdir", "replace", "rmdir", "unlink"):
                patch.setattr(os, name, counted(name, getattr(os, name)))
            with suppress(Killed):
                yield done

    return dying


@pytest.fixture
def rewrite() -> Callable[..., None]:
    """Return a function that edits a JSON file of a record; ``hide`` puts the new sha256 into the header as well."""

    def edit(folder, name, change, *, hide=False):
        path = folder / name
        value = json.loads(path.read_text(encoding="utf-8"))
        change(value)
        path.write_text(json.dumps(value), encoding="utf-8")
        if hide:
            edit(folder, "record.json", lambda header: header["files"].update({name: file_sha256(path)}))

    return edit


@pytest.fixture
def retable(rewrite) -> Callable[..., None]:
    """Return a function that sets one value in a table of a record, and puts the new sha256 into the header."""

    def edit(folder, name, row, **values):
        import polars as pl

        path = folder / name
        table = pl.read_parquet(path)
        rows = table.to_dicts()
        rows[row] |= values
        pl.DataFrame(rows, schema=table.schema).write_parquet(path)
        rewrite(folder, "record.json", lambda header: header["files"].update({name: file_sha256(path)}))

    return edit


@pytest.fixture
def stages() -> Callable[..., object]:
    """Return a listener for a run's progress; its ``heard`` lists each stage with its number of steps."""

    def progress(stage, total):
        progress.heard.append((stage, total))
        return nullcontext(lambda steps=1, seconds_left=None: None)

    progress.heard = []
    return progress


PILOT_ARMS = {
    "fixed": "chars(512)",
    "tokens": "tokens(256, overlap=32)",
    "headers": "headers",
    "study": "headers(dialect='study')",
    "path": "headers + path",
}


@pytest.fixture(scope="session")
def pilot(shared, tmp_path_factory) -> Record:
    """Run the published pilot study once: 30 papers, their own arms, Okapi BM25 inside each paper."""
    source = {
        "reader": "qasper",
        "path": str(shared("data/qasper")),
        "protocol": "mdk",
        "select": str(shared("data/selections/qasper-pilot-30.txt")),
    }
    keys = {
        "dataset": source,
        "arms": PILOT_ARMS,
        "retrievers": {"bm25": "bm25(variant='okapi', words='study')"},
        "contrasts": [
            {"name": "bca", "of": "headers - fixed"},
            {"name": "margin", "of": "headers - fixed", "test": "equivalence", "margin": 5},
            {"name": "path", "of": "path - headers"},
        ],
    }
    return run(Trial.of(keys), tmp_path_factory.mktemp("pilot") / "record")
