"""Archives of documents: their members are read one at a time and never written to disk.

What is refused, with its reason: an archive that holds more than 200,000 members or says that it unpacks to more than
4 GB; a member that is protected by a password, whose name leads out of the archive, that is a link, a device or an
archive itself. A member is never read further than the limit for a file, whatever size it says.
"""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ragtrial.errors import DataError

__all__ = ["is_archive", "list_members", "read_members", "unpack"]

_ENDS = (".zip", ".tar", ".tgz", ".tar.gz")
_MOST_MEMBERS = 200_000
_LARGEST = 4_000_000_000
_FAULTS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)


def is_archive(name: str) -> bool:
    """Tell whether a file is an archive by its name: ``.zip``, ``.tar``, ``.tgz``, ``.tar.gz``."""
    return name.lower().endswith(_ENDS)


def list_members(path: Path) -> tuple[list[str], list[str]]:
    """Return the names of the files in an archive, and a sentence for each member that cannot be one of them.

    Those of a ``.zip`` are sorted; those of a ``.tar`` are in its own order, since it can only be read so.

    Raises
    ------
    DataError
        The archive is damaged or too large.
    """
    try:
        found = _list_zip(path) if path.name.lower().endswith(".zip") else _list_tar(path)
    except _FAULTS as error:
        raise DataError(f"Cannot read {path}: it is no readable archive ({error}).") from error
    names: dict[str, None] = {}
    faults = []
    for name, protected in found:
        if fault := protected or _fault(name, name in names):
            faults.append(f"{path}/{name}: {fault}.")
        else:
            names[name] = None
    return list(names), faults


def _fault(name: str, again: bool) -> str:
    parts = PurePosixPath(name).parts
    if name.startswith("/") or not parts or ".." in parts or "\\" in name or ":" in parts[0]:
        return "its name leads out of the archive"
    if again:
        return "there is another member of this name before it"
    return "it is an archive in an archive, which is not opened" if is_archive(name) else ""


def _list_zip(path: Path) -> list[tuple[str, str]]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    _check(path, len(members), sum(member.file_size for member in members))
    return sorted((member.filename, "it needs a password" if member.flag_bits & 1 else "") for member in members)


def _list_tar(path: Path) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    size = 0
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if member.isdir():
                continue
            size += member.size
            found.append((member.name.removeprefix("./"), "" if member.isreg() else "it is a link or a device"))
            _check(path, len(found), size)
    return found


def _check(path: Path, members: int, size: int) -> None:
    if members > _MOST_MEMBERS:
        raise DataError(f"Cannot read {path}: it holds more than {_MOST_MEMBERS:,} members.", hint="Unpack it first.")
    if size > _LARGEST:
        raise DataError(f"Cannot read {path}: it unpacks to more than {_LARGEST:,} bytes.", hint="Unpack it first.")


def read_members(path: Path, names: Collection[str], limit: int) -> Iterator[tuple[str, bytes | DataError]]:
    """Yield the members of an archive with these names, in the order of `list_members`, or why one cannot be read.

    ``limit`` is the largest number of bytes that a member may have.
    """
    wanted = set(names)
    done: set[str] = set()
    reader = _read_zip if path.name.lower().endswith(".zip") else _read_tar
    try:
        for name, data in reader(path, wanted, limit):
            done.add(name)
            yield name, data
    except _FAULTS as error:
        for name in names:
            if name not in done:
                yield name, DataError(f"Cannot read {path}/{name}: the archive is damaged ({error}).")


def _read_zip(path: Path, wanted: set[str], limit: int) -> Iterator[tuple[str, bytes | DataError]]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(wanted):
            try:
                with archive.open(name) as file:
                    data = _bounded(file, limit, f"{path}/{name}")
            except (*_FAULTS, KeyError) as error:
                data = DataError(f"Cannot read {path}/{name}: {error}.")
            yield name, data


def _read_tar(path: Path, wanted: set[str], limit: int) -> Iterator[tuple[str, bytes | DataError]]:
    done: set[str] = set()
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            file = archive.extractfile(member) if member.isreg() and name in wanted and name not in done else None
            if file is not None:
                done.add(name)
                yield name, _bounded(file, limit, f"{path}/{name}")


def _bounded(file: IO[bytes], limit: int, name: str) -> bytes | DataError:
    data = file.read(limit + 1)
    if len(data) <= limit:
        return data
    return DataError(f"Cannot read {name}: it has more than {limit:,} bytes.", hint="Raise max_bytes to read it.")


def unpack(data: bytes, limit: int) -> bytes:
    """Return the content of a gzip file; the message of a `DataError` is the reason only."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"it is no readable gzip file ({error})") from error
    if len(content) > limit:
        raise DataError(f"it unpacks to more than {limit:,} bytes", hint="Raise max_bytes to read it.")
    return content
