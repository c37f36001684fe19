"""The tables of an estimate."""

from __future__ import annotations

from ragtrial.report.tables import Table
from ragtrial.trial.estimate.rows import CallRow, Estimate

__all__ = ["estimate_tables"]

_CALLS = ("arm", "step", "calls", "tokens in", "tokens out", "dollars", "time")
_GROWTH = ("arm", "grows as", "documents", "tokens of a document", "tokens in, for it")


def estimate_tables(estimate: Estimate) -> list[Table]:
    """Return the tables: calls with tokens, dollars and time; growth with document length; texts to embed."""
    tables = []
    if estimate.calls:
        rows = [_row(row) for row in estimate.calls]
        total = (
            "all",
            "",
            f"{sum(row.calls for row in estimate.calls):,}",
            _range(sum(r.input_tokens for r in estimate.calls), sum(r.most_input_tokens for r in estimate.calls)),
            _range(sum(r.output_tokens for r in estimate.calls), sum(r.most_output_tokens for r in estimate.calls)),
            _dollars(estimate.dollars, estimate.most_dollars),
            _time(_minutes(estimate)),
        )
        tables.append(Table("Calls", _CALLS, (*rows, total), _kept(estimate)))
    if estimate.growth:
        grown = tuple(
            (
                row.arm,
                "" if row.exponent is None else f"length^{row.exponent:.2f}",
                f"{size.documents:,}",
                f"{size.document_tokens:,.0f}",
                f"{size.input_tokens:,.0f}",
            )
            for row in estimate.growth
            for size in row.sizes
        )
        tables.append(Table("Input by length of the document", _GROWTH, grown))
    if any(row.texts for row in estimate.embeddings):
        texts = tuple(
            (row.model, ", ".join(row.arms), f"{row.texts:,}", f"{row.characters:,}", _time(row.minutes))
            for row in estimate.embeddings
        )
        tables.append(Table("Texts to embed", ("model", "arms", "texts", "characters", "time"), texts))
    return tables


def _row(row: CallRow) -> tuple[str, ...]:
    return (
        row.arm or "(controls)",
        row.step,
        f"{row.calls:,}",
        _range(row.input_tokens, row.most_input_tokens),
        _range(row.output_tokens, row.most_output_tokens),
        _dollars(row.dollars, row.most_dollars),
        _time(row.minutes),
    )


def _kept(estimate: Estimate) -> str:
    kept = sum(row.kept for row in estimate.calls)
    shared = sum(row.shared for row in estimate.calls)
    parts = [f"{kept:,} calls were paid before" if kept else "", f"{shared:,} are another arm's" if shared else ""]
    said = ", ".join(filter(None, parts))
    return f"Not counted: {said}." if said else ""


def _minutes(estimate: Estimate) -> float | None:
    known = [row.minutes for row in estimate.calls if row.minutes is not None]
    return sum(known) if len(known) == len(estimate.calls) else None


def _range(usual: int, most: int) -> str:
    return f"{usual:,}" if usual == most else f"{usual:,} to {most:,}"


def _dollars(usual: float | None, most: float | None) -> str:
    if usual is None or most is None:
        return "?"
    return f"{usual:.2f} to {most:.2f}"


def _time(minutes: float | None) -> str:
    if minutes is None:
        return "?"
    if minutes < 1.5:
        return f"{minutes * 60:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
