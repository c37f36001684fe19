"""Peak memory of ``ragtrial chunk`` over growing folders: ``python benchmarks/memory.py [--docs FOLDER ...]``.

The folder is copied 1, 4 and 16 times below one other folder, so that it grows and its largest document does not.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from common import DOCS, RAGTRIAL, machine, print_table, run_process

COPIES = (1, 4, 16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=Path, default=DOCS[0], metavar="FOLDER")
    parser.add_argument("--arms", nargs="+", default=["headers", "headers(dialect='study') + path", "chars(512)"])
    options = parser.parse_args()
    print(machine(), end="\n\n")
    sizes = [path.stat().st_size for path in sorted(options.docs.rglob("*.md"))]
    print(f"{options.docs.name}: {len(sizes)} files, the largest of {max(sizes) / 1e6:.2f} MB\n")
    columns: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        root, done = Path(folder) / "docs", 0
        for copies in COPIES:
            for number in range(done, copies):
                shutil.copytree(options.docs, root / f"{number:02}")
            done = copies
            columns.append([f"{copies * sum(sizes) / 1e6:.0f} MB", *(peak(root, arm) for arm in options.arms)])
    heads, *rows = zip(*columns, strict=True)
    print("Peak MB of the process, by the size of the folder:\n")
    print_table(("", *heads), [(arm, *row) for arm, row in zip(options.arms, rows, strict=True)])


def peak(folder: Path, arm: str) -> str:
    output = folder.with_name("chunks.jsonl")
    return f"{run_process([*RAGTRIAL, 'chunk', str(folder), '--arm', arm, '--output', str(output)]).peak:.0f}"


if __name__ == "__main__":
    main()
