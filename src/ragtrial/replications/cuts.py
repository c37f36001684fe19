"""Published contrasts on some of the questions, and shares of questions won, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragtrial.replications.agree import overlap, points, points_of, same_sign

__all__ = ["measured_cut", "measured_outcomes"]

Row = Mapping[str, Any]


def measured_cut(row: Row, exploratory: Mapping[str, Any], grid: Sequence[Row]) -> dict[str, Any] | None:
    """Return what a record says of a published cut, in points; None where it has no such row.

    Parameters
    ----------
    row : mapping
        ``analysis`` is "type" for a type of question and "measure" for another measure under the contrast's own
        retriever, of which the grid tells, else one of the exploratory analyses; ``contrast``; ``group`` as they name
        it, or "first - second"; ``arm`` or ``measure`` where the analysis has one.
    exploratory, grid
        Those of the part's record.
    """
    cells = list(_cells(row, exploratory, grid))
    if not cells:
        return None
    difference, ci = points(cells[0]["difference"]), points_of(cells[0]["ci95"])
    return {
        "measured": {"difference": difference, "ci": ci, "share": cells[0].get("share")},
        "same_sign": same_sign(row["difference"], difference),
        "overlap": overlap(row.get("ci"), ci),
    }


def measured_outcomes(row: Row) -> dict[str, float]:
    """Return the shares of questions that A won, tied and lost in a measured contrast."""
    return {name: row[name] / row["questions"] for name in ("wins", "ties", "losses")}


def _cells(row: Row, exploratory: Mapping[str, Any], grid: Sequence[Row]) -> Iterator[Row]:
    contrast, group = row["contrast"], row["group"]
    if row["analysis"] == "type":
        yield from (cell for cell in grid if (cell["contrast"], cell["type"]) == (contrast, group))
    elif row["analysis"] == "measure":
        # The grid also has the contrast under retrievers of which the paper does not speak.
        own = {cell["retriever"] for cell in grid if cell["contrast"] == contrast and cell["planned"]}
        whole = (cell for cell in grid if cell["type"] is None and cell["retriever"] in own)
        yield from (cell for cell in whole if (cell["contrast"], cell["measure"]) == (contrast, group))
    elif row["analysis"] == "answers":
        wanted = (contrast, row["measure"], group)
        found = exploratory.get("answers", [])
        yield from (cell for cell in found if (cell["contrast"], cell["measure"], cell["evidence"]) == wanted)
    else:
        cuts = [cut for cut in exploratory.get(row["analysis"], []) if cut["arm"] == row.get("arm")]
        named = (named for cut in cuts for named in _groups(cut))
        yield from (cell for name, cell in named if (name, cell["contrast"]) == (group, contrast))


def _groups(cut: Row) -> Iterator[tuple[str, Row]]:
    for group in cut["groups"]:
        yield from ((group["group"], cell) for cell in group["contrasts"])
    between = cut["between"]
    yield from ((f"{between['first']} - {between['second']}", cell) for cell in between["contrasts"])
