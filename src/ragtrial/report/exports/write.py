"""Every export by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from ragtrial.errors import DataError, UsageError, did_you_mean
from ragtrial.report.exports.data import write_csv, write_json_file, write_parquets
from ragtrial.report.exports.latex import write_latex
from ragtrial.report.exports.trec import write_trec
from ragtrial.report.figures.canvas import PAPER, Format, save
from ragtrial.report.figures.curves import draw_curves
from ragtrial.report.figures.forest import draw_forest
from ragtrial.report.markdown import render_markdown
from ragtrial.trial.record import Record, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPORTS", "FIGURES", "export"]

FIGURES: Final = ("svg", "pdf", "png")


def _markdown(record: Record, folder: Path) -> list[Path]:
    path = folder / "report.md"
    write_whole(path, render_markdown(record).encode("utf-8", "replace"))
    return [path]


EXPORTS: Final[dict[str, Callable[[Record, Path], list[Path]]]] = {
    "csv": write_csv,
    "json": write_json_file,
    "latex": write_latex,
    "markdown": _markdown,
    "parquet": write_parquets,
    "trec": write_trec,
}
"""What writes each format of tables."""


def export(record: Record, kind: str, folder: str | Path) -> list[Path]:
    """Write a record in a format into a folder, which is made, and return the files' paths.

    Parameters
    ----------
    record : Record
    kind : str
        A key of `EXPORTS`, or one of `FIGURES`: the forest plot and the budget curves.
    folder : path

    Raises
    ------
    UsageError
        There is no such format.
    DataError
        The folder or a file cannot be written.
    """
    folder = Path(folder)
    if kind not in EXPORTS and kind not in FIGURES:
        known = [*EXPORTS, *FIGURES]
        raise UsageError(
            f"There is no export {kind!r}. {did_you_mean(kind, known)}", hint=f"Known: {', '.join(known)}."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {folder}: {error.strerror or error}.") from error
    if kind in EXPORTS:
        return EXPORTS[kind](record, folder)
    return _write_figures(record, cast("Format", kind), folder)


def _write_figures(record: Record, kind: Format, folder: Path) -> list[Path]:
    rows = record.contrasts
    curves = [row for row in rows if len(row["curve"]) > 1]
    drawn: dict[str, Figure] = {}
    if rows:
        drawn["forest"] = draw_forest(rows, PAPER)
    if curves:
        drawn["budgets"] = draw_curves(curves, PAPER)
    paths = []
    for name, figure in drawn.items():
        paths.append(folder / f"{name}.{kind}")
        write_whole(paths[-1], save(figure, kind, PAPER))
    return paths
