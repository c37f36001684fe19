"""Pools: which documents compete for which questions."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError
from ragtrial.questions.model import Evidence, Question
from ragtrial.trial.corpus import Pools

IDS = ["a/x.md", "a/y.md", "b/x.md", "top.md", "a/deep/z.md"]
DOCUMENTS = [read_text("Text.", id=name) for name in IDS]


def ask(document):
    return Question(id=f"on {document}", text="?", evidence=(Evidence("Text."),), document=document, cluster="c")


QUESTIONS = [ask(name) for name in reversed(IDS)]


def together(pools):
    """Return for each question the documents that compete for it."""
    return [
        {IDS[number] for number, pool in enumerate(pools.of_documents.tolist()) if pool == own}
        for own in pools.of_questions.tolist()
    ]


def test_a_corpus_is_one_pool():
    assert together(Pools.of("corpus", DOCUMENTS, [*QUESTIONS, ask(None)])) == [set(IDS)] * 6


def test_a_document_is_its_own_pool():
    assert together(Pools.of("document", DOCUMENTS, QUESTIONS)) == [{name} for name in reversed(IDS)]


def test_a_group_is_the_first_folder():
    a = {"a/x.md", "a/y.md", "a/deep/z.md"}
    assert together(Pools.of("group", DOCUMENTS, QUESTIONS)) == [a, {"top.md"}, {"b/x.md"}, a, a]


def test_a_document_may_name_its_group():
    named = [replace(d, meta=MappingProxyType({"group": g})) for d, g in zip(DOCUMENTS, "11212", strict=True)]
    one, two = {"a/x.md", "a/y.md", "top.md"}, {"b/x.md", "a/deep/z.md"}
    assert together(Pools.of("group", named, QUESTIONS)) == [two, one, two, one, one]


@pytest.mark.parametrize("kind", ["document", "group"])
def test_a_question_without_its_document_has_no_pool(kind):
    asked = [*QUESTIONS, ask(None), ask("elsewhere.md")]
    with pytest.raises(DataError, match=r"2 have none in the corpus: on None, on elsewhere\.md") as caught:
        Pools.of(kind, DOCUMENTS, asked)
    assert "'document'" in caught.value.hint
