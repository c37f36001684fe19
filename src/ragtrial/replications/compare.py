"""Measured rows beside the published ones: signs, intervals, verdicts, and whose models were swapped.

Families are adjusted here once more, over all parts of the study: a family that spans two data sets is two in the
records of its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ragtrial.replications.agree import overlap, points, points_of, same_sign
from ragtrial.replications.cuts import measured_cut, measured_outcomes
from ragtrial.replications.numbers import compared_number
from ragtrial.replications.rows import PartRows, contrast_in, swapped_among, swapped_in_contrast
from ragtrial.statistics.holm import holm
from ragtrial.statistics.verdict import verdict

__all__ = ["COMPARISON_VERSION", "adjusted_families", "compare_with_paper"]

COMPARISON_VERSION: Final = 1


def adjusted_families(
    planned: Mapping[str, Sequence[tuple[str, str]]], parts: Mapping[str, PartRows]
) -> list[dict[str, Any]]:
    """Return a row for each contrast of each family, Holm-adjusted over all parts of the study.

    Parameters
    ----------
    planned : mapping of str to sequence of (part, contrast)
        All members of each family as the study plans them. One that was not measured counts as p = 1, so that leaving
        a part out makes no other row significant.
    parts : mapping of str to PartRows
    """
    rows: list[dict[str, Any]] = []
    for family, members in planned.items():
        found = [contrast_in(parts, part, name) for part, name in members]
        own = holm([_p(row, "p_margin" if row and row["test"] != "difference" else "p_sign_flip") for row in found])
        flips = holm([_p(row, "p_sign_flip") for row in found])
        boots = holm([_p(row, "p_bootstrap") for row in found])
        for place, ((part, name), row) in enumerate(zip(members, found, strict=True)):
            if row is None:
                rows.append({"family": family, "part": part, "contrast": name, "verdict": "not measured"})
                continue
            demand = parts[part].header["effective"]["families"].get(family, {}).get("demands")
            judged = verdict(
                row["test"],
                row["difference"],
                None if row["ci95"] is None else tuple(row["ci95"]),
                margin=row["margin"],
                p_margin=None if row["test"] == "difference" else float(own[place]),
                p_demanded=None if demand is None else float({"sign-flip": flips, "bootstrap": boots}[demand][place]),
            )
            rows.append(
                {
                    "family": family,
                    "part": part,
                    "contrast": name,
                    "p_margin_holm": None if row["test"] == "difference" else float(own[place]),
                    "p_sign_flip_holm": float(flips[place]),
                    "p_bootstrap_holm": float(boots[place]),
                    "verdict": judged.word,
                    "direction": judged.direction,
                    "remark": judged.remark,
                }
            )
    return rows


def compare_with_paper(
    published: Mapping[str, Any],
    parts: Mapping[str, PartRows],
    families: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the published contrasts, means, counts, slopes, shares, cuts and numbers beside what was measured.

    A contrast has ``same_sign``, ``overlap`` (of the interval of the published level with the published one) and
    ``same_verdict``, each None where one side does not say; the verdict is that of the family over all parts if there
    is one. Differences and means are in points on both sides.
    """
    word = {(row["part"], row["contrast"]): row for row in families}
    contrasts = [_compared(row, parts, word) for row in published.get("contrasts", [])]
    known = {(row["part"], row["contrast"]) for row in published.get("contrasts", [])}
    return {
        "version": COMPARISON_VERSION,
        "contrasts": [*contrasts, *_unpublished(parts, known, word)],
        "means": [_mean(row, parts) for row in published.get("means", [])],
        "counts": [_count(row, parts) for row in published.get("counts", [])],
        "ladders": [_ladder(row, parts) for row in published.get("ladders", [])],
        "shares": [_share(row, parts) for row in published.get("shares", [])],
        "cuts": [_cut(row, parts) for row in published.get("cuts", [])],
        "outcomes": [_outcomes(row, parts) for row in published.get("outcomes", [])],
        "numbers": [compared_number(row, parts, word) for row in published.get("numbers", [])],
        "families": list(families),
    }


def _compared(
    row: Mapping[str, Any], parts: Mapping[str, PartRows], word: Mapping[tuple[str, str], Mapping[str, Any]]
) -> dict[str, Any]:
    found = contrast_in(parts, row["part"], row["contrast"])
    published = {key: row.get(key) for key in ("difference", "ci", "level", "verdict", "remark", "source")}
    line: dict[str, Any] = {"part": row["part"], "contrast": row["contrast"], "published": published}
    if found is None:
        return line | {"measured": None, "same_sign": None, "overlap": None, "same_verdict": None, "swapped": []}
    measured = _measured(found, row.get("level") or 95, word.get((row["part"], row["contrast"]), found))
    return line | {
        "measured": measured,
        "same_sign": same_sign(row.get("difference"), measured["difference"]),
        "overlap": overlap(row.get("ci"), measured["ci"]),
        "same_verdict": _same_verdict(row, measured),
        "swapped": swapped_in_contrast(parts[row["part"]], found),
    }


def _same_verdict(row: Mapping[str, Any], measured: Mapping[str, Any]) -> bool | None:
    """Tell whether both say the same word; two differences of opposite signs do not."""
    if row.get("verdict") is None:
        return None
    opposite = row["verdict"] == "different" and same_sign(row.get("difference"), measured["difference"]) is False
    return bool(row["verdict"] == measured["verdict"] and not opposite)


def _unpublished(
    parts: Mapping[str, PartRows], known: set[tuple[str, str]], word: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the contrasts that were measured and of which the paper gives no number."""
    for part, rows in parts.items():
        for found in rows.contrasts:
            if (part, found["name"]) not in known:
                yield {
                    "part": part,
                    "contrast": found["name"],
                    "published": None,
                    "measured": _measured(found, 95, word.get((part, found["name"]), found)),
                    "same_sign": None,
                    "overlap": None,
                    "same_verdict": None,
                    "swapped": swapped_in_contrast(rows, found),
                }


def _measured(row: Mapping[str, Any], level: int, judged: Mapping[str, Any]) -> dict[str, Any]:
    ci = row["ci90" if level == 90 else "ci95"]
    return {
        "difference": points(row["difference"]),
        "ci": points_of(ci),
        "level": level,
        "verdict": judged["verdict"],
        "remark": judged["remark"],
        "tier": row["tier"],
        "questions": row["questions"],
        "a": row["a"],
        "b": row["b"],
        "retriever": row["retriever"],
        "against": row.get("against"),
        "measure": row["measure"],
    }


def _mean(row: Mapping[str, Any], parts: Mapping[str, PartRows]) -> dict[str, Any]:
    line = {key: row[key] for key in ("part", "arm", "retriever", "measure")}
    line["published"] = {"mean": row["mean"], "source": row["source"]}
    rows = parts.get(row["part"])
    wanted = (row["arm"], row["retriever"], row["measure"])
    all_means = rows.header["conditions"] if rows else []
    found = next((one for one in all_means if (one["arm"], one["retriever"], one["measure"]) == wanted), None)
    if rows is None or found is None:
        return line | {"measured": None, "inside": None, "swapped": []}
    ci = points_of(found["ci95"])
    return line | {
        "measured": {"mean": points(found["mean"]), "ci": ci},
        "inside": None if ci is None else ci[0] <= row["mean"] <= ci[1],
        "swapped": swapped_among(rows, wanted[:2]),
    }


def _count(row: Mapping[str, Any], parts: Mapping[str, PartRows]) -> dict[str, Any]:
    line = {"part": row["part"], "what": row["what"], "arm": row.get("arm")}
    line["published"] = {"count": row["count"], "source": row["source"]}
    rows = parts.get(row["part"])
    measured = None if rows is None else _counted(row, rows)
    whole = rows is not None and rows.whole
    return line | {"measured": measured, "equal": measured == row["count"] if measured is not None and whole else None}


def _counted(row: Mapping[str, Any], rows: PartRows) -> int | None:
    if row["what"] == "chunks":
        return next((int(arm["chunks"]) for arm in rows.header["arms"] if arm["arm"] == row["arm"]), None)
    found = rows.header["corpus"].get(row["what"])
    return int(found) if isinstance(found, int) else None


def _ladder(row: Mapping[str, Any], parts: Mapping[str, PartRows]) -> dict[str, Any]:
    rows = parts.get(row["part"])
    found = next((one for one in rows.header["ladders"] if one["name"] == row["ladder"]), None) if rows else None
    line = {"part": row["part"], "ladder": row["ladder"]}
    line["published"] = {"slope": row["slope"], "source": row["source"]}
    if rows is None or found is None:
        return line | {"measured": None, "same_sign": None, "swapped": []}
    ci = points_of(found["ci95"])
    names = [*found["arms"], found["retriever"]]
    return line | {
        "measured": {"slope": points(found["slope"]), "ci": ci, "p_bootstrap": found["p_bootstrap"]},
        "same_sign": same_sign(row["slope"], found["slope"]),
        "swapped": swapped_among(rows, names),
    }


def _share(row: Mapping[str, Any], parts: Mapping[str, PartRows]) -> dict[str, Any]:
    """Return what building an arm counted, such as the share of keys that were used before, or of routed evidence."""
    rows = parts.get(row["part"])
    line = {"part": row["part"], "arm": row["arm"], "what": row["what"]}
    line["published"] = {"value": row["value"], "source": row["source"]}
    if rows is None:
        return line | {"measured": None, "swapped": []}
    if "retriever" in row:
        wanted = (row["arm"], row["retriever"])
        routed = [one for one in rows.header["routing"] if (one["arm"], one["retriever"]) == wanted]
        return line | {
            "measured": routed[0]["found"] / routed[0]["questions"] if routed else None,
            "swapped": swapped_among(rows, wanted) if routed else [],
        }
    reports = [report for arm in rows.header["arms"] if arm["arm"] == row["arm"] for report in arm["reports"]]
    known = next((report for report in reports if row["key"] in report), None)
    value = None if known is None else known[row["key"]]
    if value is not None and "of" in row:
        assert known is not None
        value = value / known[row["of"]] if known[row["of"]] else None
    # An arm that was not built has nobody in it.
    return line | {"measured": value, "swapped": [] if value is None else swapped_among(rows, [row["arm"]])}


def _cut(row: Mapping[str, Any], parts: Mapping[str, PartRows]) -> dict[str, Any]:
    line = {key: row.get(key) for key in ("part", "analysis", "arm", "contrast", "group")}
    line["published"] = {key: row.get(key) for key in ("difference", "ci", "share", "source")}
    whole = contrast_in(parts, row["part"], row["contrast"])
    found = None if whole is None else measured_cut(row, parts[row["part"]].exploratory, parts[row["part"]].grid)
    if whole is None or found is None:
        return line | {"measured": None, "same_sign": None, "overlap": None, "swapped": []}
    return line | found | {"swapped": swapped_in_contrast(parts[row["part"]], whole)}


def _outcomes(row: Mapping[str, Any], parts: Mapping[str, PartRows]) -> dict[str, Any]:
    line = {"part": row["part"], "contrast": row["contrast"]}
    line["published"] = {key: row[key] for key in ("wins", "ties", "losses", "source")}
    found = contrast_in(parts, row["part"], row["contrast"])
    if found is None:
        return line | {"measured": None, "swapped": []}
    return line | {"measured": measured_outcomes(found), "swapped": swapped_in_contrast(parts[row["part"]], found)}


def _p(row: Mapping[str, Any] | None, key: str) -> float:
    value = None if row is None else row.get(key)
    return 1.0 if value is None else float(value)
