"""Libraries that only one backend needs, imported when it is used."""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ragtrial.errors import MissingExtraError

__all__ = ["require", "version_of"]


def require(module: str, extra: str, purpose: str) -> Any:
    """Import a module, or raise `MissingExtraError` that names the extra which brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _missing(module.partition(".")[0], extra, purpose) from error


def version_of(package: str, extra: str, purpose: str) -> str:
    """Return the version of an installed package ; one that is missing raises `MissingExtraError`."""
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise _missing(package, extra, purpose) from error


def _missing(library: str, extra: str, purpose: str) -> MissingExtraError:
    return MissingExtraError(f"{purpose} needs {library}, which is not installed.", extra=extra)
