"""What the given keys mean is what the record was made with; nothing that a record names is run to find out."""

import pytest

from ragtrial.trial.record import Record
from ragtrial.trial.remade.given import given_faults
from ragtrial.trial.run import run
from ragtrial.trial.verify import verify_record

KEYS = {
    "averages": {"both": ["sections", "tiny"]},
    "ladders": [{"name": "deeper", "arms": ["tiny", "sections"], "doses": [1, 3]}],
    "families": {"F": {"demands": "sign-flip"}},
    "contrasts": [
        {"name": "one", "of": "sections - tiny", "family": "F"},
        {"name": "two", "of": "both - whole", "test": "equivalence", "margin": 1, "measure": "recall@64t"},
    ],
    "seed": 7,
}


@pytest.fixture
def record(trial_of, tmp_path):
    return run(trial_of(**KEYS), tmp_path / "record")


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (
            ("contrasts", 0, "of"),
            "tiny - sections",
            "effective.contrasts.one.a is 'sections' in the record, and 'tiny'",
        ),
        (("contrasts", 0, "test"), "non-inferiority", "effective.contrasts.one.test is 'difference'"),
        (("contrasts", 1, "margin"), 2, "effective.contrasts.two.margin is 1.0 in the record, and 2.0 when"),
        (("contrasts", 1, "measure"), "recall@512t", "effective.contrasts.two.measure is 'recall@64t'"),
        (("contrasts", 1, "name"), "three", "effective.contrasts.three is None"),
        (("ladders", 0, "doses"), [1, 2], "effective.ladders.deeper.doses[1] is 3.0"),
        (
            ("averages", "both"),
            ["sections", "whole"],
            "effective.averages.both[1] is 'tiny' in the record, and 'whole'",
        ),
        (("families", "F", "demands"), None, "effective.families.F.demands is 'sign-flip' in the record, and None"),
        (("primary",), "mrr@10", "effective.primary is 'hit@1' in the record, and 'mrr@10'"),
        (("measures", 0), "hit@5", "effective.measures"),
        (("mixed_model",), True, "effective.mixed_model is None in the record, and True"),
        (("seed",), 8, "effective.seed is 7 in the record, and 8"),
        (("resamples",), 300, "effective.resamples is 200 in the record, and 300"),
        (("pool",), "document", "effective.pool is 'corpus' in the record, and 'document'"),
        (("arms", "new"), "headers", "effective.arms"),
        (("retrievers",), {"other": "bm25"}, "effective.retrievers[0] is 'bm25' in the record, and 'other'"),
        (("resamples",), "many", "given is no trial: resamples: "),
        (("contrasts", 0, "of"), "sections", "given is no trial"),
    ],
)
def test_an_edit_of_a_given_key_is_named(record, rewrite, place, value, told):
    assert verify_record(record) == []

    def change(header):
        table = header["given"]
        for step in place[:-1]:
            table = table[step]
        table[place[-1]] = value

    rewrite(record.folder, "record.json", change)
    faults = verify_record(Record.open(record.folder))
    assert any(fault.startswith(f"record.json: {told}") for fault in faults), faults


def test_no_code_that_a_record_names_is_run(record, rewrite, tmp_path, monkeypatch):
    (tmp_path / "trap.py").write_text("raise SystemExit('run')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    rewrite(record.folder, "record.json", lambda header: header["given"]["arms"].update(tiny="external('trap:cut')"))
    assert list(given_faults(Record.open(record.folder))) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(given={}),
        lambda header: header["effective"].update(contrasts=1),
        lambda header: header.update(effective={}),
        lambda header: header.update(answers=1),
        lambda header: header.update(inputs={}),
        lambda header: header.update(plan={}),
        lambda header: header["arms"][0].update(joiner=1),
    ],
)
def test_headers_of_other_shapes_are_told(record, rewrite, change):
    rewrite(record.folder, "record.json", change)
    assert verify_record(Record.open(record.folder)) != []
