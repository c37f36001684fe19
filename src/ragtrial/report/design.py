"""The tables of a study's whole design before it runs: what is run, on what, at what cost, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragtrial.replications.design import Design, Planned
from ragtrial.replications.needs import Missing
from ragtrial.replications.price import Priced, calls_once, unpriced
from ragtrial.replications.study import Sample
from ragtrial.replications.template import fill
from ragtrial.report.tables import Table
from ragtrial.trial.config import Trial
from ragtrial.trial.estimate.rows import CallRow

__all__ = ["design_tables"]


def design_tables(
    design: Design, priced: Mapping[str, Priced], missing: Sequence[Missing], sample: int | None
) -> list[Table]:
    """Return the whole design.

    Parameters
    ----------
    design : Design
    priced : mapping of str to Priced
        By part; parts whose data is missing have none.
    missing : sequence of Missing
    sample : int, optional
        How many documents, or questions, are taken of each part's sample.
    """
    tables = [
        _parts_table(design),
        _measured_table(design, sample),
        _roles_table(design),
        _arms_table(design, priced),
        _embeddings_table(design, priced),
        _retrievers_table(design),
        _contrasts_table(design),
        _families_table(design),
    ]
    return [*(table for table in tables if table.rows), _missing_table(missing)]


def _parts_table(design: Design) -> Table:
    run = {planned.part.name: planned for planned in design.parts}
    rows = []
    for part in design.study.parts:
        primary = design.study.templates[part.name]["primary"]
        if part.name in run:
            gone = ", ".join(f"{len(names)} {kind}" for kind, names in run[part.name].left_out.items() if names)
            primary = run[part.name].filled.whole()["primary"]
            rows.append((part.name, part.data, primary, part.what, gone))
        elif not part.main:
            rows.append((part.name, part.data, primary, part.what, "not run unless named"))
    title = f"{design.study.name}: {design.study.source}"
    return Table(title, ("part", "data", "primary", "means", "left out"), tuple(rows))


def _measured_table(design: Design, sample: int | None) -> Table:
    rows = []
    for planned in design.parts:
        keys = planned.filled.whole()
        measures = ", ".join(dict.fromkeys([keys["primary"], *_effective(keys, "measures")]))
        settings = (str(_effective(keys, name)) for name in ("interval", "resamples", "seed"))
        rows.append((planned.part.name, _sample(planned.part.sample, sample), measures, *settings))
    return Table("Sample and statistics", ("part", "text", "means", "interval", "resamples", "seed"), tuple(rows))


def _effective(keys: Mapping[str, Any], name: str) -> Any:
    return keys.get(name, Trial.model_fields[name].default)


def _sample(sample: Sample, size: int | None) -> str:
    drawn = {"all": "all", "list": f"the list {sample.papers}", "mdk": "all eligible"}[sample.rule]
    if sample.without:
        drawn += f" without {sample.without}"
    if sample.size is not None:
        drawn += f", {sample.size} drawn with seed {sample.seed}"
    if size is not None:
        drawn += f", {size} of these with seed {sample.seed}"
    if sample.then_size is not None and (size is None or sample.then_size < size):
        drawn += f", {sample.then_size} of these with seed {sample.then_seed}"
    return drawn


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
        arms, added = planned.filled.whole()["arms"], _added_by(planned, "arms")
        known = priced.get(planned.part.name)
        for arm, spec in arms.items():
            cost = _cost(row for row in known.estimate.calls if row.arm == arm) if known else ("?", "?", "?", "?")
            rows.append((planned.part.name, arm, spec, *cost, added.get(arm, "")))
        controls = [row for row in known.estimate.calls if not row.arm] if known else []
        if controls:
            rows.append((planned.part.name, "(controls)", "of the judge", *_cost(controls), ""))
    columns = ("part", "arm", "spec", "calls", "tokens in", "dollars", "time", "added by")
    return Table("Arms", columns, tuple(rows), " ".join(_arms_note(design, priced)))


def _arms_note(design: Design, priced: Mapping[str, Priced]) -> Iterator[str]:
    calls = calls_once(design, priced)
    if not calls:
        return
    count, tokens, dollars, time = _cost(calls)
    yield f"All, with an arm that several parts share counted once: {count} calls, {tokens} tokens in,"
    yield f"dollars {dollars}, time {time}."
    if names := unpriced(calls):
        yield f"No price is known of {', '.join(names)}."
    if absent := [planned.part.name for planned in design.parts if planned.part.name not in priced]:
        yield f"Not counted, since their data is missing: {', '.join(absent)}."


def _cost(calls: Iterable[CallRow]) -> tuple[str, str, str, str]:
    rows = [row for row in calls if row.calls]
    return (
        f"{sum(row.calls for row in rows):,}",
        f"{sum(row.input_tokens for row in rows):,}",
        _sum([row.dollars for row in rows], "{:.2f}"),
        _sum([None if row.minutes is None else row.minutes / 60 for row in rows], "{:.1f} h"),
    )


def _sum(values: Sequence[float | None], form: str) -> str:
    """Return what is known of a sum, with ``+ ?`` where some of it is not."""
    known = [value for value in values if value is not None]
    if not values:
        return "0"
    if not known:
        return "?"
    return form.format(sum(known)) + (" + ?" if len(known) < len(values) else "")


def _embeddings_table(design: Design, priced: Mapping[str, Priced]) -> Table:
    rows = []
    for planned in design.parts:
        known = priced.get(planned.part.name)
        for row in known.estimate.embeddings if known else ():
            time = "?" if row.minutes is None else f"{row.minutes / 60:.1f} h"
            rows.append((planned.part.name, row.model, str(len(row.arms)), f"{row.texts:,}", time))
    uncounted = sorted({name for one in priced.values() for name in one.uncounted})
    note = "Questions are among the texts. A text that two parts share is embedded once, and counted in both."
    if uncounted:
        note += f" What {', '.join(uncounted)} would read is not counted: a model of each is not here."
    return Table("Texts to embed", ("part", "model", "arms", "texts", "time"), tuple(rows), note)


def _retrievers_table(design: Design) -> Table:
    rows = []
    for planned in design.parts:
        keys, added = planned.filled.whole(), _added_by(planned, "retrievers")
        for name, spec in keys["retrievers"].items():
            arms = keys.get("only", {}).get(name)
            mark = "primary" if name == keys["retriever"] else ""
            means = ", ".join(arms) if arms else "all arms"
            rows.append((planned.part.name, name, spec, means, mark, added.get(name, "")))
    columns = ("part", "retriever", "spec", "means", "role", "added by")
    return Table("Retrievers", columns, tuple(rows))


def _contrasts_table(design: Design) -> Table:
    rows = []
    for planned in design.parts:
        keys, added = planned.filled.whole(), _added_by(planned, "contrasts") | _added_by(planned, "ladders")
        for row in keys.get("contrasts", []):
            under = row.get("retriever", keys["retriever"])
            under = f"{under}, B under {row['against']}" if "against" in row else under
            rows.append(
                (
                    planned.part.name,
                    f"{row['name']}\n{row['of']}",
                    f"{row.get('measure', keys['primary'])} under {under}",
                    _test(row),
                    row.get("family", ""),
                    row.get("tier", "secondary"),
                    added.get(row["name"], ""),
                )
            )
        for row in keys.get("ladders", []):
            name = f"{row['name']}\n{' < '.join(row['arms'])}"
            kind = (row["retriever"], "slope", "", "exploratory")
            rows.append((planned.part.name, name, *kind, added.get(row["name"], "")))
    columns = ("part", "contrast", "under", "test", "family", "tier", "added by")
    return Table("Contrasts", columns, tuple(rows))


def _families_table(design: Design) -> Table:
    """Families are Holm-adjusted with all their members, whichever parts are run."""
    run = {(one.part.name, row["name"]) for one in design.parts for row in one.filled.whole().get("contrasts", [])}
    members: dict[str, list[tuple[str, str, str, str]]] = {}
    for part in design.study.parts:
        keys = fill(design.study.templates[part.name], design.roles).whole()
        for row in keys.get("contrasts", []):
            if "family" in row:
                demands = keys.get("families", {}).get(row["family"], {}).get("demands", "")
                here = "" if (part.name, row["name"]) in run else "not run"
                contrast = f"{part.name}: {row['name']}"
                members.setdefault(row["family"], []).append((contrast, _test(row), demands, here))
    rows = [
        (family, contrast, test, demands, f"{len(of)}", here)
        for family, of in members.items()
        if any(not here for *_, here in of)
        for contrast, test, demands, here in of
    ]
    columns = ("family", "contrast", "test", "also demands", "Holm over", "here")
    note = "A member that is not run counts as p = 1. What is demanded beside the interval is a p-value below 0.05."
    return Table("Families", columns, tuple(rows), note)


def _test(row: Mapping[str, Any]) -> str:
    margin = f" ({row['margin']:g})" if "margin" in row else ""
    return f"{row.get('test', 'difference')}{margin}"


def _added_by(planned: Planned, key: str) -> dict[str, str]:
    """Return for what amendments added its name and which of them it was, as the preset's reasons begin."""
    return {
        row["name"] if isinstance(row, Mapping) else row: amendment.reason.partition(":")[0]
        for amendment in planned.filled.amendments
        for row in amendment.added.get(key, ())
    }


def _missing_table(missing: Sequence[Missing]) -> Table:
    rows = tuple((item.what, item.why, ", ".join(item.parts), item.get) for item in missing)
    return Table("Missing here", ("what", "why", "parts", "means"), rows, "" if rows else "Nothing is missing here.")
