"""What the tests of language models share: a model on the scripted server, and its ledger."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtrial.llm.base import Purpose, Request

PURPOSE = Purpose("enriched", "guide.md", 3)


@pytest.fixture
def model_of(chat_server) -> Callable[..., Any]:
    """Return a function that makes a model on the scripted server."""
    from ragtrial.llm.load import load
    from ragtrial.llm.options import ModelOptions

    return lambda **options: load(ModelOptions(**{"model": "gpt-4o-mini", "url": chat_server.url, **options}))


@pytest.fixture
def ask(model_of) -> Callable[..., Any]:
    """Return a function that asks a new model one thing."""

    def ask(user: str = "hello there", system: str = "", max_tokens: int = 20, **more: Any) -> Any:
        options = {key: more.pop(key) for key in list(more) if key not in Request.__dataclass_fields__}
        return model_of(**options).ask(Request(system, user, max_tokens, **more), PURPOSE)

    return ask


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[], list[dict[str, Any]]]:
    """Return a function that reads the ledger."""
    from ragtrial.llm.ledger_rows import read_rows

    path = tmp_path / "ledger.jsonl"
    return lambda: list(read_rows(path)) if path.exists() else []
