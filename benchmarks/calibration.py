"""Do the intervals keep their word? False-positive rates by simulation, where the truth is known.

Questions come in documents whose differences move together. Under no difference, a 95%
interval should exclude 0 in 5% of trials; with a true difference of exactly the margin, TOST
should say "equivalent" in at most 5%. The same questions resampled one by one, as if they were
independent, show what ignoring documents costs.

    python benchmarks/calibration.py                         # the curve, 5 to 1,000 clusters
    python benchmarks/calibration.py --clusters 60 --resamples 10000
    python benchmarks/calibration.py --json calibration.json

The simulated difference of a question is round(2 (u + e)) / 2, cut to [-1, 1]: halves, as recall over
two evidence texts gives, many of them 0. u is shared by the questions of a document and e is not;
u holds ``--share`` of the variance. Documents have 1 to 6 questions (2.6 on average, as in the pilot
on QASPER). The distribution is symmetric, so its mean is 0 exactly.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ragtrial.statistics import Paired, compare_many
from ragtrial.statistics.verdict import excludes_zero

CLUSTERS = (5, 10, 15, 20, 30, 60, 100, 200, 500, 1000)
SIZES, SHARES = (1, 2, 3, 4, 5, 6), (0.28, 0.27, 0.2, 0.12, 0.08, 0.05)
MARGIN = 1.0  # far more than the standard error, so that one side alone decides
BATCH = 50  # trials that share document sizes and random draws

COLUMNS = {
    "bca": "95% BCa interval excludes 0",
    "percentile": "95% percentile interval excludes 0",
    "sign_flip": "sign-flip p < 0.05",
    "demanded": "BCa excludes 0 and sign-flip p < 0.05",
    "tost": "TOST p < 0.05 at the margin",
    "question_level": "95% percentile interval over single questions excludes 0",
}


def simulate(generator: np.random.Generator, documents: np.ndarray, share: float) -> np.ndarray:
    """Return per-question differences of one trial, symmetric around 0."""
    together = generator.normal(0.0, math.sqrt(share), size=documents[-1] + 1)[documents]
    alone = generator.normal(0.0, math.sqrt(1.0 - share), size=len(documents))
    return np.clip(np.round(0.8 * (together + alone)) / 2.0, -1.0, 1.0)


def batches(clusters: int, trials: int, share: float, seed: int) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield documents of the questions, and the differences of some trials on them."""
    generator = np.random.default_rng([seed, clusters])
    for done in range(0, trials, BATCH):
        sizes = generator.choice(SIZES, size=clusters, p=SHARES)
        documents = np.repeat(np.arange(clusters), sizes)
        yield documents, [simulate(generator, documents, share) for _ in range(min(BATCH, trials - done))]


def rates(clusters: int, trials: int, resamples: int, share: float, seed: int) -> dict[str, float]:
    """Return the share of trials in which each rule finds what is not there."""
    hits = dict.fromkeys(COLUMNS, 0)
    questions = 0
    for batch, (documents, differences) in enumerate(batches(clusters, trials, share, seed)):
        options = {"resamples": resamples, "seed": seed + batch}
        zeros = np.zeros(len(documents))
        null = [Paired(values, zeros, documents) for values in differences]
        at_margin = [Paired(values + MARGIN, zeros, documents, margin=MARGIN) for values in differences]
        rows = compare_many(null + at_margin, **options)
        apart = [Paired(values, zeros, np.arange(len(zeros))) for values in differences]
        percentile = compare_many(null, interval="percentile", **options)
        question_level = compare_many(apart, interval="percentile", **options)
        for row, shifted, plain, single in zip(
            rows[: len(null)], rows[len(null) :], percentile, question_level, strict=True
        ):
            excluded, flipped = excludes_zero(row.ci95), row.p_sign_flip < 0.05
            hits["bca"] += excluded
            hits["percentile"] += excludes_zero(plain.ci95)
            hits["sign_flip"] += flipped
            hits["demanded"] += excluded and flipped
            hits["tost"] += shifted.verdict == "equivalent"
            hits["question_level"] += excludes_zero(single.ci95)
        questions += len(documents) * len(differences)
    return {"clusters": clusters, "questions": questions / trials, **{name: n / trials for name, n in hits.items()}}


def main() -> None:
    """Run the simulation and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clusters", type=int, nargs="+", default=CLUSTERS)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--share", type=float, default=0.25, help="share of the variance between documents")
    parser.add_argument("--seed", type=int, default=20260710)
    parser.add_argument("--json", type=Path, help="write the table here as well")
    asked = parser.parse_args()
    print(
        f"{asked.trials} trials at each of {len(asked.clusters)} numbers of clusters, {asked.resamples} resamples; the "
        "defaults take one to two minutes on two cores, half of it at 500 clusters and more."
    )
    print(f"Sampling error of a rate near 5%: {100 * math.sqrt(0.05 * 0.95 / asked.trials):.1f} points.\n")
    for name, meaning in COLUMNS.items():
        print(f"  {name:<15}{meaning}")
    print("\n" + f"{'clusters':>8}{'questions':>11}" + "".join(f"{name:>16}" for name in COLUMNS) + f"{'seconds':>9}")
    table = []
    for clusters in asked.clusters:
        start = time.perf_counter()
        row = rates(clusters, asked.trials, asked.resamples, asked.share, asked.seed)
        table.append(row)
        cells = "".join(f"{100 * row[name]:>15.1f}%" for name in COLUMNS)
        print(f"{clusters:>8}{row['questions']:>11.0f}{cells}{time.perf_counter() - start:>9.0f}", flush=True)
    if asked.json:
        settings = {"trials": asked.trials, "resamples": asked.resamples, "share": asked.share, "seed": asked.seed}
        asked.json.write_text(json.dumps({**settings, "rows": table}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
