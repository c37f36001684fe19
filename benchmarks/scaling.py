"""Chunking one growing document: seconds per MB and peak memory: ``python benchmarks/scaling.py [--docs FOLDER ...]``.

The document is the files of the folders one after another, again and again up to its size; as a line, the same with
every line end made a space and no heading at its start. An MB is a million characters. Each size and chunker has a
process of its own; the time is that of ``chunk(text)`` alone, the peak is that of the whole process, the text
(4 bytes a character where it holds an emoji) and the list of chunks included.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from common import DOCS, machine, print_table, run_process

CHUNKERS = ("headers", "headers(dialect='study')", "paragraphs", "chars(512)", "tokens(256, overlap=32)")
SIZES = {"document": (1, 5, 10, 25, 50), "line": (1, 5, 10)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", nargs="+", type=Path, default=DOCS, metavar="FOLDER")
    parser.add_argument("--one", nargs=3, metavar=("CHUNKER", "MB", "SHAPE"), help="measure one in this process")
    options = parser.parse_args()
    if options.one:
        chunker, size, shape = options.one
        print(seconds(chunker, text(options.docs, int(size) * 1_000_000, shape)))
        return
    print(machine(), end="\n\n")
    for shape, sizes in SIZES.items():
        compare(options.docs, shape, sizes)


def compare(folders: list[Path], shape: str, sizes: tuple[int, ...]) -> None:
    times, peaks = [], []
    for chunker in CHUNKERS:
        one = [sys.executable, __file__, "--docs", *map(str, folders), "--one", chunker]
        used = [run_process([*one, str(size), shape]) for size in sizes]
        per_mb = [float(usage.output) / size * 1e3 for usage, size in zip(used, sizes, strict=True)]
        times.append((chunker, *(f"{value:.0f}" for value in per_mb), f"{per_mb[-1] / per_mb[0]:.2f}"))
        peaks.append((chunker, *(f"{usage.peak:,.0f}" for usage in used)))
    heads = [f"{size} MB" for size in sizes]
    print(f"One {shape}, CPU ms per MB:\n")
    print_table(("", *heads, "last / first"), times)
    print(f"One {shape}, peak MB of the process:\n")
    print_table(("", *heads), peaks)


def text(folders: list[Path], length: int, shape: str) -> str:
    files = [path for folder in folders for path in sorted(folder.rglob("*.md"))]
    parts = [path.read_text(encoding="utf-8") + "\n\n" for path in files]
    if shape == "line":
        parts = [part.replace("\n", " ").lstrip("# ") for part in parts]
    whole, rest = divmod(length, sum(map(len, parts)))
    return "".join([*(parts * whole), "".join(parts)[:rest]])


def seconds(chunker: str, document: str) -> float:
    from ragtrial.trial.arms import Arm

    chunk = Arm.of(chunker).chunker.chunk
    chunk("# what is loaded once\n\nis loaded here")
    start = time.process_time()
    chunk(document)
    return time.process_time() - start


if __name__ == "__main__":
    main()
