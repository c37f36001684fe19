"""A database is whole or not at all, and its errors say what to do with it."""

import json
import math
from pathlib import Path

import pytest

from ragtrial.errors import DataError, RecordError
from ragtrial.storage import database
from ragtrial.storage.canonical import canonical_json
from ragtrial.storage.database import Database, beginning
from ragtrial.storage.place import cache_folder

pytest.importorskip("lmdb", reason="needs the extra local")


@pytest.fixture
def base(tmp_path: Path):
    opened = Database(tmp_path / "db", damaged="Ask again.", full="Make room.")
    yield opened
    opened.close()


def test_values_come_back_in_order_and_survive_closing(tmp_path: Path):
    base = Database(tmp_path / "db", damaged="", full="")
    base.write(lambda txn: [txn.put(b"k%d" % number, b"v%d" % number) for number in (2, 1, 3)])
    base.close()
    again = Database(tmp_path / "db", damaged="", full="")
    assert again.read(lambda txn: list(beginning(txn, b"k"))) == [b"k1", b"k2", b"k3"]
    assert again.read(lambda txn: txn.get(b"k2")) == b"v2"
    again.close()


def test_what_fails_in_the_middle_changes_nothing(base: Database):
    def fails(txn) -> None:
        txn.put(b"a", b"1")
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        base.write(fails)
    assert base.read(lambda txn: txn.get(b"a")) is None


def test_the_map_grows(base: Database, monkeypatch):
    monkeypatch.setattr(database, "_FIRST_MAP", 2**20)
    base.pause()
    for number in range(6):
        base.write(lambda txn, key=b"k%d" % number: txn.put(key, b"x" * 2**19))
    assert base.read(lambda txn: len(list(beginning(txn, b"k")))) == 6


def test_errors_say_what_the_user_of_the_database_advises(base: Database, tmp_path: Path):
    import lmdb

    def fails(txn) -> None:
        raise lmdb.DiskError("No space left on device")

    with pytest.raises(DataError, match=r"Make room\. Nothing that was stored before is lost"):
        base.write(fails)
    with pytest.raises(RecordError, match=r"is damaged: .* Ask again\."):
        base.parsed(b"{")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "data.mdb").write_bytes(b"no database" * 1000)
    with pytest.raises(RecordError, match=r"Cannot open .* Ask again\. RAGTRIAL_CACHE"):
        Database(tmp_path / "other", damaged="Ask again.", full="")


def test_equal_values_have_one_spelling():
    assert (
        canonical_json({"b": [1, "é"], "a": None})
        == '{"a":null,"b":[1,"é"]}'
        == canonical_json(dict(reversed(json.loads('{"a": null, "b": [1, "\\u00e9"]}').items())))
    )
    for value in (math.nan, {1}, object()):
        with pytest.raises((ValueError, TypeError)):
            canonical_json(value)


def test_the_folder_of_the_caches_is_what_the_user_says(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("RAGTRIAL_CACHE", f" {tmp_path} ")
    assert cache_folder() == tmp_path
    monkeypatch.setenv("RAGTRIAL_CACHE", "Off")
    assert cache_folder() is None
    monkeypatch.setenv("RAGTRIAL_CACHE", "")
    assert cache_folder().name == "ragtrial"
