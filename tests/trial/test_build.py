"""Building arms that ask a model: what is shared, what fails, and on whose account."""

import json

import pytest

from ragtrial.chunkers import asking
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import DataError, ModelCallError, SpecError, SpendingCapError
from ragtrial.llm.base import Reply
from ragtrial.llm.spending import spending_arm
from ragtrial.trial.arms import Arm
from ragtrial.trial.build import build_arms
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.progress import silent

TEXTS = {name: f"# {name}\n\nIntro.\n\n## Oil\n\nOil of {name}.\n\n## Filter\n\nFilter of {name}.\n" for name in "abcd"}
SAID = json.dumps({"title": "T", "summary": "S.", "keywords": ["k"], "questions": [], "key": "same key"})


class Model:
    """Answers everything alike, but for some documents; keeps what it was asked for, and on which arm."""

    concurrency = 2
    window = None

    def __init__(self, failing=()):
        self.failing = dict(failing)
        self.asked = []

    def ask(self, request, purpose):
        self.asked.append((purpose.step, purpose.document, purpose.chunk, spending_arm()))
        error = self.failing.get((purpose.step, purpose.document))
        if error is not None:
            raise error
        return Reply(SAID if purpose.step == "enriched" else "A note.", 10, 10)


@pytest.fixture
def build(monkeypatch):
    def make(arms, failing=()):
        model = Model(failing)
        monkeypatch.setattr(asking, "load", lambda options: model)
        documents = tuple(read_markdown(text, id=name) for name, text in TEXTS.items())
        built = build_arms(Corpus(documents, (), (), ()), {name: Arm.of(spec) for name, spec in arms.items()}, silent)
        return built, model

    return make


ARMS = {
    "plain": "headers(min=0)",
    "e": "headers(min=0) + enriched('m')",
    "title": "headers(min=0) + enriched('m', fields=['title'])",
    "m": "headers(min=0) + enriched('m') + merge",
    "rm": "headers(min=0) + enriched('m') + merge('random')",
    "cr": "headers(min=0) + context('m')",
    "placebo": "headers(min=0) + enriched('m') + placebo",
}


def test_what_arms_begin_with_alike_is_paid_once_and_booked_on_the_first(build):
    built, model = build(ARMS)
    assert len(model.asked) == 12 + 12
    assert {arm for step, *_, arm in model.asked if step == "enriched"} == {"e"}
    assert {arm for step, *_, arm in model.asked if step == "context"} == {"cr"}
    assert built.failed == {}
    assert {name: len(chunks) for name, chunks in built.chunks.items()} == {
        name: 4 if name in ("m", "rm") else 12 for name in ARMS
    }
    assert [report["step"] for report in built.chunks["m"].reports] == ["enriched", "merge"]
    assert [report["step"] for report in built.chunks["placebo"].reports] == ["enriched", "placebo"]


def test_a_document_that_fails_in_one_arm_leaves_all_of_them_and_no_call_is_made_twice(build):
    failing = {("enriched", "b"): ModelCallError("no reply"), ("context", "d"): ModelCallError("too long")}
    built, model = build(ARMS, failing)
    assert built.failed == {"b": "arm 'e': no reply", "d": "arm 'cr': too long"}
    assert [document.id for document in built.corpus.documents] == ["a", "c"]
    for chunks in built.chunks.values():
        assert {chunk.document for chunk in chunks} == {"a", "c"}
    assert len(set(model.asked)) == len(model.asked)
    # The placebo is drawn among the documents that are left.
    assert built.chunks["placebo"].reports[-1]["chunks"] == 6
    assert {prefix[:2] for prefix in built.chunks["placebo"].prefixes} == {"[a", "[c"}


def test_all_documents_may_fail(build):
    with pytest.raises(DataError, match=r"Every document failed in some arm.* a \(arm 'e': no key\)"):
        build(ARMS, {("enriched", name): ModelCallError("no key") for name in TEXTS})


def test_the_cap_ends_the_run(build):
    with pytest.raises(SpendingCapError):
        build(ARMS, {("context", "c"): SpendingCapError("enough")})


def test_arms_know_whether_they_ask():
    assert [name for name, spec in ARMS.items() if Arm.of(spec).asks_model] == [
        "e",
        "title",
        "m",
        "rm",
        "cr",
        "placebo",
    ]
    assert not Arm.of("headers + enriched('extractive')").asks_model


@pytest.mark.parametrize("spec", ["headers + merge", "headers + enriched('extractive') + merge('random')"])
def test_a_merge_without_keys_is_refused_as_it_is_written(spec):
    with pytest.raises(SpecError, match="needs generated keys"):
        Arm.of(spec)
