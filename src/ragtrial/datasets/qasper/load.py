"""The reader ``qasper``: official files and a protocol to documents and questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ragtrial.datasets.model import Dataset
from ragtrial.datasets.qasper.kmr import load_kmr
from ragtrial.datasets.qasper.mdk import SPLITS, build_mdk, mdk_pool
from ragtrial.datasets.qasper.papers import read_papers
from ragtrial.documents.markdown.reader import Dialect
from ragtrial.errors import DataError, SpecError, did_you_mean

__all__ = ["LICENCE", "PROTOCOLS", "SOURCE", "load_qasper", "read_selection"]

SOURCE = (
    "QASPER v0.3, Dasigi et al. 2021: "
    "A Dataset of Information-Seeking Questions and Answers Anchored in Research Papers"
)
LICENCE = "CC BY 4.0"


def load_qasper(
    path: str | Path, *, protocol: str = "mdk", select: str | Path | None = None, dialect: Dialect = "study"
) -> Dataset:
    """Load QASPER from its official files.

    Parameters
    ----------
    path : path
        The folder of ``qasper-dev-v0.3.json`` and its like, packed as ``.gz`` or not, or
        one such file.
    protocol : {"mdk", "kmr"}
        Which study's documents and questions (METHODS sections 1 and 7): "mdk" is Mangla
        2026, papers of dev and test rendered as Markdown, the pool of a question being
        its paper; "kmr" is Kuehlkamp, Moreira and Rund 2026, papers of all splits as flat
        text with their section trees, evidence by spans, all papers being one pool.
    select : path, optional
        A file with a paper id on each line; the papers are taken in its order. Without
        it all eligible papers (under "kmr" all papers) are taken, sorted by id.
    dialect : {"study", "commonmark"}
        How the Markdown is read; the study's own dialect unless another is asked for.
        Flat text has none.

    Raises
    ------
    SpecError
        The protocol is unknown.
    DataError
        Files are missing or damaged, or selected papers are not in them.
    """
    if protocol not in PROTOCOLS:
        raise SpecError(f"QASPER has no protocol {protocol!r}.", hint=did_you_mean(protocol, PROTOCOLS))
    ids = None if select is None else read_selection(Path(select))
    dataset = PROTOCOLS[protocol](Path(path), ids, dialect)
    meta = {"name": f"QASPER, protocol {protocol}", "source": SOURCE, "licence": LICENCE, **dataset.meta}
    return replace(dataset, meta=MappingProxyType(meta))


def read_selection(path: Path) -> list[str]:
    """Return the ids of a selection file, one on each line; blank lines are allowed, an id twice is not."""
    try:
        ids = path.read_text(encoding="utf-8-sig").split()
    except OSError as error:
        raise DataError(f"Cannot read the selection {path}: {(error.strerror or str(error)).lower()}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"The selection {path} is not UTF-8 text: {error}.") from error
    if not ids:
        raise DataError(f"The selection {path} is empty.", hint="It needs one paper id on each line.")
    twice = sorted(paper for paper, count in Counter(ids).items() if count > 1)
    if twice:
        raise DataError(f"The selection {path} has these ids more than once: {', '.join(twice)}.")
    return ids


def _load_mdk(path: Path, ids: list[str] | None, dialect: Dialect) -> Dataset:
    papers, files = read_papers(path, SPLITS, ids, protocol="mdk")
    dataset = build_mdk(papers, mdk_pool(papers) if ids is None else ids, dialect=dialect, name=str(path))
    return replace(dataset, meta=MappingProxyType({"files": ", ".join(file.name for file in files)}))


PROTOCOLS: dict[str, Callable[[Path, list[str] | None, Dialect], Dataset]] = {"kmr": load_kmr, "mdk": _load_mdk}
