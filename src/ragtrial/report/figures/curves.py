"""Budget curves: each contrast over token budgets, small pictures side by side on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ragtrial.report.figures.canvas import Palette, drawing, label
from ragtrial.report.words import side_name
from ragtrial.statistics.verdict import excludes_zero

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MOST", "draw_curves"]

Row = Mapping[str, Any]

MOST: Final = 12
"""How many contrasts are drawn; the table has all."""


def draw_curves(rows: Sequence[Row], palette: Palette) -> Figure:
    """Draw the first `MOST` contrasts; a filled mark stands where the 95% interval excludes 0, else an open one."""
    shown = rows[:MOST]
    columns = 2 if len(shown) in (1, 2, 4) else 3
    lines = -(-len(shown) // columns)
    height = 0.45 + 2.35 * lines
    with drawing(palette):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.6, height))
        grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        figure.subplots_adjust(
            left=0.07,
            right=0.985,
            top=1 - 0.35 / (height),
            bottom=0.55 / (height),
            wspace=0.08,
            hspace=0.32,
        )
        for place, axes in enumerate(grid.flat):
            if place < len(shown):
                _draw_curve(axes, shown[place], palette)
            else:
                axes.set_visible(False)
        lowest = list(grid.flat)[: len(shown)][-columns:]
        _set_budgets(lowest, shown)
        for axes in grid[:, 0]:
            axes.set_ylabel("points", color=palette.muted)
        return figure


def _draw_curve(axes: Axes, row: Row, palette: Palette) -> None:
    budgets = [_budget(point) for point in row["curve"]]
    values = [point["difference"] * 100 for point in row["curve"]]
    known = [(budget, point["ci95"]) for budget, point in zip(budgets, row["curve"], strict=True) if point["ci95"]]
    axes.set_xscale("log", base=2)
    if known:
        low, high = ([ci[side] * 100 for _, ci in known] for side in (0, 1))
        axes.fill_between([budget for budget, _ in known], low, high, color=palette.band, linewidth=0)
    axes.axhline(0, color=palette.muted, linewidth=0.8)
    axes.plot(budgets, values, color=palette.accent, linewidth=1.4)
    clear = [bool(point["ci95"]) and excludes_zero(tuple(point["ci95"])) for point in row["curve"]]
    for budget, value, filled in zip(budgets, values, clear, strict=True):
        face = palette.accent if filled else "none"
        axes.plot([budget], [value], marker="o", markersize=5, color=palette.accent, markerfacecolor=face)
    axes.set_title(
        f"{label(side_name(row, 'a'), 22)} − {label(side_name(row, 'b'), 22)}",
        fontsize=9.5,
        loc="left",
        color=palette.ink,
    )


def _set_budgets(bottom: Sequence[Axes], rows: Sequence[Row]) -> None:
    budgets = sorted({_budget(point) for row in rows for point in row["curve"]})
    for axes in bottom:
        axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets], fontsize=8)
        axes.minorticks_off()
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("tokens")


def _budget(point: Row) -> int:
    return int(point["measure"].rpartition("@")[2].rstrip("t"))
