"""CPU milliseconds until the command line says something, in new processes: ``python benchmarks/start_up.py``."""

from __future__ import annotations

import argparse
import sys
from statistics import median

from common import RAGTRIAL, machine, print_table, run_process, spread

COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "python -c 'import ragtrial'": (sys.executable, "-c", "import ragtrial"),
    "ragtrial --help": (*RAGTRIAL, "--help"),
    "ragtrial run --help": (*RAGTRIAL, "run", "--help"),
    "ragtrial chunk --help": (*RAGTRIAL, "chunk", "--help"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    print(machine(), end="\n\n")
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(options.rounds):
        for name, command in COMMANDS.items():
            seconds[name].append(run_process(command).cpu)
    print_table(
        ("", "CPU ms, median", "lowest - highest"),
        [(name, f"{median(values) * 1e3:.0f}", spread(values, 1e-3)) for name, values in seconds.items()],
    )


if __name__ == "__main__":
    main()
