"""The ledger has every paid call, survives what kills processes, and no call can pass the cap."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import DataError, RecordError, SpendingCapError
from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.bounds import TokenBounds, Weight
from ragtrial.llm.concurrent import map_documents
from ragtrial.llm.ledger import Ledger
from ragtrial.llm.ledger_rows import Rows, read_rows
from ragtrial.llm.prices import PICO
from ragtrial.llm.spending import spending_for
from ragtrial.llm.summary import spent_by, total_of

ROW = {"step": "s", "model": "m", "server": "h", "price": 0.25}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "ledger.jsonl"


def test_a_row_says_what_a_call_was_and_cost(chat_server, model_of, rows, tmp_path, monkeypatch):
    (tmp_path / "p.toml").write_text('[models."gpt-4o-mini"]\ninput = 0.15\noutput = 0.60\n')
    monkeypatch.setenv("RAGTRIAL_PRICES", str(tmp_path / "p.toml"))
    with spending_for("headers + enriched"):
        model_of().ask(Request("be brief", "what is пуск?", 20), Purpose("enriched", "guide.md", 3))
    model_of().ask(Request("", "x", 20), Purpose("judge"))
    first, second = rows()
    assert (first["arm"], first["step"], first["document"], first["chunk"]) == (
        "headers + enriched", "enriched", "guide.md", 3,
    )  # fmt: skip
    assert (second["arm"], second["step"], second["document"], second["chunk"]) == ("", "judge", "", None)
    assert (first["model"], first["server"]) == ("gpt-4o-mini", f"127.0.0.1:{chat_server.port}")
    assert (first["input_tokens"], first["output_tokens"], first["fingerprint"]) == (5, 1, "fp-1")
    assert first["price"] == (5 * 0.15 + 1 * 0.60) / 1e6
    assert len(first["prompt"]) == 64
    assert first["time"][:2] == "20"
    assert first["time"].endswith("+00:00")
    assert "пуск" not in json.dumps(rows(), ensure_ascii=False)


def test_tokens_that_a_server_does_not_count_are_booked_at_their_bound(chat_server, ask, rows):
    chat_server.script = [chat_server.no_usage("one two three")]
    reply = ask(user="hello there")
    (row,) = rows()
    assert (row["input_tokens"], row["output_tokens"]) == (reply.input_tokens, reply.output_tokens)
    assert 66 < row["input_tokens"] < 250
    assert 66 < row["output_tokens"] < 80


def test_a_torn_last_line_is_left_out_and_mended(path: Path):
    ledger = Ledger(path, None)
    for _ in range(2):
        ledger.settle(ledger.reserve("k", ROW, None), {})
    whole = path.read_bytes()
    for cut in range(1, len(whole) // 2):
        path.write_bytes(whole[:-cut])
        left = 2 if cut == 1 else 1  # only the line end is missing
        assert len(list(read_rows(path))) == left
        mended = Ledger(path, None)
        assert mended.spent() == left * PICO // 4
        mended.settle(mended.reserve("k", ROW, None), {"n": 3})
        assert [row.get("n") for row in read_rows(path)] == [None] * left + [3]
        assert mended.spent() == (left + 1) * PICO // 4
        assert path.read_bytes().count(b"\n") == left + 1


@pytest.mark.parametrize("line", [b"[]", b"{", b"\xff", b'{"price": "1"}', b'{"price": -1}', b'{"price": NaN}', b""])
def test_a_line_in_the_middle_that_is_no_row_is_named(path: Path, line: bytes):
    ledger = Ledger(path, None)
    ledger.settle(ledger.reserve("k", ROW, None), {})
    path.write_bytes(path.read_bytes() + line + b"\n" + path.read_bytes())
    with pytest.raises(RecordError, match=r"ledger\.jsonl:2 is no row of a ledger"):
        list(read_rows(path))
    with pytest.raises(RecordError, match=r"ledger\.jsonl:2 is no row of a ledger"):
        Rows(path).total()


def test_a_ledger_that_cannot_be_written_is_a_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"Cannot write the ledger .*Set RAGTRIAL_LEDGER"):
        Ledger(tmp_path / "file" / "ledger.jsonl", None)


def test_sums_are_exact_and_ignore_what_is_not_known(path: Path):
    ledger = Ledger(path, None)
    prices = [0.1, 0.2, 0.0000001, None]
    for day, price in enumerate(prices, start=1):
        row = {
            "step": "s",
            "arm": "a" if day < 3 else "b",
            "time": f"2026-01-0{day}T23:59",
            "model": "m",
            "server": "h",
        }
        ledger.settle(ledger.reserve("k", row, None), {"input_tokens": 10, "output_tokens": 2, "price": price})
    ledger.settle(ledger.reserve("k", {"step": "s"}, None), {"price": 5.0, "unclear": True})
    assert ledger.spent() == round(5.3000001 * PICO)
    arms = spent_by(path, "arm")
    assert [(arm.name, arm.calls, arm.picodollars, arm.unpriced, arm.unclear) for arm in arms] == [
        ("", 0, 0, 0, 1), ("a", 2, 300_000_000_000, 0, 0), ("b", 2, 100_000, 1, 0),
    ]  # fmt: skip
    total = total_of(arms)
    assert (total.calls, total.input_tokens, total.output_tokens) == (4, 40, 8)
    assert (total.picodollars, total.picodollars_unclear) == (300_000_100_000, 5 * PICO)
    assert [day.name for day in spent_by(path, "day")] == ["", *(f"2026-01-0{day}" for day in range(1, 5))]


def test_what_a_killed_process_left_in_flight_is_settled_by_the_next(path: Path):
    code = (
        "import sys, os, pathlib\nfrom ragtrial.llm.ledger import Ledger\n"
        "ledger = Ledger(pathlib.Path(sys.argv[1]), 10**15)\n"
        "row = {'step': 's', 'model': 'm', 'server': 'h'}\n"
        "for key in ('kept', 'lost'): ledger.reserve(key, row, 10**11)\n"
        "print('open', flush=True); sys.stdin.readline()\n"
    )
    pipe = subprocess.PIPE
    other = subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=pipe, stdout=pipe, text=True)
    assert other.stdout.readline() == "open\n"
    kept = {"kept": {"price": 0.03}}
    ledger = Ledger(path, PICO)
    ledger.recover(kept.get)
    assert not path.exists(), "a process that lives keeps its calls"
    with pytest.raises(SpendingCapError, match=r"up to \$0.200000 are in flight"):
        ledger.reserve("x", ROW, 9 * PICO // 10)
    other.kill()
    other.communicate()
    Ledger(path, PICO).recover(kept.get)
    assert [(row["price"], row.get("unclear", False)) for row in read_rows(path)] == [(0.03, False), (0.1, True)]
    ledger.recover(kept.get)
    assert ledger.spent() == 13 * PICO // 100


def test_a_price_that_is_not_known_is_refused_under_a_cap(path: Path):
    with pytest.raises(SpendingCapError, match=r"price of m on h is not known.*prices\.toml") as error:
        Ledger(path, PICO).reserve("k", ROW, None)
    assert error.value.exit_code == 4


def test_a_server_on_this_machine_is_free_under_a_cap(ask, monkeypatch, rows):
    monkeypatch.setenv("RAGTRIAL_CAP", "0")
    assert ask(model="mine").text == "ok"
    assert rows()[0]["price"] == 0


# A dollar a token of output, and nothing for input: what a call can cost is max_tokens.
DEAR = '[models."dear"]\ninput = 0\noutput = 10000\n'


@pytest.fixture
def dear(monkeypatch, tmp_path, chat_server):
    (tmp_path / "prices.toml").write_text(DEAR)
    monkeypatch.setenv("RAGTRIAL_PRICES", str(tmp_path / "prices.toml"))
    monkeypatch.setenv("RAGTRIAL_CAP", "0.10")
    chat_server.environment |= {"RAGTRIAL_CAP": "0.10", "RAGTRIAL_PRICES": str(tmp_path / "prices.toml")}
    chat_server.reply = chat_server.slow(0.002, "one")


def test_a_cap_of_ten_cents_is_never_passed_with_16_calls_in_flight(chat_server, model_of, dear, rows):
    model = model_of(model="dear", concurrency=16)

    def document(number: int) -> None:
        for chunk in range(5):
            model.ask(Request("", f"document {number}, chunk {chunk}", 1), Purpose("s", str(number), chunk))

    chat_server.reply = chat_server.slow(0.01, "one")
    with pytest.raises(SpendingCapError, match=r"The spending cap of \$0\.100000 could be passed"):
        map_documents(document, range(16), 16)
    # Every call costs exactly its bound of one cent, so that the cap is reached and not passed.
    assert len(chat_server.calls) == len(rows()) == 10
    assert chat_server.most_in_flight > 1
    assert sum(round(row["price"] * 100) for row in rows()) == 10
    # All that was paid for is there, and a higher cap goes on.
    assert total_of(spent_by(Path(chat_server.environment["RAGTRIAL_LEDGER"]), "arm")).picodollars == PICO // 10


def test_calls_wait_for_room_below_the_cap_and_are_not_refused_for_what_others_could_cost(
    chat_server, model_of, dear, rows
):
    # Each call can cost five cents and does cost one.
    model = model_of(model="dear", concurrency=16)
    chat_server.reply = chat_server.slow(0.01, "one")
    found = map_documents(lambda n: model.ask(Request("", str(n), 5), Purpose("s")).text, range(6), 6)
    assert found == ["one"] * 6
    assert len(rows()) == 6
    assert chat_server.most_in_flight <= 2
    with pytest.raises(
        SpendingCapError, match=r"\$0\.060000 are spent, and the next call of 's' costs up to \$0\.050000"
    ):
        model.ask(Request("", "one more", 5), Purpose("s"))
    assert model.ask(Request("", "a short one", 4), Purpose("s")).text == "one"


def test_a_cap_holds_over_several_processes(chat_server, dear, rows):
    code = (
        "import sys\nfrom ragtrial.llm.base import Purpose, Request\nfrom ragtrial.llm.load import load\n"
        "from ragtrial.llm.options import ModelOptions\nfrom ragtrial.llm.concurrent import map_documents\n"
        "from ragtrial.errors import SpendingCapError\n"
        "model = load(ModelOptions('dear', url=sys.argv[1], concurrency=4))\n"
        "ask = lambda n: model.ask(Request('', sys.argv[2] + str(n), 1), Purpose('s'))\n"
        "sys.stdin.readline()\n"
        "try: map_documents(ask, range(20), 4)\n"
        "except SpendingCapError: print('refused')\n"
    )
    import os

    pipe = subprocess.PIPE
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, chat_server.url, name],
            env=os.environ | chat_server.environment,
            stdin=pipe,
            stdout=pipe,
            text=True,
        )
        for name in "ab"
    ]
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=120)[0] for process in running] == ["refused\n"] * 2
    assert len(chat_server.calls) == len(rows()) == 10


def test_a_cap_of_nothing_lets_only_free_calls_through(ask, monkeypatch, dear, chat_server):
    monkeypatch.setenv("RAGTRIAL_CAP", "0")
    with pytest.raises(SpendingCapError):
        ask(model="dear")
    assert chat_server.calls == []


def test_an_unclear_call_counts_with_all_that_it_can_have_cost(chat_server, ask, dear, rows):
    chat_server.script = [chat_server.raw(b"{")]
    ask(model="dear", max_tokens=3)
    assert [(row["price"], row.get("unclear", False)) for row in rows()] == [(0.03, True), (0.01, False)]


TEXTS = st.text(st.characters(exclude_categories=())) | st.text("水泵давление😀 a")


@given(st.lists(TEXTS, max_size=4), st.floats(1, 3))
def test_the_bound_of_tokens_is_between_twice_the_count_and_the_bytes(texts: list[str], ratio: float):
    bounds = TokenBounds()
    weight = Weight.of_body({"messages": [{"content": text} for text in texts], "seed": 0})
    assert bounds.of(weight) >= min(2 * weight.tokens, weight.bytes) + 64
    assert bounds.of(weight) <= weight.bytes + 64
    counted = int((weight.tokens + 64) * ratio)
    bounds.learn(weight, counted)
    assert bounds.of(weight) >= min(counted, weight.bytes)


def test_two_processes_append_whole_rows(path: Path):
    code = (
        "import sys, pathlib\nfrom ragtrial.llm.ledger import Ledger\n"
        "ledger = Ledger(pathlib.Path(sys.argv[1]), None)\n"
        "for n in range(100): ledger.settle(ledger.reserve('k', {'by': sys.argv[2], 'n': n}, None), {'price': 0.001})\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "ab"]
    assert [process.wait(60) for process in running] == [0, 0]
    rows = list(read_rows(path))
    for name in "ab":
        assert [row["n"] for row in rows if row["by"] == name] == list(range(100))
    assert Ledger(path, None).spent() == PICO // 5


@pytest.mark.skipif(sys.platform == "win32", reason="uses limits of POSIX")
@pytest.mark.parametrize("size", [700, 1000, 1111, 2500])
def test_a_full_disk_is_a_sentence_and_leaves_whole_rows(path: Path, size: int):
    code = """
import pathlib, resource, signal, sys
from ragtrial.errors import DataError
from ragtrial.llm.ledger import Ledger
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
ledger = Ledger(pathlib.Path(sys.argv[1]), 10**12)
def spend(n): ledger.settle(ledger.reserve("k", {"step": "s", "n": n}, 10**9), {"price": 0.001})
spend(0)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
n = 1
try:
    while True:
        spend(n)
        n += 1
except DataError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
spend(n + 1)
print(n)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(size)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sentence, n = done.stdout.splitlines()
    assert sentence.startswith(f"Cannot write the ledger {path}: File too large. Set RAGTRIAL_LEDGER")
    failed = int(n)
    paid = [row["n"] for row in read_rows(path)]
    assert [number for number in paid if number != failed] == [*range(failed), failed + 1]
    # A call that was made and whose row could not be written may have been paid: the next process says so, once.
    Ledger(path, None).recover(lambda key: None)
    rows = list(read_rows(path))
    assert [row["n"] for row in rows].count(failed) <= 1
    assert [row["n"] for row in rows if row.get("unclear")] in ([], [failed])
    assert len(rows) - len(paid) == sum(row.get("unclear", False) for row in rows)


def test_threads_share_one_ledger(path: Path):
    ledger = Ledger(path, PICO)

    def spend() -> None:
        for _ in range(5):
            ledger.settle(ledger.reserve("k", ROW, PICO // 100), {"price": 0.01})

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent() == 40 * PICO // 100
