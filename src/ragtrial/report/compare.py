"""Several records side by side: two runs of one trial, or the same contrasts on several corpora."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragtrial.errors import UsageError
from ragtrial.report.tables import Table
from ragtrial.report.words import interval, pair, points, printed, verdict_words
from ragtrial.statistics.verdict import excludes_zero
from ragtrial.trial.plan import differences
from ragtrial.trial.record import Record

__all__ = ["changes", "compare_records", "replication", "same_corpus"]

Row = Mapping[str, Any]


def compare_records(records: Sequence[Record]) -> tuple[list[Table], list[str]]:
    """Return the tables and sentences that compare records; fewer than two raise `UsageError`."""
    if len(records) < 2:
        raise UsageError("A comparison needs two records at least.", hint="Name the folders of two records.")
    shared = _shared(records)
    if not shared:
        raise UsageError(
            "The records share no contrast by name.",
            hint="Give contrasts that ask the same question the same name in every trial.",
        )
    table = _side_by_side(records, shared)
    if same_corpus(records):
        return [table, *changes(records)], list(_moved(records, shared))
    return [table], [replication(name, [_row(record, name) for record in records]) for name in shared]


def same_corpus(records: Sequence[Record]) -> bool:
    """Tell whether all records were made of the same documents and questions."""
    keys = ("documents_sha256", "questions_sha256")
    return len({tuple(record.header["inputs"].get(key) for key in keys) for record in records}) == 1


def changes(records: Sequence[Record]) -> list[Table]:
    """Return what differs between the first record's parameters and version and each other's."""
    first = records[0]
    rows = []
    for other in records[1:]:
        held = [{"package": r.header["package"], "parameters": r.header["effective"]} for r in (first, other)]
        rows += [(str(other.folder), line) for line in differences(*held)]
    return [Table("What changed", ("record", "difference from the first"), tuple(rows))] if rows else []


def replication(name: str, rows: Sequence[Row]) -> str:
    """Return a plain sentence on whether a contrast holds across corpora: the sign in each, and where it is clear."""
    sides = [row["direction"] for row in rows]
    clear = [row["ci95"] is not None and excludes_zero(tuple(row["ci95"])) for row in rows]
    count = len(rows)
    if len(set(sides)) == 1 and sides[0] in ("A", "B"):
        arm = "first" if sides[0] == "A" else "second"
        told = f"the {arm} arm is higher in all {count} records"
        if all(clear):
            return f"{name}: {told}, and every 95% interval excludes 0: it holds across these corpora."
        return f"{name}: {told}, but only {sum(clear)} of {count} 95% intervals exclude 0."
    opposed = {side for side, own in zip(sides, clear, strict=True) if own}
    if opposed >= {"A", "B"}:
        return f"{name}: it reverses between these corpora, with 95% intervals that exclude 0 on both sides."
    return f"{name}: the sign is not the same in all {count} records, so it does not hold across these corpora."


def _shared(records: Sequence[Record]) -> list[str]:
    names = [[row["name"] for row in record.contrasts] for record in records]
    return [name for name in names[0] if all(name in other for other in names[1:])]


def _row(record: Record, name: str) -> Row:
    return next(row for row in record.contrasts if row["name"] == name)


def _side_by_side(records: Sequence[Record], shared: Sequence[str]) -> Table:
    rows = []
    for name in shared:
        for record in records:
            row = _row(record, name)
            percent, ci = printed(row)
            level = f" ({percent}%)" if ci and percent != 95 else ""
            rows.append(
                (
                    f"{name}\n{pair(row)}",
                    str(record.folder),
                    f"{points(row['difference'])}\n{interval(ci)}{level}",
                    verdict_words(row),
                    row["tier"],
                )
            )
    return Table(
        "The same contrasts: A - B in points", ("contrast", "record", "difference", "verdict", "tier"), tuple(rows)
    )


def _moved(records: Sequence[Record], shared: Sequence[str]) -> Iterator[str]:
    first = records[0]
    moved = False
    for other in records[1:]:
        for name in shared:
            before, after = verdict_words(_row(first, name)), verdict_words(_row(other, name))
            if before != after:
                moved = True
                yield f"{name}: the verdict moved from {before!r} in {first.folder} to {after!r} in {other.folder}."
    if not moved:
        yield "No verdict moved."
