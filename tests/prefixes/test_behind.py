"""``behind``: the same text as its step's, on the other side of the chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.headers import Headers
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError, UsageError
from ragtrial.merging.merge import Merge
from ragtrial.prefixes.behind import Behind
from ragtrial.prefixes.breadcrumb import Breadcrumb
from ragtrial.prefixes.enriched import Enriched
from ragtrial.prefixes.path import Path
from ragtrial.prefixes.placebo import Placebo
from ragtrial.retrievers.sources import Sources
from ragtrial.trial.arms import Arm

from .corpora import chunk_sets
from .scripted import Scripted, use_model

TEXT = "# Pump\n\nIntro.\n\n## Oil\n\nChange the oil.\n"


def built(arm):
    return Arm.of(arm).build([read_markdown(TEXT, id="d")])


@pytest.fixture
def model(monkeypatch):
    said = {"title": "T", "summary": "S.", "keywords": [], "entities": [], "questions": [], "key": "k"}
    return use_model(monkeypatch, Scripted(lambda *_: said))


@given(chunks=chunk_sets, step=st.sampled_from([Path(), Breadcrumb(2), Placebo(seed=3)]))
def test_what_the_step_says_stands_behind_the_text(chunks, step):
    before, behind = step.apply(chunks), Behind(step).apply(chunks)
    assert behind.prefixes == chunks.prefixes
    assert behind.texts == chunks.texts
    assert [suffix.split() for suffix in behind.suffixes] == [prefix.split() for prefix in before.prefixes]
    assert all(not suffix or suffix.startswith("\n\n") for suffix in behind.suffixes)
    assert behind.reports == before.reports
    assert [chunk.indexed_text for chunk in behind] == list(behind.indexed_texts)


def test_the_rest_stays_before_and_the_later_comes_last():
    chunks = built("headers(min=0) + path + behind(title) + behind(lead(1))")
    assert chunks.indexed_texts[1] == "Pump > Oil\n\n## Oil\n\nChange the oil.\n\n\nPump\n\nIntro."
    assert chunks[1].to_dict()["suffix"] == "\n\nPump\n\nIntro."
    assert "suffix" not in built("headers + path")[0].to_dict()
    assert Sources.of(chunks).prefixed
    assert Sources.of(built("headers + behind(title)")).prefixed
    assert not Sources.of(built("headers")).prefixed


def test_a_model_is_asked_once_for_both_sides(model):
    document = read_markdown(TEXT, id="d")
    chunks = Headers(min=0).chunk_documents([document])
    before = Enriched("m").apply(chunks)
    behind = Behind(Enriched("m")).apply(chunks)
    assert len(model.asked) == len(chunks)
    assert behind.generated.fields == before.generated.fields
    assert behind.suffixes == ("\n\nT\nS.",) * 2
    assert behind.prefixes == ("", "")


def test_it_is_what_its_step_is():
    arm = Arm.of("headers + behind(enriched('m'))")
    (step,) = arm.steps
    assert (arm.asks_model, arm.gives_keys, arm.puts_text) == (True, True, True)
    assert str(arm) == "headers + behind(enriched('m'))"
    assert step.parameters() == Enriched("m").parameters() | {"place": "behind"}
    assert Behind(Placebo()).corpus_wide
    assert not Behind(Path()).corpus_wide
    assert not Behind(Path()).asks_model


@pytest.mark.parametrize("step", ["behind(path)", "merge('key')"])
def test_a_step_that_puts_nothing_before_chunks_is_refused(step):
    with pytest.raises(SpecError, match="needs a step that puts text before chunks"):
        Arm.of(f"headers + enriched('m') + behind({step})")


def test_merges_do_not_take_text_behind_chunks(model):
    with pytest.raises(UsageError, match="it would stand between their texts"):
        built("headers(min=0) + behind(enriched('m')) + merge('key')")
    merged = built("headers(min=0) + enriched('m') + merge('key') + behind(path)")
    assert merged.suffixes == ("\n\nPump",)
    assert Merge("key").puts_text


def test_as_many_suffixes_as_chunks():
    with pytest.raises(UsageError, match="2 chunks need as many suffixes, not 1"):
        built("headers(min=0)").with_suffixes(["x"])
