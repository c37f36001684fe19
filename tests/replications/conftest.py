"""Small corpora, and servers that play every role of both studies."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from ragtrial.cli import main
from ragtrial.embedders import load as embedders
from ragtrial.replications import design
from ragtrial.replications.template import Filled, fill
from ragtrial.retrievers.rerankers import load as rerankers

TOPICS = ("valves", "ropes", "lamps", "paints", "tides")


class VectorServer:
    """Gives texts vectors by their words, and scores of texts by the words they share with the query."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close_down(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(self.path)
                data = json.dumps(outer.embed(body) if self.path.endswith("embeddings") else outer.rank(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    @staticmethod
    def embed(body: dict) -> dict:
        rows = [{"index": n, "embedding": vector_of(text).tolist()} for n, text in enumerate(body["input"])]
        return {"data": rows, "model": body["model"]}

    @staticmethod
    def rank(body: dict) -> dict:
        asked = set(body["query"].lower().split())
        scores = [len(asked & set(text.lower().split())) / 10 for text in body["documents"]]
        return {"results": [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]}


def vector_of(text: str) -> np.ndarray:
    found = np.full(32, 1e-3)
    for word in text.lower().split():
        found[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 32] += 1
    return found / np.linalg.norm(found)


@pytest.fixture
def vector_server(chat_server) -> Iterator[VectorServer]:
    server = VectorServer()
    yield server
    server.close_down()
    for kept in (embedders._shared, rerankers._shared):
        kept.cache_clear()


def answer(call) -> str:
    """Play every language model of both studies: what is asked for is in the schema."""
    digest = hashlib.sha256(call.user.encode()).hexdigest()
    wanted = {} if call.schema is None else call.schema["properties"]
    if "labels" in wanted:
        item = wanted["labels"]["items"]["properties"]
        if "fact" in item:
            return json.dumps({"labels": [{"fact": 1, "label": "support" if int(digest, 16) % 2 else "no_support"}]})
        return json.dumps({"labels": [{"label": "topic 0", "becomes": "topic 1"}]})
    if "sections" in wanted:
        row = {"title": "Opening", "level": 1, "first": 0, "last": 0}
        return json.dumps({"sections": [row, {"title": "Rest", "level": 2, "first": 1, "last": 1}]})
    if wanted:
        key = f"topic {int(digest, 16) % 2}"
        fields = {
            "title": f"On {digest[:4]}",
            "summary": f"It says {digest[:6]}.",
            "keywords": [digest[:3], digest[3:6]],
            "entities": [{"name": digest[:5], "type": "TECH"}],
            "questions": [f"What is {digest[:7]}?"],
            "key": key,
            "related_keys": ["topic 0", "topic 1"],
        }
        return json.dumps({name: fields[name] for name in wanted})
    return f"Note {digest[:8]}"


@pytest.fixture
def played(chat_server, vector_server) -> list[str]:
    """Return the options that let the two servers play all roles of MDK; see `played_kmr` for the other study."""
    chat_server.reply = answer
    chat, vectors = chat_server.url, vector_server.url
    return [
        *(
            f"--model={role}={name},url={chat}"
            for role, name in (
                ("indexer", "alpha"),
                ("large", "bravo"),
                ("largest", "carol"),
                ("reader", "delta"),
                ("judge", "eagle"),
            )
        ),
        *(f"--embedder={role}={role},backend=openai,url={vectors}" for role in ("nomic", "mxbai", "qwen3")),
        "--embedder=late=minilm",
        f"--reranker=cross=cross,backend=cohere,url={vectors}",
    ]


@pytest.fixture
def played_kmr(chat_server, vector_server) -> list[str]:
    chat_server.reply = answer
    vectors = vector_server.url
    return [
        f"--model=inducer=alpha,url={chat_server.url}",
        f"--embedder=strong=strong,backend=openai,url={vectors}",
        f"--embedder=weak=weak,backend=openai,url={vectors}",
        f"--reranker=cross=cross,backend=cohere,url={vectors}",
    ]


@pytest.fixture
def played_pilot(played) -> list[str]:
    roles = ("indexer", "nomic", "mxbai", "qwen3")
    return [option for option in played if option.split("=")[1] in roles]


def document(number: int) -> str:
    parts = [f"# Book {number}\n"]
    for place, topic in enumerate(TOPICS):
        mark = "##" if place % 2 == 0 else "###"
        body = " ".join(
            f"In book {number} the {topic} of kind {n} were kept on shelf {number}{place}{n}." for n in range(6)
        )
        parts.append(f"{mark} On {topic} {number}\n\n{body}\n")
    return "\n".join(parts)


@pytest.fixture
def corpus(tmp_path):
    """Return a folder with ``documents/`` in three groups and ``questions.jsonl``."""
    folder = tmp_path / "corpus"
    rows = []
    for number in range(6):
        name = f"group{number % 3}/book{number}.md"
        file = folder / "documents" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document(number), encoding="utf-8")
        for place in (0, 2, 3):
            topic = TOPICS[place]
            rows.append(
                {
                    "id": f"q{number}{place}",
                    "question": f"On which shelf did book {number} keep the {topic} of kind 1?",
                    "evidence": [f"In book {number} the {topic} of kind 1 were kept on shelf {number}{place}1."],
                    "document": name,
                    "cluster": name,
                    "type": ("first", "second")[place % 2],
                    "answers": [f"shelf {number}{place}1"],
                    "nuggets": [f"shelf {number}{place}1"],
                }
            )
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture
def few_resamples(monkeypatch) -> None:
    """Let parts draw 200 resamples: what is tested is that every row is there, and the presets draw 10,000."""
    monkeypatch.setattr(
        design, "fill", lambda *given: (one := fill(*given)) and Filled(one.keys | {"resamples": 200}, one.amendments)
    )


@pytest.fixture
def replicate(capsys):
    """Return a function that runs ``ragtrial replicate`` in this process: exit code, output, talk."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(["replicate", *map(str, arguments)])
        return (int(stop.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def files_of():
    """Return a function that reads every file below a folder."""
    return lambda folder: {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
