"""The reader of folders: documents one at a time, in the order of their paths."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from ragtrial.documents.archive import is_archive, list_members, read_members
from ragtrial.documents.collection import is_collection, open_lines
from ragtrial.documents.files import MAX_BYTES, os_reason, read_data, read_file
from ragtrial.documents.formats import EXTENSIONS, ReadAs, checked_read_as, format_of
from ragtrial.documents.markdown.reader import Dialect
from ragtrial.documents.model import Document
from ragtrial.documents.parsed import read_parsed_lines
from ragtrial.documents.patterns import compile_patterns
from ragtrial.errors import DataError, MissingExtraError

__all__ = ["FolderReading", "Skipped", "read_folder"]


class Skipped(NamedTuple):
    """A path that was not read, and why."""

    path: Path
    reason: str

    @property
    def cause(self) -> str:
        """The reason without the path, for lists in which the path stands beside it."""
        return self.reason.removeprefix(f"Cannot read {self.path}: ")


@dataclass
class FolderReading:
    """The files that were found; iterating reads them one at a time and can be repeated.

    Only one document is held in memory at a time, so the peak is that of the largest.

    Parameters
    ----------
    roots : tuple of Path
        The folders and files that were asked for.
    files : dict of str to Path
        The files to read by document id, in reading order; for a member of an archive the archive. A file of JSON
        lines stands for all its documents, whose ids are its own.
    unsearched : tuple of Skipped
        Folders, links and names that were passed over during the search.
    other : Counter
        How many files of other kinds there were, by extension ("" for none).
    members : dict of str to str
        The names of the members of archives, by document id.
    dialect, encoding, max_bytes, read_as :
        As for `ragtrial.documents.files.read_file`.
    """

    roots: tuple[Path, ...]
    files: dict[str, Path]
    unsearched: tuple[Skipped, ...]
    other: Counter[str]
    members: dict[str, str] = field(default_factory=dict)
    dialect: Dialect = "commonmark"
    encoding: str | None = None
    max_bytes: int = MAX_BYTES
    read_as: ReadAs = field(default_factory=dict)
    _unread: list[Skipped] = field(default_factory=list)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Everything that was not read: from the search, and from the latest iteration so far."""
        return (*self.unsearched, *self._unread)

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[Document]:
        self._unread.clear()
        seen: set[str] = set()
        for document in self._documents():
            if document.id in seen:
                path = document.source or Path(document.id)
                self._unread.append(
                    Skipped(path, f"{path}: a document with the id {document.id!r} was read before it.")
                )
                continue
            seen.add(document.id)
            yield document
            del document  # or it would live on while the next one is read
        if not seen:
            raise DataError(
                f"None of the {len(self.files)} files in {_listed(self.roots)} can be read. "
                f"The first: {self._unread[0].reason if self._unread else 'it is empty.'}"
            )

    def _documents(self) -> Iterator[Document]:
        for path, group in groupby(self.files, key=self._archive):
            if path is not None:
                yield from self._from_archive(path, list(group))
                continue
            for name in group:
                if is_collection(self.files[name].name):
                    yield from self._from_lines(self.files[name])
                else:
                    yield from self._from_file(name)

    def _archive(self, name: str) -> Path | None:
        return self.files[name] if name in self.members else None

    def _from_file(self, name: str) -> Iterator[Document]:
        path = self.files[name]
        root = next((root for root in self.roots if root.is_dir() and path.is_relative_to(root)), None)
        try:
            document = read_file(
                path,
                id=name,
                dialect=self.dialect,
                encoding=self.encoding,
                root=root,
                max_bytes=self.max_bytes,
                read_as=self.read_as,
            )
        except (DataError, MissingExtraError) as error:
            self._unread.append(Skipped(path, str(error)))
            return
        yield document

    def _from_archive(self, path: Path, names: list[str]) -> Iterator[Document]:
        id_of = {self.members[name]: name for name in names}
        for member, data in read_members(path, list(id_of), self.max_bytes):
            place = path / member
            try:
                if isinstance(data, DataError):
                    raise data
                document = read_data(
                    data,
                    place,
                    id=id_of[member],
                    dialect=self.dialect,
                    encoding=self.encoding,
                    max_bytes=self.max_bytes,
                    read_as=self.read_as,
                )
            except (DataError, MissingExtraError) as error:
                self._unread.append(Skipped(place, str(error)))
                continue
            yield document

    def _from_lines(self, path: Path) -> Iterator[Document]:
        try:
            for document in read_parsed_lines(open_lines(path, self.max_bytes), str(path), source=path):
                if isinstance(document, DataError):
                    self._unread.append(Skipped(path, str(document)))
                else:
                    yield document
        except DataError as error:
            self._unread.append(Skipped(path, str(error)))


def read_folder(
    path: str | Path | Sequence[str | Path],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    dialect: Dialect = "commonmark",
    encoding: str | None = None,
    max_bytes: int = MAX_BYTES,
    read_as: Mapping[str, str] = MappingProxyType({}),
) -> FolderReading:
    """Find the documents of a folder, of several, or of single files.

    Parameters
    ----------
    path : path or sequence of paths
        Folders are searched to the bottom; a file is taken as it is. A file that holds many documents, which is an
        archive (``.zip``, ``.tar``, ``.tgz``, ``.tar.gz``) or JSON lines (``.jsonl``), is opened where it is given
        itself or an ``include`` pattern matches it, and passed over elsewhere. A given archive counts as a folder; in
        one that was found, the ids begin with its path.
    include, exclude : sequence of str
        Patterns on the path below the folder (see `ragtrial.documents.patterns`). With
        ``include``, only matching files are taken; ``exclude`` wins over it. Names with
        a leading dot are passed over unless an ``include`` pattern writes the dot out.
    dialect, encoding, max_bytes, read_as :
        As for `ragtrial.documents.files.read_file`.

    Returns
    -------
    FolderReading
        In the order of the given paths, and inside each in that of the code points of
        the path below it, which is the document's id (a single file's is its name).
        Links to folders are not followed.

    Raises
    ------
    DataError
        A path does not exist, there is nothing to read, or two documents have one id.
    SpecError
        ``read_as`` names what is no ending or no format.
    """
    roots = tuple(Path(root) for root in ([path] if isinstance(path, (str, Path)) else path))
    formats = checked_read_as(read_as)
    search = _Search(include, exclude, formats)
    files: dict[str, Path] = {}
    members: dict[str, str] = {}
    for root in roots:
        for name, file, member in search.files(root):
            if name in files:
                raise DataError(
                    f"There are two documents with one id, {name!r}: {files[name]} and {file}.",
                    hint="Give the folder above both, so that their paths differ.",
                )
            files[name] = file
            if member:
                members[name] = member
    if not files:
        raise _nothing(roots, search)
    return FolderReading(
        roots,
        files,
        tuple(search.skipped),
        search.other,
        members,
        dialect=dialect,
        encoding=encoding,
        max_bytes=max_bytes,
        read_as=formats,
    )


_Found = tuple[str, Path, str]


class _Search:
    """The walk over folders, and what it passed over."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str], read_as: ReadAs) -> None:
        self.read_as = read_as
        self.include = compile_patterns(include, hidden=False) if include else None
        self.exclude = compile_patterns(exclude, hidden=True)
        self.wants_hidden = any(name.startswith(".") for pattern in include for name in pattern.split("/"))
        self.skipped: list[Skipped] = []
        self.other: Counter[str] = Counter()
        self.unmatched = 0

    def files(self, root: Path) -> list[_Found]:
        """Return (id, path, name of the member) of the files of one root, sorted by path."""
        if root.is_dir():
            found: list[_Found] = []
            for name, path in sorted(self._walk(root, "")):
                found += self._members(path, name + "/") if is_archive(name) else [(name, path, "")]
            return found
        if root.is_file():
            if is_archive(root.name):
                return list(self._members(root, ""))
            known = is_collection(root.name) or self._is_known(root.name)
            return [(root.name, root, "")] if known else []
        if root.is_symlink():
            raise DataError(f"{root} is a broken link.")
        if root.exists():
            raise DataError(f"{root} is neither a folder nor a file.")
        raise DataError(
            f"There is no file or folder {root}.",
            hint="Check the spelling; a relative path starts at the current folder.",
        )

    def _members(self, path: Path, prefix: str) -> Iterator[_Found]:
        try:
            names, faults = list_members(path)
        except DataError as error:
            self.skipped.append(Skipped(path, str(error)))
            return
        self.skipped += [Skipped(path, fault) for fault in faults]
        for name in names:
            hidden = any(part.startswith(".") for part in name.split("/")) and not self.wants_hidden
            if not hidden and not self.exclude.fullmatch(prefix + name) and self._wanted(prefix + name):
                yield prefix + name, path, name

    def _walk(self, folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            self.skipped.append(Skipped(folder, f"Cannot open the folder {folder}: {os_reason(error)}."))
            return
        for entry in entries:
            name = prefix + entry.name
            if (entry.name.startswith(".") and not self.wants_hidden) or self.exclude.fullmatch(name):
                continue
            path = Path(entry.path)
            try:
                if not entry.is_dir():
                    if self._wanted(name) and self._readable(entry):
                        yield name, path
                elif entry.is_symlink():
                    self.skipped.append(Skipped(path, f"{path} is a link to a folder, which is not followed."))
                else:
                    yield from self._walk(path, name + "/")
            except OSError as error:
                self.skipped.append(Skipped(path, f"Cannot open {path}: {os_reason(error)}."))

    def _wanted(self, name: str) -> bool:
        if self.include is None:
            return self._is_known(name)
        if self.include.fullmatch(name):
            return is_archive(name) or is_collection(name) or self._is_known(name)
        self.unmatched += 1
        return False

    def _is_known(self, name: str) -> bool:
        if format_of(name, self.read_as):
            return True
        self.other[PurePosixPath(name).suffix.lower()] += 1
        return False

    def _readable(self, entry: os.DirEntry[str]) -> bool:
        path = Path(entry.path)
        try:
            entry.name.encode()
        except UnicodeEncodeError:
            self.skipped.append(Skipped(path, f"The name of the file {entry.path!a} is not valid UTF-8."))
            return False
        if not entry.is_file():
            what = "a broken link" if entry.is_symlink() else "not a regular file"
            self.skipped.append(Skipped(path, f"{path} is {what}."))
            return False
        return True


def _nothing(roots: Sequence[Path], search: _Search) -> DataError:
    seen = [f"{count} of {extension or 'no extension'}" for extension, count in sorted(search.other.items())]
    if search.unmatched:
        seen.append(f"{search.unmatched} that no include pattern matches")
    if search.skipped:
        seen.append(f"{len(search.skipped)} that cannot be read (the first: {search.skipped[0].reason})")
    return DataError(
        f"There is no document in {_listed(roots)}.",
        hint=f"Looked for {', '.join((*EXTENSIONS, *search.read_as))}; saw {', '.join(seen) or 'no file at all'}.",
    )


def _listed(roots: Sequence[Path]) -> str:
    return ", ".join(str(root) for root in roots) or "an empty list of paths"
