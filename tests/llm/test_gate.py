"""A server gets as many calls at a time as it takes: halved when it is busy, one more with every round of replies."""

import threading
import time

import pytest

from ragtrial.llm.gate import Gate, Pass
from ragtrial.llm.stopping import STOP, StoppedError, check, pause


def test_no_more_than_the_limit_are_in_flight():
    gate = Gate(3)
    now, most = [0], [0]
    turn = threading.Lock()

    def call() -> None:
        with gate.place():
            with turn:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.01)
            with turn:
                now[0] -= 1

    threads = [threading.Thread(target=call) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [3]


def test_busy_halves_once_for_all_that_were_in_flight_and_replies_raise_it_again():
    gate = Gate(16)
    with gate.place() as given:
        pass
    for _ in range(16):
        gate.busy(given, 0)
    assert gate.allowed == 8
    gate.busy(Pass(1), 0)
    assert gate.allowed == 4
    for allowed in (5, 6):
        for _ in range(allowed):
            gate.replied()
        assert gate.allowed == allowed
    for _ in range(500):
        gate.replied()
    assert gate.allowed == 16
    for era in range(2, 12):
        gate.busy(Pass(era), 0)
    assert gate.allowed == 1


def test_a_busy_server_is_left_alone_as_long_as_it_asks():
    gate = Gate(4)
    gate.busy(Pass(0), 0.15)
    start = time.monotonic()
    with gate.place():
        assert time.monotonic() - start >= 0.15


def test_who_waits_is_let_go_when_the_work_ends():
    stop = threading.Event()
    token = STOP.set(stop)
    try:
        check()
        pause(0)
        gate = Gate(1)
        gate.busy(Pass(0), 60)
        threading.Timer(0.05, stop.set).start()
        start = time.monotonic()
        with pytest.raises(StoppedError), gate.place():
            pytest.fail("a place was given")
        for wait in (check, lambda: pause(60)):
            with pytest.raises(StoppedError):
                wait()
        assert time.monotonic() - start < 30
    finally:
        STOP.reset(token)


def test_a_server_that_takes_four_calls_gets_about_that_many(chat_server, model_of):
    from ragtrial.llm.base import Purpose, Request
    from ragtrial.llm.concurrent import map_documents

    def reply(call):
        over = chat_server._in_flight > 4
        return chat_server.busy("0.01") if over else chat_server.slow(0.01, "ok")(call)

    chat_server.reply = reply
    model = model_of(concurrency=16)
    found = map_documents(lambda n: model.ask(Request("", str(n), 9), Purpose("s")).text, range(100), 16)
    assert found == ["ok"] * 100
    assert len(chat_server.calls) < 200  # without halving nearly every call would be refused several times
