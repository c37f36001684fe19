"""Samples of papers: parts that share a first draw share their papers, whatever the size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.replications import select
from ragtrial.replications.select import select_papers
from ragtrial.replications.study import Sample, Study

FIRST = Sample(rule="list", papers="pilot/papers.txt", seed=13)
SECOND = Sample(rule="list", papers="pilot/papers.txt", seed=13, then_size=10, then_seed=2027)


@given(st.integers(1, 40))
def test_a_second_draw_is_made_from_the_smaller_first(size):
    first = select_papers("nowhere", FIRST, size)
    second = select_papers("nowhere", SECOND, size)
    assert len(first) == min(size, 30)
    assert set(second) <= set(first)
    assert len(second) == min(size, 10)
    assert first == [paper for paper in select_papers("nowhere", FIRST) if paper in first]


def test_a_sample_that_is_not_made_smaller_is_the_papers():
    assert len(select_papers("nowhere", FIRST)) == 30
    assert len(select_papers("nowhere", SECOND)) == 10
    assert set(select_papers("nowhere", SECOND, 30)) == set(select_papers("nowhere", SECOND))


@pytest.mark.parametrize("size", [1, 5, 50, 150, 400])
def test_parts_on_qasper_share_their_papers(monkeypatch, size):
    pool = [f"paper {number:03}" for number in range(350)]
    monkeypatch.setattr(select, "_papers", lambda *_: {})
    monkeypatch.setattr(select, "mdk_pool", lambda *_, **__: pool)
    parts = [part for part in Study.open("llm-call-per-chunk").parts if part.data == "qasper"]
    drawn = {part.name: set(select_papers("nowhere", part.sample, size)) for part in parts}
    assert len(drawn) == 7
    assert len(drawn["qasper"]) == min(size, 300)
    assert all(papers <= drawn["qasper"] for papers in drawn.values())
    assert all(papers == drawn["qasper"] for name, papers in drawn.items() if not name.endswith(("field", "scaling")))
    assert [len(drawn[f"qasper-{name}"]) for name in ("per-field", "scaling")] == [min(size, 100), min(size, 30)]
