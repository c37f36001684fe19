"""Fetches the official files of a data set, from the network or from files at hand, and checks what they hash to.

A file appears whole and checked, or not at all.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from ragtrial.datasets.official import OFFICIAL, Archive, Official, Repository
from ragtrial.errors import DataError, UsageError, did_you_mean

__all__ = ["Fetched", "Opener", "fetch"]

Opener = Callable[[str], IO[bytes]]
"""Opens an address for reading."""

_LARGEST = 1_000_000_000
_ELSEWHERE = "Without a network, fetch it elsewhere and give it with --from."
_TIMEOUT = 60.0


class Fetched(NamedTuple):
    """A file that is there now, its sha256, and what that was compared with: "pinned", "listing", or "" for nothing."""

    path: Path
    sha256: str
    checked: str


def fetch(name: str, folder: Path, *, files: tuple[Path, ...] = (), opener: Opener | None = None) -> Iterator[Fetched]:
    """Yield the files of a data set as they are written.

    Parameters
    ----------
    name : str
        One of `OFFICIAL`.
    folder : Path
        Where they go; it is made if it is not there. A file that is there already with the right hash is kept.
    files : tuple of Path
        The official files that were fetched by other means; without them the network is asked.
    opener : callable, optional
        Opens an address; HTTPS by the standard library if not given.

    Raises
    ------
    UsageError
        The data set is unknown.
    DataError
        A file cannot be fetched or written, is damaged, or hashes to something else.
    """
    if name not in OFFICIAL:
        raise UsageError(f"There are no official files of {name!r} to fetch.", hint=did_you_mean(name, OFFICIAL))
    official = OFFICIAL[name]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if files:
            yield from _from_files(name, official, folder, files)
            return
        for archive in official.archives:
            if len(kept := list(_kept(archive, folder))) == len(archive.members):
                yield from kept
            else:
                yield from _unpacked(archive, _download(archive.url, opener or _open), archive.url, folder)
        for repository in official.repositories:
            yield from _from_repository(repository, folder, opener or _open)
    except OSError as error:
        raise DataError(f"Cannot write to {folder}: {error.strerror or error}.") from error


def _open(url: str) -> IO[bytes]:
    from urllib.request import Request, urlopen

    if urlsplit(url).scheme != "https":
        raise DataError(f"{url} is not an address of HTTPS.")
    request = Request(url, headers={"User-Agent": "ragtrial"})  # noqa: S310  # checked above
    return urlopen(request, timeout=_TIMEOUT)  # type: ignore[no-any-return]  # noqa: S310


def _download(url: str, opener: Opener) -> bytes:
    try:
        with opener(url) as answer:
            data = answer.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise DataError(f"Cannot fetch {url}: {error}.", hint=_ELSEWHERE) from error
    if len(data) > _LARGEST:
        raise DataError(f"{url} gives more than {_LARGEST:,} bytes.")
    return data


def _kept(archive: Archive, folder: Path) -> Iterator[Fetched]:
    for name, expected in archive.members.items():
        path = folder / name
        if path.is_file() and _sha256_of(path) == expected:
            yield Fetched(path, expected, "pinned")


def _unpacked(archive: Archive, data: bytes, name: str, folder: Path) -> Iterator[Fetched]:
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as packed:
            for member in packed:
                file = packed.extractfile(member) if member.isreg() else None
                place = PurePosixPath(member.name).name
                if file is not None and place in archive.members:
                    found[place] = file.read()
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise DataError(f"{name} is no readable archive: {error}.") from error
    if missing := sorted(archive.members.keys() - found):
        raise DataError(f"{name} does not hold {', '.join(missing)}.")
    for place, content in found.items():
        yield _write(folder / place, content, archive.members[place], "pinned", name)


def _from_repository(repository: Repository, folder: Path, opener: Opener) -> Iterator[Fetched]:
    try:
        listing: Any = json.loads(_download(repository.listing, opener))
        entries = [(str(entry["path"]), str(entry["lfs"]["oid"])) for entry in listing if entry.get("lfs")]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(f"{repository.listing} is no listing of files with their hashes.") from error
    wanted = sorted((path, oid) for path, oid in entries if PurePosixPath(path).name.startswith(repository.start))
    if not wanted:
        raise DataError(f"{repository.listing} has no file that begins with {repository.start!r}.")
    for path, oid in wanted:
        target = _target(repository, folder, PurePosixPath(path).name)
        if target.is_file() and _sha256_of(target) == oid:
            yield Fetched(target, oid, "listing")
        else:
            yield _stream(f"{repository.download}/{path}", opener, target, oid)


def _stream(url: str, opener: Opener, path: Path, expected: str) -> Fetched:
    """Write an address to a file piece by piece: a corpus need not fit in memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        try:
            with opener(url) as answer, part.open("wb") as file:
                shutil.copyfileobj(answer, file, 1 << 20)
        except (OSError, ValueError) as error:
            raise DataError(f"Cannot fetch {url}: {error}.", hint=_ELSEWHERE) from error
        _check(path.name, url, _sha256_of(part), expected)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()
    return Fetched(path, expected, "listing")


def _target(repository: Repository, folder: Path, name: str) -> Path:
    return folder / repository.folder / (repository.name + name.removeprefix(repository.start))


def _from_files(name: str, official: Official, folder: Path, files: tuple[Path, ...]) -> Iterator[Fetched]:
    for file in files:
        if not file.is_file():
            raise DataError(f"There is no file {file}.")
        data = file.read_bytes()
        yield from _from_file(name, official, folder, file, data)


def _from_file(name: str, official: Official, folder: Path, file: Path, data: bytes) -> Iterator[Fetched]:
    plain = file.name.removesuffix(".gz")
    for archive in official.archives:
        if file.name == PurePosixPath(archive.url).name:
            yield from _unpacked(archive, data, str(file), folder)
            return
        if plain in archive.members:
            content = _gunzipped(data, file) if file.name != plain else data
            yield _write(folder / plain, content, archive.members[plain], "pinned", str(file))
            return
    for repository in official.repositories:
        if file.parent.name == repository.folder and file.name.startswith(repository.start):
            yield _write(_target(repository, folder, file.name), data, None, "", str(file))
            return
    known = [PurePosixPath(archive.url).name for archive in official.archives]
    known += [member for archive in official.archives for member in archive.members]
    known += [f"{repository.folder}/{repository.start}*.parquet" for repository in official.repositories]
    raise DataError(f"{file} is no official file of {name!r}.", hint=f"Known: {', '.join(known)}.")


def _gunzipped(data: bytes, file: Path) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file} is a damaged gzip file: {error}.") from error


def _write(path: Path, data: bytes, expected: str | None, checked: str, name: str) -> Fetched:
    found = _sha256(data)
    if expected is not None:
        _check(path.name, name, found, expected)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()
    return Fetched(path, found, checked)


def _check(name: str, origin: str, found: str, expected: str) -> None:
    if found != expected:
        raise DataError(
            f"{name} of {origin} has the sha256 {found}, not {expected}.",
            hint="It is damaged or another version; nothing was kept.",
        )


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
