"""The reader ``freshstack``: questions, gold spans and samples of documents (METHODS section 7)."""

from __future__ import annotations

import html
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from ragtrial.datasets.freshstack.files import Query, domains, parse_chunk_id, read_chunks, read_queries
from ragtrial.datasets.model import Dataset
from ragtrial.documents.folder import read_folder
from ragtrial.documents.markdown.reader import Dialect
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.errors import DataError, SpecError, did_you_mean
from ragtrial.questions.model import Evidence, Excluded, Question

__all__ = ["LICENCE", "PROTOCOLS", "SOURCE", "load_freshstack", "query_text", "sample_documents"]

SOURCE = (
    "FreshStack, Thakur et al. 2025: Building Realistic Benchmarks for Evaluating Retrieval on Technical Documents; "
    "questions and answers are by the users of Stack Overflow"
)
LICENCE = "CC BY-SA 4.0 (queries, answers, nuggets); each documentation under its own licence"
PROTOCOLS = ("all", "mdk")

_MARKDOWN = ("*.md", "*.mdx", "*.markdown")
_SEED = 2027
_WHOLE = frozenset(("laravel",))
"""Domains whose documents are all taken; of others the gold files and half as many more."""
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>|<!--(?:[^-]++|-(?!->))*+-->")


def load_freshstack(
    path: str | Path, *, protocol: str = "mdk", select: str | Path | None = None, dialect: Dialect = "study"
) -> Dataset:
    """Load FreshStack.

    Parameters
    ----------
    path : path
        A folder with a folder for each domain (``laravel``, ``angular``, ``yolo`` ...), each with the
        official ``queries`` and ``corpus`` (``.jsonl``, ``.jsonl.gz`` or ``.parquet``, or parts such as
        ``corpus-00000-of-00003.parquet``) and with ``docs``, the documentation of its repository at the
        commit that the corpus was made of.
    protocol : {"mdk", "all"}
        Of which documents: under "mdk" (Mangla 2026) all Markdown files of Laravel, of any other domain the files with
        gold and, of the others, a sample of half their number; under "all" all Markdown files.
    select : path, optional
        A file with the ids of the queries to ask, one on each line; all are asked without it.
    dialect : {"commonmark", "study"}
        How the Markdown is read.

    Returns
    -------
    Dataset
        The ids of documents begin with their domain, which is their group; a question's cluster is itself and
        its stratum its domain. Its evidence is the union over its nuggets of the chunks that support them, each where
        the chunk's text stands: at the offsets of its id, else at its only exact occurrence in that file. Chunks that
        are in no Markdown file below ``docs``, or not found in it, are dropped and counted.

    Raises
    ------
    SpecError
        The protocol is unknown.
    DataError
        Files are missing or damaged.
    """
    if protocol not in PROTOCOLS:
        raise SpecError(f"FreshStack has no protocol {protocol!r}.", hint=did_you_mean(protocol, PROTOCOLS))
    folder = Path(path)
    ids = None if select is None else _selection(Path(select))
    parts = [_load_domain(folder / name, name, protocol, ids, dialect) for name in domains(folder)]
    asked = {question.id for part in parts for question in part.questions}
    asked |= {excluded.id for part in parts for excluded in part.excluded}
    if ids is not None and (missing := sorted(ids - asked)):
        raise DataError(f"{len(missing):,} selected queries are not in {folder}: {', '.join(missing[:5])}.")
    funnel: Counter[str] = Counter()
    for part in parts:
        funnel.update(part.counts)
    return Dataset(
        documents=tuple(document for part in parts for document in part.documents),
        questions=tuple(question for part in parts for question in part.questions),
        excluded=tuple(excluded for part in parts for excluded in part.excluded),
        funnel=MappingProxyType({key: funnel[key] for key in _STEPS}),
        meta=MappingProxyType({"name": f"FreshStack, protocol {protocol}", "source": SOURCE, "licence": LICENCE}),
        pool="group",
        words="study",
    )


_STEPS = (
    *("queries", "queries not selected", "gold chunks", "gold by offsets", "gold by its only occurrence"),
    *("gold outside the documentation", "gold not in the corpus", "gold not found", "gold found twice"),
    *("questions", "questions without gold", "files", "files with gold", "documents"),
)


@dataclass
class _Domain:
    documents: Sequence[Document] = ()
    questions: list[Question] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def _selection(path: Path) -> set[str]:
    try:
        return set(path.read_text(encoding="utf-8-sig").split())
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Cannot read the selection {path}: {error}.") from error


def query_text(query: Query) -> str:
    """Return the question as it is asked: title, blank line, body without HTML."""
    body = html.unescape(_TAG.sub("", query.body)).strip()
    return f"{query.title.strip()}\n\n{body}" if body else query.title.strip()


def sample_documents(gold: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the gold files and a sample of half their number of the others, sorted (METHODS section 7).

    The sample is ``random.Random(2027).sample(sorted(others), round(0.5 * number of gold files))``, or all others if
    there are fewer.
    """
    known = set(gold)
    rest = sorted(set(others) - known)
    drawn = random.Random(_SEED).sample(rest, min(round(0.5 * len(known)), len(rest)))  # noqa: S311  # a sample, not a secret
    return sorted((*known, *drawn))


def _load_domain(folder: Path, name: str, protocol: str, ids: set[str] | None, dialect: Dialect) -> _Domain:
    domain = _Domain()
    docs = folder / "docs"
    if not docs.is_dir():
        raise DataError(
            f"There is no {docs}.", hint="It must hold the documentation of the repository at the corpus's commit."
        )
    files = {document.id: document for document in read_folder(docs, include=_MARKDOWN, dialect=dialect)}
    queries = read_queries(folder)
    kept = [query for query in queries if ids is None or query.id in ids]
    domain.counts.update(
        {"queries": len(queries), "queries not selected": len(queries) - len(kept), "files": len(files)}
    )
    wanted = {id for query in kept for _, found in query.nuggets for id in found}  # noqa: A001
    finder = _Finder(files, read_chunks(folder, wanted))
    for query in kept:
        _ask(query, name, finder, domain)
    domain.counts.update(finder.counts)
    gold = {str(evidence.document).partition("/")[2] for question in domain.questions for evidence in question.evidence}
    whole = protocol == "all" or name in _WHOLE
    taken = sorted(files) if whole else sample_documents(gold, files)
    domain.documents = [
        replace(files[id], id=f"{name}/{id}", meta=MappingProxyType({**files[id].meta, "group": name}))
        for id in taken  # noqa: A001
    ]
    domain.counts.update({"files with gold": len(gold), "documents": len(taken)})
    return domain


def _ask(query: Query, name: str, finder: _Finder, domain: _Domain) -> None:
    found: dict[tuple[str, Span], str] = {}
    for _, ids in query.nuggets:
        for id in ids:  # noqa: A001
            place = finder.find(id)
            if place is not None:
                found.setdefault(place, finder.text(place))
    if not found:
        domain.counts["questions without gold"] += 1
        reason = "no chunk that supports it stands in the documentation"
        domain.excluded.append(Excluded(query.id, query.where, reason))
        return
    places = sorted(found)
    domain.counts["questions"] += 1
    domain.questions.append(
        Question(
            id=query.id,
            text=query_text(query),
            evidence=tuple(Evidence(found[place], f"{name}/{place[0]}", (place[1],)) for place in places),
            document=f"{name}/{places[0][0]}",
            cluster=query.id,
            stratum=name,
            type=name,
            answers=(query.answer,) if query.answer.strip() else (),
            nuggets=tuple(text for text, _ in query.nuggets if text.strip()),
        )
    )


class _Finder:
    """Finds the chunks of a corpus in the files they were made of; each chunk is counted once."""

    def __init__(self, files: Mapping[str, Document], chunks: Mapping[str, str]) -> None:
        self.counts: Counter[str] = Counter()
        self._files = files
        self._chunks = chunks
        self._found: dict[str, tuple[str, Span] | None] = {}

    def text(self, place: tuple[str, Span]) -> str:
        return self._files[place[0]].text[place[1].start : place[1].end]

    def find(self, id: str) -> tuple[str, Span] | None:  # noqa: A002  # the data set's own word
        """Return the file and the range of a chunk, None if it is dropped."""
        if id not in self._found:
            self.counts["gold chunks"] += 1
            self._found[id], how = self._look(id)
            self.counts[how] += 1
        return self._found[id]

    def _look(self, id: str) -> tuple[tuple[str, Span] | None, str]:  # noqa: A002
        said = parse_chunk_id(id)
        name = self._file(said.path) if said else None
        if said is None or name is None:
            return None, "gold outside the documentation"
        chunk = self._chunks.get(id)
        if not chunk:
            return None, "gold not in the corpus"
        text = self._files[name].text
        if text[said.start : said.end] == chunk:
            return (name, Span(said.start, said.end)), "gold by offsets"
        first = text.find(chunk)
        if first < 0:
            return None, "gold not found"
        if text.find(chunk, first + 1) >= 0:
            return None, "gold found twice"
        return (name, Span(first, first + len(chunk))), "gold by its only occurrence"

    def _file(self, path: str) -> str | None:
        """Return the file whose path below ``docs`` is the longest end of a path in the repository."""
        while path not in self._files:
            _, slash, path = path.partition("/")
            if not slash:
                return None
        return path
