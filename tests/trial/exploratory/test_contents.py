"""What a record keeps for pages: texts, places, and which evidence was found, each as the measures see it."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.plain import read_text
from ragtrial.trial.exploratory.contents import documents_table, writable
from ragtrial.trial.run import run


@pytest.fixture
def record(trial_of, tmp_path):
    """Return a function that runs the handbook's trial with some keys changed."""
    return lambda **changed: run(trial_of(**changed), tmp_path / "record")


def test_places_are_those_of_the_texts(record):
    made = record()
    texts = dict(made.documents.select("document", "text").iter_rows())
    for row in made.questions.to_dicts():
        for piece in row["evidence"]:
            held = "".join(
                texts[piece["document"]][start:end] for start, end in zip(piece["starts"], piece["ends"], strict=True)
            )
            assert held == piece["text"]
    assert made.documents["characters"].to_list() == [len(text) for text in texts.values()]
    assert made.documents["title"].to_list()[0] == "Lights"


def test_every_ranked_chunk_has_its_place(record):
    made = record()
    keys = ["arm", "document", "chunk"]
    assert made.rankings.join(made.chunks, on=keys, how="anti").is_empty()
    assert made.chunks.select(keys).is_duplicated().sum() == 0
    tokens = {arm["arm"]: (arm["tokens"], arm["added_tokens"]) for arm in made.header["arms"]}
    sums = made.chunks.group_by("arm").agg(pl.col("tokens").sum(), pl.col("added_tokens").sum())
    assert {arm: (own, prefix) for arm, own, prefix in sums.iter_rows()} == tokens


MEASURES = ["recall@512t", "recall@16t", "recall@1", "recall@5", "span-recall@1", "span-recall@50"]


@pytest.mark.parametrize("primary", MEASURES)
def test_found_evidence_adds_up_to_the_score(primary, record):
    """The mean over a question's pieces is its score, for every measure that is such a mean."""
    made = record(primary=primary, keep=1000)
    means = made.found.group_by("arm", "retriever", "question").agg(pl.col("found").mean().alias("mean"))
    scores = made.scores.filter(pl.col("measure") == primary)
    joined = scores.join(means, on=["arm", "retriever", "question"], how="full")
    assert joined.height == scores.height
    assert joined["value"].to_list() == pytest.approx(joined["mean"].to_list())
    assert 0 < made.found["found"].sum() < len(made.found) or primary in ("recall@512t", "span-recall@50")


def test_what_the_kept_ranks_cannot_tell_is_unknown(record):
    made = record(primary="recall@512t", keep=1, arms={"tiny": "chars(6)", "whole": "chars(10000)"}, contrasts=[])
    by_arm = {arm: own["found"] for (arm,), own in made.found.partition_by("arm", as_dict=True).items()}
    assert by_arm["tiny"].null_count() == len(by_arm["tiny"])
    assert True in by_arm["whole"].to_list()
    assert False not in by_arm["whole"].to_list()


def test_a_large_corpus_keeps_places_alone():
    documents = [read_text("abc", id="a.txt"), read_text("de", id="b.txt")]
    assert documents_table(documents, limit=5)["text"].to_list() == ["abc", "de"]
    assert documents_table(documents, limit=4)["text"].to_list() == [None, None]
    assert documents_table(documents, limit=4)["characters"].to_list() == [3, 2]


@given(st.text(st.characters()))
def test_what_is_written_can_be_encoded_and_no_place_moves(text):
    written = writable(text)
    written.encode("utf-8")
    assert len(written) == len(text)
    assert all(a == b for a, b in zip(text, written, strict=True) if not "\ud800" <= a <= "\udfff")
