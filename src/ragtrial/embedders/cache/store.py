"""Vectors in the database: one record a vector, and one a model.

Keys: ``m`` + model id holds a model's identity; ``v`` + model id + sha256 a vector. A vector's record is one uint32,
whether the text was cut (`ragtrial.embedders.model.Fit`), and the float32 components, all little-endian.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache, partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Identity, Vectors
from ragtrial.embedders.cache.keys import model_id
from ragtrial.errors import RecordError
from ragtrial.storage.canonical import canonical_json
from ragtrial.storage.database import Database, beginning

if TYPE_CHECKING:
    import lmdb

    Transaction = lmdb.Transaction[Any]

__all__ = ["CachedModel", "Found", "VectorCache", "open_cache"]

_MODEL: Final = b"m"
_VECTOR: Final = b"v"
_ROWS_A_TRANSACTION: Final = 4096
_ROWS_AT_A_TIME: Final = 1024


class Found(NamedTuple):
    """What the cache holds of some keys: whether each is there, its vector, and how its text fits the window.

    Vectors and fits of keys that are not there are undefined.
    """

    there: npt.NDArray[np.bool_]
    vectors: Vectors
    fits: npt.NDArray[np.uint32]


class CachedModel(NamedTuple):
    """One model in the cache: its id, what it is, its vectors, their bytes, and the day of its last use."""

    id: str
    identity: Identity
    dimension: int
    vectors: int
    bytes: int
    used: date


@cache
def _opened(folder: Path) -> VectorCache:
    return VectorCache(folder)


def open_cache(folder: Path) -> VectorCache:
    """Return this process's one cache of vectors below a folder, ``folder/vectors``; it is made if there is none."""
    return _opened(folder.resolve())


class VectorCache:
    """Vectors by key (`ragtrial.embedders.cache.keys`), whole or not at all; open one with `open_cache`."""

    def __init__(self, folder: Path) -> None:
        """Open ``folder/vectors``; see `ragtrial.storage.database.Database`."""
        self.database = Database(
            folder / "vectors",
            damaged="Remove the folder if it is damaged: what is missing is embedded again.",
            full="Free some space, or remove vectors that nobody needs with 'ragtrial cache --prune'.",
        )

    def get(self, keys: Sequence[bytes], dimension: int) -> Found:
        """Return what is there of some keys; a vector of another size raises `RecordError`."""
        there = np.zeros(len(keys), dtype=np.bool_)
        found = Found(there, np.empty((len(keys), dimension), np.float32), np.empty(len(keys), np.uint32))
        for start in range(0, len(keys), _ROWS_AT_A_TIME):
            rows = slice(start, start + _ROWS_AT_A_TIME)
            held, data = self.database.read(partial(_get, names=keys[rows]), buffers=True)
            there[rows] = held
            try:
                records = np.frombuffer(data, dtype=_record(dimension))
                found.vectors[rows][held] = records["vector"]
                found.fits[rows][held] = records["fit"]
            except ValueError as error:
                raise RecordError(
                    f"The cache {self.database.folder} is damaged: a vector has not the size of its model's.",
                    hint="Remove the folder: what is missing is embedded again.",
                ) from error
        return found

    def there(self, keys: Sequence[bytes]) -> npt.NDArray[np.bool_]:
        """Return whether each key's vector is there, without reading it."""
        held = np.zeros(len(keys), dtype=np.bool_)
        for start in range(0, len(keys), _ROWS_AT_A_TIME):
            rows = slice(start, start + _ROWS_AT_A_TIME)
            held[rows] = self.database.read(partial(_there, names=keys[rows]), buffers=True)
        return held

    def put(self, identity: Identity, keys: Sequence[bytes], vectors: Vectors, fits: Sequence[int]) -> None:
        """Store vectors of one model, shape (keys, dimension); when this returns they are on the disk.

        Raises `DataError` when the disk is full: then nothing of the last transaction was written.
        """
        if not keys:
            return
        data = np.ascontiguousarray(vectors, dtype="<f4").data.cast("B")
        size = 4 * vectors.shape[1]
        heads = {fit: int(fit).to_bytes(4, "little") for fit in set(fits)}
        rows = [
            (_VECTOR + key, heads[fit] + data[row * size : (row + 1) * size])
            for row, (key, fit) in enumerate(zip(keys, fits, strict=True))
        ]
        # LMDB writes neighbours at less cost than strangers.
        rows.sort(key=itemgetter(0))
        about = _about(identity, vectors.shape[1])
        for start in range(0, len(rows), _ROWS_A_TRANSACTION):
            part = rows[start : start + _ROWS_A_TRANSACTION]
            self.database.write(partial(_put, model=_MODEL + model_id(identity), about=about, rows=part))

    def dimension(self, identity: Identity) -> int | None:
        """Return the size of a model's vectors, None for a model without any; notes that it was used today."""
        key = _MODEL + model_id(identity)
        value = self.database.read(lambda txn: txn.get(key))
        if value is None:
            return None
        about = self.database.parsed(value)
        if about["used"] != _today():
            renewed = _about(identity, about["dimension"])
            self.database.write(lambda txn: txn.put(key, renewed))
        return int(about["dimension"])

    def models(self) -> list[CachedModel]:
        """Return the models in the cache, the last used first."""
        found = self.database.read(lambda txn: [_model_row(txn, key) for key in beginning(txn, _MODEL)])
        rows = []
        for key, value, count in found:
            about = self.database.parsed(value)
            size = count * _record(about["dimension"]).itemsize
            used = date.fromisoformat(about["used"])
            rows.append(CachedModel(key[1:].hex(), about["identity"], about["dimension"], count, size, used))
        return sorted(rows, key=lambda model: (-model.used.toordinal(), model.id))

    def remove(self, model: str) -> None:
        """Remove a model, given its id, and all its vectors; the space is then free for others."""
        identifier = bytes.fromhex(model)
        left = True

        def some(txn: Transaction) -> None:
            nonlocal left
            keys = list(islice(beginning(txn, _VECTOR + identifier), _ROWS_A_TRANSACTION))
            for key in keys:
                txn.delete(key)
            left = bool(keys)

        while left:
            self.database.write(some)
        self.database.write(lambda txn: txn.delete(_MODEL + identifier))


def _get(txn: Transaction, *, names: Sequence[bytes]) -> tuple[list[bool], bytes]:
    values = [txn.get(_VECTOR + name) for name in names]
    return [value is not None for value in values], b"".join([value for value in values if value is not None])


def _there(txn: Transaction, *, names: Sequence[bytes]) -> list[bool]:
    return [txn.get(_VECTOR + name) is not None for name in names]


def _put(txn: Transaction, *, model: bytes, about: bytes, rows: list[tuple[bytes, bytes]]) -> None:
    txn.put(model, about, overwrite=False)
    with txn.cursor() as cursor:
        cursor.putmulti(rows)


def _model_row(txn: Transaction, key: bytes) -> tuple[bytes, bytes, int]:
    return key, txn.get(key, b""), sum(1 for _ in beginning(txn, _VECTOR + key[1:]))


def _about(identity: Identity, dimension: int) -> bytes:
    return canonical_json({"identity": identity, "dimension": dimension, "used": _today()}).encode()


def _record(dimension: int) -> np.dtype[np.void]:
    return np.dtype([("fit", "<u4"), ("vector", "<f4", (dimension,))])


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
