"""The forest plot: every contrast with both intervals, its margin, and a shape for its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from ragtrial.report.figures.canvas import Palette, drawing, label
from ragtrial.report.words import interval, points, printed, side_name, verdict_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SHAPES", "draw_forest", "forest_limit"]

Row = Mapping[str, Any]

SHAPES: Final = {
    "different": ("D", True),
    "equivalent": ("o", True),
    "non-inferior": (">", True),
    "no difference detected": ("o", False),
    "inconclusive": ("s", False),
    "cannot say": ("x", False),
}
"""For each verdict the marker of matplotlib, and whether it is filled: read without colour."""


def forest_limit(rows: Sequence[Row]) -> float:
    """Return where the axis ends on both sides of 0, in points: few wide intervals do not squeeze all others."""
    reach = [_reach(row) for row in rows]
    centre: float = max(abs(row["difference"]) for row in rows)
    margins: float = max((row["margin"] or 0.0) for row in rows)
    return 100 * max(1.15 * centre, 1.15 * margins, 1.05 * min(max(reach), 3 * median(reach)), 0.005)


def _reach(row: Row) -> float:
    ends: Sequence[float] = row["ci95"] or [row["difference"]]
    return max(map(abs, ends))


def draw_forest(rows: Sequence[Row], palette: Palette) -> Figure:
    """Draw contrasts from the top down, differences in points: thin 95% and thick 90% intervals, margins shaded.

    An interval that is cut at the axis ends in an arrow; its numbers stand beside it.
    """
    with drawing(palette):
        from matplotlib.figure import Figure

        height = 0.9 + 0.5 * len(rows)
        figure = Figure(figsize=(9.6, height))
        axes = figure.add_axes((0.29, 0.62 / height, 0.38, 1 - 0.72 / height))
        limit = forest_limit(rows)
        for place, row in enumerate(rows):
            _draw_row(axes, -place, row, limit, palette)
        axes.axvline(0, color=palette.muted, linewidth=0.8, zorder=1)
        axes.set_xlim(-limit, limit)
        axes.set_ylim(-len(rows) + 0.4, 0.6)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        # Three texts, since a page folds the blanks inside one.
        sides = ((0.0, "left", "← second higher"), (0.5, "center", "points"), (1.0, "right", "first higher →"))
        for x, side, words in sides:
            axes.text(
                x, -0.46 / (height - 0.72), words, ha=side, va="center", color=palette.muted, transform=axes.transAxes
            )
        return figure


def _draw_row(axes: Axes, y: float, row: Row, limit: float, palette: Palette) -> None:
    if row["margin"]:
        margin = row["margin"] * 100
        high = margin if row["test"] == "equivalence" else limit
        axes.fill_betweenx([y - 0.36, y + 0.36], -margin, high, color=palette.band, linewidth=0, zorder=0)
    for key, width in (("ci95", 1.0), ("ci90", 3.2)):
        if row[key]:
            low, high = (min(max(end * 100, -limit), limit) for end in row[key])
            axes.plot([low, high], [y, y], color=palette.accent, linewidth=width, solid_capstyle="butt", zorder=2)
    if row["ci95"]:
        _draw_arrows(axes, y, row["ci95"], limit, palette)
    marker, filled = SHAPES[row["verdict"]]
    axes.plot(
        [row["difference"] * 100],
        [y],
        marker=marker,
        markersize=7,
        color=palette.accent,
        markerfacecolor=palette.accent if filled else "none",
        markeredgewidth=1.4,
        zorder=3,
    )
    percent, ci = printed(row)
    numbers = f"{points(row['difference'])} {interval(ci)}{f' ({percent}%)' if ci and percent != 95 else ''}"
    beside: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "clip_on": False}
    axes.text(-0.03, y + 0.13, label(row["name"], 38), ha="right", va="center", **beside)
    pair = f"{label(side_name(row, 'a'), 22)} − {label(side_name(row, 'b'), 22)}"
    axes.text(-0.03, y - 0.22, pair, ha="right", va="center", color=palette.muted, fontsize=8.5, **beside)
    axes.text(1.03, y + 0.13, numbers, ha="left", va="center", **beside)
    axes.text(
        1.03,
        y - 0.22,
        label(verdict_words(row), 52),
        ha="left",
        va="center",
        color=palette.muted,
        fontsize=8.5,
        **beside,
    )


def _draw_arrows(axes: Axes, y: float, ci: Sequence[float], limit: float, palette: Palette) -> None:
    for end, edge, marker in ((ci[0], -limit, "<"), (ci[1], limit, ">")):
        if abs(end) * 100 > limit and (end < 0) == (edge < 0):
            axes.plot([edge], [y], marker=marker, markersize=6, color=palette.accent, clip_on=False, zorder=3)
