"""The table of what a query costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtrial.report.tables import Table

__all__ = ["latency_table"]


def latency_table(found: Mapping[str, Any]) -> Table:
    """Return index time and size and the time of a question, as ``latency.json`` holds them."""
    rows = tuple(
        (
            row["arm"],
            row["retriever"],
            f"{row['texts']:,}",
            f"{'' if row['sampled'] is None else '~'}{_seconds(row['index_seconds'])}",
            _megabytes(row["index_bytes"]),
            _pair(row["query_ms"]),
            _pair(row["search_ms"]),
        )
        for row in found["rows"]
    )
    machine = found["machine"]
    threads = machine["threads"] or "its own number of"
    return Table(
        "What a query costs",
        ("arm", "retriever", "texts", "index", "MB", "ms a question", "ms, no embedding"),
        rows,
        f"Median / 95th percentile of {found['questions']:,} questions, one at a time, {found['depth']} chunks each, "
        f"nothing cached; ~ scaled from a sample of the texts. {machine['system']} {machine['processor']}, "
        f"{machine['cores']} cores, {threads} threads, Python {machine['python']}.",
    )


def _seconds(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}"


def _pair(spread: Mapping[str, float]) -> str:
    return f"{_digits(spread['median'])} / {_digits(spread['p95'])}"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"
