"""The published pilot study, question by question (`oracles/pilot-per-question.json` and `pilot-statistics.json`)."""

import json

import numpy as np
import polars as pl
import pytest

from ragtrial.trial.config import BUDGETS, Trial
from ragtrial.trial.run import run

EXACT = 1e-12


@pytest.fixture(scope="module")
def published(shared):
    return json.loads(shared("oracles/pilot-per-question.json").read_text(encoding="utf-8"))["values"]


@pytest.fixture(scope="module")
def statistics(shared):
    rows = json.loads(shared("oracles/pilot-statistics.json").read_text(encoding="utf-8"))
    return next(row for row in rows if (row["a"], row["b"]) == ("bm25 | headers", "bm25 | chars(512)"))


def by_paper(record, arm, measure="recall@512t"):
    chosen = record.scores.filter((pl.col("arm") == arm) & (pl.col("measure") == measure))
    found = {}
    for paper, value in chosen.select("document", "value").iter_rows():
        found.setdefault(paper, []).append(value)
    return found


@pytest.mark.parametrize(
    ("arm", "oracle"),
    [("fixed", "bm25 | chars(512)"), ("headers", "bm25 | headers"), ("study", "bm25 | headers")],
)
def test_every_question_has_the_published_score(pilot, published, arm, oracle):
    found = by_paper(pilot, arm)
    assert list(found) == list(published[oracle])  # papers in the order of the selection
    assert found == published[oracle]


def test_the_arms_have_the_published_numbers_of_chunks(pilot):
    chunks = {row["arm"]: row["chunks"] for row in pilot.header["arms"]}
    assert chunks == {"fixed": 1329, "tokens": 644, "headers": 715, "study": 715, "path": 715}
    headers = next(row for row in pilot.header["arms"] if row["arm"] == "headers")
    assert headers["median_characters"] == 978
    assert round(headers["mean_characters"]) == 939


def test_the_contrast_has_the_published_statistics(pilot, statistics):
    row, derived = pilot.contrasts[0], statistics["derived"]
    assert row["difference"] == pytest.approx(statistics["published"]["diff"], abs=EXACT)
    assert row["z0"] == pytest.approx(derived["z0"], abs=EXACT)
    assert row["acceleration"] == pytest.approx(derived["accel"], abs=EXACT)
    assert row["ci90"] == pytest.approx(derived["ci90_bca"], abs=EXACT)
    assert row["ci95"] == pytest.approx(derived["ci95_bca"], abs=EXACT)
    assert row["p_sign_flip"] == pytest.approx(derived["p_signflip_v2"], abs=EXACT)
    assert (row["questions"], row["clusters"]) == (79, 30)


def test_the_equivalence_row_has_the_published_p_value(pilot, statistics):
    row = pilot.contrasts[1]
    assert row["margin"] == 0.05
    assert row["p_margin"] == pytest.approx(statistics["derived"]["p_tost_bca"], abs=EXACT)


def test_percentile_intervals_are_the_published_ones(pilot, statistics, tmp_path):
    keys = dict(pilot.header["given"]) | {
        "arms": {"fixed": "chars(512)", "headers": "headers"},
        "contrasts": [{"name": "percentile", "of": "headers - fixed"}],
        "measures": [],
        "interval": "percentile",
    }
    row = run(Trial.of(keys), tmp_path / "record").contrasts[0]
    published = statistics["published"]
    assert row["ci95"] == pytest.approx([published["ci95lo"], published["ci95hi"]], abs=EXACT)
    assert row["ci90"] == pytest.approx([published["ci90lo"], published["ci90hi"]], abs=EXACT)


def test_a_contrast_says_what_the_tables_say(pilot):
    """The numbers of ``contrasts.json`` follow from ``scores.parquet`` by the plainest arithmetic."""
    for row in pilot.contrasts:
        a, b = (
            np.concatenate([np.array(values) for values in by_paper(pilot, arm, row["measure"]).values()])
            for arm in (row["a"], row["b"])
        )
        assert row["mean_a"] == pytest.approx(a.mean(), abs=EXACT)
        assert row["mean_b"] == pytest.approx(b.mean(), abs=EXACT)
        assert row["difference"] == pytest.approx((a - b).mean(), abs=EXACT)
        assert row["dz"] == pytest.approx((a - b).mean() / (a - b).std(ddof=1), abs=EXACT)
        assert (row["wins"], row["ties"], row["losses"]) == ((a > b).sum(), (a == b).sum(), (a < b).sum())


def test_means_say_what_the_tables_say(pilot):
    means = pilot.scores.group_by("arm", "retriever", "measure").agg(pl.col("value").mean())
    expected = {tuple(row[:3]): row[3] for row in means.iter_rows()}
    assert len(pilot.header["conditions"]) == len(expected)
    for row in pilot.header["conditions"]:
        assert row["mean"] == pytest.approx(expected[row["arm"], row["retriever"], row["measure"]], abs=EXACT)
        assert row["ci95"][0] <= row["mean"] <= row["ci95"][1]


def test_every_contrast_has_its_curve_over_budgets(pilot):
    for row in pilot.contrasts:
        assert [point["measure"] for point in row["curve"]] == [f"recall@{b}t" for b in BUDGETS]
        same = next(point for point in row["curve"] if point["measure"] == row["measure"])
        assert {"difference", "ci90", "ci95", "direction"} <= same.keys()
        # Nothing was frozen and no family adjusts: the row and its own point on the curve are one comparison.
        assert same == {key: row[key] for key in same}


def test_the_prefix_changes_what_is_ranked_and_not_what_is_scored(pilot):
    arms = {row["arm"]: row for row in pilot.header["arms"]}
    for key in ("chunks", "median_characters", "mean_characters"):
        assert arms["path"][key] == arms["headers"][key]
    ranked = {
        arm: pilot.rankings.filter(pl.col("arm") == arm).select("question", "rank", "document", "chunk")
        for arm in ("headers", "path")
    }
    assert not ranked["path"].equals(ranked["headers"])


def test_within_its_paper_a_question_ranks_every_chunk(pilot):
    """The pool is the paper: with fewer chunks than are kept, all are ranked, each once, and no other paper's."""
    scores = pilot.scores.select("question", "document").unique()
    own = pilot.rankings.join(scores, on="question", suffix="_own")
    assert (own["document"] == own["document_own"]).all()
    per_question = own.group_by("arm", "question").agg(
        pl.col("rank").sort(), pl.col("chunk").n_unique().alias("different"), pl.len().alias("ranked")
    )
    assert (per_question["different"] == per_question["ranked"]).all()
    assert all(ranks == list(range(1, len(ranks) + 1)) for ranks in per_question["rank"].to_list())


def test_what_was_left_out_is_counted(pilot):
    corpus = pilot.header["corpus"]
    assert (corpus["documents"], corpus["questions"], corpus["clusters"]) == (30, 79, 30)
    assert len(corpus["excluded_questions"]) == 8
    assert all(item["id"] and item["where"] and item["reason"] for item in corpus["excluded_questions"])
    assert pilot.header["effective"]["pool"] == "document"
    assert pilot.header["effective"]["words"] == "study"
