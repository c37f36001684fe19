"""What the benchmarks share: taking turns, one kind of table, processes, and the line about the machine.

It imports nothing heavy: a child process starts with the peak memory of its parent.
"""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).resolve().parents[1] / "../shared/data"
DOCS = [DATA / "laravel-docs", DATA / "angular-docs"]
RAGTRIAL = (sys.executable, "-c", "from ragtrial.cli import main; main()")


class Usage(NamedTuple):
    """What a finished process took: CPU seconds, user and system, of all its threads; wall seconds; peak MB."""

    cpu: float
    wall: float
    peak: float
    output: str


def machine() -> str:
    """Return one line about where this runs."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor() or platform.machine()
    load = os.getloadavg()[0]
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {python}; load at the start {load:.1f}"


def take_turns(
    sides: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, list[float]]:
    """Return the seconds of each side in each round; the sides take turns, so that noise meets all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            gc.collect()
            start = clock()
            call()
            seconds[name].append(clock() - start)
    return seconds


def run_process(command: Sequence[str]) -> Usage:
    """Run a command to its end; one that fails ends the benchmark."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {said.read()}")
        out.seek(0)
        kilobyte = 1 if sys.platform == "darwin" else 1024
        return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * kilobyte / 1e6, out.read())


def spread(values: Sequence[float], unit: float = 1.0, digits: int = 0) -> str:
    """Return the lowest and the highest value, counted in ``unit``."""
    return f"{min(values) / unit:,.{digits}f} - {max(values) / unit:,.{digits}f}"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, the first column to the left and all others to the right."""
    table = [columns, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append(" | ".join([row[0].ljust(widths[0]), *cells[1:]]))
    rule = " | ".join(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    print("\n".join(f"| {line} |" for line in [lines[0], rule, *lines[1:]]), end="\n\n", flush=True)
