"""The papers of several official files together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ragtrial.datasets.qasper.files import Paper, read_split, split_files
from ragtrial.errors import DataError

__all__ = ["read_papers"]


def read_papers(
    path: Path, splits: Sequence[str], ids: Collection[str] | None, *, protocol: str
) -> tuple[dict[str, Paper], list[Path]]:
    """Read splits until every wanted paper is there: reading is what costs most.

    Parameters
    ----------
    path : Path
        The folder of the official files, or one file.
    splits : sequence of str
        In this order.
    ids : collection of str or None
        The wanted papers; None: all.
    protocol : str
        For the message.

    Returns
    -------
    dict of Paper by id, list of Path
        All papers of the files that were read, and these files.

    Raises
    ------
    DataError
        Wanted papers are in none of the files, or a file is missing or damaged.
    """
    papers: dict[str, Paper] = {}
    files: list[Path] = []
    for file in split_files(path, splits):
        if ids is not None and papers.keys() >= set(ids):
            break
        files.append(file)
        papers |= read_split(file)
    missing = [] if ids is None else [paper for paper in ids if paper not in papers]
    if missing:
        raise DataError(
            f"{len(missing)} selected papers are not in {' and '.join(str(file) for file in files)}: "
            f"{', '.join(missing)}.",
            hint=f"The protocol {protocol!r} draws from the splits {', '.join(splits)}.",
        )
    return papers, files
