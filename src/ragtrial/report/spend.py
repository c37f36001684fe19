"""Where the next hour or dollar goes: the record's own comparisons as steps, ranked, with what each costs.

Nothing is computed that the record does not hold: gains are its differences, costs its counts of tokens
times a price that the reader gives. What was not compared is listed as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragtrial.report.controls import RETRIEVER, arms_of, asks_model, control_of_contrast
from ragtrial.report.costs import UNKNOWN, Costs, Prices, query_work
from ragtrial.report.tables import Table
from ragtrial.report.words import deciding, interval, points, side_name, under
from ragtrial.statistics.verdict import excludes_zero
from ragtrial.trial.record import Record
from ragtrial.trial.sides import sides

__all__ = ["Step", "not_measured", "spend_table", "steps"]

Row = Mapping[str, Any]

CLEAR = 0.01
"""An index is called cheaper from this share of its tokens on."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change that was compared: from ``before`` to ``after``.

    ``gain`` and ``ci`` are of after - before, as fractions; ``percent`` is the interval's. ``tokens`` and ``dollars``
    are what ``after`` costs once more than ``before``; ``dollars`` is None where nothing is known of them. ``verdict``
    is empty for a retriever against its part, which no test was declared for. ``forward`` tells that ``after`` is the
    contrast's A, ``cheaper`` that it costs clearly fewer tokens and nothing else more.
    """

    name: str
    before: str
    after: str
    where: str
    gain: float
    percent: int
    ci: tuple[float, float] | None
    verdict: str
    tier: str
    tokens: int
    dollars: float | None
    work: str
    controls: str
    forward: bool = True
    cheaper: bool = False

    @property
    def says(self) -> str:
        """Return in plain words what this comparison means for spending."""
        match self.verdict:
            case "different":
                return "measured as better, and cheaper" if self.cheaper else "measured as better"
            case "equivalent":
                return "measured as equal: take the cheaper"
            case "non-inferior":
                return "measured as not worse" if self.forward else f"{self.before} is measured as not worse: keep it"
            case "inconclusive" | "cannot say":
                return "open: more questions would be needed"
            case "no difference detected":
                return "no gain shown"
            case _:
                clear = self.ci is not None and excludes_zero(self.ci)
                return ("higher" if self.gain > 0 else "lower") if clear else "no gain shown"


def steps(record: Record, prices: Prices = UNKNOWN) -> list[Step]:
    """Return the record's comparisons as steps: gains first, then what is equal, then what is open.

    Where conditions are different the step goes to the better one, else from the cheaper to the dearer.

    Parameters
    ----------
    record : Record
    prices : Prices
    """
    costs = Costs(record, prices)
    arms = arms_of(record.header["effective"])
    built = (row for row in record.contrasts if costs.knows(row["a"]) and costs.knows(row["b"]))
    found = [_step(row, record, costs, control_of_contrast(row, arms)) for row in built]
    return sorted([*found, *_retriever_steps(record, costs)], key=_rank)


def _step(row: Row, record: Record, costs: Costs, controls: str) -> Step:
    a, b = sides(row)
    better = {"A": True, "B": False}.get(row["direction"]) if row["verdict"] == "different" else None
    forward = costs.burden(a) >= costs.burden(b) if better is None else better
    before, after = (b, a) if forward else (a, b)
    names = (side_name(row, "b"), side_name(row, "a")) if forward else (side_name(row, "a"), side_name(row, "b"))
    percent, ci = deciding(row)
    more, dollars = costs.more_tokens(before, after), costs.dollars(before, after)
    saves = more < -CLEAR * costs.tokens(before[0]) and (dollars or 0.0) <= 0.0
    return Step(
        name=row["name"],
        before=names[0],
        after=names[1],
        where=f"{row['measure']} under {under(row)}",
        gain=row["difference"] if forward else -row["difference"],
        percent=percent,
        ci=None if ci is None else (ci[0], ci[1]) if forward else (-ci[1], -ci[0]),
        verdict=row["verdict"],
        tier=row["tier"],
        tokens=more,
        dollars=dollars,
        work=query_work(record.header["effective"]["retrievers"][after[1]]),
        controls=controls,
        forward=forward,
        cheaper=saves and costs.burden(after) <= costs.burden(before),
    )


def _retriever_steps(record: Record, costs: Costs) -> Iterator[Step]:
    """Yield what fusing adds to each part, on the arm that is best under the primary retriever."""
    effective = record.header["effective"]
    measure = effective["primary"]
    means = [
        row
        for row in record.header["conditions"]
        if (row["measure"], row["retriever"]) == (measure, effective["retriever"])
    ]
    best = max(means, key=lambda row: row["mean"], default={"arm": None})["arm"]
    for row in record.header["fusions"]:
        if row["arm"] == best:
            before, after = (best, row["part"]), (best, row["fusion"])
            yield Step(
                name="retriever",
                before=row["part"],
                after=row["fusion"],
                where=f"{measure} on {best}",
                gain=row["difference"],
                percent=95,
                ci=None if row["ci95"] is None else (row["ci95"][0], row["ci95"][1]),
                verdict="",
                tier="exploratory",
                tokens=costs.more_tokens(before, after),
                dollars=costs.dollars(before, after),
                work=query_work(effective["retrievers"][row["fusion"]]),
                controls=RETRIEVER,
            )


def _rank(step: Step) -> tuple[int, float]:
    order = {"different": 0, "non-inferior": 1, "equivalent": 2}
    return order.get(step.verdict, 3), -step.gain


def spend_table(record: Record, prices: Prices = UNKNOWN) -> Table:
    """Return the steps as a table."""
    rows = tuple(
        (
            f"{step.name}\n{step.before} → {step.after}\n{step.where}",
            _gain(step),
            f"{step.says}\n({step.verdict or 'not tested'})",
            step.tier,
            _cost(step),
            step.work,
            _rate(step),
            step.controls,
        )
        for step in steps(record, prices)
    )
    columns = (
        "step",
        "gain in points",
        "says",
        "tier",
        "cost once",
        "per 1,000 queries",
        "points per cost",
        "compares",
    )
    note = (
        "A step goes to what is better, and where nothing is shown from the cheaper to the dearer. Costs are counts of "
        "the record: tokens of the index, or for another retriever those that it embeds" + _priced(prices)
    )
    return Table("Where to spend", columns, rows, note)


def _priced(prices: Prices) -> str:
    parts = []
    if prices.embedding is not None:
        parts.append(f"{prices.embedding:g} dollars for a million embedded tokens")
    if prices.calls is not None:
        parts.append("what the ledger says of each arm's calls")
    return f", at {' and '.join(parts)}." if parts else "; no price was given."


def _cost(step: Step) -> str:
    if not step.tokens and not step.dollars:
        return "nothing more"
    return f"{step.tokens:+,} tokens" + ("" if step.dollars is None else f"\n{step.dollars:+,.4f} dollars")


def _gain(step: Step) -> str:
    percent = f" ({step.percent}%)" if step.ci and step.percent != 95 else ""
    return f"{points(step.gain)}\n{interval(step.ci)}{percent}"


def _rate(step: Step) -> str:
    """Return the gain per dollar, or per million tokens; only where a gain was shown and costs something."""
    if step.verdict != "different":
        return ""
    if step.dollars is not None and step.dollars > 0:
        return f"{step.gain * 100 / step.dollars:,.1f} per dollar"
    return f"{step.gain * 100 / (step.tokens / 1e6):,.1f} per million tokens" if step.tokens > 0 else ""


def not_measured(record: Record) -> list[str]:
    """Return what this record says nothing about, so that silence is not taken for a result."""
    effective = record.header["effective"]
    parts = {name for part in effective["retrievers"].values() for name in _components(part)}
    arms = {name for arm in effective["arms"].values() for name in _components(arm)}
    known = arms_of(effective)
    compared = {control_of_contrast(row, known) for row in record.contrasts}
    lines = []
    if not parts & {"dense", "late"}:
        lines.append("Embeddings: no dense retriever was run.")
    if "rerank" not in parts:
        lines.append("Reranking: no reranker was run.")
    if not parts & {"rrf", "weighted"}:
        lines.append("Fusion: no fused retriever was run.")
    if not any(map(asks_model, effective["arms"].values())):
        lines.append("Text by a language model: no arm puts any before its chunks.")
    if "boundary or length" not in compared:
        lines.append("Boundary or length: no contrast holds the length of chunks fixed.")
    if arms & {"path", "breadcrumb"} and "content or tokens" not in compared:
        lines.append("Content or tokens: no contrast sets the text before the chunks against a placebo.")
    if record.header["answers"] is None:
        lines.append("Answers: retrieval was measured, not what a model writes from it.")
    lines.append("Time: it differs from machine to machine and is not in the record; ragtrial latency measures it.")
    return lines


def _components(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "component" in value:
            yield str(value["component"])
        for inner in value.values():
            yield from _components(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _components(inner)
