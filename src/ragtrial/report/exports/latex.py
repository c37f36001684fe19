"""The record's tables as LaTeX that needs no package: paste one, or compile the file as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ragtrial.report.tables import Table, record_tables
from ragtrial.report.words import clean
from ragtrial.trial.record import Record, write_whole

__all__ = ["latex_document", "latex_table", "latex_text", "write_latex"]

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
}


def write_latex(record: Record, folder: Path) -> list[Path]:
    """Write all tables as one document and return its path."""
    path = folder / "tables.tex"
    write_whole(path, latex_document(record).encode("utf-8"))
    return [path]


def latex_document(record: Record) -> str:
    """Return a document with all tables; letters beyond Latin ones need XeLaTeX or LuaLaTeX, and a font with them."""
    tables = "\n\n".join(latex_table(table) for table in record_tables(record))
    return (
        "\\documentclass{article}\n"
        "\\usepackage[T1]{fontenc}\n"
        "\\begin{document}\n\n"
        f"\\section*{{{latex_text(str(record.header['title'] or 'Trial'))}}}\n\n"
        f"{tables}\n\n"
        "\\end{document}\n"
    )


def latex_table(table: Table) -> str:
    """Return one table as a float with its caption above; the lines of a cell become one."""
    body = "\n".join(_row(row) for row in table.rows)
    note = f"\n\\par\\smallskip\\footnotesize {latex_text(table.note)}" if table.note else ""
    return (
        "\\begin{table}[htbp]\n\\centering\n\\small\n"
        f"\\caption{{{latex_text(table.title)}}}\n"
        f"\\begin{{tabular}}{{{'l' * len(table.columns)}}}\n\\hline\n"
        f"{_row(table.columns)}\n\\hline\n{body}\n\\hline\n"
        f"\\end{{tabular}}{note}\n\\end{{table}}"
    )


def _row(cells: tuple[str, ...]) -> str:
    return " & ".join(latex_text(cell) for cell in cells) + r" \\"


def latex_text(text: str) -> str:
    """Return any text so that LaTeX sets it as it stands."""
    return "".join(_SPECIAL.get(sign, sign) for sign in clean(" ".join(text.split())))
