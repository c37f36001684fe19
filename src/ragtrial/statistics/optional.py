"""Libraries that only some statistics need, imported at the moment of use."""

from __future__ import annotations

import importlib
from typing import Any

from ragtrial.errors import MissingExtraError

__all__ = ["require"]


def require(module: str, purpose: str) -> Any:
    """Import ``module`` or say which extra brings it.

    Raises MissingExtraError with the command that installs the extra ``stats``.

    >>> require("math", "Arithmetic").floor(2.5)
    2
    """
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        library = module.split(".", maxsplit=1)[0]
        raise MissingExtraError(f"{purpose} needs {library}, which is not installed.", extra="stats") from fault
