"""check, freeze, run, amend, verify and gate, in the order in which a user meets them."""

import json
import subprocess

import pytest

LATE = '\n[[contrasts]]\nname = "late"\nof = "fixed - path"\n'


@pytest.fixture
def trial(pump, monkeypatch):
    monkeypatch.chdir(pump)
    return pump / "trial.toml"


def test_check_says_what_the_trial_could_show_and_shows_no_outcome(trial, call):
    done = call("check", trial)
    assert done.code == 0
    first = f"{trial}: no fault. 4 questions in 4 clusters on 4 documents; 0 questions excluded, 0 files skipped."
    assert done.out.splitlines()[0] == first
    assert "structure: with a paired sd of 0.38" in done.out
    assert "Doubt: There are only 4 clusters; under 20 the intervals are too narrow." in done.out
    assert sorted(path.name for path in trial.parent.iterdir()) == ["docs", "questions.jsonl", "trial.toml"]


def test_check_takes_the_spread_from_a_pilot(trial, call):
    assert call("run", trial, "--output", "pilot").code == 0
    done = call("check", trial, "--pilot", "pilot")
    assert done.code == 0
    assert "measured in the pilot" in done.out or "typical" in done.out
    missing = call("check", trial, "--pilot", "nowhere")
    assert missing.code == 3
    assert "There is no record.json in nowhere" in missing.err


def test_check_lists_every_fault_with_its_line(trial, call):
    trial.write_text(trial.read_text().replace("chars(20)", "chras(20)").replace("path - fixed", "path - fixd"))
    done = call("check", trial)
    assert done.code == 2
    assert f"{trial} has 2 faults:" in done.err
    assert f"{trial}:7: arms.fixed: There is no chunker called 'chras'. Did you mean 'chars'?" in done.err
    assert f"{trial}:15: there is no arm called 'fixd'. Did you mean 'fixed'?" in done.err


def test_the_life_of_a_plan(trial, call):
    frozen = call("freeze", trial, "--seen", "a pilot")
    assert frozen.code == 0
    plan = json.loads(trial.with_name("plan.lock.json").read_text())
    assert frozen.out.splitlines() == [str(trial.with_name("plan.lock.json")), f"sha256 {plan['sha256']}"]
    assert plan["seen"] == "a pilot"
    again = call("freeze", trial)
    assert (again.code, "never overwritten" in again.err) == (3, True)

    ran = call("run", trial, "--output", "record")
    assert ran.code == 0
    assert "Plan frozen on " in ran.out
    assert "secondary" in ran.out

    trial.write_text(trial.read_text() + LATE)
    refused = call("run", trial, "--output", "later")
    assert refused.code == 3
    assert "contrasts.late.a: not in the plan" in refused.err
    amended = call("amend", trial, "--reason", "a question", "--seen", "the first result")
    assert amended.code == 0
    assert amended.out.startswith("Amendment 1 adds contrasts: late.\nsha256 ")
    assert call("run", trial, "--output", "later").code == 0

    for record, amendments in (("record", 0), ("later", 1)):
        done = call("verify", record, "--plan", trial.with_name("plan.lock.json"))
        assert done.code == 0, done.err
        assert f"under the plan {plan['sha256']} of {plan['created']} and {amendments} amendments" in done.out


def test_verify_exits_with_3_and_names_each_fault(trial, call):
    assert call("run", trial, "--output", "record").code == 0
    path = trial.parent / "record" / "contrasts.json"
    rows = json.loads(path.read_text())
    rows[0]["verdict"] = "equivalent"
    path.write_text(json.dumps(rows))
    done = call("verify", "record")
    assert done.code == 3
    assert "record does not hold in 2 places:" in done.err
    assert "contrasts.json: [structure].verdict is 'equivalent' in the record" in done.err


def test_verify_makes_the_report_again(trial, call):
    assert call("run", trial, "--output", "record").code == 0
    path = trial.parent / "record" / "report.md"
    text = path.read_text(encoding="utf-8")
    number = next(number for number, line in enumerate(text.split("\n"), start=1) if "structure" in line)
    lines = text.split("\n")
    lines[number - 1] = lines[number - 1].replace("structure", "Structure")
    path.write_text("\n".join(lines), encoding="utf-8")
    done = call("verify", "record")
    assert done.code == 3
    assert "record does not hold in one place:" in done.err
    assert f"report.md: line {number} is {lines[number - 1]!r}, and " in done.err
    path.unlink()
    assert call("verify", "record").code == 0


def test_gate_is_an_exit_code_and_a_sentence(trial, call):
    assert call("run", trial, "--output", "record").code == 0
    done = call("gate", "record", "--contrast", "structure", "--non-inferior", "99")
    assert done.code in (0, 1)
    assert done.out.startswith("PASSED: path against fixed" if done.code == 0 else "NOT PASSED: path against fixed")
    assert done.out.count("\n") == 1
    unknown = call("gate", "record", "--contrast", "structur", "--non-inferior", "2")
    assert unknown.code == 2
    assert "Did you mean 'structure'?" in unknown.err


def test_amend_needs_a_plan(trial, call):
    done = call("amend", trial, "--reason", "x", "--seen", "y")
    assert done.code == 3
    assert f"Freeze one with: ragtrial freeze {trial}" in done.err


def test_a_git_tag_carries_the_hash(trial, call, monkeypatch):
    for name, value in {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org"}.items():
        monkeypatch.setenv(name, value)
        monkeypatch.setenv(name.replace("AUTHOR", "COMMITTER"), value)
    git = ["git", "-C", str(trial.parent)]
    assert call("freeze", trial).code == 0
    plan = trial.with_name("plan.lock.json")
    plan.unlink()
    no_repository = call("freeze", trial, "--git-tag", "plan-1")
    assert no_repository.code == 2
    assert "The plan is frozen, but git made no tag" in no_repository.err
    plan.unlink()
    for arguments in (["init", "-q"], ["add", "trial.toml"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True)
    done = call("freeze", trial, "--git-tag", "plan-1")
    assert done.code == 0
    assert done.out.endswith("tag plan-1\n")
    message = subprocess.run([*git, "tag", "-n1", "plan-1"], check=True, capture_output=True, text=True).stdout
    assert json.loads(plan.read_text())["sha256"] in message


def test_every_command_is_in_the_readme():
    from pathlib import Path

    from ragtrial.cli.main import COMMANDS

    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`ragtrial {name}" in readme
