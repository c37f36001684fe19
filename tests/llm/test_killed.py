"""`kill -9` in the middle of many calls, and the same again: every call is paid once, and the ledger says so."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of POSIX")

DOCUMENTS, CHUNKS, THREADS = 12, 20, 8

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
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


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


def test_every_call_is_paid_once(chat_server, rows, tmp_path):
    chat_server.reply = reply(chat_server, faults=False)
    own = {"RAGTRIAL_CACHE": str(tmp_path / "other"), "RAGTRIAL_LEDGER": str(tmp_path / "other.jsonl")}
    whole = finish(start(chat_server, **own))
    n_calls = len(chat_server.calls)
    assert n_calls >= 200
    # With one call in ten refused.
    chat_server.calls.clear()
    chat_server.reply = reply(chat_server, faults=True)
    repeated = 0
    for paid in (60, 150):
        process = start(chat_server)
        until = time.monotonic() + 30
        while len(rows()) < paid and time.monotonic() < until:
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        repeated += THREADS
    assert finish(start(chat_server)) == whole
    paid = Counter((row["prompt"], row["document"], row["chunk"]) for row in rows() if not row.get("unclear"))
    by_prompt = Counter((call.user, call.seed) for call in chat_server.calls)
    assert sum(paid.values()) == len(by_prompt) == n_calls
    assert len([row for row in rows() if row.get("unclear")]) <= repeated
    # And once more: nothing is asked at all.
    chat_server.calls.clear()
    n_rows = len(rows())
    assert finish(start(chat_server)) == whole
    assert chat_server.calls == []
    assert len(rows()) == n_rows
