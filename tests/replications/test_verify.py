"""A replication verified as a whole: every part's record, the families over parts, the rows beside the paper."""

import json
import shutil

import pytest

from ragtrial.cli import main
from ragtrial.replications.verify import verify_replication
from ragtrial.report.replication import comparison_markdown
from ragtrial.trial.record import file_sha256

pytestmark = pytest.mark.usefixtures("few_resamples")

PARTS = ["qasper", "freshstack"]


@pytest.fixture
def output(corpus, replicate, played, tmp_path):
    named = [f"--only={part}" for part in PARTS] + ["--only=llm-free", "--only=hybrid"]
    data = [f"--data=qasper={corpus}", f"--data=freshstack={corpus}"]
    code, _, err = replicate("llm-call-per-chunk", *named, *data, *played, "--output", tmp_path / "out")
    assert code == 0, err
    return tmp_path / "out"


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["verify", *map(str, arguments)])
        return (int(stop.value.code or 0), *capsys.readouterr())

    return run


def edit(path, change):
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def faults_after(output, change):
    """Edit the comparison in a copy and return the faults; the comparison in Markdown follows the edit."""
    shutil.rmtree(output.parent / "copy", ignore_errors=True)
    copy = shutil.copytree(output, output.parent / "copy")
    edit(copy / "comparison.json", change)
    return verify_replication(copy)


def first(comparison, key, wanted):
    return next(number for number, row in enumerate(comparison[key]) if wanted(row))


def test_a_replication_holds_and_every_edit_of_its_comparison_is_named(output, call):
    code, out, err = call(output)
    assert code == 0, err
    assert out.startswith(f"{output} holds: qasper, freshstack; ")
    comparison = json.loads((output / "comparison.json").read_text(encoding="utf-8"))
    assert comparison["parts"] == PARTS
    family = first(comparison, "families", lambda row: row["verdict"] != "not measured")
    lost = first(comparison, "families", lambda row: row["verdict"] == "not measured")
    mean = first(comparison, "means", lambda row: row["measured"])
    contrast = first(comparison, "contrasts", lambda row: row["measured"])
    adjusted = comparison["families"][family]["p_sign_flip_holm"]
    for wanted, change in (
        (
            f"families[{family}].p_sign_flip_holm is 0.001 in the record, and {adjusted!r} when it is made again",
            lambda value: value["families"][family].update(p_sign_flip_holm=0.001),
        ),
        (f"families[{lost}].verdict is 'equivalent'", lambda v: v["families"][lost].update(verdict="equivalent")),
        (
            f"contrasts[{contrast}].measured.difference is 77.0",
            lambda v: v["contrasts"][contrast]["measured"].update(difference=77.0),
        ),
        (f"contrasts[{contrast}].swapped", lambda v: v["contrasts"][contrast].update(swapped=["indexer"])),
        (f"means[{mean}].published.mean is 77.0", lambda v: v["means"][mean]["published"].update(mean=77.0)),
        ("counts[0].published.count is 1 ", lambda v: v["counts"][0]["published"].update(count=1)),
        ("source is 'Nobody'", lambda v: v.update(source="Nobody")),
    ):
        (fault,) = faults_after(output, change)
        assert fault.startswith(f"comparison.json: {wanted}"), fault
    (fault,) = faults_after(output, lambda value: value.update(preset_sha256="0" * 64))
    assert "another version of the preset" in fault
    faults = faults_after(output, lambda value: value["roles"].update(indexer={"model": "mine", "swapped": False}))
    assert any("roles.indexer is 'mine' and said to be the paper's own, which is 'qwen2.5:7b'" in f for f in faults)


def test_the_part_that_is_edited_or_gone_is_named(output, call):
    path = output / "freshstack" / "record" / "contrasts.json"
    edit(path, lambda rows: rows[0].update(p_sign_flip=0.0001))
    edit(
        output / "freshstack" / "record" / "record.json",
        lambda header: header["files"].update({"contrasts.json": file_sha256(path)}),
    )
    name = json.loads(path.read_text())[0]["name"]
    code, out, err = call(output)
    assert (code, out) == (3, "")
    assert f"freshstack: contrasts.json: [{name}].p_sign_flip is 0.0001 in the record" in err
    shutil.rmtree(output / "freshstack")
    code, _, err = call(output)
    assert code == 3
    assert "freshstack: There is no record.json" in err


def test_the_comparison_in_words_is_made_again(output, call):
    path = output / "comparison.md"
    text = path.read_text(encoding="utf-8")
    assert "One that was not measured counts as p = 1" in text
    assert comparison_markdown(json.loads((output / "comparison.json").read_text())) == text
    path.write_text(text.replace("counts as p = 1", "counts as p = 0"), encoding="utf-8")
    code, _, err = call(output)
    assert code == 3
    assert "does not hold in one place" in err
    assert "comparison.md: line " in err
    assert "counts as p = 0" in err


def test_members_that_were_not_measured_are_named(output):
    text = (output / "comparison.md").read_text(encoding="utf-8")
    comparison = json.loads((output / "comparison.json").read_text(encoding="utf-8"))
    for family in {row["family"] for row in comparison["families"]}:
        rows = [row for row in comparison["families"] if row["family"] == family]
        lost = [row for row in rows if row["verdict"] == "not measured"]
        told = f"Of the {len(rows)} members of {family}, {len(lost)} were not measured: " in text
        assert told == (0 < len(lost) < len(rows))


def test_a_plan_is_one_of_a_part(output, call):
    code, _, err = call(output, "--plan", "plan.lock.json")
    assert code == 2
    assert "each of its parts has a plan of its own" in err


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1}', '{"version": "1"}', "[" * 100_000, "\ufeff{}"])
def test_a_damaged_comparison_is_told(output, call, text):
    (output / "comparison.json").write_text(text, encoding="utf-8")
    code, _, err = call(output)
    assert code == 3
    assert "comparison" in err


def test_a_newer_comparison_is_refused(output, call):
    edit(output / "comparison.json", lambda value: value.update(version=99))
    code, _, err = call(output)
    assert code == 3
    assert "Upgrade ragtrial" in err
