"""The tables of generated questions: how many were lost where, and how lexical those are that are left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtrial.report.tables import Table

__all__ = ["funnel_tables"]


def funnel_tables(report: Mapping[str, Any]) -> list[Table]:
    """Return the funnel by type, and the check of lexical triviality, of what ``NAME.funnel.json`` holds."""
    funnel: Mapping[str, Mapping[str, int]] = report["funnel"]
    kinds = list(funnel)
    stages = list(next(iter(funnel.values())))
    rows = tuple(
        (stage, *(f"{funnel[kind][stage]:,}" for kind in kinds), f"{sum(funnel[kind][stage] for kind in kinds):,}")
        for stage in stages
    )
    rejected = ", ".join(f"{count:,} by the {reason}" for reason, count in report["rejected_by"].items() if count)
    tables = [Table("Funnel", ("", *kinds, "all"), rows, f"Rejected: {rejected}." if rejected else "")]
    lexical = tuple(
        (
            row["type"],
            f"{row['questions']:,}",
            f"{row['in_document']:.1%}",
            f"{row['in_corpus']:.1%}",
            "" if report["rouge"].get(row["type"]) is None else f"{report['rouge'][row['type']]:.2f}",
        )
        for row in report["triviality"]
    )
    if lexical:
        columns = ("type", "questions", "in its document", "in the corpus", "ROUGE-L")
        note = "Share of questions whose evidence is in the first chunk of headers that bm25 finds."
        tables.append(Table("Lexical triviality", columns, lexical, note))
    return tables
