"""A real server on loopback that answers as told, faults included."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ragtrial.errors import DataError, UsageError
from ragtrial.retrievers.rerankers.endpoint import EndpointScorer
from ragtrial.retrievers.rerankers.model import Reranker

pytest.importorskip("openai", reason="needs the extra openai")

TEXTS = ["one", "two", "three"]
GOOD = [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.5}, {"index": 1, "score": -1}]


class Server:
    """Gives its answers one after another, the last one for ever; keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, str]] = []
        self.asked: list[tuple[str, str | None, dict]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append((self.path, self.headers.get("Authorization"), body))
                status, answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("retry-after-ms", "1")
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *arguments: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def says(self, *answers: object) -> None:
        self.answers = [
            answer if isinstance(answer, tuple) else (200, answer if isinstance(answer, str) else json.dumps(answer))
            for answer in answers
        ]


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


def scorer(server: Server, form: str = "documents", **options: str) -> EndpointScorer:
    return EndpointScorer("m", url=server.url, form=form, **options)


def test_documents_form_asks_and_reads_as_cohere_jina_and_vllm_do(server: Server):
    server.says({"results": [{"index": row["index"], "relevance_score": row["score"]} for row in GOOD], "id": "x"})
    assert scorer(server).score("q", TEXTS).tolist() == [0.5, -1, 0.9]
    assert server.asked == [("/v1/rerank", "Bearer none", {"model": "m", "query": "q", "documents": TEXTS, "top_n": 3})]


def test_texts_form_asks_and_reads_as_tei_does(server: Server):
    server.says(GOOD)
    assert scorer(server, "texts").score("q", TEXTS).tolist() == [0.5, -1, 0.9]
    assert server.asked == [
        ("/v1/rerank", "Bearer none", {"model": "m", "query": "q", "texts": TEXTS, "truncate": True})
    ]


def test_the_key_is_sent_and_shown_nowhere(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_KEY", "secret-1")
    server.says((401, "not secret-1"))
    asking = scorer(server, key_variable="MY_KEY")
    with pytest.raises(DataError, match="status 401") as caught:
        asking.score("q", TEXTS)
    assert server.asked[0][1] == "Bearer secret-1"
    assert "secret-1" not in str(caught.value)
    assert "secret-1" not in json.dumps(asking.identity())
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(UsageError, match="the environment variable MY_KEY is not set"):
        scorer(server, key_variable="MY_KEY").score("q", TEXTS)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_or_down_is_asked_again(server: Server, status: int):
    server.says((status, "wait"), (status, "wait"), GOOD)
    assert scorer(server).score("q", TEXTS).tolist() == [0.5, -1, 0.9]
    assert len(server.asked) == 3


def test_a_server_that_stays_down_is_given_up(server: Server):
    server.says((500, "<b>broken</b>"))
    with pytest.raises(DataError, match="answered with the status 500 after 6 tries: '<b>broken</b>'"):
        scorer(server).score("q", TEXTS)
    assert len(server.asked) == 6


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (GOOD[:2], "gave 2 scores for 3 texts; none of them was used"),
        ([*GOOD, {"index": 3, "score": 1}], "gave 4 scores for 3 texts"),
        ([GOOD[0], GOOD[0], GOOD[1]], r"numbered the scores of 3 texts \[2, 2, 0\]"),
        ([GOOD[0], GOOD[1], {"index": 3, "score": 1}], r"numbered the scores of 3 texts \[2, 0, 3\]"),
        ([GOOD[0], GOOD[1], {"index": True, "score": 1}], "numbered the scores of 3 texts"),
        ([GOOD[0], GOOD[1], {"index": "1", "score": 1}], "numbered the scores of 3 texts"),
        ([GOOD[0], GOOD[1], {"index": 1, "score": None}], "gave scores that are no numbers"),
        ([GOOD[0], GOOD[1], {"index": 1, "score": "0.1"}], "gave scores that are no numbers"),
        ([GOOD[0], GOOD[1], {"index": 1}], "answered with something else than scores"),
        ({"error": "no such model"}, "answered with something else than scores: .*no such model"),
        ("<html>Welcome</html>", "answered with something else than scores: '<html>Welcome</html>'"),
        ("[1, 2, 3]", "answered with something else than scores"),
        ("7", "answered with something else than scores"),
        ("", "answered with something else than scores"),
        ((404, "nothing here"), "answered with the status 404: 'nothing here'.* '/rerank' is put after it"),
        ((422, "missing field `texts`"), "try the backend 'tei' or 'cohere'"),
    ],
)
def test_a_wrong_answer_is_refused_whole(server: Server, answer: object, message: str):
    server.says(answer)
    with pytest.raises(DataError, match=message):
        scorer(server).score("q", TEXTS)
    assert len(server.asked) == 1


def test_a_score_that_is_not_a_number_is_refused(server: Server):
    server.says('[{"index": 1, "score": NaN}, {"index": 0, "score": 1}, {"index": 2, "score": 1}]')
    reranker = Reranker("The server", scorer(server))
    with pytest.raises(DataError, match="not finite"):
        reranker._asked("q", TEXTS)


def test_a_server_that_is_not_there_is_said_so():
    nobody = Server()
    nobody.http.server_close()
    asking = scorer(nobody)
    asking._server.client.max_retries = 0
    with pytest.raises(DataError, match=r"Cannot reach http://127\.0\.0\.1.* Is the server running\?"):
        asking.score("q", TEXTS)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x/y", "http://me:pw@x/v1", "http://x/v1?key=1"])
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url: str):
    with pytest.raises(UsageError):
        EndpointScorer("m", url=url, form="texts")


def test_the_address_may_end_in_rerank():
    assert EndpointScorer("m", url="http://x/rerank/", form="texts").identity()["url"] == "http://x"
