"""Published p-values, effect sizes, sizes of groups and counts beside measured ones, and the cuts of other kinds."""

import pytest

from ragtrial.replications.compare import compare_with_paper
from ragtrial.replications.numbers import NUMBERS
from ragtrial.replications.rows import PartRows
from ragtrial.report.replication import comparison_tables

CONTRAST = {
    "name": "H1",
    "a": "E",
    "b": "S",
    "retriever": "hybrid",
    "measure": "recall@512t",
    "tier": "secondary",
    "verdict": "equivalent",
    "remark": "small difference within the margin",
    "questions": 4,
    "difference": 0.041,
    "ci90": [0.01, 0.07],
    "ci95": [0.0, 0.08],
    "dz": 0.25,
    "p_sign_flip": 0.03,
    "p_sign_flip_holm": 0.06,
    "p_bootstrap_holm": 0.02,
}
OTHER = CONTRAST | {"name": "H1 other", "difference": -0.02, "ci95": [-0.03, -0.01]}
HEADER = {
    "effective": {"averages": {}},
    "arms": [{"arm": "E", "tokens": 500, "chunks": 4}, {"arm": "S", "tokens": 0, "chunks": 1}],
    "corpus": {
        "questions": 4,
        "evidence": 6,
        "excluded_questions": [{}, {}],
        "question_types": {"a": "boolean", "b": "boolean", "c": "extractive"},
    },
    "mixed_models": [{"contrast": "H1", "p": 0.5}, {"contrast": "H1 other", "fault": "one cluster"}],
    "ladders": [{"name": "depth", "p_bootstrap": 0.04, "arms": ["E", "S"], "retriever": "hybrid"}],
    "answers": {"controls": {"other": 0.04}},
}
EXPLORATORY = {
    "split": [{"arm": "S", "mean": 0.75}],
    "bridging": [{"arm": "E", "groups": [{"group": "bridged", "questions": 1}, {"group": "others", "questions": 3}]}],
    "answers": [
        {"contrast": "H1", "measure": "token-f1@512t", "evidence": "more", "questions": 2, "difference": 0.2},
        {"contrast": "H1 other", "measure": "token-f1@512t", "evidence": "more", "questions": 9, "difference": 0.3},
        {"contrast": "H1", "measure": "nuggets@512t", "evidence": "more", "questions": 2, "difference": 0.4},
    ],
}
SWAPPED = {"E": ["indexer"], "hybrid": ["nomic"], "answers": ["judge"]}
JUDGE = "strict recall that the judge gives another question's answers"


def part(sample=None, contrasts=(CONTRAST, OTHER), grid=(), **header):
    exploratory = {**EXPLORATORY, "answers": [row | {"ci95": None} for row in EXPLORATORY["answers"]]}
    return PartRows(HEADER | header, contrasts, exploratory, grid, SWAPPED, sample)


def compared(rows=None, families=(), **row):
    published = {"part": "p", "source": "section"} | row
    found = compare_with_paper({"numbers": [published]}, {} if rows is None else {"p": rows}, families)
    return found["numbers"][0]


WHOLE = [
    ({"what": "dz", "contrast": "H1", "value": 0.2}, 0.25, None, ["indexer", "nomic"]),
    ({"what": "p (sign flips)", "contrast": "H1", "value": 0.092}, 0.03, False, ["indexer", "nomic"]),
    ({"what": "p (sign flips, Holm)", "contrast": "H1", "value": 0.057}, 0.06, True, ["indexer", "nomic"]),
    ({"what": "p (bootstrap, Holm)", "contrast": "H1", "below": 0.001}, 0.02, True, ["indexer", "nomic"]),
    ({"what": "p (mixed model)", "contrast": "H1", "below": 0.001}, 0.5, False, ["indexer", "nomic"]),
    ({"what": "p (bootstrap of a slope)", "ladder": "depth", "value": 0.052}, 0.04, False, ["indexer", "nomic"]),
    (
        {"what": "questions of a group", "analysis": "bridging", "arm": "E", "group": "bridged", "value": 1},
        1,
        True,
        ["indexer"],
    ),
    (
        {"what": "share of questions", "analysis": "bridging", "arm": "E", "group": "bridged", "value": 0.6},
        0.25,
        None,
        ["indexer"],
    ),
    (
        {"what": "questions of a group", "analysis": "answers", "contrast": "H1", "group": "more", "value": 3},
        2,
        False,
        ["indexer", "nomic"],
    ),
    ({"what": "share of evidence that no chunk holds whole", "arm": "S", "value": 0.8}, 0.75, None, []),
    ({"what": "tokens a chunk", "arm": "E", "value": 244.9}, 125.0, None, ["indexer"]),
    ({"what": "questions of a type", "type": "boolean", "value": 2}, 2, True, []),
    ({"what": "questions before filters", "value": 6}, 6, True, []),
    ({"what": "evidence a question", "value": 2.1}, 1.5, None, []),
    ({"what": JUDGE, "value": 0.068}, 0.04, None, ["judge"]),
    ({"what": "settings", "value": 12}, 2, None, ["indexer", "nomic"]),
    ({"what": "lowest difference", "value": 4.1}, -2.0, None, ["indexer", "nomic"]),
    ({"what": "highest difference", "value": 8.8}, 4.1, None, ["indexer", "nomic"]),
    ({"what": "intervals without 0", "value": 2}, 1, None, ["indexer", "nomic"]),
]


@pytest.mark.parametrize(("row", "measured", "agrees", "swapped"), WHOLE)
def test_a_number_stands_beside_the_paper_s(row, measured, agrees, swapped):
    found = compared(part(), **row)
    assert found["measured"] == pytest.approx(measured)
    assert found["agrees"] is agrees
    assert found["swapped"] == swapped
    assert found["published"] == {"value": row.get("value"), "below": row.get("below"), "source": "section"}
    assert compared(None, **row) | {"published": None} == found | {
        "published": None,
        "measured": None,
        "agrees": None,
        "swapped": [],
    }


def test_every_kind_of_number_is_tested():
    assert {row["what"] for row, *_ in WHOLE} == set(NUMBERS)


@pytest.mark.parametrize(
    "row",
    [
        {"what": "dz", "contrast": "H2"},
        {"what": "p (mixed model)", "contrast": "H1 other"},  # which could not be fitted
        {"what": "p (bootstrap of a slope)", "ladder": "depth weak"},
        {"what": "questions of a group", "analysis": "bridging", "arm": "CR", "group": "bridged"},
        {"what": "share of questions", "analysis": "bridging", "arm": "E", "group": "none missing"},
        {"what": "share of questions", "analysis": "overlap", "group": "low"},
        {"what": "tokens a chunk", "arm": "A0"},
    ],
)
def test_a_number_that_was_not_measured(row):
    found = compared(part(), value=0.01, **row)
    assert (found["measured"], found["agrees"], found["swapped"]) == (None, None, [])


def test_a_part_without_answers_types_and_contrasts():
    rows = part(contrasts=(), answers=None, corpus=HEADER["corpus"] | {"question_types": {}})
    for row in ({"what": JUDGE}, {"what": "questions of a type", "type": "boolean"}, {"what": "settings"}):
        assert compared(rows, value=1, **row)["measured"] is None, row


def test_counts_of_a_sample_agree_with_nothing():
    assert compared(part(sample=5), what="questions before filters", value=6)["agrees"] is None


def test_p_values_of_a_family_are_those_over_all_parts():
    family = {"part": "p", "contrast": "H1", "p_sign_flip_holm": 0.12, "verdict": "different", "remark": ""}
    assert compared(part(), [family], what="p (sign flips, Holm)", contrast="H1", value=0.01)["measured"] == 0.12
    assert compared(part(), [family], what="p (sign flips)", contrast="H1", value=0.01)["measured"] == 0.03


def cell(**changed):
    whole = {"contrast": "H1", "retriever": "hybrid", "measure": "recall@512t", "type": None, "planned": False}
    return whole | {"difference": 0.01, "ci95": [0.0, 0.02]} | changed


GRID = [
    cell(planned=True),
    cell(measure="recall@256t", retriever="bm25", difference=0.5),
    cell(measure="recall@256t", type="boolean", difference=0.4),
    cell(measure="recall@256t", contrast="H2", difference=0.3),
    cell(measure="recall@256t", difference=0.02),
]


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        ({"analysis": "measure", "group": "recall@256t"}, 2.0),
        ({"analysis": "measure", "group": "recall@2048t"}, None),
        ({"analysis": "answers", "group": "more", "measure": "token-f1@512t"}, 20.0),
        ({"analysis": "answers", "group": "more", "measure": "nuggets@512t"}, 40.0),
        ({"analysis": "answers", "group": "less", "measure": "token-f1@512t"}, None),
    ],
)
def test_cuts_by_measure_and_by_evidence(asked, difference):
    row = {"part": "p", "contrast": "H1", "difference": 1.0, "source": "D"} | asked
    (found,) = compare_with_paper({"cuts": [row]}, {"p": part(grid=GRID)}, [])["cuts"]
    assert (found["measured"] and found["measured"]["difference"]) == difference


def test_the_tables_show_numbers_remarks_and_bounds():
    published = {
        "contrasts": [
            {"part": "p", "contrast": "H1", "verdict": "equivalent", "remark": CONTRAST["remark"], "source": "s"}
        ],
        "numbers": [{"part": "p", "source": "s"} | row for row, *_ in WHOLE],
    }
    comparison = compare_with_paper(published, {"p": part()}, [])
    comparison |= {"study": "x", "source": "Nobody 1999", "sample": None}
    tables = {table.title: table.rows for table in comparison_tables(comparison)}
    numbers = tables["P-values, effect sizes and other numbers"]
    assert len(numbers) == len(WHOLE)
    assert ("p", "H1", "p (bootstrap, Holm)", "< 0.001", "0.02", "same", "indexer, nomic") in numbers
    assert ("p", "depth", "p (bootstrap of a slope)", "0.052", "0.04", "OTHER", "indexer, nomic") in numbers
    assert ("p", "", "questions before filters", "6", "6", "same", "") in numbers
    (contrast, _) = next(rows for title, rows in tables.items() if title.startswith("Beside the paper"))
    whole = "equivalent (small difference within the margin)"
    assert f"{whole} / {whole}" in contrast
