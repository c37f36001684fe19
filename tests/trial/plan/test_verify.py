"""Verification by an outsider: an honest record holds, and every edit of it is named."""

import shutil

import polars as pl
import pytest

from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.frozen import planned_setup
from ragtrial.trial.plan import Plan, freeze, plan_path
from ragtrial.trial.record import Record
from ragtrial.trial.run import run
from ragtrial.trial.verify import verify_record


@pytest.fixture
def frozen(small_trial):
    trial = Trial.read(small_trial)
    freeze(planned_setup(trial, load_corpus(trial)), seen="nothing")
    return small_trial


@pytest.fixture
def record(frozen, tmp_path):
    return run(Trial.read(frozen), tmp_path / "record")


def test_an_honest_record_holds(record, frozen):
    assert verify_record(record) == []
    assert verify_record(record, Plan.read(plan_path(Trial.read(frozen)))) == []


def test_a_record_that_moved_still_holds(record, tmp_path):
    shutil.move(record.folder, tmp_path / "elsewhere")
    assert verify_record(Record.open(tmp_path / "elsewhere")) == []


def test_a_record_without_a_plan_holds_and_is_not_one_with(small_trial, tmp_path):
    record = run(Trial.read(small_trial), tmp_path / "free")
    assert verify_record(record) == []
    trial = Trial.read(small_trial)
    plan = freeze(planned_setup(trial, load_corpus(trial)), seen="everything")
    assert verify_record(record, plan) == ["the record was made without a plan"]


def test_an_edited_verdict_is_caught_even_with_a_new_hash(record, rewrite):
    rewrite(record.folder, "contrasts.json", lambda rows: rows[1].update(verdict="equivalent!"), hide=True)
    faults = verify_record(Record.open(record.folder))
    assert len(faults) == 1
    assert "contrasts.json: [path].verdict is 'equivalent!' in the record" in faults[0]


def test_an_edited_interval_or_mean_is_caught(record, rewrite):
    rewrite(record.folder, "contrasts.json", lambda rows: rows[0]["ci95"].__setitem__(0, 0.5), hide=True)
    rewrite(record.folder, "record.json", lambda header: header["conditions"][0].update(mean=0.999))
    faults = verify_record(Record.open(record.folder))
    assert any(fault.startswith("contrasts.json: [boundaries].ci95[0] is 0.5") for fault in faults)
    assert any(fault.startswith("record.json: conditions[0].mean is 0.999") for fault in faults)


def test_edited_scores_are_caught(record):
    path = record.folder / "scores.parquet"
    pl.read_parquet(path).with_columns(value=1.0 - pl.col("value")).write_parquet(path)
    faults = verify_record(Record.open(record.folder))
    assert "scores.parquet was changed after the record was made: its sha256 does not fit" in faults
    assert len(faults) > 5


def test_a_removed_contrast_is_missed(record, rewrite):
    def drop(header):
        del header["effective"]["contrasts"]["boundaries"]

    rewrite(record.folder, "contrasts.json", lambda rows: rows.pop(0), hide=True)
    rewrite(record.folder, "record.json", drop)
    faults = verify_record(Record.open(record.folder))
    assert "the planned contrast 'boundaries' was not run" in faults
    assert any("parameters.contrasts.boundaries.a: in the plan, now missing" in fault for fault in faults)


def test_a_tier_without_a_plan_is_caught(record, rewrite):
    rewrite(record.folder, "record.json", lambda header: header.update(plan=None))
    faults = verify_record(Record.open(record.folder))
    assert "contrast 'path' claims a tier, but the record was made without a plan" in faults


def test_another_plan_is_caught(record, frozen, edit, tmp_path):
    other = tmp_path / "other" / "trial.toml"
    shutil.copytree(frozen.parent, other.parent, ignore=shutil.ignore_patterns("plan*"))
    edit(other, "margin = 5", "margin = 9")
    trial = Trial.read(other)
    plan = freeze(planned_setup(trial, load_corpus(trial)), seen="nothing")
    assert verify_record(record, plan) == [f"the record was made under another plan than {plan.path}"]
    shutil.copyfile(plan.path, record.folder / "plan.lock.json")
    faults = verify_record(record)
    assert any("parameters.contrasts.path.margin: 9.0 in the plan, now 5.0" in fault for fault in faults)


def test_a_missing_file_is_named(record):
    (record.folder / "rankings.parquet").unlink()
    assert "rankings.parquet is missing" in verify_record(record)
