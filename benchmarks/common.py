"""What the benchmarks share: taking turns, medians, one kind of table, and the line about the machine."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SHARED = Path(__file__).resolve().parents[1] / "../shared"
DOCS_FOLDERS = [SHARED / "data" / name for name in ("laravel-docs", "angular-docs")]


def machine() -> str:
    """Describe where this runs."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2] for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].strip() if names else model
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}{load}"


def take_turns(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each side in each round; sides take turns so that noise meets all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            gc.collect()
            start = time.process_time()
            call()
            seconds[name].append(time.process_time() - start)
    return seconds


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def spread(values: Sequence[float], unit: float = 1.0, digits: int = 0) -> str:
    """Return the lowest and highest value, in a unit."""
    return f"{min(values) / unit:,.{digits}f} to {max(values) / unit:,.{digits}f}"


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table with numbers to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[place]) for row in [list(columns), *cells]) for place in range(len(columns))]

    def line(row: Sequence[str]) -> str:
        first, *rest = zip(row, widths, strict=True)
        return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]) + " |"

    print(f"\n{title}\n\n{line(columns)}")
    print("|" + "|".join([":" + "-" * (widths[0] + 1), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|")
    for row in cells:
        print(line(row))


class Usage(NamedTuple):
    """What a finished process took: CPU seconds of all its threads, wall seconds, and peak memory in MB."""

    cpu: float
    wall: float
    peak: float
    output: str


def run_process(*command: str) -> Usage:
    """Run a command to its end; one that fails ends the benchmark with what it said."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.communicate()
    raise NotImplementedError(errors, output, start)


def megabytes(maxrss: int) -> float:
    """Return `ru_maxrss`, which macOS counts in bytes and others in kilobytes, in MB of a million bytes."""
    return maxrss / 1e6 if sys.platform == "darwin" else maxrss * 1024 / 1e6
