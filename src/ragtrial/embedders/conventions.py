"""What known models expect: words before the text, pooling, window (METHODS 4; the models' own cards)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from ragtrial.errors import SpecError

__all__ = ["TASK", "Convention", "Pooling", "Prefixes", "convention_of", "prefixes_of"]

Pooling: TypeAlias = Literal["mean", "cls", "last"]

TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"
"""The task that instructed models are told unless the user says another."""

_FIND_PASSAGES: Final = "Represent this sentence for searching relevant passages: "
_FIND_ARTICLES_ZH: Final = "为这个句子生成表示以用于检索相关文章："


class Convention(NamedTuple):
    """How a family of models wants to be used; ``{task}`` in ``query`` stands for what is searched for."""

    family: str
    query: str
    document: str
    pooling: Pooling
    window: int


class Prefixes(NamedTuple):
    """What is put before a question and before a text that is searched."""

    query: str
    document: str


# The first pattern that fits the start of the model's name decides.
_KNOWN: Final[tuple[tuple[str, Convention], ...]] = (
    ("(all-)?minilm-l12", Convention("all-minilm-l12", "", "", "mean", 128)),
    ("(all-)?minilm", Convention("all-minilm-l6", "", "", "mean", 256)),
    ("nomic-embed-text-v2", Convention("nomic-embed-text-v2", "search_query: ", "search_document: ", "mean", 512)),
    ("nomic-embed-text", Convention("nomic-embed-text", "search_query: ", "search_document: ", "mean", 8192)),
    ("mxbai-embed-large", Convention("mxbai-embed-large", _FIND_PASSAGES, "", "cls", 512)),
    ("bge-(small|base|large)-en", Convention("bge-en", _FIND_PASSAGES, "", "cls", 512)),
    ("bge-(small|base|large)-zh", Convention("bge-zh", _FIND_ARTICLES_ZH, "", "cls", 512)),
    ("bge-m3", Convention("bge-m3", "", "", "cls", 8192)),
    (
        "multilingual-e5-large-instruct",
        Convention("e5-instruct", "Instruct: {task}\nQuery: ", "", "mean", 512),
    ),
    ("(multilingual-)?e5-(small|base|large)", Convention("e5", "query: ", "passage: ", "mean", 512)),
    ("qwen3-embedding", Convention("qwen3-embedding", "Instruct: {task}\nQuery:", "", "last", 8192)),
)


# Where the Hugging Face hub keeps what it has downloaded: the last part of that path is a commit, not a name.
_HUB_SNAPSHOT: Final = re.compile(r"models--[^/\\]+--([^/\\]+)[/\\]snapshots[/\\]")


def convention_of(model: str) -> Convention | None:
    """Return the convention of a model by the last part of its name or path; None for a model that is not known."""
    path = model.strip().rstrip("/\\")
    hub = _HUB_SNAPSHOT.search(path)
    name = (hub.group(1) if hub else re.split(r"[/\\]", path)[-1]).lower()
    return next((convention for pattern, convention in _KNOWN if re.match(rf"{pattern}(?![a-z0-9])", name)), None)


def prefixes_of(
    model: str,
    convention: Convention | None,
    *,
    query: str | None = None,
    document: str | None = None,
    task: str | None = None,
    own: Mapping[str, str] | None = None,
) -> Prefixes:
    """Return the prefixes in force.

    What the user says (``query``, ``document``) wins over the table, the table over what the model's
    own files say (``own``: ``query``, ``document`` or ``passage``). A model without any has none.

    Raises
    ------
    SpecError
        A ``task`` for a model whose prefix has no place for one.
    """
    own = own or {}
    if convention is not None:
        table = Prefixes(convention.query, convention.document)
    else:
        table = Prefixes(own.get("query", ""), own.get("document", own.get("passage", "")))
    asked = table.query if query is None else query
    if task is not None and "{task}" not in asked:
        raise SpecError(
            f"The model {model!r} takes no task.",
            hint="Write what is to stand before a question as query_prefix; {task} in it stands for the task.",
        )
    asked = asked.replace("{task}", TASK if task is None else task)
    return Prefixes(asked, table.document if document is None else document)
