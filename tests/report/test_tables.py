"""The report's tables: every number from the record, every direction computed."""

import re

import pytest
from hypothesis import given

from ragtrial.report.tables import (
    contrasts_table,
    curve_table,
    left_out,
    means_table,
    record_tables,
    statistics_table,
)
from ragtrial.report.words import verdict_words
from ragtrial.statistics.verdict import TESTS, WORDS

from .made_up import rows, swap


@given(rows())
def test_the_arm_that_is_called_higher_has_the_higher_mean(row):
    words = verdict_words(row)
    assert words.startswith(row["verdict"])
    if "left arm is higher" in words:
        assert row["mean_a"] > row["mean_b"]
    if "right arm is higher" in words:
        assert row["mean_b"] > row["mean_a"]
    if row["verdict"] == "different":
        assert words.count("is higher") == 1


@given(rows())
def test_the_words_do_not_depend_on_which_arm_comes_first(row):
    assert verdict_words(swap(row)) == verdict_words(row)
    assert swap(swap(row)) == row


@given(row=rows())
def test_numbers_and_sides_flip_with_the_arms(told, row):
    def cells(contrast):
        record = told([contrast])
        return contrasts_table(record).rows[0], curve_table(record).rows[0]

    (one, curve), (other, other_curve) = cells(row), cells(swap(row))
    column = contrasts_table(told([row])).columns.index("difference")
    assert endpoints(other[column]) == [-number for number in reversed_ends(endpoints(one[column]))]
    for cell, mirror in zip(curve[1:], other_curve[1:], strict=True):
        assert endpoints(mirror) == [-number for number in reversed_ends(endpoints(cell))]
        assert ("(A)" in cell, "(B)" in cell) == ("(B)" in mirror, "(A)" in mirror)
        assert ("*" in cell) == ("*" in mirror)


def endpoints(cell):
    """Return the numbers of a cell: the difference, then the ends of its interval."""
    return [float(number) for number in re.findall(r"[+-]\d+\.\d", cell)]


def reversed_ends(values):
    return [values[0], *reversed(values[1:])]


@given(row=rows(tests=TESTS))
def test_a_row_with_a_margin_prints_its_90_percent_interval(told, row):
    table = contrasts_table(told([row]))
    cell = table.rows[0][table.columns.index("difference")]
    if row["ci95"] is None:
        assert "no interval" in cell
        assert "%" not in cell
        return
    low, high = row["ci95"] if row["test"] == "difference" else row["ci90"]
    assert f"[{low * 100:+.1f}, {high * 100:+.1f}]" in cell
    assert ("(90%)" in cell) == (row["test"] != "difference")


@given(row=rows(tests=TESTS))
def test_every_row_carries_its_tier_and_its_word(told, row):
    table = contrasts_table(told([row]))
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert cells["tier"] == row["tier"]
    assert any(cells["verdict"].startswith(word) for word in WORDS)
    assert cells["contrast"].split("\n") == ["contrast", "left arm - right arm"]


@given(row=rows())
def test_a_star_stands_where_the_interval_excludes_0(told, row):
    cell = curve_table(told([row])).rows[0][1]
    ci = row["ci95"]
    assert ("*" in cell) == (ci is not None and not ci[0] <= 0 <= ci[1])


def test_the_tables_of_a_real_record(real):
    arms, scores, contrasts, behind, curve = record_tables(real)
    assert [row[0] for row in behind.rows] == [row["name"] for row in real.contrasts]
    assert arms.columns == ("arm", "spec", "chunks", "median chars")
    assert scores.columns == ("arm", "bm25", "lucene")
    assert [row[:2] for row in arms.rows] == [("fixed", "chars(9)"), ("path", "headers(min=0) + path")]
    assert "3 questions on 1 document, 3 clusters; pool: corpus." in scores.note
    means = {
        (row["arm"], row["retriever"]): row for row in real.header["conditions"] if row["measure"] == "recall@512t"
    }
    for row in scores.rows:
        for retriever, cell in zip(scores.columns[1:], row[1:], strict=True):
            mean = means[row[0], retriever]
            assert cell.startswith(f"{mean['mean'] * 100:.1f}\n[{mean['ci95'][0] * 100:.1f}, ")
    assert len(contrasts.rows) == 3
    assert "recall@512t under bm25" in contrasts.title
    assert curve.columns == ("contrast", "128t", "256t", "512t", "1024t", "2048t", "4096t")
    assert [row[0] for row in curve.rows] == ["structure", "within five points", "not worse"]


def test_rows_under_several_retrievers_say_which(told):
    contrasts = [
        row | {"retriever": name} for row, name in zip(told().contrasts, ["bm25", "lucene", "bm25"], strict=True)
    ]
    table = contrasts_table(told(contrasts))
    column = table.columns.index("under")
    assert [row[column] for row in table.rows] == [f"recall@512t under {n}" for n in ("bm25", "lucene", "bm25")]


def test_a_trial_without_contrasts_has_no_empty_tables(told):
    arms, scores = record_tables(told([]))
    assert (arms.title, scores.title) == ("Arms", "recall@512t in points, 95% interval")


def test_a_contrast_without_a_budget_has_no_curve(told):
    plain = [row | {"measure": "hit@1", "curve": []} for row in told().contrasts]
    assert [table.title.split(":")[0] for table in record_tables(told(plain))] == [
        "Arms",
        "recall@512t in points, 95% interval",
        "Contrasts",
        "What stands behind the verdicts",
    ]
    mixed = [told().contrasts[0], *plain[1:]]
    assert len(curve_table(told(mixed)).rows) == 1


def test_budgets_stand_in_their_order_whichever_contrast_has_them(told):
    first, second, _ = told().contrasts
    few = first | {
        "curve": [point for point in first["curve"] if "512t" in point["measure"] or "2048t" in point["measure"]]
    }
    table = curve_table(told([few, second]))
    assert table.columns == ("contrast", "128t", "256t", "512t", "1024t", "2048t", "4096t")
    assert [bool(cell) for cell in table.rows[0][1:]] == [False, False, True, False, True, False]


def test_notes_are_told_once(told):
    noted = [row | {"notes": ["Only 3 clusters.", "Twice."]} for row in told().contrasts]
    note = contrasts_table(told(noted)).note
    assert note.count("Only 3 clusters.") == note.count("Twice.") == 1


def test_nothing_frozen_is_said(told):
    assert "every row is exploratory" in contrasts_table(told(plan=None)).note


def corpus(real, **changed):
    return {"corpus": {**real.header["corpus"], **changed}}


def test_what_was_left_out_is_counted_by_reason_and_named(real, told):
    questions = [{"id": f"q{n}", "where": f"q.jsonl:{n}", "reason": "it has no evidence"} for n in range(1, 6)]
    questions.append({"id": "lost", "where": "q.jsonl:9", "reason": "the quote is not there"})
    files = [{"path": "docs/x.md", "reason": "it is binary."}]
    changed = corpus(real, excluded_questions=questions, skipped_files=files, documents_without_text=["a.md", "b.md"])
    lines = left_out(told(**changed))
    assert len(lines) == 4
    text = "\n".join(lines)
    assert "1 file was not read, it is binary: docs/x.md." in text
    assert "5 questions were not asked, it has no evidence: q1 (q.jsonl:1), " in text
    assert "and 2 more" in text
    assert "1 question was not asked, the quote is not there: lost (q.jsonl:9)." in text
    assert "2 documents make no chunk" in text
    assert "a.md, b.md" in text


def test_nothing_left_out_is_nothing_said(real):
    assert left_out(real) == []


@pytest.mark.parametrize("count", [1, 2])
def test_counts_are_told_in_good_english(count, real, told):
    note = means_table(told(**corpus(real, documents=count, questions=count, clusters=count))).note
    ending = "" if count == 1 else "s"
    assert f"{count} question{ending} on {count} document{ending}, {count} cluster{ending};" in note


def test_what_stands_behind_a_verdict(told):
    first, second, _ = told().contrasts
    first |= {"p_sign_flip": 0.0123, "p_sign_flip_holm": 0.0369, "dz": 0.31, "mde": 0.0456}
    first |= {"wins": 5, "ties": 3, "losses": 1, "questions": 9, "clusters": 4}
    second |= {"p_margin": 0.00004, "p_margin_holm": None, "dz": None, "mde": None}
    one, two = statistics_table(told([first, second])).rows
    assert one[1:] == ("0.012", "0.037", "+0.31", "4.6", "5/3/1", "9/4")
    assert two[1].startswith("< 0.0") or two[1] == "0.0000"
    assert two[2:5] == ("", "", "")
