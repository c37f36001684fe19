"""What stands beside the contrasts in a record: models, routing, tuned weights, single runs, the mixed model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtrial.report.tables import Table
from ragtrial.report.words import interval, points
from ragtrial.trial.record import Record

__all__ = ["secondary_tables"]

Row = Mapping[str, Any]


def secondary_tables(record: Record) -> list[Table]:
    """Return the tables that have rows."""
    header = record.header
    tables = (
        Table(
            "Single runs of an average",
            ("contrast", "average", "A - B in points, run by run", "sd", "standard error"),
            tuple(map(_run, header.get("runs", ()))),
            "sd: over the runs, which the interval knows nothing of; standard error: from the sampling of questions.",
        ),
        Table(
            "Mixed model",
            ("contrast", "coefficient in points", "p"),
            tuple(map(_mixed, header.get("mixed_models", ()))),
            "A random intercept per cluster over both arms' scores; conservative for small paired differences.",
        ),
        Table(
            "Embedding models",
            ("model", "retrievers", "reads at most", "texts cut", "questions cut"),
            tuple(map(_model, header["models"])),
            "Texts beyond what a model reads are cut.",
        ),
        Table(
            "Language models that arms were made with",
            ("model", "server", "answered as", "builds", "digest"),
            tuple(map(_language_model, header.get("language_models", ()))),
            "As the server says of itself. More than one build: the model changed while it was used.",
        ),
        Table(
            "Routing: did the first stage keep the evidence?",
            ("arm", "retriever", "kept"),
            tuple(
                (row["arm"], row["retriever"], f"{row['found']:,} of {row['questions']:,}") for row in header["routing"]
            ),
        ),
        Table(
            "Tuned weights",
            ("arm", "retriever", "weight"),
            tuple((row["arm"], row["retriever"], f"{row['weight']:g}") for row in header["weights"]),
            "Tuned on held-out questions, which no row scores.",
        ),
    )
    return [table for table in tables if table.rows]


def _run(row: Row) -> tuple[str, ...]:
    runs = ", ".join(f"{name} {points(value)}" for name, value in row["runs"].items())
    error = "" if row["se"] is None else f"{row['se'] * 100:.2f}"
    return row["contrast"], row["average"], runs, f"{row['sd'] * 100:.2f}", error


def _mixed(row: Row) -> tuple[str, ...]:
    if "fault" in row:
        return row["contrast"], row["fault"], ""
    p = "" if row["p"] is None else f"{row['p']:.3f}"
    doubt = "" if row["converged"] else "\nthe fit did not converge"
    return row["contrast"], f"{points(row['coefficient'])} {interval(row['ci95'])}{doubt}", p


def _model(row: Row) -> tuple[str, ...]:
    cut = ", ".join(
        f"{arm} unknown" if number is None else f"{arm} {number:,} of {row['texts'][arm]:,}"
        for arm, number in row["cut"].items()
    )
    questions = "unknown" if row["cut_questions"] is None else f"{row['cut_questions']:,}"
    longest = "" if row["max_length"] is None else f"{row['max_length']:,} tokens"
    return row["model"], ", ".join(row["retrievers"]), longest, cut, questions


def _language_model(row: Row) -> tuple[str, ...]:
    served = row["served"]
    builds = ", ".join(served["fingerprints"]) or "not told"
    return row["model"], row["url"], ", ".join(served["models"]) or "not told", builds, served["digest"] or ""
