"""A model's options: what cannot be sent is refused, and everything that a reply depends on is in the identity."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from ragtrial.errors import SpecError, UsageError
from ragtrial.llm.base import Request
from ragtrial.llm.options import SERVERS, ModelOptions
from ragtrial.llm.settings import CallSettings
from ragtrial.llm.wire import body_of


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": " "}, SpecError, "needs a name"),
        ({"url": "olama"}, UsageError, "There is no server 'olama'. Did you mean 'ollama'?"),
        ({"url": "ftp://x/v1"}, UsageError, "is not the address of a server"),
        ({"url": "http://[x/v1"}, UsageError, "is not the address of a server"),
        ({"url": "http://me:secret@x/v1"}, UsageError, "must hold no user, password or query"),
        ({"url": "http://x/v1?key=secret"}, UsageError, "must hold no user, password or query"),
        ({"concurrency": 0}, SpecError, "concurrency=0"),
        ({"window": -1}, SpecError, "window=-1"),
        ({"omit": ("sead",)}, SpecError, "Did you mean 'seed'?"),
        ({"extra": {"stream": True}}, SpecError, "must not hold 'stream'"),
        ({"extra": {"x": {1}}}, SpecError, "is no JSON"),
    ],
)
def test_options_that_cannot_be_sent_are_refused(options: dict, error: type, message: str):
    with pytest.raises(error) as raised:
        ModelOptions(**{"model": "m", **options})
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    """Give every test an environment without a server or a key, and a folder without ``.env``."""
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)


def test_the_environment_names_the_server_that_stands_for_openai(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gpu.lan:8000/v1/")
    assert ModelOptions("m").address == "http://gpu.lan:8000/v1"
    assert ModelOptions("m").variable is None
    assert ModelOptions("m").identity() == ModelOptions("m", url="http://gpu.lan:8000/v1").identity()
    assert ModelOptions("m", url="ollama").address == SERVERS["ollama"].url
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert ModelOptions("m").variable == "OPENAI_API_KEY"
    assert ModelOptions("m", key_variable="MINE").variable == "MINE"
    monkeypatch.setenv("OPENAI_BASE_URL", "ollama")
    assert ModelOptions("m").address == SERVERS["ollama"].url
    monkeypatch.setenv("OPENAI_BASE_URL", "gpu")
    with pytest.raises(UsageError, match="There is no server 'gpu'"):
        ModelOptions("m")
    monkeypatch.delenv("OPENAI_BASE_URL")
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://localhost:9/v1\n", encoding="utf-8")
    assert ModelOptions("m").address == "http://localhost:9/v1"


def test_short_forms_stand_for_addresses_and_bring_their_own_key_only():
    assert ModelOptions("m").address == "https://api.openai.com/v1"
    assert ModelOptions("m").variable == "OPENAI_API_KEY"
    assert ModelOptions("m", url="https://openrouter.ai/api/v1/").variable == "OPENROUTER_API_KEY"
    assert ModelOptions("m", url="ollama") == ModelOptions("m", url="ollama")
    assert ModelOptions("m", url="ollama").identity() == ModelOptions("m", url=SERVERS["ollama"].url).identity()
    assert ModelOptions("m", url="https://example.org/v1").variable is None
    assert ModelOptions("m", url="https://example.org/v1", key_variable="MINE").variable == "MINE"


def test_the_identity_holds_what_replies_depend_on_and_nothing_else():
    base = ModelOptions("m")
    different = [
        ModelOptions("n"),
        ModelOptions("m", url="ollama"),
        ModelOptions("m", effort="low"),
        ModelOptions("m", provider="x"),
        ModelOptions("m", structured=False),
        ModelOptions("m", omit=("seed",)),
        ModelOptions("m", extra={"top_k": 1}),
    ]
    written = {json.dumps(options.identity(), sort_keys=True) for options in [base, *different]}
    assert len(written) == 1 + len(different)
    same = ModelOptions("m", key_variable="X", concurrency=3, window=9)
    assert same.identity() == base.identity()
    assert "OPENAI_API_KEY" not in str(base.identity())


REQUEST = Request("sys", "user", 12, schema={"type": "object"}, seed=3)


def test_a_request_is_sent_as_the_server_takes_it():
    body = body_of(ModelOptions("m", url="ollama"), REQUEST, structured=True)
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "sys"}, {"role": "user", "content": "user"}],
        "max_tokens": 12,
        "temperature": 0.0,
        "seed": 3,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}},
        },
    }
    options = ModelOptions("m", omit=("seed", "temperature"), effort="low", provider="p", extra={"top_k": 1})
    assert body_of(options, Request("", "user", 12), structured=True) == {
        "model": "m",
        "messages": [{"role": "user", "content": "user"}],
        "max_completion_tokens": 12,
        "reasoning_effort": "low",
        "provider": {"order": ["p"], "allow_fallbacks": False, "data_collection": "deny"},
        "top_k": 1,
    }


def test_openrouter_is_told_the_effort_in_its_own_way():
    body = body_of(ModelOptions("m", url="openrouter", effort="low"), REQUEST, structured=False)
    assert body["reasoning"] == {"effort": "low"}
    assert "reasoning_effort" not in body
    assert "response_format" not in body


def test_every_option_and_setting_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "language-models.md").read_text(encoding="utf-8")
    for option in fields(ModelOptions):
        assert f"| `{option.name}` |" in text
    for variable in re.findall(r"RAGTRIAL_\w+", CallSettings.__doc__):
        assert f"`{variable}`" in text
    for server in SERVERS:
        assert f"`{server}`" in text


def test_settings_are_read_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for variable in ("CACHE", "LEDGER", "CAP", "PRICES", "CONCURRENCY", "TIMEOUT"):
        monkeypatch.delenv(f"RAGTRIAL_{variable}", raising=False)
    default = CallSettings.from_environment()
    assert (default.cap, default.prices, default.concurrency, default.timeout) == (None, None, 4, 600)
    assert default.ledger == tmp_path / "ragtrial-runs" / "ledger.jsonl"
    (tmp_path / "prices.toml").write_text("")
    monkeypatch.setenv("RAGTRIAL_CAP", " $0.10 ")
    monkeypatch.setenv("RAGTRIAL_LEDGER", str(tmp_path / "l"))
    monkeypatch.setenv("RAGTRIAL_CONCURRENCY", "16")
    given = CallSettings.from_environment()
    assert (str(given.cap), given.prices, given.concurrency) == ("0.10", tmp_path / "prices.toml", 16)
    assert given.ledger == tmp_path / "l"


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("RAGTRIAL_CAP", "ten", "must be an amount of dollars such as 0.10, not 'ten'"),
        ("RAGTRIAL_CAP", "-1", "must be an amount of dollars"),
        ("RAGTRIAL_CAP", "nan", "must be an amount of dollars"),
        ("RAGTRIAL_CONCURRENCY", "0", "must be a whole number from 1, not '0'"),
        ("RAGTRIAL_TIMEOUT", "²", "must be a whole number from 1"),
        ("RAGTRIAL_PRICES", "nowhere.toml", "There is no table of prices"),
    ],
)
def test_a_setting_that_is_none_is_refused(monkeypatch, variable: str, text: str, message: str):
    monkeypatch.setenv(variable, text)
    with pytest.raises(UsageError, match=message):
        CallSettings.from_environment()
