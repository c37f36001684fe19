"""Retrievers that name each other, resolved by the trial."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from ragtrial.retrievers import RETRIEVERS
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.bm25 import BM25
from ragtrial.trial.named import build_retrievers


@dataclass(frozen=True)
class Both(Retriever):
    """Made of two others; it never ranks here."""

    spec_name: ClassVar[str] = "both"
    positional: ClassVar[int] = 2

    first: Retriever
    second: Retriever

    def index(self, texts, pools=None):
        raise NotImplementedError


@pytest.fixture(autouse=True)
def known(monkeypatch):
    load = RETRIEVERS.load
    monkeypatch.setattr(RETRIEVERS, "load", lambda name: Both if name == "both" else load(name))


def test_a_name_is_the_retriever_of_the_table_else_a_known_one():
    built, faults = build_retrievers({"mix": "both(lexical, bm25)", "lexical": "bm25(k1=0.9)"})
    assert faults == []
    assert built["mix"] == Both(BM25(k1=0.9), BM25())
    assert str(built["mix"]) == "both(bm25(k1=0.9), bm25)"


def test_a_retriever_may_have_the_name_of_its_kind():
    built, faults = build_retrievers({"bm25": "bm25(k1=2.0)", "mix": "both(bm25, bm25())"})
    assert faults == []
    assert built["bm25"] == BM25(k1=2.0)
    # Both spellings are the same call, so the name of the table wins; write a parameter to mean the known one.
    assert built["mix"] == Both(BM25(k1=2.0), BM25(k1=2.0))


def test_circles_and_unknown_names_are_faults_of_their_key():
    built, faults = build_retrievers({"a": "both(b, bm25)", "b": "both(a, bm25)", "c": "bm52", "d": "bm25"})
    assert list(built) == ["d"]
    assert [fault.key for fault in faults] == [("retrievers", "a"), ("retrievers", "b"), ("retrievers", "c")]
    assert "made of each other: a -> b -> a" in faults[0].sentence
    assert "no retriever called 'bm52'. Did you mean 'bm25'?" in faults[2].sentence


def test_objects_are_taken_and_other_things_are_not():
    built, faults = build_retrievers({"a": BM25(), "b": 5})
    assert built == {"a": BM25()}
    assert faults[0].sentence.startswith("retrievers.b: 5 is not a retriever.")
