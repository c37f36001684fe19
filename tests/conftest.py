"""What all tests share: the folder of oracles and data that lies beside a developer's checkout."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from .llm.server import ChatServer
from .llm.small_model import SMALL_MODEL, serve_small_model

# The first example of a test may load a vocabulary or a model: time says nothing about the code.
settings.register_profile("ragtrial", deadline=None)
settings.load_profile("ragtrial")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return a path below ``../shared``; the test is skipped where that folder is absent."""

    def locate(relative: str) -> Path:
        path = SHARED / relative
        if not path.exists():
            pytest.skip(f"needs {relative} of the folder ../shared, which lies beside a developer's checkout only")
        return path

    return locate


@pytest.fixture
def chat_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Return a scripted chat server on loopback; see ``tests/llm/server.py``."""
    pytest.importorskip("openai", reason="needs the extra openai")
    from ragtrial.llm import ledger, load, replies, retry

    server = ChatServer()
    server.environment = {
        "NO_PROXY": "127.0.0.1",
        "RAGTRIAL_CACHE": str(tmp_path / "cache"),
        "RAGTRIAL_LEDGER": str(tmp_path / "ledger.jsonl"),
    }
    for variable, value in server.environment.items():
        monkeypatch.setenv(variable, value)
    for variable in (
        "RAGTRIAL_CAP",
        "RAGTRIAL_PRICES",
        "RAGTRIAL_CONCURRENCY",
        "RAGTRIAL_TIMEOUT",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(retry, "_FIRST_WAIT_SECONDS", 0.01)
    yield server
    server.close_down()
    for kept in (load._shared, load._gate, replies._opened, ledger._opened):
        kept.cache_clear()


@pytest.fixture(scope="session")
def small_model_url() -> Iterator[str]:
    """Serve a real small model and return its address; see ``tests/llm/small_model.py``."""
    pytest.importorskip("openai", reason="needs the extra openai")
    server = serve_small_model()
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def small_model(small_model_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the options of a real small model, with a cache and a ledger of the test's own; mark such tests slow."""
    from ragtrial.llm.options import ModelOptions

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAGTRIAL_LEDGER", str(tmp_path / "ledger.jsonl"))
    return ModelOptions(SMALL_MODEL, url=small_model_url, concurrency=1, window=8192)
