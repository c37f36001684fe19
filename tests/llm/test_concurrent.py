"""Many documents at a time: in order, each on its own, and all of them stop at once when they must."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from ragtrial.errors import ModelCallError, SpendingCapError
from ragtrial.llm.concurrent import map_documents
from ragtrial.llm.spending import spending_arm, spending_for
from ragtrial.llm.stopping import pause


@pytest.mark.parametrize("threads", [1, 2, 8, 100])
def test_results_keep_the_order_and_failures_their_place(threads: int):
    def work(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        if number % 4 == 1:
            raise ModelCallError(f"no reply {number}")
        return number * number

    ended: list[int] = []
    found = map_documents(work, range(20), threads, done=lambda: ended.append(1))
    assert [str(one) if isinstance(one, ModelCallError) else one for one in found] == [
        f"no reply {number}" if number % 4 == 1 else number * number for number in range(20)
    ]
    assert len(ended) == 20
    assert map_documents(work, [], threads) == []


@pytest.mark.parametrize("threads", [1, 4])
def test_threads_know_the_arm(threads: int):
    with spending_for("headers"):
        assert map_documents(lambda _: spending_arm(), range(4), threads) == ["headers"] * 4
        with spending_for("inner"):
            assert spending_arm() == "inner"
    assert spending_arm() == ""


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("error", [SpendingCapError("enough"), ValueError("a fault of ours"), KeyboardInterrupt()])
def test_any_other_error_stops_all_quickly(threads: int, error: BaseException):
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise error
        if threads > 1:
            pause(30)

    start = time.monotonic()
    with pytest.raises(type(error)):
        map_documents(work, range(100), threads)
    assert time.monotonic() - start < 20
    assert len(begun) <= 2 + threads
    for thread in threading.enumerate():
        if thread.name == "documents":
            thread.join(2)
            assert not thread.is_alive()


CODE = """
import sys
from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.concurrent import map_documents
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
model = load(ModelOptions("m", url=sys.argv[1], concurrency=4))
def document(number):
    for chunk in range(100):
        model.ask(Request("", f"{number} {chunk}", 9), Purpose("s"))
try:
    map_documents(document, range(8), 4)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of POSIX")
def test_ctrl_c_keeps_the_replies_that_are_on_their_way(chat_server, rows):
    chat_server.reply = chat_server.slow(0.05, "ok")
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, chat_server.url],
        env=os.environ | chat_server.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 120
    while len(chat_server.calls) < 8 and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=120)[0] == "interrupted\n"
    assert len(rows()) == len(chat_server.calls) < 100
    assert not any("unclear" in row for row in rows())
