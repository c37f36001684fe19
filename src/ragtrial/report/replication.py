"""The tables of a replication: its whole design before it runs, and its rows beside the paper's after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragtrial.replications.design import Design
from ragtrial.replications.needs import Missing
from ragtrial.replications.price import Priced
from ragtrial.report.tables import Table
from ragtrial.trial.estimate.rows import CallRow

__all__ = ["comparison_lines", "comparison_markdown", "comparison_tables", "design_tables"]


def design_tables(design: Design, priced: Mapping[str, Priced], missing: Sequence[Missing]) -> list[Table]:
    """Return the whole design: parts, roles, arms with their cost, retrievers, contrasts, families, what is missing."""
    return [
        _parts_table(design),
        _roles_table(design),
        _arms_table(design, priced),
        _retrievers_table(design),
        _contrasts_table(design),
        _missing_table(missing),
    ]


def _parts_table(design: Design) -> Table:
    rows = []
    for planned in design.parts:
        keys = planned.filled.whole()
        gone = ", ".join(f"{len(names)} {kind}" for kind, names in planned.left_out.items() if names)
        rows.append((planned.part.name, planned.part.data, keys["primary"], planned.part.what, gone))
    title = f"{design.study.name}: {design.study.source}"
    return Table(title, ("part", "data", "primary", "means", "left out"), tuple(rows))


def _roles_table(design: Design) -> Table:
    playing = {name for planned in design.parts for name in planned.roles}
    rows = [
        (role.kind, name, role.model, "swapped" if role.swapped else "the paper's", role.what)
        for name, role in design.roles.items()
        if name in playing
    ]
    return Table("Models", ("kind", "role", "model", "whose", "means"), tuple(rows))


def _arms_table(design: Design, priced: Mapping[str, Priced]) -> Table:
    rows = []
    for planned in design.parts:
        keys = planned.filled.whole()
        later = {arm for amendment in planned.filled.amendments for arm in amendment.added.get("arms", {})}
        known = priced.get(planned.part.name)
        for arm, spec in keys["arms"].items():
            calls = [row for row in known.estimate.calls if row.arm == arm] if known else []
            cost = _cost(calls) if known else ("?", "?", "?", "?")
            rows.append((planned.part.name, arm, spec, *cost, "amendment" if arm in later else ""))
        others = [row for row in known.estimate.calls if row.arm not in keys["arms"]] if known else []
        if others:
            rows.append((planned.part.name, "(others)", "answers, judgements and controls", *_cost(others), ""))
    uncounted = {name for one in priced.values() for name in one.uncounted}
    calls = [row for one in priced.values() for row in one.estimate.calls]
    note = ""
    if calls:
        count, tokens, dollars, time = _cost(calls)
        note = f"All: {count} calls, {tokens} tokens in, dollars {dollars}, time {time}. Arms that two parts share are "
        note += "counted in both; the second asks for nothing."
    if uncounted:
        note += f" Texts to embed are not counted for {', '.join(sorted(uncounted))}, whose models are not here."
    columns = ("part", "arm", "spec", "calls", "tokens in", "dollars", "time", "added by")
    return Table("Arms", columns, tuple(rows), note.strip())


def _cost(calls: Iterable[CallRow]) -> tuple[str, str, str, str]:
    rows = list(calls)
    number = sum(row.calls for row in rows)
    if not number:
        return ("0", "0", "0", "0")
    dollars = [row.dollars for row in rows if row.calls]
    minutes = [row.minutes for row in rows if row.calls]
    return (
        f"{number:,}",
        f"{sum(row.input_tokens for row in rows):,}",
        "?" if None in dollars else f"{sum(value for value in dollars if value is not None):.2f}",
        "?" if None in minutes else f"{sum(value for value in minutes if value is not None) / 60:.1f} h",
    )


def _retrievers_table(design: Design) -> Table:
    rows = []
    for planned in design.parts:
        keys = planned.filled.whole()
        for name, spec in keys["retrievers"].items():
            arms = keys.get("only", {}).get(name)
            mark = "primary" if name == keys["retriever"] else ""
            rows.append((planned.part.name, name, spec, ", ".join(arms) if arms else "all arms", mark))
    return Table("Retrievers", ("part", "retriever", "spec", "means", "role"), tuple(rows))


def _contrasts_table(design: Design) -> Table:
    rows = []
    for planned in design.parts:
        keys = planned.filled.whole()
        for row in keys.get("contrasts", []):
            under = row.get("retriever", keys["retriever"])
            under = f"{under}, B under {row['against']}" if "against" in row else under
            margin = f" ({row['margin']:g})" if "margin" in row else ""
            rows.append(
                (
                    planned.part.name,
                    f"{row['name']}\n{row['of']}",
                    f"{row.get('measure', keys['primary'])} under {under}",
                    f"{row.get('test', 'difference')}{margin}",
                    row.get("family", ""),
                    row.get("tier", "secondary"),
                )
            )
        for row in keys.get("ladders", []):
            arms = " < ".join(row["arms"])
            rows.append((planned.part.name, f"{row['name']}\n{arms}", row["retriever"], "slope", "", "exploratory"))
    return Table("Contrasts", ("part", "contrast", "under", "test", "family", "tier"), tuple(rows))


def _missing_table(missing: Sequence[Missing]) -> Table:
    rows = tuple((item.what, item.why, ", ".join(item.parts), item.get) for item in missing)
    return Table("Missing here", ("what", "why", "parts", "means"), rows, "" if rows else "Nothing is missing here.")


def comparison_tables(comparison: Mapping[str, Any]) -> list[Table]:
    """Return contrasts, means, counts, slopes, shares and cuts beside the paper's, without those not measured."""
    contrasts = tuple(_contrast_row(row) for row in comparison["contrasts"] if row["measured"])
    means = tuple(_mean_row(row) for row in comparison["means"] if row["measured"])
    counts = tuple(_count_row(row) for row in comparison["counts"] if row["measured"] is not None)
    ladders = tuple(_ladder_row(row) for row in comparison["ladders"] if row["measured"])
    cuts = tuple(_cut_row(row) for row in comparison["cuts"] if row["measured"])
    outcomes = tuple(_outcome_row(row) for row in comparison["outcomes"] if row["measured"])
    shares = tuple(_share_row(row) for row in comparison["shares"] if row["measured"] is not None)
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
    ]
    return [table for table in found if table.rows]


def _note(comparison: Mapping[str, Any]) -> str:
    left = sum(1 for row in comparison["contrasts"] if not row["measured"])
    sample = comparison["sample"]
    parts = [
        "Each family is Holm-adjusted over all parts, with as many members as the study plans.",
        "One that was not measured counts as p = 1: what was measured is judged as in the whole family, or stricter.",
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
    verdict = measured["verdict"]
    if published and published["verdict"]:
        verdict = f"{published['verdict']} / {verdict}"
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


def _difference(row: Mapping[str, Any]) -> str:
    if row["difference"] is None:
        return "verdict alone" if row["verdict"] else ""
    ci = row["ci"]
    return f"{row['difference']:+.1f}" + (f" [{ci[0]:+.1f}, {ci[1]:+.1f}] {row['level']}%" if ci else "")


def _yes(value: bool | None) -> str:
    return "" if value is None else "same" if value else "OTHER"


def comparison_lines(comparison: Mapping[str, Any]) -> list[str]:
    """Return in sentences how many rows agree with the paper, those with swapped models apart."""
    return list(_lines(comparison["contrasts"]))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for words, chosen in (
        ("with the paper's models", [row for row in rows if row["measured"] and not row["swapped"]]),
        ("with swapped models", [row for row in rows if row["measured"] and row["swapped"]]),
    ):
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
