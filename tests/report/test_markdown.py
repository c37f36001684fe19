"""``report.md``: whatever documents, files and titles are called, it stays text."""

import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from ragtrial.report.markdown import render_markdown, write_markdown

NASTY = [
    "plain",
    "a | b",
    "<script>alert(1)</script>",
    "`code` and ``more``",
    "[link](http://example.org) ![image](x.png)",
    "<http://example.org>",
    "*stars* _and_ **more** __lines__",
    "back\\slash \\| \\",
    "~~gone~~",
    "&lt;b&gt; &amp; &#124;",
    "# heading #",
    "ends with #",
    "> quote",
    "- item",
    "1. item",
    "+ item",
    "---",
    "| --- | --- |",
    "two\nlines\n\n# third",
    "```",
    "<!-- comment",
    "$x_1$",
    "снабжение 水泵 🙂",
]


def flat(text):
    return " ".join(text.split())


def parse(text):
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def plain(token):
    """Return what a reader sees of an inline token; anything but text and line ends is refused."""
    kinds = {child.type for child in token.children}
    assert kinds <= {"text", "softbreak", "text_special"}, (token.content, kinds)
    return flat("".join(child.content or " " for child in token.children))


def texts(tokens):
    """Return the texts of all headings, cells and lines but those of the provenance, which are code on purpose."""
    found = []
    heading = ""
    for before, token in pairwise(tokens):
        if token.type != "inline":
            continue
        if before.type == "heading_open":
            heading = token.content
        if heading != "Provenance":
            found.append(plain(token))
    return found


@pytest.mark.parametrize("words", NASTY)
def test_a_title_stays_text(words, told):
    tokens = parse(render_markdown(told(title=words)))
    assert tokens[0].tag == "h1"
    assert plain(tokens[1]) == flat(words)
    assert [token.content for token in tokens if token.tag == "h1" and token.type == "heading_open"] == [""]


@pytest.mark.parametrize("words", NASTY)
def test_names_in_tables_stay_text(words, told):
    rows = [row | {"name": words, "a": words, "notes": [words]} for row in told().contrasts]
    arms = [arm | {"given": words} for arm in told().header["arms"]]
    tokens = parse(render_markdown(told(rows, arms=arms)))
    assert not [token for token in tokens if token.type in ("html_block", "html_inline")]
    shown = texts(tokens)
    assert shown.count(flat(words)) >= len(arms)
    assert sum(flat(f"{words} {words} - fixed") == text for text in shown) == len(rows)
    for widths in table_widths(tokens):
        assert len(set(widths)) == 1


def table_widths(tokens):
    """Yield for each table the number of cells in each of its rows."""
    widths = []
    for token in tokens:
        if token.type == "table_open":
            widths = []
        elif token.type == "tr_open":
            widths.append(0)
        elif token.type in ("th_open", "td_open"):
            widths[-1] += 1
        elif token.type == "table_close":
            yield widths


@pytest.mark.parametrize("words", NASTY)
def test_what_was_left_out_stays_text(words, real, told):
    excluded = [{"id": words, "where": "q.jsonl:1", "reason": f"the quote {words} is not there"}]
    skipped = [{"path": words, "reason": "it is binary"}]
    corpus = {**real.header["corpus"], "excluded_questions": excluded, "skipped_files": skipped}
    shown = texts(parse(render_markdown(told(corpus=corpus, source={"name": words}))))
    assert f"1 question was not asked, the quote {flat(words)} is not there: {flat(words)} (q.jsonl:1)." in shown
    assert f"1 file was not read, it is binary: {flat(words)}." in shown
    assert f"name: {flat(words)}" in shown


def test_the_parameters_are_all_there_and_can_be_read_by_a_program(told):
    effective = {**told().header["effective"], "note": "``` and\n```\nмасло"}
    report = render_markdown(told(effective=effective))
    [fence] = [token for token in parse(report) if token.type == "fence"]
    assert json.loads(fence.content) == effective
    assert "масло" in report


def test_every_input_is_named_by_its_hash(real):
    report = render_markdown(real)
    for key, value in real.header["inputs"].items():
        assert f"- {key}: `{value}`" in report
    assert real.header["trial"] in report
    assert all(len(digest) == 64 for digest in re.findall(r"sha256: `([0-9a-f]+)`", report))


def test_the_report_has_every_number_of_the_contrasts(real):
    report = render_markdown(real).replace("\\", "")
    for row in real.contrasts:
        low, high = row["ci95"] if row["test"] == "difference" else row["ci90"]
        assert f"{row['difference'] * 100:+.1f} [{low * 100:+.1f}, {high * 100:+.1f}]" in report
        assert row["verdict"] in report
        assert row["tier"] in report


def test_a_title_that_is_not_given(told):
    assert render_markdown(told(title="")).startswith("# Trial\n")


@pytest.fixture
def moved(told, tmp_path):
    """Return a function that gives the record in another folder."""

    def move(**header):
        record = replace(told(**header), folder=tmp_path)
        record.__dict__["contrasts"], record.__dict__["grid"] = told().contrasts, told().grid
        return record

    return move


def test_the_report_does_not_depend_on_where_the_record_lies(real, moved):
    assert render_markdown(moved()) == render_markdown(real)


def test_the_file_is_utf_8_with_plain_line_ends(moved, tmp_path):
    record = moved(title="Насос")
    path = write_markdown(record)
    assert path == tmp_path / "report.md"
    data = path.read_bytes()
    assert data.decode("utf-8") == render_markdown(record)
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")
