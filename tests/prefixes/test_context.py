"""``context``: what the model sees of the document, what becomes of its note, and documents that are too long."""

import re

import pytest

from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.windows import Tokens
from ragtrial.chunkers.windows_matched import WindowsMatched
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import FailedDocumentsError, ModelCallError
from ragtrial.prefixes.context import Context
from ragtrial.prefixes.path import Path
from ragtrial.specs import parse_call
from ragtrial.text import tokens
from ragtrial.trial.steps import STEPS

from .scripted import Scripted, use_model

PUMP = "# Pump\n\nIntro.\n\n## Oil\n\nChange the oil.\n\n## Filter\n\nChange the filter.\n"
LONG = "".join(f"## Part {number}\n\nThe word {number} стоит here, 滤芯 too.\n\n" for number in range(60))


def chunks_of(*texts, chunker=None):
    documents = [read_markdown(text, id=f"d{number}") for number, text in enumerate(texts)]
    return (chunker or Headers(min=0)).chunk_documents(documents)


def document_of(request):
    return request.user.split("<document>\n", 1)[1].split("\n</document>", 1)[0]


def passage_of(request):
    return request.user.split("<passage>\n", 1)[1].split("\n</passage>", 1)[0]


@pytest.fixture
def ask(monkeypatch):
    def put(step, chunks, reply, **more):
        model = use_model(monkeypatch, Scripted(reply, **more))
        return step.apply(chunks), model

    return put


def test_the_model_sees_the_whole_document_first_and_then_the_chunk(ask):
    chunks = chunks_of(PUMP)
    put, model = ask(Context("m"), chunks, lambda _, purpose: f" Note {purpose.chunk}.\n")
    requests = model.of("d0")
    assert [document_of(request) for request in requests] == [PUMP] * 3
    assert [passage_of(request) for request in requests] == list(chunks.texts)
    # All calls of a document begin alike, as far as a server can keep what it read.
    assert len({request.user.split("<passage>")[0] for request in requests}) == 1
    assert put.prefixes == ("Note 0.\n\n", "Note 1.\n\n", "Note 2.\n\n")
    assert {(request.max_tokens, request.schema, request.seed) for request in requests} == {(120, None, 0)}
    (report,) = put.reports
    assert report.pop("given") == "context('m')"
    assert report == {"step": "context", "chunks": 3, "without_context": 0, "asked_again": 0, "cut": 0}


def test_calls_of_a_document_come_one_after_the_other(ask):
    _, model = ask(Context("m"), chunks_of(PUMP, LONG), lambda *_: "n", concurrency=1)
    assert [purpose.document for _, purpose in model.asked] == ["d0"] * 3 + ["d1"] * 60


def test_over_windows_and_with_another_cap(ask):
    chunks = chunks_of(PUMP, chunker=WindowsMatched(Headers(min=0)))
    put, model = ask(Context("m", max_tokens=80), Path().apply(chunks), lambda *_: "n")
    assert put.prefixes[0] == "n\n\nPump\n\n"
    assert model.of("d0")[0].max_tokens == 80
    assert ask(Context("m", effort="low"), chunks, lambda *_: "n")[1].of("d0")[0].max_tokens == 600
    assert Context("m", effort="low").parameters()["max_tokens"] == 600


def test_an_empty_note_is_asked_for_again_and_then_counted(ask):
    put, model = ask(
        Context("m", seed=2),
        chunks_of(PUMP),
        lambda request, purpose: ["n", "<think>hm</think>  ", "" if request.seed < 4 else "n"][purpose.chunk],
    )
    assert [(purpose.chunk, request.seed) for request, purpose in model.asked] == [
        (0, 2),
        *((1, seed) for seed in (2, 3, 4, 5)),
        *((2, seed) for seed in (2, 3, 4)),
    ]
    assert put.prefixes == ("n\n\n", "", "n\n\n")
    assert put.reports[0] == {
        "step": "context",
        "given": "context('m', seed=2)",
        "chunks": 3,
        "without_context": 1,
        "asked_again": 2,
        "cut": 0,
    }


def test_a_document_beyond_the_window_is_refused_before_any_call_about_it(ask):
    chunks = chunks_of(PUMP, LONG)
    model_window = 700
    with pytest.raises(FailedDocumentsError, match=r"d1 is too long for 'm': .* its window has 700") as caught:
        ask(Context("m"), chunks, lambda *_: "n", window=model_window)
    assert list(caught.value.failed) == ["d1"]
    assert "over=350" in caught.value.failed["d1"]
    put, model = ask(Context("m", over=350), chunks, lambda *_: "n", window=model_window)
    assert len(put) == len(model.asked) == 63
    for request in model.of("d1"):
        assert tokens.count(request.system) + tokens.count(request.user) + request.max_tokens <= model_window


def test_the_chunk_of_the_most_tokens_decides_not_the_one_of_the_most_letters(ask):
    text = f"# A\n\n{'word ' * 60}\n\n# B\n\n{'滤芯油压' * 30}\n"
    chunks = chunks_of(text)
    assert len(chunks.texts[0]) > len(chunks.texts[1])
    longest = max(
        tokens.count(request.system) + tokens.count(request.user)
        for request in ask(Context("m"), chunks_of(text), lambda *_: "n")[1].of("d0")
    )
    window = longest + 120 + 64  # prompt, reply, and what a server puts around messages
    assert len(ask(Context("m"), chunks_of(text), lambda *_: "n", window=window)[0]) == 2
    with pytest.raises(FailedDocumentsError, match=f"reply {window:,} tokens"):
        ask(Context("m"), chunks_of(text), lambda *_: "n", window=window - 1)


def test_a_chunk_that_is_too_long_by_itself_is_no_matter_of_how_much_is_shown(ask):
    text = f"# A\n\n{'word ' * 900}\n"
    for over, advice in (("document", "over=350"), (600, "over=350"), (350, "Cut it into smaller chunks")):
        with pytest.raises(FailedDocumentsError, match=f"d0 is too long for 'm'.*{advice}, or use a model"):
            ask(Context("m", over=over), chunks_of(text), lambda *_: "n", window=700)


@pytest.mark.parametrize("size", [1, 40, 100, 400, 5000])
@pytest.mark.parametrize("chunker", [Headers(min=0), Tokens(30, overlap=10)])
def test_the_text_around_a_chunk(size, chunker, ask):
    chunks = chunks_of(LONG, chunker=chunker)
    _, model = ask(Context("m", over=size), chunks, lambda *_: "n")
    total = tokens.count(LONG)
    places = [LONG.index(document_of(request)) for request in model.of("d0")]
    for place, request, chunk in zip(places, model.of("d0"), chunks, strict=True):
        seen = document_of(request)
        assert chunk.text in seen
        assert place <= chunk.start_index
        assert chunk.end_index <= place + len(seen)
        # Cuts between tokens may join to others at the edges.
        assert abs(tokens.count(seen) - min(max(size, chunk.token_count), total)) <= 4
    assert places == sorted(places)


def test_the_chunk_stands_in_the_middle_of_what_is_seen(ask):
    chunks = chunks_of(LONG)
    _, model = ask(Context("m", over=200), chunks, lambda *_: "n")
    before, after = document_of(model.of("d0")[30]).split(chunks.texts[30])
    assert abs(tokens.count(before) - tokens.count(after)) <= 3


def test_a_failed_call_fails_the_document(ask):
    with pytest.raises(FailedDocumentsError) as caught:
        ask(
            Context("m"), chunks_of(PUMP, LONG), lambda _, purpose: ModelCallError("no") if purpose.chunk == 40 else "n"
        )
    assert caught.value.failed == {"d1": "no"}


def test_spelling():
    for text in ("context('m')", "context('m', over=4000, max_tokens=80)", "context('m', url='vllm', seed=1)"):
        assert str(STEPS.build(parse_call(text))) == text
    assert re.fullmatch(r"[0-9a-f]{64}", Context("m").parameters()["prompt"]["sha256"])
