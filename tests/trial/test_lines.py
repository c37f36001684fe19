"""Where a key stands in a TOML file."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.trial.lines import KeyLines


def line_of(text, *path):
    tomllib.loads(text)
    return KeyLines(text).of(path)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a = 1\nb = 2\n", ("b",), 2),
        ("[t]\na = 1\n[u]\na = 2\n", ("u", "a"), 4),
        ("[[c]]\na = 1\n[[c]]\na = 2\n", ("c", 1, "a"), 4),
        ("[[c]]\na = 1\n\n[[c]]\nb = 2\n", ("c", 1), 4),
        ("[[c]]\na = 1\n[[c]]\na = 2\n", ("c", 1, "missing"), 3),
        ("\n\n[t] # note\na = 1\n", ("t",), 3),
        ("[ t ]\na = 1\n", ("t", "a"), 2),
        ("[a.b]\nc = 1\n", ("a", "b", "c"), 2),
        ("t.a = 1\nt.b = 2\n", ("t", "b"), 2),
        ('[t]\n"my key" = 1\n', ("t", "my key"), 2),
        ("[t]\n'a.b' = 1\n", ("t", "a.b"), 2),
        ('["x y"]\na = 1\n', ("x y", "a"), 2),
        ("a = 1\n  b = 2\n", ("b",), 2),
        ('a = """\nb = 1\n"""\nb = 2\n', ("b",), 4),
        ("a = '''\n[t]\n'''\n[t]\nc = 2\n", ("t",), 4),
        ('a = """one line"""\nb = 2\n', ("b",), 2),
        ('a = """x\n"""  # and """ in a comment\nb = 2\n', ("b",), 3),
        ('# three quotes """ in a comment\nb = 2\n', ("b",), 2),
        ("a = \"it's ''' here\"\nb = 2\n", ("b",), 2),
        ('a = \'it is """ here\'\nb = 2\n', ("b",), 2),
        ("a = [\n  1,\n  2,\n]\nb = 2\n", ("b",), 5),
        ("a = [\n  {b = 1},\n]\nb = 2\n", ("b",), 4),
        ("a = {b = 1}\n", ("a", "b"), 1),
        ("a = 'x\u2028y'\nb = 2\n", ("b",), 2),
        ("# \x85 \u2029\nb = 2\n", ("b",), 2),
        ("a = 1\r\nb = 2\r\n", ("b",), 2),
        ("a = 1\n", ("missing",), 1),
        ("", ("missing",), 1),
    ],
)
def test_lines(text, path, line):
    assert line_of(text, *path) == line


@given(st.lists(st.sampled_from(["", "# note", "[t%d]", "[[c]]", "k%d = 1", 's%d = """\nx = 1\n"""']), max_size=12))
def test_every_key_stands_where_it_was_written(parts):
    text, expected, table, tables = "", {}, (), 0
    for number, part in enumerate(parts):
        piece = part.replace("%d", str(number))
        line = text.count("\n") + 1
        if part.startswith("[["):
            table, tables = ("c", tables), tables + 1
        elif part.startswith("["):
            table = (f"t{number}",)
        elif "=" in part:
            expected[*table, piece.split(" =")[0]] = line
        text += piece + "\n"
    tomllib.loads(text)
    lines = KeyLines(text)
    assert {path: lines.of(path) for path in expected} == expected
