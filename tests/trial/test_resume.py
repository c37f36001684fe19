"""A run that was stopped, at whatever moment, ends with the same bytes as one that was not."""

import pytest

from ragtrial.errors import RecordError
from ragtrial.trial.exploratory.write import FILES
from ragtrial.trial.run import run

TABLES = {"record.json", "scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", *FILES}


@pytest.fixture
def whole(trial_of, tables, tmp_path):
    """Return the files of the handbook's trial after an uninterrupted run."""
    run(trial_of(), tmp_path / "whole")
    files = tables(tmp_path / "whole")
    assert files.keys() == TABLES
    return files


@pytest.fixture
def unfinished(dying_at):
    """Return a function that runs a trial until everything is scored, and no further."""

    def stop(trial, folder):
        with dying_at("scores.parquet") as done:
            run(trial, folder)
        assert done[-1] == "killed"
        assert len(list((folder / "parts").glob("*.scores.parquet"))) == len(trial.arms) * len(trial.retrievers)
        assert not (folder / "record.json").exists()

    return stop


def test_dying_before_any_change_to_the_disk_and_running_again(whole, trial_of, tables, dying_at, tmp_path):
    with dying_at("no such file") as done:
        run(trial_of(), tmp_path / "counted")
    assert "killed" not in done
    assert len(done) > 20
    for moment, change in enumerate(done):
        folder = tmp_path / f"killed at {moment}"
        with dying_at(moment) as made:
            run(trial_of(), folder)
        assert made[-1] == "killed"
        run(trial_of(), folder)
        assert tables(folder) == whole, f"killed before change {moment} of {len(done)}, {change}"


def test_dying_again_and_again(whole, trial_of, tables, dying_at, tmp_path):
    folder = tmp_path / "record"
    for _ in range(3):
        with dying_at(9) as made:
            run(trial_of(), folder)
        assert made[-1] == "killed"
    run(trial_of(), folder)
    assert tables(folder) == whole


def test_what_is_scored_is_not_scored_again(whole, trial_of, tables, unfinished, stages, tmp_path):
    folder = tmp_path / "record"
    unfinished(trial_of(), folder)
    run(trial_of(), folder, progress=stages)
    assert dict(stages.heard)["Scoring"] == 0
    assert tables(folder) == whole


def test_a_finished_record_is_returned_without_work(whole, trial_of, stages, tmp_path):
    folder = tmp_path / "whole"
    times = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    record = run(trial_of(), folder, progress=stages)
    assert record.folder == folder
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == times
    assert not {"Chunking", "Scoring"} & dict(stages.heard).keys()


ANOTHER = {
    "arm": {"arms": {"sections": "headers(min=50)", "tiny": "chars(6)", "whole": "chars(10000)"}},
    "name of an arm": {
        "arms": {"parts": "headers(min=0)", "tiny": "chars(6)", "whole": "chars(10000)"},
        "contrasts": [{"name": "sections or crumbs", "of": "parts - tiny"}],
    },
    "variant of the retriever": {"retrievers": {"bm25": "bm25(variant='atire')"}},
    "number of the retriever": {"retrievers": {"bm25": "bm25(variant='lucene', k1=1.3)"}},
    "pool": {"pool": "group"},
    "words": {"words": "study"},
    "measures": {"measures": ["hit@1", "mrr@10"]},
    "kept ranks": {"keep": 2},
    "reading": {"dialect": "study"},
    "documents": {"exclude": ["hill/tools.txt"]},
}
"""Changes on which the scores or rankings of a condition may depend."""


@pytest.mark.parametrize("change", ANOTHER.values(), ids=ANOTHER)
def test_another_trial_takes_nothing_from_an_unfinished_one(change, trial_of, tables, unfinished, tmp_path):
    other = trial_of(questions="single.jsonl", **change)
    run(other, tmp_path / "alone")
    unfinished(trial_of(questions="single.jsonl"), tmp_path / "after")
    run(other, tmp_path / "after")
    assert tables(tmp_path / "after") == tables(tmp_path / "alone")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("docs/harbour/stock.md", "Red red red", "Red"),
        ("questions.jsonl", "red lantern harbour", "blue lantern pier"),
        ("questions.jsonl", "The red lantern marks", "red lantern marks"),
        ("questions.jsonl", '"night shift"', '"hill/охрана.md"'),
    ],
    ids=["a document", "a question", "its evidence", "its cluster"],
)
def test_a_changed_input_takes_nothing_from_an_unfinished_run(
    file, old, new, handbook, trial_of, tables, unfinished, tmp_path
):
    unfinished(trial_of(), tmp_path / "after")
    path = handbook / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
    run(trial_of(), tmp_path / "alone")
    run(trial_of(), tmp_path / "after")
    assert tables(tmp_path / "after") == tables(tmp_path / "alone")


REFUSED = ANOTHER | {
    "seed": {"seed": 1},
    "resamples": {"resamples": 201},
    "interval": {"interval": "percentile"},
    "contrasts": {"contrasts": [{"name": "sections or crumbs", "of": "tiny - sections"}]},
    "margin": {"contrasts": [{"name": "w", "of": "whole - sections", "test": "equivalence", "margin": 2}]},
    "primary": {"primary": "mrr@10"},
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_the_folder_of_another_trial_is_refused_and_left_as_it_is(change, trial_of, tables, tmp_path):
    folder = tmp_path / "record"
    run(trial_of(questions="single.jsonl"), folder)
    before = tables(folder)
    with pytest.raises(RecordError, match="holds the record of another trial") as caught:
        run(trial_of(questions="single.jsonl", **change), folder)
    assert caught.value.exit_code == 3
    assert str(folder) in caught.value.message
    assert "--output" in caught.value.hint
    assert tables(folder) == before


def damage(path, how):
    data = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes({"truncated": data[: len(data) // 2], "empty": b"", "text": b"not a table\n"}[how])


@pytest.mark.parametrize("kind", ["scores", "rankings"])
@pytest.mark.parametrize("how", ["truncated", "empty", "text", "gone"])
def test_a_damaged_part_is_made_again(how, kind, whole, trial_of, tables, unfinished, tmp_path):
    folder = tmp_path / "record"
    unfinished(trial_of(), folder)
    for path in (folder / "parts").glob(f"*.{kind}.parquet"):
        damage(path, how)
    run(trial_of(), folder)
    assert tables(folder) == whole


@pytest.mark.parametrize("kind", ["scores", "rankings"])
def test_a_part_that_lost_a_row_is_made_again(kind, whole, trial_of, tables, unfinished, tmp_path):
    import polars as pl

    folder = tmp_path / "record"
    unfinished(trial_of(), folder)
    for path in (folder / "parts").glob(f"*.{kind}.parquet"):
        pl.read_parquet(path)[:-1].write_parquet(path)
    run(trial_of(), folder)
    assert tables(folder) == whole


def test_a_part_of_a_part_is_no_part(whole, trial_of, tables, unfinished, tmp_path):
    """A file that was being written when the process died has another name."""
    folder = tmp_path / "record"
    unfinished(trial_of(), folder)
    for path in list((folder / "parts").iterdir()):
        half = path.read_bytes()[:100]
        path.unlink()
        path.with_name(f"{path.name}.part").write_bytes(half)
    for name in TABLES:
        (folder / f"{name}.part").write_bytes(b"{")
    run(trial_of(), folder)
    assert tables(folder) == whole
