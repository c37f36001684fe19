"""Measured rows beside published ones: signs, intervals, verdicts, families over parts, swapped models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.replications.compare import adjusted_families, compare_with_paper
from ragtrial.replications.rows import PartRows


def row(name="H1", difference=0.05, ci95=(0.02, 0.08), **changed):
    return {
        "name": name,
        "a": "E",
        "b": "S",
        "retriever": "hybrid",
        "measure": "recall@512t",
        "test": "difference",
        "margin": None,
        "tier": "secondary",
        "questions": 10,
        "difference": difference,
        "ci90": [ci95[0] + 0.005, ci95[1] - 0.005],
        "ci95": list(ci95),
        "verdict": "different",
        "remark": "",
        "p_sign_flip": 0.01,
        "p_margin": None,
        "p_bootstrap": 0.01,
    } | changed


def part(*rows, families=None, swapped=None, sample=None, exploratory=None, grid=(), **header):
    known = {
        "effective": {"families": families or {}},
        "conditions": [],
        "arms": [],
        "corpus": {},
        "ladders": [],
        "routing": [],
    }
    return PartRows(known | header, rows, exploratory or {}, grid, swapped or {}, sample)


def published(**changed):
    return {
        "part": "p",
        "contrast": "H1",
        "difference": 5.5,
        "ci": [3.3, 7.7],
        "level": 90,
        "source": "table",
    } | changed


def one(published_row, measured):
    found = compare_with_paper({"contrasts": [published_row]}, {"p": measured}, [])
    return found["contrasts"][0]


def test_a_row_that_agrees():
    found = one(published(verdict="different"), part(row()))
    assert (found["same_sign"], found["overlap"], found["same_verdict"]) == (True, True, True)
    assert found["measured"]["ci"] == pytest.approx([2.5, 7.5])  # the interval of the published level
    assert found["measured"]["level"] == 90
    assert found["measured"]["difference"] == pytest.approx(5)
    assert found["swapped"] == []


def test_a_row_that_disagrees():
    found = one(published(verdict="equivalent"), part(row(difference=-0.1, ci95=(-0.2, -0.05))))
    assert (found["same_sign"], found["overlap"], found["same_verdict"]) == (False, False, False)


def test_two_differences_of_opposite_signs_are_not_the_same_verdict():
    assert (
        one(published(verdict="different"), part(row(difference=-0.05, ci95=(-0.08, -0.02))))["same_verdict"] is False
    )
    assert (
        one(published(verdict="different", difference=None, ci=None, level=None), part(row()))["same_verdict"] is True
    )


def test_what_the_paper_does_not_say_is_not_compared():
    found = one(published(difference=None, ci=None, level=None, verdict="different"), part(row()))
    assert (found["same_sign"], found["overlap"], found["same_verdict"]) == (None, None, True)
    found = one(published(difference=0.0), part(row()))
    assert found["same_sign"] is None


def test_a_row_that_was_not_measured():
    found = one(published(), part())
    assert found["measured"] is None
    assert found["same_sign"] is None


def test_a_part_that_was_not_run():
    found = compare_with_paper({"contrasts": [published()], "means": [mean()], "counts": [count()]}, {}, [])
    assert found["contrasts"][0]["measured"] is None
    assert found["means"][0]["measured"] is None
    assert found["counts"][0]["measured"] is None


def test_swapped_roles_of_arms_retrievers_averages_and_answers():
    swapped = {"E": ["indexer"], "E2": ["large"], "hybrid": ["nomic"], "other": ["mxbai"], "answers": ["reader"]}
    assert one(published(), part(row(), swapped=swapped))["swapped"] == ["indexer", "nomic"]
    assert one(published(), part(row(against="other"), swapped=swapped))["swapped"] == ["indexer", "mxbai", "nomic"]
    averaged = part(row(a="runs"), swapped=swapped, effective={"families": {}, "averages": {"runs": ["E", "E2"]}})
    assert one(published(), averaged)["swapped"] == ["indexer", "large", "nomic"]
    answered = one(published(), part(row(measure="token-f1@512t"), swapped=swapped))
    assert answered["swapped"] == ["indexer", "nomic", "reader"]


def test_what_was_measured_and_not_published_is_listed():
    found = compare_with_paper({"contrasts": [published()]}, {"p": part(row(), row("new"))}, [])["contrasts"]
    assert [(line["contrast"], line["published"] is None) for line in found] == [("H1", False), ("new", True)]


def mean(**changed):
    return {"part": "p", "arm": "S", "retriever": "bm25", "measure": "m", "mean": 30.0, "source": "table"} | changed


def count(**changed):
    return {"part": "p", "what": "chunks", "arm": "S", "count": 7222, "source": "section"} | changed


def test_means_and_counts():
    conditions = [{"arm": "S", "retriever": "bm25", "measure": "m", "mean": 0.299, "ci95": [0.28, 0.31]}]
    rows = part(conditions=conditions, arms=[{"arm": "S", "chunks": 7222}], corpus={"questions": 951})
    listed = {"means": [mean(), mean(arm="P")], "counts": [count(), count(what="questions", arm=None, count=950)]}
    found = compare_with_paper(listed, {"p": rows}, [])
    assert found["means"][0]["inside"] is True
    assert found["means"][0]["measured"]["mean"] == pytest.approx(29.9)
    assert found["means"][1]["measured"] is None
    assert [line["equal"] for line in found["counts"]] == [True, False]


def test_counts_of_a_sample_equal_nothing():
    rows = part(arms=[{"arm": "S", "chunks": 7222}], sample=5)
    assert compare_with_paper({"counts": [count()]}, {"p": rows}, [])["counts"][0]["equal"] is None


def test_slopes_and_shares():
    ladder = {"name": "depth", "slope": 0.003, "ci95": None, "p_bootstrap": 0.02, "arms": ["A"], "retriever": "r"}
    reports = [{"step": "enriched", "reused": 3, "keyed": 12}]
    routing = [{"arm": "A", "retriever": "r", "questions": 8, "found": 2}]
    rows = part(ladders=[ladder], arms=[{"arm": "A", "reports": reports}], routing=routing, swapped={"A": ["x"]})
    share = {"part": "p", "arm": "A", "what": "w", "value": 0.1, "source": "s"}
    listed = {
        "ladders": [{"part": "p", "ladder": "depth", "slope": 0.3, "source": "s"}],
        "shares": [share | {"key": "reused", "of": "keyed"}, share | {"retriever": "r"}, share | {"key": "none"}],
    }
    found = compare_with_paper(listed, {"p": rows}, [])
    assert found["ladders"][0]["same_sign"] is True
    assert [line["measured"] for line in found["shares"]] == [0.25, 0.25, None]
    assert [line["swapped"] for line in found["shares"]] == [["x"], ["x"], []]


MEMBERS = {"F": [("p", "one"), ("q", "two")]}


def test_a_family_spans_parts():
    rows = {
        "p": part(row("one", p_sign_flip=0.03), families={"F": {"demands": "sign-flip"}}),
        "q": part(row("two", p_sign_flip=0.02), families={"F": {"demands": "sign-flip"}}),
    }
    found = adjusted_families(MEMBERS, rows)
    assert [line["p_sign_flip_holm"] for line in found] == pytest.approx([0.04, 0.04])
    assert [line["verdict"] for line in found] == ["different", "different"]


def test_a_member_that_is_missing_counts_as_one():
    rows = {"p": part(row("one", p_sign_flip=0.03), families={"F": {"demands": "sign-flip"}})}
    found = adjusted_families(MEMBERS, rows)
    assert found[0]["p_sign_flip_holm"] == pytest.approx(0.06)
    assert found[0]["verdict"] == "no difference detected"
    assert found[1]["verdict"] == "not measured"


def test_the_verdict_of_the_family_is_the_one_that_is_compared():
    rows = {"p": part(row("one", p_sign_flip=0.03), families={"F": {"demands": "sign-flip"}})}
    families = adjusted_families(MEMBERS, rows)
    found = compare_with_paper({"contrasts": [published(contrast="one", verdict="different")]}, rows, families)
    assert found["contrasts"][0]["measured"]["verdict"] == "no difference detected"
    assert found["contrasts"][0]["same_verdict"] is False


def test_an_equivalence_row_takes_the_p_value_of_its_margin():
    equal = row("one", 0.0, (-0.01, 0.01), test="equivalence", margin=0.05, p_margin=0.001)
    found = adjusted_families({"F": [("p", "one")]}, {"p": part(equal)})
    assert (found[0]["verdict"], found[0]["p_margin_holm"]) == ("equivalent", 0.001)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(0, 5))
def test_leaving_rows_out_makes_no_p_smaller(p_values, lost):
    members = {"F": [("p", str(number)) for number in range(len(p_values))]}
    rows = [row(str(number), p_sign_flip=p) for number, p in enumerate(p_values)]
    whole = adjusted_families(members, {"p": part(*rows)})
    fewer = adjusted_families(members, {"p": part(*(one for one in rows if one["name"] != str(lost)))})
    for before, after in zip(whole, fewer, strict=True):
        if after["verdict"] != "not measured":
            assert after["p_sign_flip_holm"] >= before["p_sign_flip_holm"] - 1e-12


def cell(difference, ci95=(0.01, 0.2), **more):
    return {"contrast": "H1", "difference": difference, "ci95": list(ci95), "questions": 5} | more


BRIDGING = {
    "arm": "E",
    "groups": [{"group": "bridged", "questions": 5, "contrasts": [cell(0.2, share=0.5)]}],
    "between": {"first": "bridged", "second": "others", "contrasts": [cell(0.15)]},
}


@pytest.mark.parametrize(
    ("asked", "difference", "share"),
    [
        ({"analysis": "bridging", "arm": "E", "group": "bridged"}, 20.0, 0.5),
        ({"analysis": "bridging", "arm": "E", "group": "bridged - others"}, 15.0, None),
        ({"analysis": "type", "group": "boolean"}, -1.0, None),
    ],
)
def test_a_cut_stands_beside_the_paper_s(asked, difference, share):
    measured = part(
        row(),
        exploratory={"bridging": [BRIDGING]},
        grid=[cell(0.3, type=None), cell(-0.01, (-0.2, 0.1), type="boolean")],
        swapped={"E": ["indexer"]},
    )
    wanted = {"part": "p", "contrast": "H1", "difference": 24.4, "ci": [19.2, 30.2], "source": "D"} | asked
    (found,) = compare_with_paper({"cuts": [wanted]}, {"p": measured}, [])["cuts"]
    assert (found["measured"]["difference"], found["measured"]["share"]) == (difference, share)
    assert found["same_sign"] == (difference > 0)
    assert found["overlap"] == (difference > 0)
    assert found["swapped"] == ["indexer"]
    assert found["published"] == {"difference": 24.4, "ci": [19.2, 30.2], "share": None, "source": "D"}


@pytest.mark.parametrize(
    "asked",
    [
        {"analysis": "bridging", "arm": "CR", "group": "bridged"},
        {"analysis": "bridging", "arm": "E", "group": "none missing"},
        {"analysis": "targeting", "arm": "E", "group": "high"},
        {"analysis": "bridging", "arm": "E", "group": "bridged", "contrast": "H2"},
        {"analysis": "bridging", "arm": "E", "group": "bridged", "part": "elsewhere"},
    ],
)
def test_a_cut_that_was_not_measured(asked):
    wanted = {"part": "p", "contrast": "H1", "difference": 24.4, "source": "D"} | asked
    measured = part(row(), exploratory={"bridging": [BRIDGING]})
    (found,) = compare_with_paper({"cuts": [wanted]}, {"p": measured}, [])["cuts"]
    assert (found["measured"], found["same_sign"], found["overlap"]) == (None, None, None)


def test_questions_won_tied_and_lost():
    wanted = {"part": "p", "contrast": "H1", "wins": 0.177, "ties": 0.712, "losses": 0.111, "source": "D"}
    measured = part(row(wins=2, ties=7, losses=1))
    (found,) = compare_with_paper({"outcomes": [wanted]}, {"p": measured}, [])["outcomes"]
    assert found["measured"] == {"wins": 0.2, "ties": 0.7, "losses": 0.1}
    (missing,) = compare_with_paper({"outcomes": [wanted | {"contrast": "H2"}]}, {"p": measured}, [])["outcomes"]
    assert missing["measured"] is None
