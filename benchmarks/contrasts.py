"""Many contrasts for the price of one: ``python benchmarks/contrasts.py [--contrasts 60] [--resamples 10000]``.

Scores are drawn as recall is made: found / number of evidence texts, of which a question has 1 to 4. The sizes are
those of the two studies on QASPER. Every contrast gets its intervals, tests, effect size and verdict. The matrix
library may use several threads: CPU seconds are those of all of them.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np

from common import machine, print_table, spread, take_turns
from ragtrial.statistics import Paired, compare_many

SIZES = ((951, 300), (4303, 1508))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contrasts", type=int, default=60)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(machine(), end="\n\n")
    rows = []
    for questions, clusters in SIZES:
        pairs = contrasts(questions, clusters, options.contrasts)
        sides = {
            "one": lambda pairs=pairs: compare_many(pairs[:1], resamples=options.resamples),
            "many": lambda pairs=pairs: compare_many(pairs, resamples=options.resamples),
        }
        sides["one"]()
        for clock, name in ((time.process_time, "CPU"), (time.perf_counter, "wall")):
            seconds = take_turns(sides, options.rounds, clock)
            one, many = median(seconds["one"]), median(seconds["many"])
            size = f"{questions:,} questions, {clusters:,} clusters: {name} ms"
            spreads = [spread(seconds[side], 1e-3) for side in sides]
            rows.append((size, f"{one * 1e3:.0f}", spreads[0], f"{many * 1e3:.0f}", spreads[1], f"{many / one:.2f}"))
    heads = ("", "1 contrast", "range", f"{options.contrasts} contrasts", "range", "ratio")
    print_table(heads, rows)


def contrasts(questions: int, clusters: int, count: int) -> list[Paired]:
    rng = np.random.default_rng(2027)
    labels = np.sort(np.concatenate([np.arange(clusters), rng.integers(0, clusters, questions - clusters)])).tolist()
    evidence = rng.integers(1, 5, questions)
    found = [np.round(rng.random(questions) * evidence) / evidence for _ in range(count + 1)]
    return [Paired(found[0], other, labels, margin=0.05) for other in found[1:]]


if __name__ == "__main__":
    main()
