"""Records side by side: what changed between runs, and whether a contrast holds on several corpora."""

from dataclasses import replace
from pathlib import Path

import pytest

from ragtrial.errors import RecordError, UsageError
from ragtrial.report.compare import compare_records, replication, same_corpus
from ragtrial.report.explain import explain_tables
from ragtrial.report.views import Views


def row(direction, ci95):
    return {"direction": direction, "ci95": ci95}


HOLDS = [row("A", [0.1, 0.2]), row("A", [0.01, 0.3])]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (HOLDS, "the first arm is higher in all 2 records, and every 95% interval excludes 0: it holds"),
        ([row("B", [-0.2, -0.1])] * 3, "the second arm is higher in all 3 records, and every"),
        ([HOLDS[0], row("A", [-0.1, 0.3])], "in all 2 records, but only 1 of 2 95% intervals exclude 0"),
        ([HOLDS[0], row("A", None)], "but only 1 of 2"),
        ([HOLDS[0], row("B", [-0.3, 0.1])], "the sign is not the same in all 2 records, so it does not hold"),
        ([HOLDS[0], row("B", [-0.3, -0.1])], "it reverses between these corpora"),
        ([row("neither", [-0.1, 0.1])] * 2, "the sign is not the same"),
    ],
)
def test_whether_a_contrast_holds_is_one_plain_sentence(rows, words):
    assert words in replication("boundaries", rows)
    assert ("it holds across" in replication("boundaries", rows)) == (words.endswith("it holds") or len(rows) == 3)


def test_a_run_compared_with_itself_has_not_moved(real):
    (table,), sentences = compare_records([real, real])
    assert sentences == ["No verdict moved."]
    assert len(table.rows) == 2 * len(real.contrasts)
    assert same_corpus([real, real])


def test_what_changed_and_which_verdict_moved_is_told(real, told):
    effective = {**real.header["effective"], "seed": 7}
    assert real.contrasts[0]["verdict"] == "different"
    moved = [real.contrasts[0] | {"verdict": "no difference detected"}, *real.contrasts[1:]]
    other = replace(told(moved, effective=effective), folder=Path("other"))
    other.__dict__["contrasts"] = moved
    (_, changes), sentences = compare_records([real, other])
    assert any("seed" in line and "7" in line for _, line in changes.rows)
    assert len(sentences) == 1
    assert "structure: the verdict moved from" in sentences[0]
    assert "from 'different: path is higher'" in sentences[0]


def test_other_corpora_are_a_replication(real, told):
    inputs = {**real.header["inputs"], "documents_sha256": "other"}
    _, sentences = compare_records([real, told(inputs=inputs)])
    assert [sentence.split(":")[0] for sentence in sentences] == [row["name"] for row in real.contrasts]


def test_records_without_a_common_contrast_are_refused(real, told):
    with pytest.raises(UsageError, match="two records"):
        compare_records([real])
    with pytest.raises(UsageError, match="share no contrast"):
        compare_records([real, told([real.contrasts[0] | {"name": "other"}])])


def test_one_question_is_explained(hostile):
    view = Views(hostile).of("масло")
    evidence, conditions, first = explain_tables(view)
    assert evidence.title == "Когда проверять давление?"
    assert evidence.rows[0][3] == "Проверьте давление масла перед пуском."
    assert len(conditions.rows) == 4 * 2
    found = {row[0]: row[3] for row in conditions.rows}
    assert found["path"] == "E1 found"
    assert any("Проверьте" in row[2] for row in first.rows)


def test_views_agree_with_the_tables(hostile):
    primary = hostile.header["effective"]["primary"]
    values = {
        (row["question"], row["arm"], row["retriever"]): row["value"]
        for row in hostile.scores.to_dicts()
        if row["measure"] == primary
    }
    views = list(Views(hostile))
    assert [view.number for view in views] == [0, 1, 2, 3]
    for view in views:
        for outcome in view.outcomes:
            assert outcome.value == values[view.id, outcome.arm, outcome.retriever]
            assert len(outcome.found) == len(view.pieces)
            assert sum(map(bool, outcome.found)) / len(view.pieces) == outcome.value
        assert view.spread == max(o.value for o in view.outcomes) - min(o.value for o in view.outcomes)


def test_an_unknown_question_is_told_with_the_nearest(hostile):
    with pytest.raises(RecordError, match="no question 'масл'") as caught:
        Views(hostile).of("масл")
    assert "масло" in caught.value.message
