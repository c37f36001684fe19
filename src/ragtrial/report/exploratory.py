"""The exploratory analyses as tables; one appears where the record has its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragtrial.report.tables import Table
from ragtrial.report.words import interval, pair, points
from ragtrial.trial.record import Record

__all__ = ["exploratory_tables"]

Row = Mapping[str, Any]


def exploratory_tables(record: Record) -> list[Table]:
    """Return the tables that have rows: descriptions outside any plan, none of them adjusted."""
    found = record.exploratory
    tables = (
        _outcomes(record),
        _types(record),
        _overlap(found.get("overlap", [])),
        _split(found.get("split", [])),
        _ceilings(record),
        _bridging(found.get("bridging", [])),
        _targeting(found.get("targeting", [])),
        _keys(record),
        _answers(found.get("answers", [])),
    )
    return [table for table in tables if table.rows]


def _outcomes(record: Record) -> Table:
    rows = tuple(
        (row["name"], pair(row), f"{row['wins']:,}", f"{row['ties']:,}", f"{row['losses']:,}")
        for row in record.contrasts
    )
    return Table("Questions won, tied, lost", ("contrast", "A - B", "A higher", "equal", "B higher"), rows)


def _types(record: Record) -> Table:
    rows = tuple(
        (row["contrast"], row["type"], f"{row['questions']:,}", _cell(row)) for row in record.grid if row["type"]
    )
    return Table(
        "By type of question", ("contrast", "type", "questions", "A - B in points"), rows, "Intervals are 95%."
    )


def _overlap(cuts: Sequence[Row]) -> Table:
    return Table(
        "By lexical overlap of question and evidence",
        ("contrast", "third", "questions", "A - B in points"),
        tuple(row for cut in cuts for row in _by_contrast(cut, "{:.0%}")),
        "Overlap: the share of a question's terms that stand in its evidence. Intervals are 95%.",
    )


def _by_contrast(cut: Row, ends: str = "") -> list[tuple[str, ...]]:
    """Return for each contrast of a cut a row for each group, and one for the difference between two of them."""
    between = cut["between"]
    apart = {row["contrast"]: row for row in between["contrasts"]}
    rows: dict[str, list[tuple[str, ...]]] = {}
    for group in cut["groups"]:
        reach = f" ({ends} to {ends})".format(group["low"], group["high"]) if ends else ""
        for row in group["contrasts"]:
            share = f"\n{row['share']:.0%} of the gain" if row.get("share") is not None else ""
            cells = (row["contrast"], f"{group['group']}{reach}", f"{row['questions']:,}", _cell(row) + share)
            rows.setdefault(row["contrast"], []).append(cells)
    for name, row in apart.items():
        rows[name].append((name, f"{between['first']} - {between['second']}", "", _cell(row)))
    return [row for own in rows.values() for row in own]


def _split(arms: Sequence[Row]) -> Table:
    rows = tuple((row["arm"], f"{row['mean']:.1%}", _share(row), f"{row['questions']:,}") for row in arms)
    return Table(
        "Evidence split by chunk boundaries",
        ("arm", "share split", "95% interval", "questions"),
        rows,
        "The mean share of a question's evidence that no single chunk holds whole.",
    )


def _ceilings(record: Record) -> Table:
    means = {(row["arm"], row["retriever"], row["measure"]): row for row in record.header["conditions"]}
    rows = []
    for (arm, retriever, measure), row in means.items():
        plain = means.get((arm, retriever, measure.removesuffix(":ceiling")))
        if measure.endswith(":ceiling") and plain is not None:
            cells = (f"{cell['mean'] * 100:.1f}\n{interval(cell['ci95'], sign='')}" for cell in (plain, row))
            rows.append((arm, retriever, measure.removesuffix(":ceiling"), *cells))
    return Table(
        "Oracle ceilings",
        ("arm", "retriever", "measure", "observed", "ceiling"),
        tuple(rows),
        "What a greedy oracle that knows the evidence reaches with the same chunks and budget. "
        "What lies between was lost by the ranking, what lies above by boundaries and budget.",
    )


def _bridging(cuts: Sequence[Row]) -> Table:
    rows: list[tuple[str, ...]] = []
    for cut in cuts:
        sizes = "\n".join(f"{group['questions']:,} {group['group']}" for group in cut["groups"])
        own = _by_contrast(cut) or [("", "", "", "")]
        rows += [(cut["arm"], sizes, *row) for row in own]
    return Table(
        "Bridging: terms that only the text added to a chunk brings",
        ("arm", "questions", "contrast", "group", "n", "A - B in points"),
        tuple(rows),
        "A question is bridged if one of its terms is missing from path and text of its gold chunks and the text added "
        "to one of them brings it. Intervals are 95%; the share of a gain is told where its interval excludes 0.",
    )


def _targeting(cuts: Sequence[Row]) -> Table:
    rows: list[tuple[str, ...]] = []
    for cut in cuts:
        mean = f"{cut['mean']:+.3f} {_terms(cut['ci95'])}"
        rows += [(cut["arm"], mean, *row) for row in _by_contrast(cut, "{:+.2f}") or [("", "", "", "")]]
    return Table(
        "Targeting of the text added to a chunk",
        ("arm", "mean in terms", "contrast", "third", "questions", "A - B in points"),
        tuple(rows),
        "How many of a question's terms the text added to its gold chunks brings, less the mean over the other chunks.",
    )


def _keys(record: Record) -> Table:
    rows = tuple(
        (
            arm["arm"],
            report["given"],
            f"{report['chunks']:,}",
            f"{report['keyed']:,}",
            f"{report['reused']:,}",
            f"{report['without_fields']:,}",
        )
        for arm in record.header["arms"]
        for report in arm["reports"]
        if "keyed" in report
    )
    return Table(
        "Reuse of keys",
        ("arm", "step", "chunks", "with a key", "key given before", "without fields"),
        rows,
        "A key was given before if an earlier chunk of the document has it. Without fields: no reply could be read.",
    )


def _answers(rows: Sequence[Row]) -> Table:
    return Table(
        "Change of answers by change of evidence",
        ("contrast", "measure", "evidence A found", "questions", "A - B in points"),
        tuple((row["contrast"], row["measure"], row["evidence"], f"{row['questions']:,}", _cell(row)) for row in rows),
        "Evidence that A found beside B's. Intervals are 95%.",
    )


def _cell(row: Row) -> str:
    return f"{points(row['difference'])} {interval(row['ci95'])}"


def _share(row: Row) -> str:
    return f"[{row['ci95'][0]:.1%}, {row['ci95'][1]:.1%}]" if row["ci95"] else "no interval"


def _terms(ci: Sequence[float] | None) -> str:
    return f"[{ci[0]:+.3f}, {ci[1]:+.3f}]" if ci else "no interval"
