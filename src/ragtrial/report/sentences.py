"""The answer in three sentences, and what budget curves say, each a pure function of the record's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from ragtrial.report.words import count, deciding, higher_arm, interval, lower_arm, points, shortened, side_name, under
from ragtrial.statistics.verdict import WORDS, excludes_zero
from ragtrial.trial.record import Record

__all__ = [
    "answer",
    "contrast_sentence",
    "curve_sentence",
    "headline",
    "other_sentence",
    "trust_sentence",
]

Row = Mapping[str, Any]

NAMED = 4
"""How many contrasts of one verdict are named in a sentence; the table has all."""


def answer(record: Record) -> tuple[str, str, str]:
    """Return the three sentences of the first screen: the headline, the other contrasts, what it rests on."""
    rows = record.contrasts
    if not rows:
        return _without_contrasts(record)
    first = headline(rows)
    others = [row for row in rows if row is not first]
    return contrast_sentence(first), other_sentence(others), trust_sentence(record)


def headline(rows: Sequence[Row]) -> Row:
    """Return the contrast that the report opens with: the first confirmatory one, else the first."""
    return next((row for row in rows if row["tier"] == "confirmatory"), rows[0])


def contrast_sentence(row: Row) -> str:
    """Return a contrast's verdict as a sentence: which arms, where, how much, with which interval."""
    a, b, word = side_name(row, "a"), side_name(row, "b"), row["verdict"]
    where = f"on {row['measure']}" + ("" if a != row["a"] else f" under {under(row)}")
    percent, ci = deciding(row)
    size = f"{abs(row['difference']) * 100:.1f} points"
    bounds = f"{a} - {b} is {points(row['difference'])} points, {percent}% interval {interval(ci)}"
    margin = "" if row["margin"] is None else f"{row['margin'] * 100:g} points"
    match word:
        case "different":
            low, high = sorted(abs(end) for end in ci) if ci else (0.0, 0.0)
            return (
                f"{higher_arm(row)} scores {size} higher than {lower_arm(row)} {where} "
                f"({percent}% interval {low * 100:.1f} to {high * 100:.1f}): different."
            )
        case "equivalent":
            remark = f", with a {row['remark']}: {higher_arm(row)} is higher" if row["remark"] else ""
            return f"{a} and {b} are equivalent {where} within a margin of {margin} ({bounds}){remark}."
        case "non-inferior":
            return f"{a} is non-inferior to {b} {where}: at most {margin} worse ({bounds})."
        case "inconclusive":
            return f"Whether {a} and {b} stay within {margin} of each other {where} is inconclusive ({bounds})."
        case "no difference detected":
            found = f"; differences from {row['mde'] * 100:.1f} points on would usually be found" if row["mde"] else ""
            return f"Between {a} and {b} there is no difference detected {where} ({bounds}{found})."
        case _:
            return f"The data cannot say how {a} and {b} compare {where}: too few clusters for an interval."


def other_sentence(rows: Sequence[Row]) -> str:
    """Return the verdicts of the other contrasts in one sentence, by verdict, each with its direction."""
    if not rows:
        return "No other contrast was declared."
    parts = []
    for word in WORDS:
        own = [_named(row) for row in rows if row["verdict"] == word]
        if own:
            rest = f" and {len(own) - NAMED} more" if len(own) > NAMED else ""
            parts.append(f"{len(own)} {word} ({'; '.join(own[:NAMED])}{rest})")
    opening = "The other contrast" if len(rows) == 1 else f"Of the {len(rows):,} other contrasts"
    return f"{opening}: {', '.join(parts)}."


def _named(row: Row) -> str:
    higher = higher_arm(row)
    told = row["verdict"] == "different" and higher
    return f"{shortened(row['name'], 60)}{f', {higher} is higher' if told else ''}"


def trust_sentence(record: Record) -> str:
    """Return what the answer rests on: how many questions, which plan, how many doubts."""
    corpus, plan = record.header["corpus"], record.header["plan"]
    basis = f"{count(corpus['questions'], 'question')} about {count(corpus['documents'], 'document')}"
    doubts = len(record.header["doubts"])
    ending = f"; {count(doubts, 'doubt')} to read below" if doubts else ""
    if plan is None:
        return f"This rests on {basis}; nothing was frozen before the run, so every row is exploratory{ending}."
    confirmatory = sum(row["tier"] == "confirmatory" for row in record.contrasts)
    return (
        f"This rests on {basis} under a plan frozen on {plan['created']}, "
        f"which makes {count(confirmatory, 'contrast')} confirmatory{ending}."
    )


def _without_contrasts(record: Record) -> tuple[str, str, str]:
    measure = record.header["effective"]["primary"]
    rows = [row for row in record.header["conditions"] if row["measure"] == measure]
    best = max(rows, key=lambda row: row["mean"])
    mean = f"{best['mean'] * 100:.1f} points, 95% interval {interval(best['ci95'], sign='')}"
    return (
        "No contrast was declared, so there is no verdict.",
        f"The highest mean of {measure} is that of {best['arm']} under {best['retriever']} ({mean}).",
        trust_sentence(record),
    )


def curve_sentence(row: Row) -> str:
    """Return where a contrast changes its sign over the token budgets, and where its interval excludes 0.

    A budget at which both arms are level belongs to no side.
    """
    curve = [(_budget(point["measure"]), point) for point in row["curve"]]
    sides = [(budget, _side(row, point)) for budget, point in curve if point["direction"] in ("A", "B")]
    if not sides:
        return "Both arms are level at every budget."
    runs = [(arm, [budget for budget, _ in own]) for arm, own in groupby(sides, key=itemgetter(1))]
    if len(runs) == 1:
        everywhere = "every budget" if len(sides) == len(curve) else "every budget that parts them"
        told = f"{sides[0][1]} has the higher mean at {everywhere}."
    else:
        told = f"The higher mean changes sides: {'; '.join(f'{arm} at {_range(own)}' for arm, own in runs)} tokens."
    clear = [f"{budget:,}" for budget, point in curve if point["ci95"] and excludes_zero(tuple(point["ci95"]))]
    return f"{told} The 95% interval excludes 0 at {', '.join(clear) + ' tokens' if clear else 'no budget'}."


def _range(budgets: Sequence[int]) -> str:
    return f"{budgets[0]:,}" if len(budgets) == 1 else f"{budgets[0]:,} to {budgets[-1]:,}"


def _side(row: Row, point: Row) -> str:
    return side_name(row, "a" if point["direction"] == "A" else "b")


def _budget(measure: str) -> int:
    return int(measure.rpartition("@")[2].rstrip("t"))
