"""The tables on a terminal: whole words, no mark-up, nothing that could steer it."""

import io

import pytest
from rich.console import Console

from ragtrial.report.terminal import print_record

TERMINAL = {"width": 80, "force_terminal": True, "color_system": None}


def shown(record, **options):
    out = io.StringIO()
    print_record(record, Console(file=out, **(TERMINAL | options)))
    return out.getvalue()


def test_everything_is_printed(real):
    out = shown(real, width=120)
    assert out.startswith("Pumps\n")
    for words in ("fixed", "chars(9)", "headers(min=0) + path", "lucene", "structure", "within five points", "2048t"):
        assert words in out
    assert "(90%)" in out
    assert out.endswith(f"Record: {real.folder}\n")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_numbers_are_never_cut(width, real):
    out = shown(real, width=width)
    for row in real.contrasts:
        assert f"{row['difference'] * 100:+.1f}" in out
        ci = row["ci95"] if row["test"] == "difference" else row["ci90"]
        assert f"[{ci[0] * 100:+.1f}, {ci[1] * 100:+.1f}]" in out
    assert "…" not in out


MARKUP = ["[red]x[/red]", "[/]", "[link=http://example.org]x[/link]", ":warning:", "[bold", "\\[x]"]


@pytest.mark.parametrize("words", MARKUP)
def test_names_are_no_markup(words, real, told):
    corpus = {
        **real.header["corpus"],
        "excluded_questions": [{"id": words, "where": "q:1", "reason": "it has no evidence"}],
    }
    rows = [row | {"name": words, "a": words, "retriever": words, "notes": [words]} for row in told().contrasts]
    arms = [arm | {"given": words} for arm in told().header["arms"]]
    out = shown(told(rows, title=words, arms=arms, corpus=corpus), width=200)
    assert out.startswith(f"{words}\n")
    assert f"{words} (q:1)" in out
    assert f"{words} - fixed" in out
    assert f"recall@512t under {words}" in out
    assert out.count(words) >= 1 + len(arms) + 2 * len(rows) + 3


@pytest.mark.parametrize("words", MARKUP)
def test_a_retriever_s_name_is_no_markup(words, real, told):
    def renamed(name):
        return words if name == "lucene" else name

    effective = real.header["effective"]
    retrievers = {renamed(name): value for name, value in effective["retrievers"].items()}
    conditions = [row | {"retriever": renamed(row["retriever"])} for row in real.header["conditions"]]
    out = shown(told(effective={**effective, "retrievers": retrievers}, conditions=conditions), width=200)
    assert words in out


def test_names_cannot_steer_the_terminal(real, told):
    """A file's name may hold any character, also one that clears the screen or sets the window's title."""
    words = "\x1b[2J\x1b]0;mine\x07\x9b31m\x08\x7f"
    corpus = {**real.header["corpus"], "skipped_files": [{"path": f"docs/{words}.md", "reason": "it is binary"}]}
    rows = [row | {"name": words} for row in told().contrasts]
    out = shown(told(rows, title=words, corpus=corpus), width=200)
    assert not set(out) & {"\x1b", "\x07", "\x08", "\x7f", "\x9b"}
    assert "docs/" in out


def test_without_colors_there_are_no_escape_codes(real):
    assert "\x1b" not in shown(real)
    colored = shown(real, force_terminal=True, color_system="truecolor", no_color=True)
    assert "\x1b[3" not in colored.replace("\x1b[3m", "")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_lines_are_those_that_the_terminal_knows(encoding, real):
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    print_record(real, Console(file=out, **TERMINAL))
    out.flush()
    assert ("─" in raw.getvalue().decode(encoding)) == (encoding == "utf-8")


def test_a_path_or_name_can_be_copied_from_one_line(real, told):
    """What is printed below the tables is not broken at the terminal's width."""
    path = "docs/" + "very-long-folder/" * 8 + "file.md"
    corpus = {**real.header["corpus"], "skipped_files": [{"path": path, "reason": "it is binary"}]}
    assert path in shown(told(corpus=corpus))


def test_a_table_fits_into_80_columns(real):
    lines = shown(real).splitlines()
    assert max(map(len, (line for line in lines if "Record: " not in line and "Doubt: " not in line))) <= 80


@pytest.mark.parametrize("words", ["plain", "tab\tbed", "two\nlines", "\x1b[2J", "[red]x"])
def test_in_a_pipe_every_row_is_a_line_of_cells_with_tabs(words, real, told):
    rows = [row | {"name": words} for row in told().contrasts]
    out = shown(told(rows), force_terminal=False, width=20)
    assert "\x1b" not in out
    lines = out.split("\n")
    table = lines[lines.index(next(line for line in lines if line.startswith("Contrasts:"))) + 1 :][: len(rows) + 1]
    assert {line.count("\t") for line in table} == {3}
    for line, row in zip(table[1:], rows, strict=True):
        assert f"{row['difference'] * 100:+.1f}" in line
        assert row["verdict"] in line
