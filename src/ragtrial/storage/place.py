"""Where what is kept for all trials of a user lies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

__all__ = ["cache_folder"]

_OFF: Final = "off"


def cache_folder() -> Path | None:
    """Return the folder that RAGTRIAL_CACHE names, None for ``off``; by default it is the user's cache folder."""
    named = os.environ.get("RAGTRIAL_CACHE", "").strip()
    if named.lower() == _OFF:
        return None
    if named:
        return Path(named).expanduser()
    return platformdirs.user_cache_path("ragtrial", appauthor=False)
