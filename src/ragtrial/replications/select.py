"""Which documents a part is run on: the samples of the papers, drawn again from the official files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from ragtrial.datasets.qasper.files import Paper
from ragtrial.datasets.qasper.kmr import SPLITS as KMR_SPLITS
from ragtrial.datasets.qasper.kmr import kept_evidence
from ragtrial.datasets.qasper.mdk import SPLITS as MDK_SPLITS
from ragtrial.datasets.qasper.mdk import mdk_pool, mdk_sample
from ragtrial.datasets.qasper.papers import read_papers
from ragtrial.errors import UsageError
from ragtrial.replications.study import Sample, listed

__all__ = ["select_papers", "smaller"]


def select_papers(path: Path, sample: Sample, size: int | None = None) -> list[str] | None:
    """Return the ids of the QASPER papers of a sample, in the order in which they were drawn; None for all.

    With ``size`` so many of the first draw are kept, and a second draw is made from these: parts that share the first
    draw share their papers, or have some of them, whatever the size. Raises `DataError` where the official files are
    missing or damaged.
    """
    drawn = _first_draw(path, sample)
    if size is not None:
        drawn = smaller(path, drawn, size, sample.seed)
    if drawn is None or sample.then_size is None or sample.then_size >= len(drawn):
        return drawn
    return mdk_sample(drawn, sample.then_size, sample.then_seed)


def _first_draw(path: Path, sample: Sample) -> list[str] | None:
    if sample.rule == "all":
        return None
    if sample.rule == "list":
        return listed(sample.papers)
    pool = mdk_pool(_papers(path, MDK_SPLITS), without=listed(sample.without) if sample.without else ())
    return pool if sample.size is None else mdk_sample(pool, sample.size, sample.seed)


def smaller(path: Path, ids: Sequence[str] | None, size: int, seed: int) -> list[str]:
    """Return so many papers of a sample, drawn with a seed, in the order of the sample.

    ``ids`` None stands for all papers that have questions.
    """
    if size < 1:
        raise UsageError(f"A sample of {size} papers is none.", hint="Write --sample 5 for a first try.")
    if ids is None:
        papers = _papers(path, KMR_SPLITS)
        ids = sorted(paper for paper in papers if any(any(kept_evidence(asked)) for asked in papers[paper]["qas"]))
    if size >= len(ids):
        return list(ids)
    chosen = set(random.Random(seed).sample(list(ids), size))  # noqa: S311  # a sample, not a secret
    return [paper for paper in ids if paper in chosen]


def _papers(path: Path, splits: Sequence[str]) -> dict[str, Paper]:
    return read_papers(path, splits, None, protocol="kmr" if splits == KMR_SPLITS else "mdk")[0]
