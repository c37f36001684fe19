"""Chunkers of other libraries, and your own, as arms: what people run today, tested as it is."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any, ClassVar, TypeGuard

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.chunkers.foreign import Cut, find_in_order
from ragtrial.documents.model import Document
from ragtrial.errors import DataError, FailedDocumentsError, RagtrialError, SpecError

__all__ = ["External", "external"]

_METHODS = ("split_text", "chunk", "get_nodes_from_documents")
_IMPORT = "import:"
_TEXTS = ("text", "page_content", "content")
_PLACES = (("start_index", "end_index"), ("start_char_idx", "end_char_idx"), ("start", "end"))


@dataclass(frozen=True)
class External(Chunker):
    """A chunker that stands in another module, named as ``"module:name"``, with its own parameters.

    ``external('langchain_text_splitters:RecursiveCharacterTextSplitter', chunk_size=512)``. A class is made
    with the parameters; of the object, ``split_text``, ``chunk``, ``get_nodes_from_documents`` or the object
    itself cuts a text. A function is called with the text and the parameters. A name with ``()``
    behind it is called with the parameters first, and what it returns cuts:
    ``external('semchunk:chunkerify()', tokenizer_or_token_counter='cl100k_base', chunk_size=512)``.

    Chunks may be texts, or objects or mappings with a text and, if it is told, its place. Each
    is found in the document, in order, so that evidence is matched on exact spans; runs of
    white space may differ. A chunk whose text is not in the document fails that document.

    A parameter ``'import:module:name'`` is what stands there, with ``()`` behind it what that returns:
    ``token_counter='import:ragtrial.text.tokens:count'``.

    The module is imported and run: name only code that you trust.

    Parameters
    ----------
    target : str
        ``module:name``, where the name may have dots (a class method).
    options : tuple of (str, value)
        The parameters; in expressions and in `external` they are written as keywords.
    """

    spec_name: ClassVar[str] = "external"
    rest: ClassVar[str | None] = "options"

    target: str
    options: tuple[tuple[str, Any], ...] = ()

    def parameters(self) -> dict[str, Any]:
        """Return the target, its parameters, and which code it is: the package's version, or the file's sha256."""
        _splitter(self)
        named = [self.target, *(value.removeprefix(_IMPORT) for _, value in self.options if _is_import(value))]
        code = ", ".join(dict.fromkeys(_code_of(name) for name in named))
        return {"component": self.spec_name, "target": self.target, "options": dict(self.options), "code": code}

    def split(self, document: Document) -> list[Piece]:
        """Return the pieces of one document; one that cannot be cut raises `FailedDocumentsError` with the reason."""
        if not document.text.strip():
            return []
        cut = _splitter(self)
        try:
            made = cut(document.text)
            if isinstance(made, (str, bytes, Mapping)) or not isinstance(made, Iterable):
                raise DataError(f"{self.target} returned {type(made).__name__}, not a list of chunks")
            spans = find_in_order(document.text, [_cut(item, self.target) for item in made])
        except DataError as error:
            raise FailedDocumentsError.of({document.id: error.message}) from error
        except RagtrialError:
            raise
        # Whatever foreign code raises on a text, it is this document that cannot be cut.
        except Exception as error:
            reason = f"{self.target} raised {type(error).__name__}: {error}"
            raise FailedDocumentsError.of({document.id: reason}) from error
        return [Piece((span,), document.path_at(span.start)) for span in spans]


def external(target: str | Callable[..., Any], /, **options: object) -> External:
    """Make an `External` chunker of ``"module:name"``, or of a class or function that can be imported by its name.

    Raises `SpecError` for a callable without a name of its own, such as a lambda: a record could not name it.
    """
    given = {key: f"{_IMPORT}{_named(value)}" if callable(value) else value for key, value in options.items()}
    return External(target if isinstance(target, str) else _named(target), tuple(given.items()))


def _named(target: Callable[..., Any]) -> str:
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", "")
    if not module or not name or "<" in name or module == "__main__":
        raise SpecError(
            f"{target!r} cannot be imported by its name, so no record could say what it is.",
            hint="Put it at the top level of a module of its own.",
        )
    return f"{module}:{name}"


@lru_cache(maxsize=32)
def _splitter(chunker: External) -> Callable[[str], object]:
    name, made = chunker.target.removesuffix("()"), chunker.target.endswith("()")
    found = _imported(name)
    options = {key: _argument(value) for key, value in chunker.options}
    if not made and not isinstance(found, type):
        return lambda text: found(text, **options)
    try:
        instance = found(**options)
    except Exception as error:
        raise SpecError(f"{chunker} cannot be made: {type(error).__name__}: {error}") from error
    for method in _METHODS:
        if callable(getattr(instance, method, None)):
            return partial(_call, getattr(instance, method), method)
    if callable(instance):
        return partial(_call, instance, "")
    raise SpecError(f"{chunker.target} makes an object that cuts nothing.", hint=f"It needs one of {_METHODS}.")


def _call(cut: Callable[[object], object], method: str, text: str) -> object:
    return cut([_node(text)] if method == "get_nodes_from_documents" else text)


def _imported(target: str) -> Callable[..., Any]:
    module, colon, name = target.partition(":")
    hint = "Write 'module:name', such as 'langchain_text_splitters:RecursiveCharacterTextSplitter'."
    if not colon or not module or not name:
        raise SpecError(f"external needs a module and a name, not {target!r}.", hint=hint)
    try:
        found: Any = importlib.import_module(module)
    except ImportError as error:
        raise SpecError(f"Cannot import {module!r} for external({target!r}): {error}.", hint=hint) from error
    for step in name.split("."):
        if not hasattr(found, step):
            raise SpecError(f"There is no {name!r} in the module {module!r}.", hint=hint)
        found = getattr(found, step)
    if not callable(found):
        raise SpecError(f"{target!r} cannot be called.", hint=hint)
    return found  # type: ignore[no-any-return]  # whatever the module holds


def _cut(item: object, target: str) -> Cut:
    if isinstance(item, str):
        return Cut(item)
    text = next((value for name in _TEXTS if isinstance(value := _of(item, name), str)), None)
    if text is None:
        raise DataError(f"{target} gave a chunk of the type {type(item).__name__}, which has no text")
    for first, last in _PLACES:
        start, end = _of(item, first), _of(item, last)
        if isinstance(start, int) and isinstance(end, int):
            return Cut(text, (start, end))
    return Cut(text)


def _of(item: object, name: str) -> object:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _node(text: str) -> object:
    """Return a text as the document that LlamaIndex's parsers read; its id must not differ from run to run."""
    document: object = importlib.import_module("llama_index.core").Document(text=text, id_="document")
    return document


def _is_import(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value.startswith(_IMPORT)


def _argument(value: object) -> object:
    """Return a parameter as the library takes it: a list for a tuple, what ``import:module:name`` names."""
    if isinstance(value, tuple):
        return [_argument(item) for item in value]
    if _is_import(value):
        name = value.removeprefix(_IMPORT)
        found = _imported(name.removesuffix("()"))
        return found() if name.endswith("()") else found
    return value


@lru_cache(maxsize=32)
def _code_of(target: str) -> str:
    """Return which code a target is, for cache keys and plans."""
    _imported(target.removesuffix("()"))
    module = target.partition(":")[0]
    top = module.partition(".")[0]
    if names := packages_distributions().get(top):
        return ", ".join(f"{name} {version(name)}" for name in sorted(set(names)))
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return "built in"
    return f"sha256 {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"
