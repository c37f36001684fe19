"""Published p-values, effect sizes, sizes of groups, means and counts beside what was measured.

A published number says ``what`` it is, one of `NUMBERS`, and where: in which contrast, ladder, arm, type of question,
or group of an exploratory analysis; without such a place it is of the whole part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ragtrial.replications.agree import points
from ragtrial.replications.rows import PartRows, contrast_in, swapped_among, swapped_in_contrast
from ragtrial.statistics.verdict import ALPHA

__all__ = ["NUMBERS", "PLACES", "compared_number"]

Row: TypeAlias = Mapping[str, Any]
Number: TypeAlias = float | None

PLACES: Final = ("contrast", "ladder", "analysis", "arm", "group", "type")
"""The keys of a published number that say where it is."""

_JUDGE: Final = "strict recall that the judge gives another question's answers"


def compared_number(row: Row, parts: Mapping[str, PartRows], judged: Mapping[tuple[str, str], Row]) -> dict[str, Any]:
    """Return a published number beside what a record says; ``measured`` is None where it says nothing.

    Parameters
    ----------
    row : mapping
        ``part``, ``what``, keys of `PLACES`, ``source``, and ``value``, or ``below`` where the paper gives a bound.
    parts : mapping of str to PartRows
    judged : mapping
        The rows of families by part and contrast: those p-values are adjusted over all parts.

    Returns
    -------
    dict
        ``agrees``: whether p-values lie on one side of 0.05, or counts of a whole sample are equal; None for other
        numbers.
    """
    what, rows = row["what"], parts.get(row["part"])
    line = {key: row.get(key) for key in ("part", "what", *PLACES)}
    line["published"] = {key: row.get(key) for key in ("value", "below", "source")}
    measured = None if rows is None else NUMBERS[what](row, rows, judged.get((row["part"], row.get("contrast", ""))))
    if rows is None or measured is None:
        return line | {"measured": None, "agrees": None, "swapped": []}
    return line | {"measured": measured, "agrees": _agrees(row, measured, rows), "swapped": _swapped(row, rows)}


def _agrees(row: Row, measured: float, rows: PartRows) -> bool | None:
    if row["what"].startswith("p ("):
        return bool((row.get("value", row.get("below")) < ALPHA) == (measured < ALPHA))
    if row["what"] in _COUNTS and rows.whole:
        return bool(measured == row["value"])
    return None


def _swapped(row: Row, rows: PartRows) -> list[str]:
    if row["what"] in _ALL_CONTRASTS:
        return sorted({role for one in rows.contrasts for role in swapped_in_contrast(rows, one)})
    if row["what"] == _JUDGE:
        return swapped_among(rows, ["answers"])
    if "contrast" in row:
        found = contrast_in({row["part"]: rows}, row["part"], row["contrast"])
        return [] if found is None else swapped_in_contrast(rows, found)
    if "ladder" in row:
        ladder = next(one for one in rows.header["ladders"] if one["name"] == row["ladder"])
        return swapped_among(rows, [*ladder["arms"], ladder["retriever"]])
    return swapped_among(rows, [row["arm"]] if "arm" in row else [])


def _of_contrast(key: str) -> Callable[[Row, PartRows, Row | None], Number]:
    def find(row: Row, rows: PartRows, judged: Row | None) -> Number:
        found = contrast_in({row["part"]: rows}, row["part"], row["contrast"])
        # What is not of a family over parts stands in the record alone.
        return None if found is None else (judged or {}).get(key, found[key])

    return find


def _of_mixed_model(row: Row, rows: PartRows, _: Row | None) -> Number:
    return next(
        (one.get("p") for one in rows.header.get("mixed_models", []) if one["contrast"] == row["contrast"]), None
    )


def _of_ladder(row: Row, rows: PartRows, _: Row | None) -> Number:
    return next((one["p_bootstrap"] for one in rows.header["ladders"] if one["name"] == row["ladder"]), None)


def _group_sizes(row: Row, rows: PartRows) -> dict[str, int]:
    found = rows.exploratory.get(row["analysis"], [])
    if row["analysis"] == "answers":
        return {one["evidence"]: one["questions"] for one in found if one["contrast"] == row["contrast"]}
    return {
        group["group"]: group["questions"] for cut in found if cut["arm"] == row.get("arm") for group in cut["groups"]
    }


def _of_group(row: Row, rows: PartRows, _: Row | None) -> Number:
    return _group_sizes(row, rows).get(row["group"])


def _share_of_group(row: Row, rows: PartRows, _: Row | None) -> Number:
    sizes = _group_sizes(row, rows)
    return sizes[row["group"]] / sum(sizes.values()) if row["group"] in sizes else None


def _of_split(row: Row, rows: PartRows, _: Row | None) -> Number:
    return next((one["mean"] for one in rows.exploratory.get("split", []) if one["arm"] == row["arm"]), None)


def _tokens_of_arm(row: Row, rows: PartRows, _: Row | None) -> Number:
    return next((arm["tokens"] / arm["chunks"] for arm in rows.header["arms"] if arm["arm"] == row["arm"]), None)


def _of_type(row: Row, rows: PartRows, _: Row | None) -> Number:
    types = rows.header["corpus"]["question_types"]
    return list(types.values()).count(row["type"]) if types else None


def _before_filters(_row: Row, rows: PartRows, _: Row | None) -> Number:
    corpus = rows.header["corpus"]
    return int(corpus["questions"] + len(corpus["excluded_questions"]))


def _evidence_a_question(_row: Row, rows: PartRows, _: Row | None) -> Number:
    corpus = rows.header["corpus"]
    return float(corpus["evidence"] / corpus["questions"])


def _of_judge(_row: Row, rows: PartRows, _: Row | None) -> Number:
    controls = (rows.header.get("answers") or {}).get("controls") or {}
    return controls.get("other")


def _over_contrasts(summary: Callable[[Sequence[Row]], float]) -> Callable[[Row, PartRows, Row | None], Number]:
    def find(_row: Row, rows: PartRows, _: Row | None) -> Number:
        return summary(rows.contrasts) if rows.contrasts else None

    return find


def _without_zero(contrasts: Sequence[Row]) -> int:
    return sum(1 for one in contrasts if one["ci95"] and not one["ci95"][0] <= 0 <= one["ci95"][1])


_ALL_CONTRASTS: Final[Mapping[str, Callable[[Row, PartRows, Row | None], Number]]] = {
    "settings": _over_contrasts(len),
    "lowest difference": _over_contrasts(lambda contrasts: points(min(one["difference"] for one in contrasts))),
    "highest difference": _over_contrasts(lambda contrasts: points(max(one["difference"] for one in contrasts))),
    "intervals without 0": _over_contrasts(_without_zero),
}

_COUNTS: Final[Mapping[str, Callable[[Row, PartRows, Row | None], Number]]] = {
    "questions of a group": _of_group,
    "questions of a type": _of_type,
    "questions before filters": _before_filters,
}

NUMBERS: Final[Mapping[str, Callable[[Row, PartRows, Row | None], Number]]] = {
    "p (bootstrap, Holm)": _of_contrast("p_bootstrap_holm"),
    "p (sign flips, Holm)": _of_contrast("p_sign_flip_holm"),
    "p (sign flips)": _of_contrast("p_sign_flip"),
    "p (mixed model)": _of_mixed_model,
    "p (bootstrap of a slope)": _of_ladder,
    "dz": _of_contrast("dz"),
    "share of questions": _share_of_group,
    "share of evidence that no chunk holds whole": _of_split,
    "tokens a chunk": _tokens_of_arm,
    "evidence a question": _evidence_a_question,
    _JUDGE: _of_judge,
    **_COUNTS,
    **_ALL_CONTRASTS,
}
"""What a published number can be, and how it is found in the rows of a part."""
