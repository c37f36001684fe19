"""Freezing: what is fixed before any outcome is held against every run after it."""

import json
import re
import subprocess

import pytest

from ragtrial.errors import RecordError, UsageError
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.frozen import hold_against_plan, planned_setup
from ragtrial.trial.plan import Plan, differences, freeze, plan_path
from ragtrial.trial.run import run
from ragtrial.trial.verify import verify_record


def freeze_file(path, seen="nothing"):
    trial = Trial.read(path)
    return freeze(planned_setup(trial, load_corpus(trial)), seen=seen)


@pytest.fixture
def frozen(small_trial):
    freeze_file(small_trial)
    return small_trial


def test_without_a_plan_every_row_is_exploratory(small_trial, tmp_path):
    record = run(Trial.read(small_trial), tmp_path / "record")
    assert record.header["plan"] is None
    assert {row["tier"] for row in record.contrasts} == {"exploratory"}
    # Unadjusted: a family adjusts only what was planned.
    assert {row["p_sign_flip_holm"] for row in record.contrasts} == {None}


def test_under_a_plan_rows_have_their_tier(frozen, tmp_path):
    record = run(Trial.read(frozen), tmp_path / "record")
    plan = Plan.read(plan_path(Trial.read(frozen)))
    assert record.header["plan"] == {"sha256": plan.sha256, "created": plan.content["created"], "amendments": []}
    assert {row["tier"] for row in record.contrasts} == {"confirmatory"}
    assert all(row["p_sign_flip_holm"] == row["p_sign_flip"] for row in record.contrasts)
    assert (tmp_path / "record" / "plan.lock.json").read_bytes() == plan.path.read_bytes()


def test_the_plan_names_every_input(frozen):
    content = json.loads(frozen.with_name("plan.lock.json").read_text())
    assert set(content["state"]["documents"]) == {f"p{page:02}.md" for page in range(25)}
    assert len(content["state"]["questions"]) == 50
    assert content["given"]["arms"]["fixed"] == "chars(200)"
    assert content["state"]["parameters"]["arms"]["fixed"]["chunker"] == {
        "component": "chars",
        "size": 200,
        "overlap": 0,
    }
    assert content["libraries"].keys() >= {"numpy", "tiktoken"}
    assert content["seen"] == "nothing"


def test_a_plan_is_never_overwritten(frozen):
    before = frozen.with_name("plan.lock.json").read_bytes()
    with pytest.raises(RecordError, match="never overwritten"):
        freeze_file(frozen)
    assert frozen.with_name("plan.lock.json").read_bytes() == before


TAMPERED = [
    ("docs/p03.md", "Page 3", "Page 4", "documents.p03.md: its content has changed"),
    ("questions.jsonl", "What does setting 30 ", "What did setting 30 ", "its content has changed"),
    ("trial.toml", "chars(200)", "chars(201)", "parameters.arms.fixed.chunker.size: 200 in the plan, now 201"),
    ("trial.toml", 'bm25 = "bm25"', 'bm25 = "bm25(k1=1.2)"', "parameters.retrievers.bm25.k1: 1.5 in the plan, now 1.2"),
    ("trial.toml", "margin = 5", "margin = 6", "parameters.contrasts.path.margin: 5.0 in the plan, now 6.0"),
    ("trial.toml", 'family = "H2"', 'family = "H1"', 'parameters.contrasts.path.family: "H2" in the plan, now "H1"'),
    ("trial.toml", "recall@64t", "recall@65t", 'parameters.primary: "recall@64t" in the plan, now "recall@65t"'),
    ("trial.toml", "[arms]", "[arms]\nnew = 'chars(9)'", "parameters.arms.new.chunker.size: not in the plan"),
    ("trial.toml", 'title     = "Small"', "seed = 1", "parameters.seed: 0 in the plan, now 1"),
]


@pytest.mark.parametrize(("file", "old", "new", "sentence"), TAMPERED, ids=[row[3][:30] for row in TAMPERED])
def test_one_change_after_the_freeze_is_named_and_nothing_is_built(frozen, edit, tmp_path, file, old, new, sentence):
    edit(frozen.parent / file, old, new)
    with pytest.raises(RecordError) as caught:
        run(Trial.read(frozen), tmp_path / "record")
    assert sentence in caught.value.message
    assert caught.value.exit_code == 3
    assert not (tmp_path / "record").exists()


def test_a_new_or_a_missing_document_is_named(frozen, tmp_path):
    (frozen.parent / "docs" / "new.md").write_text("# New\n")
    (frozen.parent / "docs" / "p07.md").unlink()
    with pytest.raises(RecordError, match=r"documents.new.md: not in the plan") as caught:
        run(Trial.read(frozen), tmp_path / "record")
    assert "documents.p07.md: in the plan, now missing" in caught.value.message


def test_the_title_and_the_order_of_keys_are_free(frozen, edit, tmp_path):
    edit(frozen, 'title     = "Small"\n', "")
    edit(frozen, '[retrievers]\nbm25 = "bm25"\n', "")
    edit(frozen, "[arms]", '[retrievers]\nbm25 = "bm25()"\n\n[arms]')
    assert run(Trial.read(frozen), tmp_path / "record").header["plan"] is not None


def test_a_changed_plan_is_refused(frozen, edit, tmp_path):
    edit(frozen.with_name("plan.lock.json"), '"size": 200', '"size": 201')
    edit(frozen, "chars(200)", "chars(201)")
    with pytest.raises(RecordError, match="changed after it was frozen"):
        run(Trial.read(frozen), tmp_path / "record")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "cannot be read"),
        ("[]", "no plan of ragtrial"),
        ('{"version": 99, "state": {}, "sha256": ""}', "version 99"),
    ],
)
def test_what_is_no_plan_is_refused(small_trial, text, sentence):
    path = small_trial.with_name("plan.lock.json")
    path.write_text(text)
    with pytest.raises(RecordError, match=sentence):
        Plan.read(path)


def test_a_folder_holds_one_frozen_trial(frozen):
    other = frozen.with_name("other.toml")
    other.write_bytes(frozen.read_bytes())
    trial = Trial.read(other)
    with pytest.raises(RecordError, match=re.escape("freezes trial.toml, not other.toml")):
        hold_against_plan(trial, load_corpus(trial))


def test_only_a_file_can_be_frozen(small_trial):
    import tomllib

    trial = Trial.of(tomllib.loads(small_trial.read_text()), folder=small_trial.parent)
    with pytest.raises(UsageError, match="Only a trial that is a file"):
        plan_path(trial)


def test_the_commit_is_in_the_plan(small_trial):
    folder = small_trial.parent
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert freeze_file(small_trial).content["git"] == {"commit": head, "changed": False}


def test_differences_are_sorted_paths_with_both_values():
    planned = {"a": {"b": 1, "c": [1, 2]}, "d": "0" * 64, "e": {}}
    found = {"a": {"b": 2, "c": [1, 2], "f": None}, "d": "1" * 64, "e": {}}
    assert differences(planned, found) == [
        "a.b: 1 in the plan, now 2",
        "a.f: not in the plan",
        "d: its content has changed",
    ]
    assert differences(planned, planned) == []


def test_inside_steps_of_the_same_kind_the_one_place_is_named():
    step = {"component": "enriched", "seed": 0, "prompt": {"version": 1, "sha256": "0" * 64}}
    other = step | {"prompt": {"version": 1, "sha256": "1" * 64}}
    assert differences({"steps": [{"a": 1}, step]}, {"steps": [{"a": 1}, other]}) == [
        "steps.1.prompt.sha256: its content has changed"
    ]
    # Steps of another kind, or another number of them, are shown whole.
    for changed in ([{"b": 1}], [{"a": 1}, {"a": 2}], []):
        (line,) = differences({"steps": [{"a": 1}]}, {"steps": changed})
        assert line.startswith('steps: [{"a": 1}] in the plan, now [')
    assert differences({"measures": ["x", "y"]}, {"measures": ["x", "z"]}) == [
        'measures: ["x", "y"] in the plan, now ["x", "z"]'
    ]


def test_harvested_questions_stay_exploratory_under_a_plan(small_trial, tmp_path):
    questions = small_trial.with_name("questions.jsonl")
    rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    rows[0]["origin"] = "links"
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    freeze_file(small_trial)
    record = run(Trial.read(small_trial), tmp_path / "record")
    assert {row["tier"] for row in record.contrasts} == {"exploratory"}
    assert record.header["plan"] is not None
    assert "1 of 50 questions: The questions were harvested" in "\n".join(record.header["doubts"])
    assert verify_record(record) == []
