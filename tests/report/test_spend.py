"""Where to spend: gains point to the better arm, costs are the record's counts, and silence is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.report.controls import CONTROLS, control_of, differing, is_control
from ragtrial.report.costs import Prices, query_work
from ragtrial.report.spend import not_measured, spend_table, steps
from ragtrial.statistics.verdict import TESTS

from .made_up import rows, swap

CHUNKER = {"component": "headers", "max": 1500}
ARMS = {
    "headers": {"chunker": CHUNKER, "steps": []},
    "longer": {"chunker": CHUNKER | {"max": 2000}, "steps": []},
    "path": {"chunker": CHUNKER, "steps": [{"component": "path"}]},
    "behind": {"chunker": CHUNKER, "steps": [{"component": "path", "place": "behind"}]},
    "placebo": {"chunker": CHUNKER, "steps": [{"component": "placebo"}]},
    "matched": {"chunker": {"component": "length_matched"}, "steps": []},
    "windows": {"chunker": {"component": "tokens"}, "steps": []},
    "paid": {"chunker": CHUNKER, "steps": [{"component": "enriched", "model": "m"}]},
    "twin": {"chunker": CHUNKER, "steps": [{"component": "enriched", "model": "extractive"}]},
    "lead": {"chunker": CHUNKER, "steps": [{"component": "lead"}]},
    "keyed": {"chunker": CHUNKER, "steps": [{"component": "enriched"}, {"component": "merge", "by": "key"}]},
    "chance": {"chunker": CHUNKER, "steps": [{"component": "enriched"}, {"component": "merge", "by": "random"}]},
    "told": {"chunker": CHUNKER, "steps": [{"component": "enriched"}, {"component": "merge", "by": "consolidated"}]},
}


@pytest.mark.parametrize(
    ("a", "b", "control", "words"),
    [
        ("path", "placebo", "content or tokens", "added to the chunks: path against placebo"),
        ("headers", "matched", "boundary or length", "chunker: headers against length_matched"),
        ("headers", "windows", "boundaries, and with them length", "chunker: headers against tokens"),
        ("headers", "longer", "boundaries, and with them length", "parameters of headers"),
        ("path", "headers", "what is put before the same chunks", "added to the chunks: path against nothing"),
        ("path", "behind", "where the same text stands: before the chunks or behind them", "added to the chunks: path"),
        ("path", "windows", "boundaries and what is put before them, at once: neither is isolated", "chunker: "),
        ("paid", "twin", "paid or free", "added to the chunks: enriched against enriched"),
        ("paid", "lead", "paid or free", "added to the chunks: enriched against lead"),
        ("paid", "headers", "what is put before the same chunks", "added to the chunks: enriched against nothing"),
        ("keyed", "chance", "keys or fewer chunks", "added to the chunks: enriched + merge against"),
        ("keyed", "told", "how the same chunks are merged", "added to the chunks: enriched + merge against"),
        ("path", "path", "nothing differs between the arms", "nothing"),
    ],
)
def test_what_a_contrast_holds_fixed_is_read_off_its_parameters(a, b, control, words):
    assert control_of(ARMS[a], ARMS[b]) == control_of(ARMS[b], ARMS[a]) == control
    assert differing(ARMS[a], ARMS[b]).startswith(words)
    assert is_control(ARMS[a], ARMS[b]) == (control in CONTROLS)


def test_the_work_of_a_query_is_read_off_the_retriever():
    bm25, dense = {"component": "bm25"}, {"component": "dense", "model": "minilm"}
    assert query_work(bm25) == "no model is called"
    assert query_work({"component": "rrf", "first": bm25, "second": dense}) == "1,000 queries embedded"
    reranked = {"component": "rerank", "base": dense, "depth": 30}
    assert query_work(reranked) == "1,000 queries embedded, 30,000 pairs scored"


@st.composite
def spent(draw, tests=TESTS):
    row = draw(rows(tests=tests)) | {"a": "path", "b": "fixed"}
    return row, draw(st.integers(0, 5000)), draw(st.integers(0, 5000))


def step_of(told, real, row, path, fixed):
    arms = [
        arm | {"tokens": {"path": path, "fixed": fixed}[arm["arm"]], "added_tokens": 0} for arm in real.header["arms"]
    ]
    (step,) = steps(told([row], arms=arms, fusions=[]))
    return step


@given(spent())
def test_a_step_goes_to_the_better_arm_else_to_the_dearer(told, real, made):
    row, path, fixed = made
    step = step_of(told, real, row, path, fixed)
    assert {step.before, step.after} == {"path", "fixed"}
    assert step.gain == (row["difference"] if step.after == "path" else -row["difference"])
    if step.ci is not None:
        assert step.ci[0] <= step.gain <= step.ci[1]
    if row["verdict"] == "different":
        assert step.gain > 0
        assert "better" in step.says
        assert ("cheaper" in step.says) == (step.tokens < -0.01 * {"path": path, "fixed": fixed}[step.before])
    else:
        assert step.tokens >= 0
        assert "better" not in step.says
    assert step.tokens == {"path": path, "fixed": fixed}[step.after] - {"path": path, "fixed": fixed}[step.before]


@given(spent(tests=("difference", "equivalence")))
def test_a_step_is_the_same_whichever_arm_comes_first(told, real, made):
    row, path, fixed = made
    if path == fixed:
        return
    one, other = (step_of(told, real, own, path, fixed) for own in (row, swap(row)))
    assert (one.before, one.after, one.gain, one.ci, one.says) == (
        other.before,
        other.after,
        other.gain,
        other.ci,
        other.says,
    )


def different(row, **changed):
    return (
        row
        | {"a": "path", "b": "fixed", "verdict": "different", "direction": "A", "difference": 0.1, "ci95": [0.05, 0.2]}
        | changed
    )


def test_gains_come_first_and_what_is_equal_is_said_as_plainly(told, real):
    first, second, _ = real.contrasts
    equal = second | {"name": "equal", "verdict": "equivalent", "direction": "A", "remark": ""}
    small = different(first, name="small", difference=0.06)
    record = told([equal, small, different(first, name="large")])
    assert [step.name for step in steps(record)][:3] == ["large", "small", "equal"]
    table = spend_table(record)
    assert table.rows[2][2].startswith("measured as equal: take the cheaper")
    assert "no price was given" in table.note


def test_points_per_dollar_where_a_gain_costs_something(told, real):
    effective = real.header["effective"]
    dense = {**effective, "retrievers": {**effective["retrievers"], "bm25": {"component": "dense"}}}
    arms = [arm | {"tokens": 2_000_000 if arm["arm"] == "path" else 1_000_000} for arm in real.header["arms"]]
    row = different(real.contrasts[0])
    rate = spend_table(told([row], arms=arms, effective=dense, fusions=[]), Prices(0.5)).columns.index(
        "points per cost"
    )
    priced = spend_table(told([row], arms=arms, effective=dense, fusions=[]), Prices(0.5)).rows[0]
    prefix = next(arm for arm in real.header["arms"] if arm["arm"] == "path")["added_tokens"]
    dollars = (1_000_000 + prefix) * 0.5 / 1e6
    assert priced[rate] == f"{10 / dollars:,.1f} per dollar"
    unpriced = spend_table(told([row], arms=arms, effective=dense, fusions=[])).rows[0]
    assert unpriced[rate] == f"{10 / (1 + prefix / 1e6):,.1f} per million tokens"
    plain = spend_table(told([row], arms=arms, fusions=[]), Prices(0.5)).rows[0]
    assert "dollars" not in plain[4]


def test_what_was_not_measured_is_listed(told, real):
    lines = "\n".join(not_measured(real))
    for word in (
        "Embeddings",
        "Reranking",
        "Fusion",
        "Boundary or length",
        "Content or tokens",
        "Answers",
        "Time",
        "language model",
    ):
        assert word in lines
    effective = real.header["effective"]
    retrievers = {"bm25": {"component": "rrf", "first": {"component": "dense"}, "second": {"component": "bm25"}}}
    less = "\n".join(not_measured(told(effective={**effective, "retrievers": retrievers}, answers={})))
    for word in ("Embeddings", "Fusion", "Answers"):
        assert word not in less


def test_a_fused_retriever_is_a_step_without_a_verdict(told, real):
    fusions = [
        {
            "arm": arm,
            "fusion": "lucene",
            "part": "bm25",
            "measure": "recall@512t",
            "difference": 0.1,
            "ci95": [0.02, 0.3],
        }
        for arm in ("fixed", "path")
    ]
    (step,) = steps(told([], fusions=fusions))
    assert (step.before, step.after, step.verdict, step.says) == ("bm25", "lucene", "", "higher")
    assert "not tested" in spend_table(told([], fusions=fusions)).rows[0][2]


def test_what_calls_cost_is_a_cost_of_the_step(told, real):
    row = different(real.contrasts[0])
    (step,) = steps(told([row], fusions=[]), Prices(calls={"path": 5.0}))
    assert (step.after, step.dollars) == ("path", 5.0)
    assert step.says == "measured as better"
    table = spend_table(told([row], fusions=[]), Prices(calls={"path": 5.0}))
    assert "what the ledger says" in table.note
    assert table.rows[0][table.columns.index("points per cost")] == "2.0 per dollar"
    (none,) = steps(told([row], fusions=[]), Prices(calls={}))
    assert none.dollars == 0.0


def test_two_retrievers_on_one_arm_are_a_step_from_the_cheaper_to_the_dearer(told, real):
    """Dense embeds the index once and every query; BM25 calls no model."""
    effective = real.header["effective"]
    retrievers = {"bm25": {"component": "bm25"}, "lucene": {"component": "dense"}}
    row = real.contrasts[0] | {"a": "path", "b": "path", "retriever": "bm25", "against": "lucene"}
    row |= {"verdict": "no difference detected", "direction": "A", "difference": 0.02, "ci95": [-0.01, 0.05]}
    record = told([row], effective={**effective, "retrievers": retrievers}, fusions=[])
    (step,) = steps(record, Prices(embedding=1.0))
    assert (step.before, step.after) == ("path under bm25", "path under lucene")
    assert step.gain == -0.02
    assert step.ci == (-0.05, 0.01)
    index = next(arm["tokens"] + arm["added_tokens"] for arm in real.header["arms"] if arm["arm"] == "path")
    assert step.tokens == index
    assert step.dollars == pytest.approx(index / 1e6)
    assert step.controls == "retriever: the same chunks"
    (better,) = steps(
        told([row | {"verdict": "different"}], effective={**effective, "retrievers": retrievers}, fusions=[])
    )
    assert (better.before, better.after, better.gain) == ("path under lucene", "path under bm25", 0.02)
    assert better.says == "measured as better, and cheaper"


def test_an_average_of_arms_costs_their_mean_and_controls_as_they_do(told, real):
    effective = {**real.header["effective"], "averages": {"both": ["fixed", "fixed"]}}
    arms = [arm | {"tokens": 100 if arm["arm"] == "fixed" else 300, "added_tokens": 0} for arm in real.header["arms"]]
    row = real.contrasts[0] | {"a": "path", "b": "both", "verdict": "no difference detected"}
    (step,) = steps(told([row], effective=effective, arms=arms, fusions=[]))
    assert (step.before, step.after, step.tokens) == ("both", "path", 200)
    assert not_measured(told([row], effective=effective))
    unknown = row | {"b": "never built"}
    arms_with = {**effective, "arms": {**effective["arms"], "never built": effective["arms"]["fixed"]}}
    assert steps(told([unknown], effective=arms_with, fusions=[])) == []
