"""Where the next hour or dollar goes: the record's own comparisons as steps, ranked, with what each costs.

Nothing is computed that the record does not hold: gains are its differences, costs its counts of tokens
times a price that the reader gives. What was not compared is listed as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragtrial.report.controls import control_of
from ragtrial.report.tables import Table
from ragtrial.report.words import deciding, interval, points
from ragtrial.statistics.verdict import excludes_zero
from ragtrial.trial.record import Record

__all__ = ["Step", "not_measured", "query_work", "spend_table", "steps"]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One change that was compared: from ``before`` to ``after``.

    ``gain`` and ``ci`` are of after - before, as fractions; ``percent`` is the interval's. ``tokens`` are
    the index's tokens more than before, ``dollars`` what they cost once at the reader's price (None where nothing is
    embedded or no price is given). ``verdict`` is empty for a retriever against its part, which no test was declared
    for. ``forward`` tells that ``after`` is the contrast's A.
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

    @property
    def says(self) -> str:
        """Return in plain words what this comparison means for spending."""
        match self.verdict:
            case "different":
                return "measured as better, and cheaper" if self.tokens < 0 else "measured as better"
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


def steps(record: Record, price: float | None = None) -> list[Step]:
    """Return the record's comparisons as steps: gains first, then what is equal, then what is open.

    Where arms are different the step goes to the better one, else from the cheaper to the dearer.

    Parameters
    ----------
    record : Record
    price : float, optional
        Dollars for a million embedded tokens.
    """
    effective = record.header["effective"]
    index = {arm["arm"]: arm["tokens"] + arm["prefix_tokens"] for arm in record.header["arms"]}
    found = [_step(row, effective, index, price) for row in record.contrasts]
    return sorted([*found, *_retriever_steps(record)], key=_rank)


def _step(row: Row, effective: Row, index: Mapping[str, int], price: float | None) -> Step:
    better = {"A": True, "B": False}.get(row["direction"]) if row["verdict"] == "different" else None
    forward = index[row["a"]] >= index[row["b"]] if better is None else better
    before, after = (row["b"], row["a"]) if forward else (row["a"], row["b"])
    percent, ci = deciding(row)
    turned = None if ci is None else (ci[0], ci[1]) if forward else (-ci[1], -ci[0])
    more = index[after] - index[before]
    work = query_work(effective["retrievers"][row["retriever"]])
    embeds = "queries embedded" in work
    return Step(
        name=row["name"],
        before=before,
        after=after,
        where=f"{row['measure']} under {row['retriever']}",
        gain=row["difference"] if forward else -row["difference"],
        percent=percent,
        ci=turned,
        verdict=row["verdict"],
        tier=row["tier"],
        tokens=more,
        dollars=more * price / 1e6 if price is not None and embeds else None,
        work=work,
        controls=control_of(effective["arms"][row["a"]], effective["arms"][row["b"]]),
        forward=forward,
    )


def _retriever_steps(record: Record) -> Iterator[Step]:
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
                tokens=0,
                dollars=None,
                work=query_work(effective["retrievers"][row["fusion"]]),
                controls="retriever: the same chunks",
            )


def _rank(step: Step) -> tuple[int, float]:
    order = {"different": 0, "non-inferior": 1, "equivalent": 2}
    return order.get(step.verdict, 3), -step.gain


def query_work(retriever: Row) -> str:
    """Return what a retriever's models do for 1,000 queries, read off its parameters."""
    work = dict.fromkeys(_work(retriever))
    return ", ".join(work) if work else "no model is called"


def _work(retriever: Any) -> Iterator[str]:
    if not isinstance(retriever, Mapping) or "component" not in retriever:
        return
    name = retriever["component"]
    if name in ("dense", "late"):
        yield "1,000 queries embedded"
    if name == "rerank":
        yield f"{1000 * int(retriever['depth']):,} pairs scored"
    for value in retriever.values():
        yield from _work(value)


def spend_table(record: Record, price: float | None = None) -> Table:
    """Return the steps as a table."""
    rows = tuple(
        (
            f"{step.name}\n{step.before} → {step.after}\n{step.where}",
            _gain(step),
            f"{step.says}\n({step.verdict or 'not tested'})",
            step.tier,
            f"{step.tokens:+,} tokens" + ("" if step.dollars is None else f"\n{step.dollars:+,.4f} dollars"),
            step.work,
            _rate(step),
            step.controls,
        )
        for step in steps(record, price)
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
        "A step goes to the better arm, and where none is shown from the index with fewer tokens to the one with more. "
        "Costs are counts of the record"
        + (f", at {price:g} dollars for a million embedded tokens." if price is not None else "; no price was given.")
    )
    return Table("Where to spend", columns, rows, note)


def _gain(step: Step) -> str:
    percent = f" ({step.percent}%)" if step.ci and step.percent != 95 else ""
    return f"{points(step.gain)}\n{interval(step.ci)}{percent}"


def _rate(step: Step) -> str:
    """Return the gain per dollar, or per million tokens; only where a gain was shown and costs something."""
    if step.verdict != "different" or step.tokens <= 0:
        return ""
    if step.dollars:
        return f"{step.gain * 100 / step.dollars:,.1f} per dollar"
    return f"{step.gain * 100 / (step.tokens / 1e6):,.1f} per million tokens"


def not_measured(record: Record) -> list[str]:
    """Return what this record says nothing about, so that silence is not taken for a result."""
    effective = record.header["effective"]
    parts = {name for part in effective["retrievers"].values() for name in _components(part)}
    arms = {name for arm in effective["arms"].values() for name in _components(arm)}
    compared = {control_of(effective["arms"][row["a"]], effective["arms"][row["b"]]) for row in record.contrasts}
    lines = []
    if not parts & {"dense", "late"}:
        lines.append("Embeddings: no dense retriever was run.")
    if "rerank" not in parts:
        lines.append("Reranking: no reranker was run.")
    if not parts & {"rrf", "weighted"}:
        lines.append("Fusion: no fused retriever was run.")
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
