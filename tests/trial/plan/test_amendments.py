"""Amendments: they only add, say when and what had been seen, and cannot be edited or removed unseen."""

import json
import re

import pytest

from ragtrial.errors import RecordError
from ragtrial.trial.amendments import AMENDMENTS_NAME, amend, read_amendments
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.frozen import planned_setup
from ragtrial.trial.plan import Plan, freeze, plan_path
from ragtrial.trial.run import run

LATE = '\n[[contrasts]]\nname = "late"\nof = "path - fixed"\n'


@pytest.fixture
def frozen(small_trial):
    trial = Trial.read(small_trial)
    freeze(planned_setup(trial, load_corpus(trial)), seen="nothing")
    return small_trial


def amend_file(path, reason="a reviewer asked", seen="all results"):
    trial = Trial.read(path)
    return amend(Plan.read(plan_path(trial)), planned_setup(trial, load_corpus(trial)), reason=reason, seen=seen)


def add(path, text):
    path.write_text(path.read_text() + text)


def test_what_an_amendment_adds_is_secondary(frozen, tmp_path):
    add(frozen, LATE)
    with pytest.raises(RecordError, match=re.escape("contrasts.late.a: not in the plan")):
        run(Trial.read(frozen), tmp_path / "record")
    entry = amend_file(frozen)
    record = run(Trial.read(frozen), tmp_path / "record")
    assert {row["name"]: row["tier"] for row in record.contrasts} == {
        "boundaries": "confirmatory",
        "path": "confirmatory",
        "late": "secondary",
    }
    assert record.header["plan"]["amendments"] == [entry["sha256"]]
    assert (entry["number"], entry["reason"], entry["seen"]) == (1, "a reviewer asked", "all results")
    assert entry["created"].endswith("+00:00")


def test_amendments_are_appended_and_chained(frozen, edit, tmp_path):
    add(frozen, LATE)
    first = amend_file(frozen)
    edit(frozen, "[arms]", '[arms]\nshort = "chars(90)"')
    edit(frozen, '"hit@1"]', '"hit@1", "hit@3"]')
    second = amend_file(frozen, seen="the first amendment's result")
    assert second["previous"] == first["sha256"]
    assert set(second["added"]) == {"arms", "measures"}
    assert second["added"]["measures"] == ["hit@3"]
    record = run(Trial.read(frozen), tmp_path / "record")
    assert record.header["plan"]["amendments"] == [first["sha256"], second["sha256"]]


def test_nothing_to_amend(frozen):
    with pytest.raises(RecordError, match="nothing to amend"):
        amend_file(frozen)


def test_changes_are_no_amendment(frozen, edit):
    add(frozen, LATE)
    edit(frozen, "chars(200)", "chars(300)")
    with pytest.raises(RecordError, match=r"only adds .*\n  parameters.arms.fixed.chunker.size: 200"):
        amend_file(frozen)
    edit(frozen, LATE, "")
    with pytest.raises(RecordError, match="only adds"):
        amend_file(frozen)
    assert not frozen.with_name(AMENDMENTS_NAME).exists()


def test_no_confirmatory_contrast_is_added_and_no_family_enlarged(frozen, edit):
    add(frozen, LATE + 'family = "H9"\ntier = "confirmatory"\n')
    with pytest.raises(RecordError, match="cannot add confirmatory contrasts: late"):
        amend_file(frozen)
    edit(frozen, 'family = "H9"\ntier = "confirmatory"', 'family = "H1"')
    with pytest.raises(RecordError, match="cannot enlarge a frozen family"):
        amend_file(frozen)


@pytest.fixture
def amended(frozen, edit):
    add(frozen, LATE)
    amend_file(frozen)
    edit(frozen, "[arms]", '[arms]\nshort = "chars(90)"')
    amend_file(frozen)
    return frozen


def lines_of(path):
    return path.with_name(AMENDMENTS_NAME).read_text().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: [lines[0].replace("all results", "nothing"), lines[1]], ":1: this amendment was changed"),
        (lambda lines: [lines[1]], ":1: the chain is broken"),
        (lambda lines: [lines[1], lines[0]], ":1: the chain is broken"),
        (lambda lines: [lines[0], "not json\n"], ":2: this amendment was changed"),
    ],
)
def test_an_edited_or_removed_amendment_is_caught(amended, tmp_path, change, sentence):
    amended.with_name(AMENDMENTS_NAME).write_text("".join(change(lines_of(amended))))
    with pytest.raises(RecordError, match=sentence):
        run(Trial.read(amended), tmp_path / "record")


def test_the_last_amendment_removed_is_a_difference(amended, tmp_path):
    # A chain cannot tell that its end was cut off; the trial file that goes on using it can.
    amended.with_name(AMENDMENTS_NAME).write_text(lines_of(amended)[0])
    with pytest.raises(RecordError, match=re.escape("parameters.arms.short.chunker.size: not in the plan")):
        run(Trial.read(amended), tmp_path / "record")


def test_an_amendment_forged_with_its_own_hash_breaks_the_next(amended):
    from ragtrial.trial.hashing import sha256

    first, second = (json.loads(line) for line in lines_of(amended))
    first["seen"] = "nothing"
    first["sha256"] = sha256({key: value for key, value in first.items() if key != "sha256"})
    text = "\n".join(json.dumps(entry) for entry in (first, second)) + "\n"
    amended.with_name(AMENDMENTS_NAME).write_text(text)
    with pytest.raises(RecordError, match=":2: the chain is broken"):
        read_amendments(Plan.read(amended.with_name("plan.lock.json")))
