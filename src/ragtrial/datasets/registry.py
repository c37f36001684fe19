"""The known data sets by name, each imported when it is first asked for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import ModuleType

from ragtrial.datasets.model import Dataset
from ragtrial.errors import SpecError, did_you_mean

__all__ = ["load_dataset", "protocol_names", "reader_names"]

_PLACES = {
    "demo": "ragtrial.datasets.demo:load_demo",
    "freshstack": "ragtrial.datasets.freshstack.load:load_freshstack",
    "qasper": "ragtrial.datasets.qasper.load:load_qasper",
    "wikipedia": "ragtrial.datasets.wikipedia.load:load_wikipedia",
}


def reader_names() -> tuple[str, ...]:
    """Return the names of all data set readers, sorted."""
    return tuple(sorted(_PLACES))


def protocol_names(reader: str) -> tuple[str, ...]:
    """Return the protocols of a reader, sorted; none of one that has no choice. An unknown reader is a `SpecError`."""
    return tuple(sorted(getattr(_module(reader), "PROTOCOLS", ())))


def load_dataset(reader: str, **options: object) -> Dataset:
    """Load a data set by the name of its reader.

    Parameters
    ----------
    reader : str
        One of `reader_names`.
    **options
        What the reader takes, such as ``path``, ``protocol`` and ``select``.

    Raises
    ------
    SpecError
        The reader or an option is unknown, or a needed option is missing.
    """
    load: Callable[..., Dataset] = getattr(_module(reader), _PLACES[reader].partition(":")[2])
    known = inspect.signature(load).parameters
    for option in options:
        if option not in known:
            raise SpecError(f"The reader {reader!r} has no option {option!r}.", hint=did_you_mean(option, known))
    missing = [key for key, value in known.items() if value.default is value.empty and key not in options]
    if missing:
        raise SpecError(f"The reader {reader!r} needs {', '.join(missing)}.")
    return load(**options)


def _module(reader: str) -> ModuleType:
    if reader not in _PLACES:
        raise SpecError(f"There is no data set reader called {reader!r}.", hint=did_you_mean(reader, _PLACES))
    return importlib.import_module(_PLACES[reader].partition(":")[0])
