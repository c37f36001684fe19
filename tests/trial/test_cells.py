"""Conditions: every arm under every retriever, unless a retriever is kept to some arms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import ConfigError, RecordError
from ragtrial.report.tables import means_table
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.fusion import RRF
from ragtrial.retrievers.tree import retriever_tree
from ragtrial.trial.amendments import amend
from ragtrial.trial.cells import cells_of
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.plan import freeze
from ragtrial.trial.run import run
from ragtrial.trial.setup import Setup
from ragtrial.trial.verify import verify_record

TWO = {"bm25": "bm25(variant='lucene')", "okapi": "bm25", "mix": "rrf(bm25, okapi)"}

names = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True)


@given(names, names, st.dictionaries(st.sampled_from("abcdef"), names, max_size=4))
def test_the_conditions_are_all_pairs_but_those_left_out(arms, retrievers, only):
    cells = cells_of(arms, retrievers, only)
    every = [(arm, retriever) for arm in arms for retriever in retrievers]
    assert cells == [(arm, name) for arm, name in every if name not in only or arm in only[name]]


def test_a_tree_has_every_part_once_per_place():
    inner = RRF(BM25(), BM25(k1=0.9))
    assert list(retriever_tree(RRF(inner, BM25()))) == [RRF(inner, BM25()), inner, *inner.parts, BM25()]
    assert list(retriever_tree(BM25())) == [BM25()]


def test_a_record_has_only_the_conditions_that_were_asked_for(trial_of, tmp_path):
    record = run(trial_of(retrievers=TWO, only={"okapi": ["tiny"]}), tmp_path / "record")
    cells = {(row["arm"], row["retriever"]) for row in record.header["conditions"]}
    assert {arm for arm, retriever in cells if retriever == "okapi"} == {"tiny"}
    assert len(cells) == 7
    # A fusion is compared with its part where both were run.
    assert {(row["arm"], row["part"]) for row in record.header["fusions"] if row["part"] == "okapi"} == {
        ("tiny", "okapi")
    }
    assert all(row["retriever"] != "okapi" for row in record.grid)  # every contrast has an arm that it leaves out
    assert sum("not run" in cell for row in means_table(record).rows for cell in row) == 2
    assert verify_record(record) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"only": {"bm25": ["whole", "tiny"]}}, "the arm 'sections' is not scored under 'bm25': [only] leaves it out"),
        ({"only": {"nothing": ["whole"]}}, "there is no retriever called 'nothing'"),
        ({"only": {"okapi": ["walls"]}}, "there is no arm called 'walls'"),
        ({"only": {"okapi": []}}, "only.okapi"),
        (
            {"only": {"okapi": ["tiny"]}, "ladders": [{"name": "l", "arms": ["tiny", "whole"], "retriever": "okapi"}]},
            "the arm 'whole' is not scored under 'okapi'",
        ),
    ],
)
def test_what_does_not_fit_together_is_a_fault(trial_of, changed, said):
    with pytest.raises(ConfigError) as error:
        trial_of(retrievers=TWO, **changed)
    assert said in str(error.value)


def test_late_chunking_is_kept_from_arms_with_text_before_chunks(trial_of):
    arms = {"plain": "headers(min=0)", "path": "headers(min=0) + path"}
    late = {"bm25": "bm25", "mix": "rrf(bm25, late('minilm'))"}
    with pytest.raises(ConfigError, match=r"retrievers\.mix: late .* path put .*\[only\] mix = \[\"plain\"\]"):
        trial_of(arms=arms, retrievers=late, contrasts=[])
    assert trial_of(arms=arms, retrievers=late, contrasts=[], only={"mix": ["plain"]}).cells == [
        ("plain", "bm25"),
        ("plain", "mix"),
        ("path", "bm25"),
    ]


def test_an_amendment_may_add_a_retriever_for_some_arms_but_not_take_conditions_away(trial_of, handbook):
    def setup(text):
        (handbook / "trial.toml").write_text(text, encoding="utf-8")
        trial = Trial.read(handbook / "trial.toml")
        corpus = load_corpus(trial)
        return Setup(trial, corpus, {row.name: row.tier for row in trial.contrasts})

    start = """documents = "docs"
questions = "questions.jsonl"
[arms]
tiny = "chars(6)"
whole = "chars(10000)"
[retrievers]
bm25 = "bm25"
"""
    plan = freeze(setup(start), seen="nothing")
    with pytest.raises(RecordError, match=r"only\.bm25"):
        amend(plan, setup(start + '[only]\nbm25 = ["tiny"]\n'), reason="r", seen="s")
    more = start + 'lucene = "bm25(variant=\'lucene\')"\n[only]\nlucene = ["tiny"]\n'
    assert set(amend(plan, setup(more), reason="r", seen="s")["added"]) == {"retrievers", "only"}
