"""`kill -9` in the middle of many calls, and the same again: every call is paid once, and the ledger says so."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from ragtrial.llm.base import Purpose, Request

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of POSIX")

DOCUMENTS, CHUNKS, THREADS = 25, 20, 8

CODE = f"""
import json, sys
from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.concurrent import map_documents
from ragtrial.llm.json_reply import ask_object
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
model = load(ModelOptions("gpt-4o-mini", url=sys.argv[1], concurrency={THREADS}))
def document(number):
    keys = []
    for chunk in range({CHUNKS}):
        request = Request("", f"document {{number}}, chunk {{chunk}} after {{keys[-1:]}}", 20)
        purpose = Purpose("enriched", f"doc {{number}}", chunk)
        asked = ask_object(model, request, purpose, lambda found: found.get("key"))
        keys.append(asked.value)
    return keys
print(json.dumps(map_documents(document, range({DOCUMENTS}), {THREADS})))
"""


def start(chat_server, **environment: str) -> subprocess.Popen:
    surroundings = os.environ | chat_server.environment | environment
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", CODE, chat_server.url], env=surroundings, stdout=pipe, stderr=pipe, text=True
    )


def finish(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def kill_after(n_rows: int, process: subprocess.Popen, rows) -> None:
    """Kill a process as soon as the ledger has so many rows."""
    until = time.monotonic() + 120
    while len(rows()) < n_rows and time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def reply(chat_server, *, faults: bool):
    """Answer with a key made of the prompt; with faults every tenth call is refused and every twentieth nonsense."""

    def answer(call):
        if faults and call.number % 10 == 3:
            return chat_server.busy("0.01")
        # A prompt that meets nonsense does so with its first seed each time, so that what comes of it is the same.
        if call.seed == 0 and len(call.user) % 20 == 7:
            return chat_server.slow(0.004, "I would rather not.")(call)
        return chat_server.slow(0.004, f'{{"key": "{len(call.user)} {hash_of(call.user)}"}}')(call)

    return answer


def hash_of(text: str) -> int:
    return sum(ord(sign) * (place + 1) for place, sign in enumerate(text)) % 9973


def test_every_call_is_paid_once(chat_server, rows, tmp_path, monkeypatch, capsys):
    def in_this_process() -> str:
        exec(CODE, {})
        return capsys.readouterr().out

    monkeypatch.setattr(sys, "argv", ["", chat_server.url])
    chat_server.reply = reply(chat_server, faults=False)
    with monkeypatch.context() as own:
        own.setenv("RAGTRIAL_CACHE", str(tmp_path / "other"))
        own.setenv("RAGTRIAL_LEDGER", str(tmp_path / "other.jsonl"))
        whole = in_this_process()
    n_calls = len(chat_server.calls)
    assert n_calls >= 500
    # With one call in ten refused.
    chat_server.calls.clear()
    chat_server.reply = reply(chat_server, faults=True)
    kill_after(250, start(chat_server), rows)
    assert finish(start(chat_server)) == whole
    paid = Counter((row["prompt"], row["document"], row["chunk"]) for row in rows() if not row.get("unclear"))
    by_prompt = Counter((call.user, call.seed) for call in chat_server.calls)
    assert sum(paid.values()) == len(by_prompt) == n_calls
    assert len([row for row in rows() if row.get("unclear")]) <= THREADS
    # And once more: nothing is asked at all.
    chat_server.calls.clear()
    n_rows = len(rows())
    assert in_this_process() == whole
    assert chat_server.calls == []
    assert len(rows()) == n_rows


TORN = """
append = ledger_rows.Rows.append
def torn(self, row):
    append(self, row)
    os.truncate(self._path, os.path.getsize(self._path) - 20)
    os._exit(9)
ledger_rows.Rows.append = torn
"""

MOMENTS = {
    "before the call": ("transport.Transport.send = lambda *_: os._exit(9)", 1, 1),
    "before the reply is kept": ("replies.ReplyCache.put = lambda *_: os._exit(9)", 2, 1),
    "before it is booked": ("ledger.Ledger.settle = lambda *_: os._exit(9)", 1, 0),
    "in the line of the ledger": (TORN, 1, 0),
    "before it is closed": ("open_calls.OpenCalls.remove = lambda *_: os._exit(9)", 1, 0),
}
"""What ends a process at the worst moments; the calls that the server gets, and those that nobody knows the end of."""

ONE_CALL = """
import os, sys
from ragtrial.llm import ledger, ledger_rows, open_calls, replies, transport
from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
model = load(ModelOptions("gpt-4o-mini", url=sys.argv[1]))
exec(sys.argv[2])
model.ask(Request("", "one", 20), Purpose("s", "d", 1))
"""


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_call_is_booked_once_whenever_its_process_ends(moment: str, chat_server, model_of, rows):
    code, asked, unclear = MOMENTS[moment]
    surroundings = os.environ | chat_server.environment
    ended = subprocess.run([sys.executable, "-c", ONE_CALL, chat_server.url, code], env=surroundings, check=False)
    assert ended.returncode == 9
    assert model_of().ask(Request("", "one", 20), Purpose("s", "d", 1)).text == "ok"
    assert len(chat_server.calls) == asked
    assert sorted(row.get("unclear", False) for row in rows()) == [False] + [True] * unclear
    assert [row["output_tokens"] for row in rows() if not row.get("unclear")] == [1]


@pytest.mark.slow
def test_a_cap_is_not_passed_by_processes_that_are_killed(chat_server, tmp_path, rows):
    (tmp_path / "p.toml").write_text('[models."gpt-4o-mini"]\ninput = 0\noutput = 500\n')  # a call: up to one cent
    limits = {"RAGTRIAL_CAP": "0.30", "RAGTRIAL_PRICES": str(tmp_path / "p.toml")}
    answer = reply(chat_server, faults=False)
    chat_server.reply = lambda call: chat_server.close() if call.number % 5 == 4 else answer(call)
    for paid in (4, 8):
        kill_after(paid, start(chat_server, **limits), rows)
    process = start(chat_server, **limits)
    assert "The spending cap of $0.300000 could be passed" in process.communicate(timeout=120)[1]
    assert process.returncode == 1
    # A server may bill a call that brought no answer, at most with all the tokens that it was allowed.
    closed = len([call for call in chat_server.calls if call.number % 5 == 4])
    billed = 500 * (chat_server.output_tokens + 20 * closed) / 1e6
    assert 0.05 < billed <= sum(row["price"] for row in rows()) <= 0.30
