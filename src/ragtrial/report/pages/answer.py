"""``report.html``: one file with the answer, its figures and tables, and how to repeat it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from ragtrial.errors import DataError
from ragtrial.report.controls import arms_of, control_of, differing, is_control
from ragtrial.report.costs import UNKNOWN, Prices
from ragtrial.report.exploratory import exploratory_tables
from ragtrial.report.figures.canvas import SCREEN, inline_svg
from ragtrial.report.figures.curves import MOST, draw_curves
from ragtrial.report.figures.forest import draw_forest
from ragtrial.report.latency import latency_table
from ragtrial.report.pages.folder import write_pages
from ragtrial.report.pages.render import render
from ragtrial.report.secondary import secondary_tables
from ragtrial.report.sentences import answer, curve_sentence
from ragtrial.report.spend import not_measured, spend_table
from ragtrial.report.tables import (
    Table,
    arms_table,
    curve_table,
    doubts,
    fusions_table,
    grid_table,
    ladders_table,
    left_out,
    means_table,
    statistics_table,
)
from ragtrial.report.words import interval, pair, points, printed, under, verdict_words
from ragtrial.statistics.verdict import TIERS
from ragtrial.text.toml import to_toml
from ragtrial.trial.latency import LATENCY_NAME
from ragtrial.trial.record import Record, write_whole

__all__ = ["render_answer", "write_report"]

GRID_ROWS = 400
"""How many rows of the table of all cells stand in the page; ``grid.json`` has all."""


@dataclass(frozen=True)
class _Figure:
    svg: Any
    told: str


def render_answer(record: Record, *, prices: Prices = UNKNOWN, pages: str | None = None) -> str:
    """Return the page.

    Parameters
    ----------
    record : Record
    prices : Prices
        For the ranking of where to spend.
    pages : str, optional
        Where the page of all questions lies, relative to this one.
    """
    rows = record.contrasts
    curves = [row for row in rows if len(row["curve"]) > 1]
    return render(
        "answer.html",
        title=record.header["title"] or "Trial",
        sentences=answer(record),
        verdicts=_verdicts(rows),
        forest=_figure("forest", draw_forest(rows, SCREEN), _forest_told(rows)) if rows else None,
        behind=statistics_table(record) if rows else None,
        means=means_table(record),
        arms=_arms(record),
        latency=_latency(record),
        curves=_figure("curves", draw_curves(curves, SCREEN), _curves_told(curves)) if curves else None,
        curve_sentences=[(row["name"], curve_sentence(row)) for row in curves],
        curve_table=curve_table(record),
        spend=spend_table(record, prices),
        absent=not_measured(record),
        fusions=fusions_table(record),
        ladders=ladders_table(record),
        controls=_controls(record),
        secondary=secondary_tables(record),
        exploratory=exploratory_tables(record),
        grid=_cut(grid_table(record)),
        doubts=[line.removeprefix("Doubt: ") for line in doubts(record)],
        left_out=left_out(record),
        funnel=_funnel(record),
        provenance=_provenance(record),
        trial=to_toml(record.header["given"]),
        effective=json.dumps(record.header["effective"], indent=1, ensure_ascii=False),
        source=record.header["source"] or {},
        package=record.header["package"],
        folder=quote(record.folder.name),
        pages=pages,
    )


def write_report(
    record: Record, folder: str | Path | None = None, *, prices: Prices = UNKNOWN, questions: bool = True
) -> Path:
    """Write ``report.html`` and, unless told otherwise, the folder of pages beside it; return the file's path.

    Parameters
    ----------
    record : Record
    folder : path, optional
        Where to write; the record's own folder unless given. It is made.
    prices : Prices
    questions : bool
    """
    folder = record.folder if folder is None else Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {folder}: {error.strerror or error}.") from error
    pages = write_pages(record, folder) if questions else None
    path = folder / "report.html"
    write_whole(path, render_answer(record, prices=prices, pages=pages).encode("utf-8"))
    return path


def _figure(name: str, figure: Any, told: str) -> _Figure:
    from markupsafe import Markup

    return _Figure(Markup(inline_svg(figure, name, told)), told)  # noqa: S704  # matplotlib escapes what it draws


def _verdicts(rows: Sequence[Mapping[str, Any]]) -> list[Table]:
    """Return a table a family and tier: first the confirmatory ones, in the order of the trial."""
    groups: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: TIERS.index(row["tier"])):
        groups.setdefault((row["tier"], row["family"]), []).append(row)
    columns = ("contrast", "A - B", "where", "difference", "interval", "verdict")
    return [
        Table(
            f"{tier.capitalize()}{f', family {family}: Holm-adjusted together' if family else ''}",
            columns,
            tuple(_verdict_row(row) for row in own),
            " ".join(dict.fromkeys(note for row in own for note in row["notes"])),
        )
        for (tier, family), own in groups.items()
    ]


def _verdict_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    percent, ci = printed(row)
    margin = "" if row["margin"] is None else f"\n{row['test']}, margin {row['margin'] * 100:g}"
    return (
        row["name"],
        pair(row),
        f"{row['measure']}\nunder {under(row)}",
        points(row["difference"]),
        f"{interval(ci)}{f' {percent}%' if ci else ''}",
        f"{verdict_words(row)}{margin}",
    )


def _forest_told(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        f"{row['name']}: {points(row['difference'])} {interval(printed(row)[1])}, {verdict_words(row)}" for row in rows
    ]
    return f"Differences with intervals of {len(rows)} contrasts. {'; '.join(lines)}."


def _curves_told(rows: Sequence[Mapping[str, Any]]) -> str:
    more = f" The first {MOST} of {len(rows)}." if len(rows) > MOST else ""
    return f"Differences over token budgets.{more} " + " ".join(
        f"{row['name']}: {curve_sentence(row)}" for row in rows[:MOST]
    )


def _arms(record: Record) -> Table:
    table = arms_table(record)
    rows = tuple(
        (*row, f"{arm['tokens']:,}", f"{arm['added_tokens']:,}")
        for row, arm in zip(table.rows, record.header["arms"], strict=True)
    )
    return Table("Arms", (*table.columns, "tokens", "tokens added to chunks"), rows, table.note)


def _latency(record: Record) -> Table | None:
    """Return what a query costs, where ``ragtrial latency`` measured it into the record's folder."""
    path = record.folder / LATENCY_NAME
    return latency_table(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def _controls(record: Record) -> Table:
    arms = arms_of(record.header["effective"])
    rows = tuple(
        (
            row["name"],
            control_of(arms[row["a"]], arms[row["b"]]),
            differing(arms[row["a"]], arms[row["b"]]),
            f"{points(row['difference'])} {interval(printed(row)[1])}",
            verdict_words(row),
        )
        for row in record.contrasts
        if "against" not in row and is_control(arms[row["a"]], arms[row["b"]])
    )
    return Table("Controls", ("contrast", "question", "what differs", "A - B in points", "verdict"), rows)


def _funnel(record: Record) -> Table:
    corpus, source = record.header["corpus"], record.header["source"] or {}
    funnel = source.get("funnel", {})
    rows = [(str(step).replace("_", " "), str(number)) for step, number in funnel.items()]
    rows += [
        ("questions that were not asked", f"{len(corpus['excluded_questions']):,}"),
        ("questions asked", f"{corpus['questions']:,}"),
        ("pieces of evidence", f"{corpus['evidence']:,}"),
        ("documents", f"{corpus['documents']:,}"),
        ("clusters", f"{corpus['clusters']:,}"),
    ]
    return Table("What was asked", ("step", "count"), tuple(rows))


def _provenance(record: Record) -> Table:
    header = record.header
    effective = header["effective"]
    rows = [
        ("trial", header["trial"]),
        *((key.replace("_", " "), str(value)) for key, value in header["inputs"].items()),
        ("interval, resamples, seed", f"{effective['interval']}, {effective['resamples']:,}, {effective['seed']}"),
        ("pool, words", f"{effective['pool']}, {effective['words']}"),
    ]
    if plan := header["plan"]:
        rows.append(("plan", f"{plan['sha256']}\nfrozen on {plan['created']}"))
        rows += [("amendment", digest) for digest in plan["amendments"]]
    rows += [(name, digest) for name, digest in header["files"].items()]
    return Table("Hashes and settings", ("what", "value"), tuple(rows))


def _cut(table: Table) -> Table:
    if len(table.rows) <= GRID_ROWS:
        return table
    note = f"{table.note} The first {GRID_ROWS:,} of {len(table.rows):,} cells; grid.json has all."
    return Table(table.title, table.columns, table.rows[:GRID_ROWS], note)
