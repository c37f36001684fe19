"""Contrasts of two retrievers, contrasts of averages of arms, how single runs differ, and the mixed model."""

import numpy as np
import pytest

from ragtrial.errors import ConfigError
from ragtrial.report.tables import record_tables
from ragtrial.report.words import higher_arm, side_name, under
from ragtrial.statistics import compare, mixed_model
from ragtrial.trial.gate import non_inferior
from ragtrial.trial.run import build, prepare, run, run_prepared
from ragtrial.trial.scores import Scores
from ragtrial.trial.secondary import mixed_models, runs_of_averages
from ragtrial.trial.sides import sides
from ragtrial.trial.verify import verify_record

RETRIEVERS = {"bm25": "bm25(variant='lucene')", "other": "bm25(variant='lucene', k1=0.1, b=0.1)"}
CROSS = {"name": "retrievers", "of": "sections - sections", "retriever": "bm25", "against": "other"}
AVERAGE = {"name": "average", "of": "both - whole"}


def of(record, name):
    return next(row for row in record.contrasts if row["name"] == name)


@pytest.fixture
def record(trial_of, tmp_path):
    changed = {
        "retrievers": RETRIEVERS,
        "averages": {"both": ["sections", "tiny"]},
        "contrasts": [CROSS, AVERAGE, {"name": "plain", "of": "sections - tiny"}],
    }
    return run(trial_of(**changed), tmp_path / "record")


def scores_of(record):
    from ragtrial.trial.tables import read_scores

    return read_scores(record)


def test_two_retrievers_on_one_arm(record):
    scores, row = scores_of(record), of(record, "retrievers")
    a, b = (scores.of("sections", name, "hit@1") for name in ("bm25", "other"))
    alone = compare(a, b, scores.clusters, resamples=200)
    assert (row["retriever"], row["against"]) == ("bm25", "other")
    assert (row["mean_a"], row["mean_b"], row["difference"]) == (alone.mean_a, alone.mean_b, alone.difference)
    assert row["p_bootstrap"] == alone.p_bootstrap
    assert {point["measure"] for point in row["curve"]} == set()
    assert "against" not in of(record, "plain")


def test_the_grid_has_a_comparison_of_retrievers_under_its_own_alone(record):
    rows = [row for row in record.grid if row["contrast"] == "retrievers"]
    assert {row["retriever"] for row in rows} == {"bm25"}
    assert sum(row["planned"] for row in rows) == 1
    assert {row["retriever"] for row in record.grid if row["contrast"] == "plain"} == {"bm25", "other"}


def test_an_average_is_the_mean_question_by_question(record):
    scores, row = scores_of(record), of(record, "average")
    mean = (scores.of("sections", "bm25", "hit@1") + scores.of("tiny", "bm25", "hit@1")) / 2
    alone = compare(mean, scores.of("whole", "bm25", "hit@1"), scores.clusters, resamples=200)
    assert row["difference"] == pytest.approx(alone.difference)
    assert row["ci95"] == (None if alone.ci95 is None else pytest.approx(list(alone.ci95)))
    (runs,) = record.header["runs"]
    assert (runs["contrast"], runs["average"], list(runs["runs"])) == ("average", "both", ["sections", "tiny"])
    assert np.mean(list(runs["runs"].values())) == pytest.approx(row["difference"])
    assert runs["sd"] == pytest.approx(np.std(list(runs["runs"].values()), ddof=1))
    assert runs["se"] == pytest.approx(row["se"])


def test_such_a_record_verifies_and_is_printed(record):
    assert verify_record(record) == []
    (table,) = [table for table in record_tables(record) if table.title.startswith("Contrasts")]
    text = "\n".join(cell for row in table.rows for cell in row)
    assert "hit@1 under bm25, B under other" in text
    assert "under bm25 and other" in non_inferior(record, "retrievers", 99.0).sentence


def test_no_doubt_that_an_arm_is_like_itself(record):
    assert not any(doubt.startswith("retrievers:") and "same spans" in doubt for doubt in record.header["doubts"])


def test_names_of_sides():
    row = {"a": "E", "b": "E", "retriever": "kx", "against": "hybrid", "direction": "B"}
    assert sides(row) == (("E", "kx"), ("E", "hybrid"))
    assert (side_name(row, "a"), higher_arm(row), under(row)) == ("E under kx", "E under hybrid", "kx, B under hybrid")
    plain = {"a": "E", "b": "S", "retriever": "kx", "direction": "A"}
    assert sides(plain) == (("E", "kx"), ("S", "kx"))
    assert (higher_arm(plain), under(plain)) == ("E", "kx")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"contrasts": [CROSS | {"against": "othr"}]}, "no retriever called 'othr'. Did you mean 'other'?"),
        ({"contrasts": [CROSS | {"against": "bm25"}]}, "compares an arm with itself"),
        ({"contrasts": [{"name": "x", "of": "sections - sections"}]}, "compares an arm with itself"),
        ({"contrasts": [AVERAGE]}, "no arm called 'both'"),
        ({"averages": {"tiny": ["sections", "whole"]}}, "'tiny' is an arm already"),
        ({"averages": {"both": ["sections", "tyny"]}}, "no arm called 'tyny'. Did you mean 'tiny'?"),
        ({"averages": {"both": ["sections"]}}, "at least 2 items"),
        ({"only": {"other": ["tiny"]}, "contrasts": [CROSS]}, "'sections' is not scored under 'other'"),
        (
            {
                "only": {"other": ["tiny"]},
                "averages": {"both": ["sections", "tiny"]},
                "contrasts": [AVERAGE | {"of": "both - tiny", "retriever": "other"}],
            },
            "'sections' is not scored under 'other'",
        ),
    ],
)
def test_faults(trial_of, changed, words):
    with pytest.raises(ConfigError, match="(?s)" + words.replace("?", r"\?")):
        trial_of(**({"retrievers": RETRIEVERS} | changed))


def test_runs_of_averages_on_both_sides():
    draw = np.random.default_rng(1)
    values = {(arm, "r"): draw.random((12, 1)) for arm in "abcd"}
    averages = {"ab": ["a", "b"], "cd": ["c", "d"]}
    scores = Scores([str(n) for n in range(12)], [None] * 12, list("xxxyyyzzzwww"), None, ["m"], values, averages)
    effective = {"averages": averages, "contrasts": {"k": {"a": "ab", "b": "cd", "retriever": "r", "measure": "m"}}}
    first, second = runs_of_averages(effective, scores)
    whole = float(np.mean(scores.of("ab", "r", "m") - scores.of("cd", "r", "m")))
    for row in (first, second):
        assert np.mean(list(row["runs"].values())) == pytest.approx(whole)
        assert row["range"] == [min(row["runs"].values()), max(row["runs"].values())]
    assert (list(first["runs"]), list(second["runs"])) == (["a", "b"], ["c", "d"])


def test_the_mixed_model_stands_in_the_record_where_it_is_asked_for(trial_of, tmp_path):
    pytest.importorskip("statsmodels")
    assert run(trial_of(), tmp_path / "without").header["mixed_models"] == []
    record = run(trial_of(mixed_model=True, primary="recall@64t"), tmp_path / "with")
    rows = record.header["mixed_models"]
    assert [row["contrast"] for row in rows] == [row["name"] for row in record.contrasts]
    assert all("p" in row or "fault" in row for row in rows)
    assert record.header["effective"]["mixed_model"] is True


def test_a_mixed_model_is_that_of_the_statistics():
    pytest.importorskip("statsmodels")
    draw = np.random.default_rng(3)
    values = {(arm, "r"): draw.random((40, 1)) for arm in "ab"}
    clusters = [f"p{n // 4}" for n in range(40)]
    scores = Scores([str(n) for n in range(40)], [None] * 40, clusters, None, ["m"], values)
    contrasts = {"k": {"a": "a", "b": "b", "retriever": "r", "measure": "m"}}
    (row,) = mixed_models({"mixed_model": True, "contrasts": contrasts}, scores)
    alone = mixed_model(values["a", "r"][:, 0], values["b", "r"][:, 0], clusters)
    assert (row["coefficient"], row["p"], row["ci95"]) == (alone.coefficient, alone.p, list(alone.ci95))


def test_prepared_and_built_apart_gives_the_record_of_a_run(trial_of, tmp_path, tables):
    prepared = prepare(trial_of())
    built = build(prepared)
    assert not (tmp_path / "two").exists()
    run_prepared(prepared, tmp_path / "two", built)
    run(trial_of(), tmp_path / "one")
    assert tables(tmp_path / "one") == tables(tmp_path / "two")
