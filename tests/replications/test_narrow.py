"""Fewer arms and retrievers: nothing that is left may name what is gone."""

from hypothesis import given
from hypothesis import strategies as st

from ragtrial.replications.design import design_of
from ragtrial.replications.narrow import narrow, parts_of_retriever
from ragtrial.replications.study import Study, study_names
from ragtrial.trial.config import Trial

KEYS = {
    "primary": "recall@512t",
    "arms": {"a": "headers", "b": "chars(9)", "c": "tokens(9)"},
    "averages": {"ab": ["a", "b"]},
    "retrievers": {"bm25": "bm25", "dense": "dense", "hybrid": "rrf(bm25, dense)"},
    "retriever": "hybrid",
    "only": {"dense": ["b"]},
    "contrasts": [
        {"name": "1", "of": "a - b", "family": "F"},
        {"name": "2", "of": "a - c", "retriever": "bm25", "family": "G"},
        {"name": "3", "of": "ab - c", "retriever": "bm25"},
        {"name": "4", "of": "b - b", "retriever": "dense", "against": "bm25"},
    ],
    "families": {"F": {}, "G": {"demands": "sign-flip"}},
    "ladders": [{"name": "l", "arms": ["a", "b", "c"]}],
}


def everything(_):
    return True


def test_what_names_a_lost_arm_goes():
    left = narrow(KEYS, lambda arm: arm != "b", everything)
    assert list(left.keys["arms"]) == ["a", "c"]
    assert [row["name"] for row in left.keys["contrasts"]] == ["2"]
    assert left.keys["families"] == {"G": {"demands": "sign-flip"}}
    assert "averages" not in left.keys
    assert "ladders" not in left.keys
    assert (left.arms, left.retrievers, left.contrasts) == (("b",), (), ("1", "3", "4"))


def test_a_retriever_keeps_what_it_is_made_of():
    left = narrow(KEYS, everything, lambda name: name == "hybrid")
    assert list(left.keys["retrievers"]) == ["bm25", "dense", "hybrid"]


def test_a_lost_primary_retriever_takes_its_contrasts():
    left = narrow(KEYS, everything, lambda name: name == "bm25")
    assert [(row["name"], row["retriever"]) for row in left.keys["contrasts"]] == [("2", "bm25"), ("3", "bm25")]
    assert left.keys["retriever"] == "bm25"


def test_a_retriever_without_any_arm_goes():
    left = narrow(KEYS, lambda arm: arm != "b", lambda name: name != "hybrid")
    assert list(left.keys["retrievers"]) == ["bm25"]


def test_nothing_left_is_none():
    assert narrow(KEYS, lambda _: False, everything).keys is None
    assert narrow(KEYS, everything, lambda _: False).keys is None


def test_answers_go_with_their_measures():
    keys = KEYS | {"measures": ["token-f1@512t", "mrr@10"], "answers": {"reader": "r"}}
    left = narrow(keys, everything, everything, answers=False).keys
    assert left["measures"] == ["mrr@10"]
    assert "answers" not in left
    assert narrow(keys | {"primary": "token-f1@512t"}, everything, everything, answers=False).keys is None


def test_parts_of_a_retriever():
    table = {"bm25": "", "dense": "", "weak": ""}
    assert parts_of_retriever("rrf(bm25, rerank(dense, 'weak'), k=60)", table) == {"bm25", "dense"}
    assert parts_of_retriever("bm25(words='study')", table) == set()


ALL = [(Study.open(name), part.name) for name in study_names() for part in Study.open(name).parts]


@given(st.data())
def test_whatever_is_left_of_a_preset_is_a_trial(data):
    study, part = data.draw(st.sampled_from(ALL))
    keys = design_of(study, study.roles, [part]).parts[0].filled.whole()
    arms = data.draw(st.sets(st.sampled_from(list(keys["arms"])), min_size=1))
    retrievers = data.draw(st.sets(st.sampled_from(list(keys["retrievers"])), min_size=1))
    left = narrow(keys, arms.__contains__, retrievers.__contains__).keys
    if left is not None:
        trial = Trial.of(left | {"dataset": {"reader": "qasper", "path": "nowhere"}})
        assert set(trial.arms) == arms
        assert trial.cells
