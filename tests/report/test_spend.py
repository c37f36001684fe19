"""Where to spend: gains point to the better arm, costs are the record's counts, and silence is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.report.controls import control_of, differing, is_control
from ragtrial.report.spend import not_measured, query_work, spend_table, steps
from ragtrial.statistics.verdict import TESTS

from .made_up import rows, swap

CHUNKER = {"component": "headers", "max": 1500}
ARMS = {
    "headers": {"chunker": CHUNKER, "steps": []},
    "longer": {"chunker": CHUNKER | {"max": 2000}, "steps": []},
    "path": {"chunker": CHUNKER, "steps": [{"component": "path"}]},
    "placebo": {"chunker": CHUNKER, "steps": [{"component": "placebo"}]},
    "matched": {"chunker": {"component": "length_matched"}, "steps": []},
    "windows": {"chunker": {"component": "tokens"}, "steps": []},
}


@pytest.mark.parametrize(
    ("a", "b", "control", "words"),
    [
        ("path", "placebo", "content or tokens", "before the chunks: path against placebo"),
        ("headers", "matched", "boundary or length", "chunker: headers against length_matched"),
        ("headers", "windows", "boundaries, and with them length", "chunker: headers against tokens"),
        ("headers", "longer", "boundaries, and with them length", "parameters of headers"),
        ("path", "headers", "what is put before the same chunks", "before the chunks: path against nothing"),
        ("path", "windows", "boundaries and what is put before them, at once: neither is isolated", "chunker: "),
        ("path", "path", "nothing differs between the arms", "nothing"),
    ],
)
def test_what_a_contrast_holds_fixed_is_read_off_its_parameters(a, b, control, words):
    assert control_of(ARMS[a], ARMS[b]) == control_of(ARMS[b], ARMS[a]) == control
    assert differing(ARMS[a], ARMS[b]).startswith(words)
    assert is_control(ARMS[a], ARMS[b]) == (control in ("content or tokens", "boundary or length"))


def test_the_work_of_a_query_is_read_off_the_retriever():
    bm25, dense = {"component": "bm25"}, {"component": "dense", "model": "minilm"}
    assert query_work(bm25) == "no model is called"
    assert query_work({"component": "rrf", "first": bm25, "second": dense}) == "1,000 queries embedded"
    reranked = {"component": "rerank", "base": dense, "depth": 30}
    assert query_work(reranked) == "30,000 pairs scored, 1,000 queries embedded"


@st.composite
def spent(draw, tests=TESTS):
    row = draw(rows(tests=tests)) | {"a": "path", "b": "fixed"}
    return row, draw(st.integers(0, 5000)), draw(st.integers(0, 5000))


def step_of(told, real, row, path, fixed, price=None):
    arms = [
        arm | {"tokens": {"path": path, "fixed": fixed}[arm["arm"]], "prefix_tokens": 0} for arm in real.header["arms"]
    ]
    (step,) = steps(told([row], arms=arms, fusions=[]), price)
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
        assert ("cheaper" in step.says) == (step.tokens < 0)
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
    rate = spend_table(told([row], arms=arms, effective=dense, fusions=[]), price=0.5).columns.index("points per cost")
    priced = spend_table(told([row], arms=arms, effective=dense, fusions=[]), price=0.5).rows[0]
    prefix = next(arm for arm in real.header["arms"] if arm["arm"] == "path")["prefix_tokens"]
    dollars = (1_000_000 + prefix) * 0.5 / 1e6
    assert priced[rate] == f"{10 / dollars:,.1f} per dollar"
    unpriced = spend_table(told([row], arms=arms, effective=dense, fusions=[])).rows[0]
    assert unpriced[rate] == f"{10 / (1 + prefix / 1e6):,.1f} per million tokens"
    plain = spend_table(told([row], arms=arms, fusions=[]), price=0.5).rows[0]
    assert "dollars" not in plain[4]


def test_what_was_not_measured_is_listed(told, real):
    lines = "\n".join(not_measured(real))
    for word in ("Embeddings", "Reranking", "Fusion", "Boundary or length", "Content or tokens", "Answers", "Time"):
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
