"""Header-led chunking beside three other libraries: ``python benchmarks/headers.py [--docs FOLDER ...]``.

Every side gets the same texts, which are in memory, one at a time and as its own guide says, and gives a list of
chunks for each:

- ragtrial: ``Headers().chunk(text)``, and with ``dialect="study"``;
- mdkeychunker: ``chunk(text)``;
- LangChain: ``MarkdownHeaderTextSplitter`` with all six levels, ``split_text(text)``;
- haystack: ``MarkdownHeaderSplitter().run([document])``; its documents are made beforehand.

The last two cut at every heading and pack nothing. Needs ``pip install '.[bench]'``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import haystack
import mdkeychunker
from haystack.components.preprocessors import MarkdownHeaderSplitter
from langchain_text_splitters import MarkdownHeaderTextSplitter

import ragtrial as rt
from common import DOCS, machine, print_table, spread, take_turns

YARDSTICK = "mdkeychunker"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", nargs="+", type=Path, default=DOCS, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(machine(), end="\n\n")
    for folder in options.docs:
        compare(folder, options.rounds)


def compare(folder: Path, rounds: int) -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))]
    print(f"{folder.name}: {len(texts)} files, {sum(map(len, texts)) / 1e6:.2f} million characters, {rounds} rounds\n")
    sides = chunkers(texts)
    counts = {name: sum(map(len, chunk())) for name, chunk in sides.items()}
    seconds = take_turns(sides, rounds, time.process_time)
    medians = {name: median(values) for name, values in seconds.items()}
    print_table(
        ("", "chunks", "CPU ms, median", "lowest - highest", f"speed, {YARDSTICK} = 1"),
        [
            (
                name,
                f"{counts[name]:,}",
                f"{medians[name] * 1e3:.0f}",
                spread(seconds[name], 1e-3),
                f"{medians[YARDSTICK] / medians[name]:.2f}",
            )
            for name in sides
        ],
    )


def chunkers(texts: Sequence[str]) -> dict[str, Callable[[], list[Any]]]:
    # mdkeychunker warns of every file without headings.
    warnings.simplefilter("ignore")
    commonmark, study = rt.Headers(), rt.Headers(dialect="study")
    langchain = MarkdownHeaderTextSplitter([("#" * level, f"h{level}") for level in range(1, 7)])
    splitter = MarkdownHeaderSplitter()
    documents = [haystack.Document(content=text) for text in texts]
    return {
        "ragtrial, commonmark": lambda: [list(commonmark.chunk(text)) for text in texts],
        "ragtrial, study": lambda: [list(study.chunk(text)) for text in texts],
        "mdkeychunker": lambda: [list(mdkeychunker.chunk(text)) for text in texts],
        "LangChain": lambda: [list(langchain.split_text(text)) for text in texts],
        "haystack": lambda: [list(splitter.run([document])["documents"]) for document in documents],
    }


if __name__ == "__main__":
    main()
