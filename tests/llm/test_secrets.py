"""A key is sent to its server and stands nowhere else: no file, no message, no traceback, no other server."""

import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from ragtrial.errors import ModelCallError, UsageError

KEY = "sk-test-1234567890-abcdef"


@pytest.fixture(params=["environment", ".env"])
def key(request, monkeypatch, tmp_path) -> str:
    """Set the key, in the environment or in a file."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("RAGTRIAL_LEDGER", str(tmp_path / "ledger.jsonl"))
    if request.param == "environment":
        monkeypatch.setenv("MY_KEY", KEY)
    else:
        monkeypatch.delenv("MY_KEY", raising=False)
        (work / ".env").write_text(f"# mine\nOTHER=${{MY_KEY}}\nexport MY_KEY='{KEY}'\n", encoding="utf-8")
    return KEY


def files_with(folder: Path, what: str) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".env"]
    return [str(path) for path in files if what.encode() in path.read_bytes()]


def test_a_key_is_nowhere_but_on_the_wire(key, chat_server, ask, tmp_path, model_of, capsys, caplog):
    caplog.set_level("DEBUG")
    # A server that sends back all that it was sent.
    chat_server.reply = lambda call: f"you are {call.key}"
    reply = ask(key_variable="MY_KEY")
    assert chat_server.calls[0].key == f"Bearer {key}"
    assert reply.text == "you are Bearer ***"
    model = model_of(key_variable="MY_KEY")
    assert key not in str(model.identity()) + str(model.served()) + str(vars(model)) + repr(reply)
    model._cache.database.close()
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) > 3
    assert files_with(tmp_path, key) == []
    out, err = capsys.readouterr()
    assert key not in out + err + caplog.text
    assert os.environ.get("MY_KEY", key) == key


@pytest.mark.parametrize("status", [401, 400, 500, 200])
def test_a_key_is_in_no_message(key, status: int, chat_server, ask, tmp_path, monkeypatch):
    from ragtrial.llm import retry

    monkeypatch.setattr(retry, "_FIRST_WAIT_SECONDS", 0.0)
    said = f"Incorrect API key provided: {key}"
    chat_server.reply = chat_server.error_body(said, 401) if status == 200 else chat_server.status(status, said)
    with pytest.raises(ModelCallError) as error:
        ask(key_variable="MY_KEY")
    shown = "".join(traceback.format_exception(error.value))
    assert "Incorrect API key provided: ***" in shown
    assert key not in shown
    assert files_with(tmp_path, key) == []


def test_a_key_is_in_no_traceback_of_a_process(chat_server, tmp_path):
    code = (
        "import sys\nfrom ragtrial.llm.base import Purpose, Request\nfrom ragtrial.llm.load import load\n"
        "from ragtrial.llm.options import ModelOptions\n"
        "load(ModelOptions('m', url=sys.argv[1], key_variable='MY_KEY')).ask(Request('', 'u', 9), Purpose('s'))\n"
    )
    chat_server.reply = chat_server.status(401, f"bad key {KEY}")
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code, chat_server.url],
        env=os.environ | chat_server.environment | {"MY_KEY": KEY, "OPENAI_LOG": "debug"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "bad key ***" in done.stderr
    assert KEY not in done.stderr + done.stdout
    assert files_with(tmp_path, KEY) == []


def test_the_key_of_one_server_goes_to_no_other(chat_server, ask, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    ask()
    assert chat_server.calls[0].key == "Bearer none"


def test_a_word_that_is_no_secret_does_not_spoil_replies(chat_server, ask, monkeypatch):
    monkeypatch.setenv("MY_KEY", "ollama")
    chat_server.reply = "ollama runs models"
    assert ask(key_variable="MY_KEY").text == "ollama runs models"


def test_a_key_that_no_header_can_hold_is_an_error_without_it(chat_server, ask, monkeypatch):
    monkeypatch.setenv("MY_KEY", "ключ-который-никто-не-видит")
    with pytest.raises(UsageError, match="no request can carry") as error:
        ask(key_variable="MY_KEY")
    assert "ключ" not in "".join(traceback.format_exception(error.value))
