"""The tables of a replication: its rows beside the paper's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ragtrial.replications.lacking import lacking_lines
from ragtrial.replications.numbers import PLACES
from ragtrial.report.tables import Table

__all__ = ["comparison_lines", "comparison_markdown", "comparison_tables"]


def comparison_tables(comparison: Mapping[str, Any]) -> list[Table]:
    """Return the published rows beside what was measured, a table for each kind, without those not measured."""
    contrasts = tuple(_contrast_row(row) for row in comparison["contrasts"] if row["measured"])
    means = tuple(_mean_row(row) for row in comparison["means"] if row["measured"])
    counts = tuple(_count_row(row) for row in comparison["counts"] if row["measured"] is not None)
    ladders = tuple(_ladder_row(row) for row in comparison["ladders"] if row["measured"])
    cuts = tuple(_cut_row(row) for row in comparison["cuts"] if row["measured"])
    outcomes = tuple(_outcome_row(row) for row in comparison["outcomes"] if row["measured"])
    shares = tuple(_share_row(row) for row in comparison["shares"] if row["measured"] is not None)
    numbers = tuple(_number_row(row) for row in comparison["numbers"] if row["measured"] is not None)
    columns = ("part", "contrast", "under", "paper", "here", "sign", "overlap", "verdict", "swapped")
    found = [
        Table(f"Beside the paper ({comparison['source']}): A - B in points", columns, contrasts, _note(comparison)),
        Table("Means in points", ("part", "arm", "retriever", "measure", "paper", "here", "swapped"), means),
        Table("Counts", ("part", "what", "paper", "here"), counts),
        Table("Slopes: points per level", ("part", "ladder", "paper", "here", "sign", "swapped"), ladders),
        Table("Shares and numbers of building", ("part", "arm", "what", "paper", "here", "swapped"), shares),
        Table(
            "Contrasts on some of the questions, outside any plan",
            ("part", "cut", "contrast", "group", "paper", "here", "sign", "overlap", "swapped"),
            cuts,
            "Intervals are 95%. The share is that of the whole gain which these questions carry.",
        ),
        Table("Questions that A won, tied and lost", ("part", "contrast", "paper", "here", "swapped"), outcomes),
        Table(
            "P-values, effect sizes and other numbers",
            ("part", "of", "what", "paper", "here", "agrees", "swapped"),
            numbers,
            "P-values agree on one side of 0.05, counts where they are equal; other numbers are set beside each other.",
        ),
    ]
    return [table for table in found if table.rows]


def _note(comparison: Mapping[str, Any]) -> str:
    left = sum(1 for row in comparison["contrasts"] if not row["measured"])
    sample = comparison["sample"]
    parts = [
        "Each family is Holm-adjusted over all parts, with as many members as the study plans.",
        "One that was not measured counts as p = 1, so no adjusted p is smaller than in the whole family.",
        *_unmeasured(comparison["families"]),
    ]
    if sample is not None:
        parts.append(f"A sample of {sample}: no number of it replicates one of the paper's.")
    if left:
        parts.append(f"{left} published contrasts were not measured.")
    return " ".join(parts)


def _unmeasured(families: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for family in dict.fromkeys(row["family"] for row in families):
        members = [row for row in families if row["family"] == family]
        lost = [f"{row['contrast']} in {row['part']}" for row in members if row["verdict"] == "not measured"]
        if 0 < len(lost) < len(members):
            yield f"Of the {len(members)} members of {family}, {len(lost)} were not measured: {', '.join(lost)}."


def _contrast_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    measured, published = row["measured"], row["published"]
    under = measured["retriever"] + (f" / {measured['against']}" if measured["against"] else "")
    verdict = _verdict(measured)
    if published and published["verdict"]:
        verdict = f"{_verdict(published)} / {verdict}"
    return (
        row["part"],
        f"{row['contrast']}\n{measured['a']} - {measured['b']}",
        f"{measured['measure']} under {under}",
        _difference(published) if published else "",
        _difference(measured),
        _yes(row["same_sign"]),
        _yes(row["overlap"]),
        verdict,
        ", ".join(row["swapped"]),
    )


def _mean_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    ci = row["measured"]["ci"]
    here = f"{row['measured']['mean']:.2f}" + (f" [{ci[0]:.1f}, {ci[1]:.1f}]" if ci else "")
    swapped = ", ".join(row["swapped"])
    return (row["part"], row["arm"], row["retriever"], row["measure"], f"{row['published']['mean']:g}", here, swapped)


def _count_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    what = f"{row['what']} of {row['arm']}" if row["arm"] else row["what"]
    return (row["part"], what, f"{row['published']['count']:,}", f"{row['measured']:,}")


def _ladder_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    ci = row["measured"]["ci"]
    here = f"{row['measured']['slope']:+.2f}" + (f" [{ci[0]:+.2f}, {ci[1]:+.2f}]" if ci else "")
    paper = f"{row['published']['slope']:+.2f}"
    return (row["part"], row["ladder"], paper, here, _yes(row["same_sign"]), ", ".join(row["swapped"]))


def _share_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    paper, here = str(row["published"]["value"]), f"{row['measured']:.3g}"
    return (row["part"], row["arm"], row["what"], paper, here, ", ".join(row["swapped"]))


def _cut_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        row["part"],
        f"{row['analysis']} by {row['arm']}" if row["arm"] else row["analysis"],
        row["contrast"],
        row["group"],
        _cut_cell(row["published"]),
        _cut_cell(row["measured"]),
        _yes(row["same_sign"]),
        _yes(row["overlap"]),
        ", ".join(row["swapped"]),
    )


def _cut_cell(row: Mapping[str, Any]) -> str:
    ci = f" [{row['ci'][0]:+.1f}, {row['ci'][1]:+.1f}]" if row["ci"] else ""
    share = f", share {row['share']:.0%}" if row["share"] is not None else ""
    return f"{row['difference']:+.1f}{ci}{share}"


def _outcome_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    paper, here = (
        " / ".join(f"{cell[key]:.1%}" for key in ("wins", "ties", "losses"))
        for cell in (row["published"], row["measured"])
    )
    return (row["part"], row["contrast"], paper, here, ", ".join(row["swapped"]))


def _number_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    published = row["published"]
    paper = f"< {published['below']:g}" if published["value"] is None else f"{published['value']:g}"
    of = ", ".join(str(row[key]) for key in PLACES if row[key] is not None)
    here = f"{row['measured']:.3g}" if isinstance(row["measured"], float) else f"{row['measured']:,}"
    return (row["part"], of, row["what"], paper, here, _yes(row["agrees"]), ", ".join(row["swapped"]))


def _verdict(row: Mapping[str, Any]) -> str:
    return f"{row['verdict']} ({row['remark']})" if row["remark"] else str(row["verdict"])


def _difference(row: Mapping[str, Any]) -> str:
    if row["difference"] is None:
        return "verdict alone" if row["verdict"] else ""
    ci = row["ci"]
    return f"{row['difference']:+.1f}" + (f" [{ci[0]:+.1f}, {ci[1]:+.1f}] {row['level']}%" if ci else "")


def _yes(value: bool | None) -> str:
    return "" if value is None else "same" if value else "OTHER"


def comparison_lines(comparison: Mapping[str, Any]) -> list[str]:
    """Return in sentences what is lacking, and how many rows agree with the paper, those with swapped parts apart."""
    other = [f"{part} was measured on {data}, not on the paper's." for part, data in comparison["other_data"].items()]
    return [
        *lacking_lines(comparison["lacking"]),
        *other,
        *_lines(comparison["contrasts"], comparison["other_data"]),
    ]


def _lines(rows: Sequence[Mapping[str, Any]], other: Collection[str]) -> Iterator[str]:
    measured = [row for row in rows if row["measured"]]
    swapped = [bool(row["swapped"]) or row["part"] in other for row in measured]
    for words, wanted in (("with the paper's models and data", False), ("with swapped models or data", True)):
        chosen = [row for row, is_swapped in zip(measured, swapped, strict=True) if is_swapped is wanted]
        for key, what in (
            ("same_sign", "the same sign"),
            ("overlap", "overlapping intervals"),
            ("same_verdict", "the same verdict"),
        ):
            told = [row[key] for row in chosen if row[key] is not None]
            if told:
                yield f"Of {len(told)} published rows {words}, {sum(told)} have {what}."


def comparison_markdown(comparison: Mapping[str, Any]) -> str:
    """Return the comparison as Markdown."""
    lines = [f"# {comparison['study']} beside the paper", ""]
    lines += [*comparison_lines(comparison), ""]
    for table in comparison_tables(comparison):
        lines += [f"## {table.title}", "", *_markdown(table), ""]
        lines += [table.note, ""] if table.note else []
    return "\n".join(lines)


def _markdown(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(table.columns)} |"
    yield f"|{'---|' * len(table.columns)}"
    for row in table.rows:
        yield f"| {' | '.join(cell.replace(chr(10), ': ').replace('|', chr(92) + '|') for cell in row)} |"
