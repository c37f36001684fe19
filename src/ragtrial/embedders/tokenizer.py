"""The file ``tokenizer.json`` of a model: where it lies, and what is read from it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtrial.errors import DataError, UsageError
from ragtrial.require import require

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["find_tokenizer", "read_tokenizer", "read_whole_tokenizer"]

_EXTRA: Final = "local"
_FILE: Final = "tokenizer.json"
_HUB_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+")


def read_tokenizer(path: Path, purpose: str) -> Tokenizer:
    """Return the tokenizer in a file as the file sets it up, which may cut and fill up texts.

    ``purpose`` stands before "needs tokenizers" where the library is missing. A file that holds no tokenizer raises
    `DataError`.
    """
    tokenizers = require("tokenizers", _EXTRA, purpose)
    try:
        found: Tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise DataError(f"Cannot read the tokenizer {path}: {error}.") from error
    return found


def read_whole_tokenizer(path: Path, purpose: str) -> Tokenizer:
    """Return the tokenizer in a file, neither cutting nor filling up texts; see `read_tokenizer`."""
    tokenizer = read_tokenizer(path, purpose)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def find_tokenizer(name: str) -> Path:
    """Return where a tokenizer lies: a file, a folder with ``tokenizer.json``, or a model of the Hugging Face hub.

    Of the hub only that file is downloaded, where it is not on this machine yet.

    Raises
    ------
    UsageError
        The name is none of these.
    DataError
        The folder has no such file, or the hub does not give it.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        path /= _FILE
        if not path.is_file():
            raise DataError(f"The folder {path.parent} has no {_FILE}.")
    if path.is_file():
        return path
    if not _HUB_NAME.fullmatch(name):
        raise UsageError(
            f"There is no tokenizer {name!r}.",
            hint="Name a tokenizer.json, a folder that has one, or a model of the hub as OWNER/NAME.",
        )
    return _of_hub(name)


def _of_hub(name: str) -> Path:
    hub = require("huggingface_hub", _EXTRA, f"The tokenizer {name!r}")
    with suppress(Exception):  # whatever keeps it from being found here, the download will say why
        return Path(hub.hf_hub_download(name, _FILE, local_files_only=True))
    try:
        return Path(hub.hf_hub_download(name, _FILE))
    except Exception as error:
        raise DataError(
            f"The tokenizer {name!r} is no file or folder here, and cannot be downloaded: {error}.",
            hint="Check the name, or get its tokenizer.json where there is a network and name the file.",
        ) from error
