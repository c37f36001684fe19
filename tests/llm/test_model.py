"""A reply is paid once: kept by everything that it depends on, and asked once however many want it."""

import os
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from ragtrial.errors import ModelCallError
from ragtrial.llm import load as load_module
from ragtrial.llm import replies
from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.served import ollama_digest

REQUEST = Request("system", "user", 20, schema={"type": "object"}, seed=0)
PURPOSE = Purpose("step", "doc", 1)


def forget(model) -> None:
    """Let go of everything, as the end of a process would."""
    model._cache.database.close()
    load_module._shared.cache_clear()
    replies._opened.cache_clear()


def test_a_reply_is_paid_once_ever(chat_server, model_of, rows):
    chat_server.reply = "Ответ 水泵 \ufeff\0 😀\r\n"
    model = model_of()
    first = model.ask(REQUEST, PURPOSE)
    forget(model)
    second = model_of().ask(REQUEST, Purpose("other step"))
    assert second == first._replace(cached=True)
    assert second.text == "Ответ 水泵 \ufeff\0 😀\r\n"
    assert len(chat_server.calls) == len(rows()) == 1


def test_everything_that_a_reply_depends_on_makes_another_one(chat_server, model_of):
    requests = [
        REQUEST,
        replace(REQUEST, system="x"),
        replace(REQUEST, user="x"),
        replace(REQUEST, max_tokens=21),
        replace(REQUEST, schema=None),
        replace(REQUEST, schema={"type": "object", "title": "x"}),
        replace(REQUEST, seed=1),
        replace(REQUEST, temperature=0.5),
        replace(REQUEST, system="systemuser", user=""),
        replace(REQUEST, user="lone \ud800"),
        replace(REQUEST, user="lone \ud801"),
    ]
    chat_server.reply = lambda call: str(call.number)
    for options in ({}, {"model": "n"}, {"effort": "low"}, {"extra": {"top_k": 1}}):
        for request in requests:
            assert not model_of(**options).ask(request, PURPOSE).cached
    assert len(chat_server.calls) == 4 * len(requests)


def test_without_a_cache_every_call_is_paid(chat_server, model_of, rows, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    model = model_of()
    assert [model.ask(REQUEST, PURPOSE).cached for _ in range(2)] == [False, False]
    assert len(chat_server.calls) == len(rows()) == 2


def test_the_same_request_in_flight_is_asked_once(chat_server, model_of):
    chat_server.reply = chat_server.slow(0.2, "slow")
    model = model_of(concurrency=8)
    found = []
    threads = [threading.Thread(target=lambda: found.append(model.ask(REQUEST, PURPOSE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.text for reply in found] == ["slow"] * 8
    assert sum(not reply.cached for reply in found) == 1
    assert len(chat_server.calls) == 1


def test_who_waited_for_a_call_that_failed_gets_its_error(chat_server, model_of):
    chat_server.reply = lambda call: chat_server.slow(0.1)(call) if call.number else chat_server.status(400, "no")
    model = model_of()
    with pytest.raises(ModelCallError):
        model.ask(REQUEST, PURPOSE)
    assert model.ask(REQUEST, PURPOSE).text == "ok"


def test_one_process_has_one_model_for_the_same_options(chat_server, model_of):
    assert model_of() is model_of()
    assert model_of() is not model_of(model="n")
    assert model_of(extra={"x": 1}) is not model_of(extra={"x": True})
    assert model_of(concurrency=3).concurrency == 3
    assert model_of().concurrency == 4
    assert (model_of().window, model_of(window=8192).window) == (None, 8192)
    assert model_of().identity() == ModelOptions("gpt-4o-mini", url=chat_server.url).identity()
    assert chat_server.calls == []


def test_a_model_that_changes_behind_its_name_is_noticed(chat_server, model_of):
    model = model_of()
    chat_server.reply = lambda call: chat_server.text(call, "x", system_fingerprint=f"fp-{call.number // 2}")
    for number in range(3):
        model.ask(replace(REQUEST, user=str(number)), PURPOSE)
    served = model.served()
    assert (served.models, served.fingerprints) == ({"scripted-model": 3}, {"fp-0": 2, "fp-1": 1})
    assert (served.changes, served.digest) == (1, None)
    forget(model)
    again = model_of()
    assert again.served().changes == 0
    for number in range(3):
        assert again.ask(replace(REQUEST, user=str(number)), PURPOSE).cached
    assert again.served() == served


def test_a_path_that_a_server_calls_its_model_is_cut_to_its_end(chat_server, ask, model_of):
    chat_server.model, chat_server.fingerprint = "/home/me/models/Small.gguf", None
    ask()
    assert model_of().served() == ({"Small.gguf": 1}, {}, None)


def test_ollama_tells_its_digest_where_it_is_reachable(monkeypatch):
    listed = b'{"models": [{"name": "qwen2.5:7b", "digest": "abc"}, {"name": "m:latest", "digest": "def"}]}'
    asked = []

    class Answer:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def read(self):
            return listed

    def urlopen(url: str, timeout: float) -> Answer:
        asked.append(url)
        return Answer()

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    assert ollama_digest(ModelOptions("qwen2.5:7b", url="ollama")) == "abc"
    assert ollama_digest(ModelOptions("m", url="http://10.0.0.1:11434/v1")) == "def"
    assert ollama_digest(ModelOptions("other", url="ollama")) is None
    assert ollama_digest(ModelOptions("m", url="http://10.0.0.1:8000/v1")) is None
    assert asked == ["http://localhost:11434/api/tags", "http://10.0.0.1:11434/api/tags", *asked[:1]]
    monkeypatch.undo()
    assert ollama_digest(ModelOptions("m", url="http://127.0.0.1:1/x:11434/v1")) is None


def test_nothing_heavy_is_imported_before_a_call(chat_server):
    code = (
        "import sys\nfrom ragtrial.llm.load import load\nfrom ragtrial.llm.options import ModelOptions\n"
        "load(ModelOptions('m', url='ollama')).identity()\n"
        "assert not {'openai', 'httpx', 'tiktoken', 'polars'} & set(sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | chat_server.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_load_takes_the_options_of_the_model(chat_server):
    assert load(ModelOptions("a", url=chat_server.url)).identity()["model"] == "a"
