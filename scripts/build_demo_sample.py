#!/usr/bin/env python3
"""Make the sample that ``ragtrial demo`` runs on, from the official QASPER files.

Rule: of the papers of the dev split that are neither in the MDK study's pilot nor in its
sample of 300, take the 12 with the most questions with text evidence (ties: the smaller
id). Papers are written unchanged, sorted by id, in the official format.

Usage: python scripts/build_demo_sample.py QASPER_FOLDER PILOT_SELECTION OUTPUT
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from ragtrial.datasets.qasper.files import Paper, read_split, split_files
from ragtrial.datasets.qasper.load import read_selection
from ragtrial.datasets.qasper.mdk import SPLITS, eligible_questions, mdk_pool, mdk_sample

PAPERS = 12


def choose(folder: Path, pilot: list[str]) -> dict[str, Paper]:
    """Return the papers of the sample by id, sorted by id."""
    dev, test = (read_split(file) for file in split_files(folder, SPLITS))
    sampled = mdk_sample(mdk_pool(dev | test, without=pilot))
    rest = mdk_pool(dev, without={*pilot, *sampled})
    chosen = sorted(rest, key=lambda paper: (-eligible_questions(dev[paper]), paper))[:PAPERS]
    return {paper: dev[paper] for paper in sorted(chosen)}


def pack(papers: dict[str, Paper]) -> bytes:
    """Return the file's bytes; they hold no time and no file name."""
    return gzip.compress(json.dumps(papers, ensure_ascii=False).encode(), compresslevel=9, mtime=0)


def main() -> None:
    """Write the sample."""
    folder, pilot, output = map(Path, sys.argv[1:])
    output.write_bytes(pack(choose(folder, read_selection(pilot))))


if __name__ == "__main__":
    main()
