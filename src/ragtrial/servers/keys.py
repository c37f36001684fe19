"""The keys of servers: read when they are needed, kept nowhere, and shown to nobody."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ragtrial.errors import UsageError
from ragtrial.require import require

__all__ = ["BASE_URL_VARIABLE", "NO_KEY", "key_in", "without_key"]

BASE_URL_VARIABLE: Final = "OPENAI_BASE_URL"
"""Where programs of OpenAI's interface look for the server to use in place of OpenAI's own; it is no secret."""

NO_KEY: Final = "none"
"""What a server that asks for no key is sent: clients refuse to send nothing."""

_FILE: Final = ".env"
_EXTRA: Final = "openai"


def key_in(variable: str | None) -> str | None:
    """Return what an environment variable holds, else its line in ``.env`` in the working directory, else None.

    What ``.env`` says is not put into the environment, so no other program gets it. A file that cannot be read raises
    `UsageError`.
    """
    if variable is None:
        return None
    if found := os.environ.get(variable, "").strip():
        return found
    if not Path(_FILE).is_file():
        return None
    dotenv = require("dotenv", _EXTRA, f"Reading keys from {_FILE}")
    try:
        lines = dotenv.dotenv_values(_FILE, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise UsageError(
            f"The key {variable} was looked for in the file {_FILE} of the working directory, which cannot be read.",
            hint="Write it in UTF-8, or set the environment variable.",
        ) from None
    return (lines.get(variable) or "").strip() or None


def without_key(text: str, key: str | None) -> str:
    """Return a text with the key struck out wherever it stands."""
    return text.replace(key, "***") if key else text
