"""``merge('consolidated')``: what is asked once a document, what of the answer counts, and what faults leave."""

import json

import pytest

from ragtrial.chunkers import asking
from ragtrial.chunkers.fields import Fields
from ragtrial.errors import ModelCallError, SpecError
from ragtrial.llm.base import Reply
from ragtrial.merging.merge import Merge
from ragtrial.specs import parse_call
from ragtrial.trial.steps import STEPS

from .sets import enriched_set

STEP = Merge("consolidated", "m")
KEYS = [("one", "oil change", ()), ("two", "filter", ()), ("three", "changing oil", ()), ("four", "", ())]


class Model:
    concurrency = 1
    window = None

    def __init__(self, reply):
        self.reply = reply
        self.asked = []

    def ask(self, request, purpose):
        self.asked.append((request, purpose))
        said = self.reply(request, purpose) if callable(self.reply) else self.reply
        if isinstance(said, Exception):
            raise said
        return Reply(said, 1, 1)


def labels(**becomes):
    rows = [{"label": label.replace("_", " "), "becomes": target} for label, target in becomes.items()]
    return json.dumps({"labels": rows})


@pytest.fixture
def merge(monkeypatch):
    def with_reply(reply, chunks, step=STEP):
        model = Model(reply)
        monkeypatch.setattr(asking, "load", lambda options: model)
        return step.apply(chunks), model

    return with_reply


def test_one_call_a_document_makes_near_synonyms_one(merge):
    chunks = enriched_set(KEYS, [("five", "only", ()), ("six", "only", ())])
    merged, model = merge(labels(changing_oil="oil change", filter="filter"), chunks)
    assert merged.texts == ("one\n\nthree", "two", "four", "five\n\nsix")
    ((request, purpose),) = model.asked  # the second document has one key: nothing to ask
    assert request.user.split("<labels>\n")[1].split("\n</labels>")[0] == "- oil change\n- filter\n- changing oil"
    assert (purpose.step, purpose.document) == ("consolidation", "d0")
    assert merged.generated.fields[0].key == "oil change"
    assert merged.reports[-1] == {
        "step": "merge",
        "given": "merge('consolidated', 'm')",
        "chunks": 6,
        "failed_calls": 0,
        "orphans": 0,
        "merges": 2,
    }


def test_a_canonical_key_that_is_shown_is_shown(merge):
    chunks = enriched_set(KEYS, shown=("title", "key"), behind="| h |\n")
    merged, _ = merge(labels(oil_change="changing oil"), chunks)
    assert merged.prefixes == ("changing oil\n\n| h |\n", "filter\n\n| h |\n", "| h |\n")


@pytest.mark.parametrize(
    "reply",
    [
        labels(changing_oil="engine oil"),  # not of the list
        labels(oil="oil change"),  # no key of the document
        '{"labels": [{"label": 7, "becomes": "oil change"}, "x", {"label": "filter"}]}',
        '{"labels": []}',
    ],
)
def test_what_is_not_of_the_list_changes_nothing(reply, merge):
    merged, model = merge(reply, enriched_set(KEYS))
    assert merged.texts == ("one", "two", "three", "four")
    assert len(model.asked) == 1
    assert merged.reports[-1]["failed_calls"] == 0


def test_keys_are_mapped_once_not_along_a_chain(merge):
    merged, _ = merge(labels(oil_change="filter", filter="changing oil"), enriched_set(KEYS))
    # "one" becomes a filter, "two" changing oil, as "three" is.
    assert merged.texts == ("one", "two\n\nthree", "four")


def test_an_unreadable_reply_leaves_all_keys_and_is_counted(merge):
    merged, model = merge("I would rather not.", enriched_set(KEYS))
    assert merged.texts == ("one", "two", "three", "four")
    assert [request.seed for request, _ in model.asked] == [0, 1, 2, 3]
    assert merged.reports[-1]["failed_calls"] == 1


def test_a_failed_call_leaves_all_keys_and_is_counted(merge):
    merged, model = merge(ModelCallError("no reply"), enriched_set(KEYS))
    assert merged.texts == ("one", "two", "three", "four")
    assert len(model.asked) == 1
    assert merged.reports[-1]["failed_calls"] == 1


def test_orphans_are_put_in_context_here_too(merge):
    chunks = enriched_set([("one", Fields(summary="S", key="a"), ()), ("two", "", ("I",)), ("three", "b", ())])
    merged, _ = merge(labels(b="a"), chunks)
    assert merged.texts == ("one\n\nthree", "two")
    assert merged.prefixes[1] == "[Section: I]\n[Previous: S]\n\n"


def test_spelling_and_parameters():
    for text in ("merge('consolidated', 'm')", "merge('consolidated', 'm', seed=1, url='ollama', effort='low')"):
        assert str(STEPS.build(parse_call(text))) == text
    given = STEP.parameters()
    assert given["language_model"]["url"].startswith("https://")
    assert given["prompt"]["version"] == 1
    assert "backend" not in given
    assert Merge().parameters() == {"component": "merge", "by": "key", "cap": 3000, "orphan": 200}
    for text in ("merge('consolidated')", "merge('key', effort='low')", "merge('consolidated', 'm', backend='openai')"):
        with pytest.raises(SpecError, match=r"takes no|name of a language model"):
            STEPS.build(parse_call(text))
