"""The openai backend against a real server on loopback that answers as it is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtrial.embedders.endpoint import EndpointEncoder
from ragtrial.embedders.load import load, load_model
from ragtrial.embedders.options import ModelOptions
from ragtrial.errors import DataError, UsageError

pytest.importorskip("openai", reason="needs the extra openai")

Answer = tuple[int, dict[str, str], bytes | str]


def vector_of(text: str, size: int = 4) -> list[float]:
    return [float(sum(map(ord, text)) % 97 + place) for place in range(1, size + 1)]


def embeddings(texts: list[str], size: int = 4) -> dict[str, Any]:
    rows = [
        {"object": "embedding", "index": place, "embedding": vector_of(text, size)} for place, text in enumerate(texts)
    ]
    return {"object": "list", "data": rows, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def good(request: dict[str, Any]) -> Answer:
    return 200, {}, json.dumps(embeddings(request["input"]))


class Server:
    """Answers each request with the next of its script, and after the script with good embeddings."""

    def __init__(self) -> None:
        self.script: list[Callable[[dict[str, Any]], Answer]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.times: list[float] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                assert self.path == "/v1/embeddings"
                outer.requests.append(request)
                outer.keys.append(self.headers["Authorization"])
                outer.times.append(time.monotonic())
                status, headers, body = (outer.script.pop(0) if outer.script else good)(request)
                data = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json"} | headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture
def encoder(server: Server) -> Iterator[EndpointEncoder]:
    made = EndpointEncoder("m", url=server.url)
    yield made
    made._server.client.close()


def test_vectors_come_back_in_the_order_of_the_texts(server: Server, encoder: EndpointEncoder):
    def turned(request: dict[str, Any]) -> Answer:
        answer = embeddings(request["input"])
        answer["data"].reverse()
        return 200, {}, json.dumps(answer)

    server.script = [turned]
    texts = ["a", "Grüße 🙂", "c"]
    assert encoder.encode(texts, "document").tolist() == [vector_of(text) for text in texts]
    assert server.requests == [{"input": texts, "model": "m", "encoding_format": "float"}]


def test_a_server_that_does_not_number_its_vectors_is_taken_in_order(server: Server, encoder: EndpointEncoder):
    server.script = [lambda request: (200, {}, json.dumps({"data": [{"embedding": [1, 2]}, {"embedding": [3, 4]}]}))]
    assert encoder.encode(["a", "b"], "query").tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (json.dumps({"data": [{"embedding": [1.0]}]}), r"gave 1 vectors for 2 texts; none of them was used"),
        (json.dumps({"data": [{"embedding": [1.0]}] * 3}), "gave 3 vectors for 2 texts"),
        (json.dumps({"data": [{"index": 1, "embedding": [1]}] * 2}), r"numbered the vectors of 2 texts \[1, 1\]"),
        (json.dumps({"data": [{"index": "0", "embedding": [1]}] * 2}), "numbered the vectors of 2 texts"),
        (
            json.dumps({"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}),
            "of different sizes, or that are no numbers",
        ),
        (
            json.dumps({"data": [{"embedding": ["x"]}, {"embedding": ["y"]}]}),
            "of different sizes, or that are no numbers",
        ),
        ('{"data": [', "answered with something else than embeddings"),
        ('{"error": {"message": "no such model"}}', "something else than embeddings.*no such model"),
        ("[1, 2]", "something else than embeddings"),
        ("<html>nginx</html>", r"something else than embeddings: '<html>nginx</html>'\. Check that the url"),
        (b"\xff\xfe\x00", "something else than embeddings"),
        ("", "something else than embeddings"),
    ],
)
def test_answers_that_are_no_embeddings_are_refused(
    server: Server, encoder: EndpointEncoder, body: bytes | str, message: str
):
    server.script = [lambda request: (200, {}, body)]
    with pytest.raises(DataError, match=message):
        encoder.encode(["a", "b"], "document")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("NaN", "not finite"),
        ("null", "not finite"),
        ("Infinity", "not finite"),
        ("1e999", "not finite"),
        ("0", "zero"),
    ],
)
def test_vectors_that_are_not_finite_never_reach_the_cache(server: Server, value: str, message: str):
    embedder = load(ModelOptions("m", backend="openai", url=server.url))
    embedder.embed(["fine"])

    def bad(request: dict[str, Any]) -> Answer:
        rows = [f'{{"embedding": [{value}, {value}, {value}, {value}]}}' for _ in request["input"]]
        return 200, {}, f'{{"data": [{", ".join(rows)}]}}'

    server.script = [bad]
    with pytest.raises(DataError, match=f"The model 'm' gave a vector that is {message}"):
        embedder.embed(["fine", "bad"])
    assert [model.vectors for model in embedder.cache.models()] == [2]  # the probe and "fine"
    assert embedder.embed(["bad"])[0] == pytest.approx(np.array(vector_of("bad")) / np.linalg.norm(vector_of("bad")))
    embedder.model.encoder._server.client.close()


def test_vectors_of_another_size_than_before_are_refused(server: Server):
    embedder = load_model(ModelOptions("m", backend="openai", url=server.url))
    embedder.embed(["a"])
    server.script = [lambda request: (200, {}, json.dumps(embeddings(request["input"], size=5)))]
    with pytest.raises(DataError, match="The model 'm' gave vectors of 5 components where they have 4"):
        embedder.embed(["b"])
    embedder.encoder._server.client.close()


def test_asked_dimensions_are_sent_and_held_against_the_answer(server: Server):
    encoder = EndpointEncoder("m", url=server.url, dimensions=4)
    encoder.encode(["a"], "document")
    assert server.requests[0]["dimensions"] == 4
    server.script = [lambda request: (200, {}, json.dumps(embeddings(request["input"], size=9)))]
    with pytest.raises(DataError, match="was asked for 4 dimensions and gave 9"):
        encoder.encode(["a"], "document")
    encoder._server.client.close()


def test_too_many_requests_are_tried_again_after_the_time_that_the_server_asks_for(
    server: Server, encoder: EndpointEncoder
):
    server.script = [lambda request: (429, {"Retry-After": "1"}, '{"error": "slow down"}')]
    assert encoder.encode(["a"], "document").tolist() == [vector_of("a")]
    assert len(server.times) == 2
    assert server.times[1] - server.times[0] >= 1.0


def test_errors_of_the_server_are_tried_again_and_then_told(server: Server, encoder: EndpointEncoder):
    server.script = [lambda request: (500, {"retry-after-ms": "1"}, "boom")]
    assert encoder.encode(["a"], "document").tolist() == [vector_of("a")]
    server.script = [lambda request: (503, {"retry-after-ms": "1"}, "overloaded")] * 6
    with pytest.raises(DataError, match=r"/v1 answered with the status 503 after 6 tries: 'overloaded'"):
        encoder.encode(["a"], "document")
    server.script = [lambda request: (429, {"retry-after-ms": "1"}, "{}")] * 6
    with pytest.raises(DataError, match=r"the status 429 after 6 tries.* Try again later: what was received"):
        encoder.encode(["a"], "document")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "the status 400: .*too long.* A text may be longer"),
        (401, "Check the key in the environment variable MY_KEY"),
        (404, "Check the url and the name of the model"),
    ],
)
def test_refusals_say_what_to_do_and_never_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int, message: str
):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    encoder = EndpointEncoder("m", url=server.url, key_variable="MY_KEY")
    server.script = [lambda request: (status, {}, '{"error": {"message": "too long, sk-very-secret"}}')]
    with pytest.raises(DataError, match=message) as caught:
        encoder.encode(["a"], "document")
    assert "sk-very-secret" not in str(caught.value)
    assert "sk-very-secret" not in json.dumps(encoder.identity())
    assert server.keys == ["Bearer sk-very-secret"]
    encoder._server.client.close()


def test_openais_key_goes_to_nobody_else(server: Server, encoder: EndpointEncoder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    encoder.encode(["a"], "document")
    assert server.keys == ["Bearer none"]


def test_a_missing_key_is_named():
    with pytest.raises(UsageError, match="needs a key, and the environment variable OPENAI_API_KEY is not set"):
        EndpointEncoder("text-embedding-3-small").encode(["a"], "document")
    with pytest.raises(UsageError, match="the environment variable MY_KEY is not set"):
        EndpointEncoder("m", url="http://127.0.0.1:9/v1", key_variable="MY_KEY").encode(["a"], "document")


def test_no_server_is_a_sentence(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ragtrial.servers.client._RETRIES", 0)
    encoder = EndpointEncoder("m", url="http://127.0.0.1:9/v1")
    with pytest.raises(DataError, match=r"Cannot reach http://127\.0\.0\.1:9/v1: .* Is the server running\?"):
        encoder.encode(["a"], "document")
    encoder._server.client.close()


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x/v1", "http:///v1", ""])
def test_what_is_no_address_is_refused(url: str):
    if url:
        with pytest.raises(UsageError, match="is not the address of a server"):
            EndpointEncoder("m", url=url)
    else:
        assert EndpointEncoder("m", url=url).identity()["url"] == "https://api.openai.com/v1"


@pytest.mark.parametrize("url", ["http://me:secret@host/v1", "https://host/v1?key=secret"])
def test_an_address_with_a_secret_is_refused(url: str):
    with pytest.raises(UsageError, match="must hold no user, password or query") as caught:
        EndpointEncoder("m", url=url)
    assert "secret" not in str(caught.value)


def test_prefixes_batches_and_the_cache_work_over_the_network(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAGTRIAL_BATCH", "2")
    embedder = load(ModelOptions("nomic-embed-text:latest", backend="openai", url=server.url))
    embedder.embed(["b", "a", "b", "ccc"])
    sent = [request["input"] for request in server.requests]
    assert sent[-2:] == [["search_document: ccc", "search_document: b"], ["search_document: a"]]
    requests = len(server.requests)
    embedder.embed(["ccc", "a"])
    assert len(server.requests) == requests
    embedder.embed(["ccc"], "query")
    assert server.requests[-1]["input"] == ["search_query: ccc"]
    assert embedder.cut(["a"]) is None
    embedder.model.encoder._server.client.close()


def test_a_server_that_mixes_the_texts_of_a_request_gets_them_one_by_one(server: Server):
    def mixing(request: dict[str, Any]) -> Answer:
        answer = embeddings(request["input"])
        for row in answer["data"]:
            row["embedding"][0] += 100 * (len(request["input"]) - 1)
        return 200, {}, json.dumps(answer)

    server.script = [mixing] * 20
    embedder = load_model(ModelOptions("m", backend="openai", url=server.url))
    embedder.embed(["a", "bb", "ccc"])
    assert [request["input"] for request in server.requests[-3:]] == [["ccc"], ["bb"], ["a"]]
    embedder.encoder._server.client.close()


def test_the_identity_of_a_server_is_its_address_model_and_size(tmp_path: Path):
    encoder = EndpointEncoder("m", url="http://localhost:11434/v1/", dimensions=256, key_variable="MY_KEY")
    assert encoder.identity() == {
        "backend": "openai",
        "url": "http://localhost:11434/v1",
        "model": "m",
        "dimensions": 256,
    }


def test_texts_are_cut_after_their_prefix_is_added_and_counted(server: Server):
    options = ModelOptions("m", backend="openai", url=server.url, max_length=8, document_prefix="find: ")
    embedder = load(options)
    texts = ["cat", " cat" * 20, " cat" * 5 + " 🙂" * 9]
    vectors = embedder.embed(texts)
    sent = [text for request in server.requests for text in request["input"] if text.startswith("find: ")]
    assert sorted(sent) == sorted(["find: cat", "find: " + " cat" * 5, "find: " + " cat" * 5])
    assert (vectors[1] == vectors[2]).all()
    assert [embedder.cut(texts), embedder.cut(["cat"]), embedder.cut(texts, "query")] == [2, 0, 2]
    asked = len(server.requests)
    assert [load_model(options).cut(texts), embedder.cut(texts)] == [2, 2]
    assert len(server.requests) == asked


def test_how_texts_are_cut_is_part_of_what_vectors_depend_on(server: Server):
    whole = EndpointEncoder("m", url=server.url)
    assert [whole.window, whole.lengths(["a"])] == [None, None]
    cut = EndpointEncoder("m", url=server.url, max_length=8)
    assert cut.identity() == whole.identity() | {"max_length": 8, "tokenizer": "cl100k"}


def test_a_prefix_that_leaves_no_room_is_refused(server: Server):
    embedder = load(ModelOptions("m", backend="openai", url=server.url, max_length=8, query_prefix="a b c d e f g h"))
    with pytest.raises(UsageError, match="the words put before every query are 8: all would have one vector"):
        embedder.embed(["x"], "query")
    assert len(embedder.embed(["x"], "document")) == 1
