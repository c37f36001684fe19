"""A record as tables of text: the same facts for the terminal and for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtrial.report.words import count, interval, pair, printed, under, verdict_words
from ragtrial.statistics.permutation import p_text
from ragtrial.trial.record import Record

__all__ = [
    "Table",
    "arms_table",
    "contrasts_table",
    "curve_table",
    "doubts",
    "left_out",
    "record_tables",
]

SIDE_BY_SIDE = 4
"""How many retrievers, or budgets with their intervals, stand in columns; more would not fit into 80 characters."""

NAMED = 3
"""How many files or questions with one reason are named; all are in the record."""


@dataclass(frozen=True)
class Table:
    """A titled table of text cells, which may have two lines, with a note below it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def record_tables(record: Record, *, narrow: bool = False) -> list[Table]:
    """Return the tables that answer the trial's question: arms, means, contrasts, budget curves.

    With ``narrow`` a budget curve of many budgets leaves its intervals out, to fit into 80 characters.
    """
    tables = [arms_table(record), means_table(record)]
    if record.contrasts:
        tables += [contrasts_table(record), statistics_table(record), curve_table(record, narrow=narrow)]
    tables += [ladders_table(record), fusions_table(record)]
    return [table for table in tables if table.rows]


def arms_table(record: Record) -> Table:
    """Return what each arm is, and how many chunks of which length it made."""
    rows = tuple(
        (arm["arm"], arm["given"], f"{arm['chunks']:,}", f"{arm['median_characters']:,.0f}")
        for arm in record.header["arms"]
    )
    notes = [
        f"{arm['arm']}: {report['residual']:,} of {report['pairs']:,} placebo paths are of their own document, "
        f"{report['same_text_chunks']:,} of {report['chunks']:,} chunks read like their own."
        for arm in record.header["arms"]
        for report in arm["placebos"]
    ]
    return Table("Arms", ("arm", "spec", "chunks", "median chars"), rows, " ".join(notes))


def means_table(record: Record) -> Table:
    """Return each arm's mean of the primary measure under each retriever, in points with a 95% interval."""
    effective = record.header["effective"]
    retrievers, measure = list(effective["retrievers"]), effective["primary"]
    means = {(row["arm"], row["retriever"]): row for row in record.header["conditions"] if row["measure"] == measure}
    arms = [arm["arm"] for arm in record.header["arms"]]
    counts = record.header["corpus"]
    note = (
        f"{count(counts['questions'], 'question')} on {count(counts['documents'], 'document')}, "
        f"{count(counts['clusters'], 'cluster')}; pool: {effective['pool']}."
    )
    title = f"{measure} in points, 95% interval"
    if len(retrievers) <= SIDE_BY_SIDE:
        side = tuple((arm, *(_mean(means.get((arm, retriever))) for retriever in retrievers)) for arm in arms)
        return Table(title, ("arm", *retrievers), side, note)
    rows = tuple((arm, retriever, _mean(means[arm, retriever])) for arm, retriever in means)
    return Table(title, ("arm", "retriever", "mean"), rows, note)


def contrasts_table(record: Record) -> Table:
    """Return each contrast with its interval (90% where a margin is tested) and verdict."""
    conditions = list(dict.fromkeys(_under(row) for row in record.contrasts))
    several = len(conditions) > 1
    rows = tuple(
        (
            f"{row['name']}\n{pair(row)}",
            *((_under(row),) if several else ()),
            _difference(row),
            verdict_words(row),
            row["tier"],
        )
        for row in record.contrasts
    )
    notes = dict.fromkeys(note for row in record.contrasts for note in row["notes"])
    return Table(
        f"Contrasts: A - B in points{'' if several else f', {conditions[0]}'}",
        ("contrast", *(("under",) if several else ()), "difference", "verdict", "tier"),
        rows,
        " ".join([_plan_note(record), *notes]),
    )


def statistics_table(record: Record) -> Table:
    """Return what stands behind each verdict: p-values, effect size, and what the contrast could have detected."""
    resamples = record.header["effective"]["resamples"]
    rows = tuple(
        (
            row["name"],
            _p(row["p_sign_flip"] if row["test"] == "difference" else row["p_margin"], resamples),
            _p(row["p_sign_flip_holm"] if row["test"] == "difference" else row["p_margin_holm"], resamples),
            "" if row["dz"] is None else f"{row['dz']:+.2f}",
            "" if row["mde"] is None else f"{row['mde'] * 100:.1f}",
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            f"{row['questions']}/{row['clusters']}",
        )
        for row in record.contrasts
    )
    return Table(
        "What stands behind the verdicts",
        ("contrast", "p", "Holm", "dz", "MDE", "W/T/L", "n/clusters"),
        rows,
        "p: of the margin test where there is one, else of the sign-flip test. MDE: the smallest difference, in "
        "points, that is found with 80% power. W/T/L: questions on which A is higher, equal, lower.",
    )


def _p(p: float | None, resamples: int) -> str:
    return "" if p is None else p_text(p, resamples)


def curve_table(record: Record, *, narrow: bool = False) -> Table:
    """Return each contrast at every token budget of its measure: verdicts can change with the budget."""
    curves = [(row, row["curve"]) for row in record.contrasts if len(row["curve"]) > 1]
    found = {point["measure"].partition("@")[2] for _, curve in curves for point in curve}
    budgets = sorted(found, key=lambda budget: int(budget.rstrip("t")))
    bare = narrow and len(budgets) > SIDE_BY_SIDE
    rows = []
    for row, curve in curves:
        by_budget = {point["measure"].partition("@")[2]: point for point in curve}
        cells = (_curve_cell(by_budget.get(budget), bare=bare) for budget in budgets)
        rows.append((row["name"], *cells))
    return Table(
        "Budget curve: the same contrasts at other token budgets",
        ("contrast", *budgets),
        tuple(rows),
        f"{'A - B in points; ' if bare else ''}* the 95% interval excludes 0; "
        f"{'' if bare else '(A) or (B): the arm with the higher mean; '}no adjustment for several budgets.",
    )


def doubts(record: Record) -> list[str]:
    """Return the reasons why the trial, or a row of it, may not answer its question."""
    return [f"Doubt: {doubt}" for doubt in record.header["doubts"]]


def grid_table(record: Record) -> Table:
    """Return every contrast in every cell, the planned one marked; for the report file, since it is long."""
    rows = tuple(
        (
            row["contrast"],
            row["retriever"],
            row["measure"],
            row["type"] or "all",
            f"{row['questions']:,}",
            f"{row['difference'] * 100:+.1f} {interval(row['ci95'])}",
            "planned" if row["planned"] else "",
        )
        for row in record.grid
    )
    return Table(
        "Every cell: A - B in points, 95% interval",
        ("contrast", "retriever", "measure", "question type", "questions", "difference", "cell"),
        rows,
        "Only planned cells were chosen before the run; the others show whether a verdict hangs on that choice.",
    )


def ladders_table(record: Record) -> Table:
    """Return, for each ladder of arms, the mean of each step and the slope per unit of dose."""
    rows = tuple(
        (
            f"{row['name']}\n{row['measure']} under {row['retriever']}",
            ", ".join(f"{arm} {mean * 100:.1f}" for arm, mean in zip(row["arms"], row["means"], strict=True)),
            f"{row['slope'] * 100:+.2f}\n{interval(row['ci95'])}",
        )
        for row in record.header["ladders"]
    )
    return Table("Dose-response: points per unit of dose", ("ladder", "means", "slope"), rows)


def fusions_table(record: Record) -> Table:
    """Return, for each arm and each retriever made of others, whether it beats each of its parts."""
    rows = record.header["fusions"]
    return Table(
        f"Retrievers made of others, minus their parts, in points of {record.header['effective']['primary']}",
        ("arm", "retriever - part", "difference"),
        tuple((row["arm"], f"{row['fusion']} - {row['part']}", _fusion_cell(row)) for row in rows),
        "(+) or (-): the interval excludes 0; (-) means that the part alone finds more than what was made of it.",
    )


def _fusion_cell(row: Mapping[str, Any]) -> str:
    ci = row["ci95"]
    mark = "" if ci is None or ci[0] <= 0 <= ci[1] else " (+)" if ci[0] > 0 else " (-)"
    return f"{row['difference'] * 100:+.1f} {interval(ci)}{mark}"


def left_out(record: Record) -> list[str]:
    """Return a sentence for everything that was not used, one for each reason: files, questions, documents."""
    corpus = record.header["corpus"]
    files = [(item["reason"], item["path"]) for item in corpus["skipped_files"]]
    questions = [(item["reason"], f"{item['id']} ({item['where']})") for item in corpus["excluded_questions"]]
    blank = [("it has no text", name) for name in corpus["documents_without_text"]]
    twice = [("the first place counts", name) for name in corpus["questions_found_twice"]]
    failed = [(reason, name) for name, reason in corpus["failed_documents"].items()]
    return [
        *_grouped(files, "file was not read", "files were not read"),
        *_grouped(questions, "question was not asked", "questions were not asked"),
        *_grouped(
            twice, "question quotes what stands in several places", "questions quote what stands in several places"
        ),
        *_grouped(failed, "document failed in some arm and left all", "documents failed in some arm and left all"),
        *_grouped(blank, "document makes no chunk", "documents make no chunk"),
    ]


def _grouped(items: Sequence[tuple[str, str]], one: str, many: str) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for reason, name in items:
        by_reason.setdefault(reason, []).append(name)
    lines = []
    for reason, names in by_reason.items():
        rest = f" and {len(names) - NAMED:,} more, all in record.json" if len(names) > NAMED else ""
        what = one if len(names) == 1 else many
        lines.append(f"{len(names):,} {what}, {reason.rstrip('.')}: {', '.join(names[:NAMED])}{rest}.")
    return lines


def _plan_note(record: Record) -> str:
    plan = record.header["plan"]
    if plan is None:
        return "Nothing was frozen before the run, so every row is exploratory."
    amendments = len(plan["amendments"])
    since = f", with {count(amendments, 'later amendment')}" if amendments else ""
    return f"Plan frozen on {plan['created']}{since}; rows of one family are Holm-adjusted together."


def _under(row: Mapping[str, Any]) -> str:
    return f"{row['measure']} under {under(row)}"


def _mean(row: Mapping[str, Any] | None) -> str:
    return "not run" if row is None else f"{row['mean'] * 100:.1f}\n{interval(row['ci95'], sign='')}"


def _difference(row: Mapping[str, Any]) -> str:
    percent, ci = printed(row)
    level = "" if percent == 95 else f" ({percent}%)"
    return f"{row['difference'] * 100:+.1f}\n{interval(ci)}{level if ci else ''}"


def _curve_cell(point: Mapping[str, Any] | None, *, bare: bool) -> str:
    if point is None:
        return ""
    ci = point["ci95"]
    mark = "*" if ci and (ci[0] > 0 or ci[1] < 0) else ""
    difference = f"{point['difference'] * 100:+.1f}{mark}"
    if bare:
        return difference
    side = f" ({point['direction']})" if point["direction"] in ("A", "B") else ""
    return f"{difference}{side}\n{interval(ci)}"
