"""Directives and roles: those of docutils that only shape text, those of Sphinx, and a rule for all others.

Nothing is executed, no file outside the documentation is read, the date is not asked for. Code stays code; a
directive that makes navigation, output of programs or data of machines is dropped and counted; an unknown directive
keeps its arguments and its content, and an unknown role its text.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.statemachine import StringList

from ragtrial.documents.rst.context import Context

__all__ = ["sphinx"]

_DROPPED = frozenset(
    (
        *("autoattribute", "autoclass", "autodata", "autodecorator", "autoexception", "autofunction", "automethod"),
        *(
            "automodule",
            "autoproperty",
            "autosummary",
            "changelog_imports",
            "contents",
            "currentmodule",
            "date",
            "default-role",
            "footer",
        ),
        *("genindex", "graphviz", "header", "highlight", "image", "index", "inheritance-diagram", "meta", "module"),
        *("plot", "py:currentmodule", "py:module", "raw", "sectnum", "tabularcolumns", "target-notes", "testcleanup"),
        *("testsetup", "todolist", "toctree"),
    )
)
_CODE = frozenset(
    (
        *(
            "code",
            "code-block",
            "sourcecode",
            "doctest",
            "testcode",
            "testoutput",
            "ipython",
            "prompt",
            "parsed-literal",
        ),
        *("console", "productionlist", "jupyter-execute", "command-output"),
    )
)
_OWN_OF_DOCUTILS = frozenset(
    (
        *("admonition", "attention", "caution", "class", "compound", "container", "csv-table", "danger", "epigraph"),
        *(
            "error",
            "highlights",
            "hint",
            "important",
            "line-block",
            "list-table",
            "math",
            "note",
            "pull-quote",
            "replace",
        ),
        *("role", "rubric", "sidebar", "table", "tip", "title", "topic", "unicode", "warning"),
    )
)
_SENTENCES = {
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
}
_TITLED = re.compile(r"(?s)(.*?)\s*<([^<>]*)>\Z")
_OBJECTS = frozenset(("attr", "class", "const", "data", "exc", "func", "meth", "mod", "obj"))
_LINKS = {"ref": "ref", "doc": "doc", "numref": "ref"}
_ROLES_OF_DOCUTILS = frozenset(
    (
        *("abbreviation", "acronym", "code", "emphasis", "literal", "math", "pep-reference", "rfc-reference", "strong"),
        *("subscript", "superscript", "title-reference", "sub", "sup", "title", "rfc", "pep"),
    )
)
_LOCK = threading.Lock()


class _AnyOption(dict[str, Callable[[str], str]]):
    """Takes every option as it is."""

    def __missing__(self, key: str) -> Callable[[str], str]:
        return directives.unchanged

    def __contains__(self, key: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


class _Reading(Directive):
    """What the directives here share: any arguments, any options, any content."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption()

    @property
    def context(self) -> Context:
        found: Context = self.state.document.settings.ragtrial_context
        return found

    def argument(self) -> str:
        return str(self.arguments[0]) if self.arguments else ""

    def listing(self, text: str, language: str, line: int | None) -> nodes.Node:
        block = nodes.literal_block(text, text, classes=["code", language] if language else [])
        source, place = self.state_machine.get_source_and_line(line or self.lineno)
        block.source, block.line = source, place
        return block


class _Dropped(_Reading):
    def run(self) -> Sequence[nodes.Node]:
        self.context.dropped[f"directive {self.name}"] += 1
        if self.name == "toctree":
            self.context.toctree += [line.strip() for line in self.content if line.strip()]
        return []


class _Code(_Reading):
    def run(self) -> Sequence[nodes.Node]:
        language = "" if self.name == "parsed-literal" else self.argument().split("\n")[0].strip()
        return [self.listing("\n".join(self.content), language, self.content_offset + 1)] if self.content else []


class _Kept(_Reading):
    """An unknown directive: its arguments are a paragraph, its content is read."""

    def run(self) -> Sequence[nodes.Node]:
        found: list[nodes.Node] = []
        words = self.argument()
        if self.name in _SENTENCES:
            version, _, rest = " ".join(words.split()).partition(" ")
            words = f"{_SENTENCES[self.name]} {version}" + (f": {rest}" if rest else ".")
        if words and self.name not in ("only", "ifconfig", "tabs", "tab-set", "grid"):
            parsed, messages = self.state.inline_text(words, self.lineno)
            paragraph = nodes.paragraph(words, "", *parsed)
            paragraph.source, paragraph.line = self.state_machine.get_source_and_line(self.lineno)
            found += [paragraph, *messages]
        inside = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, inside)
        return [*found, *inside.children]


class _Figure(_Reading):
    """Keeps the caption and legend of a figure, and its alternative text; the picture is not opened."""

    def run(self) -> Sequence[nodes.Node]:
        inside = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, inside)
        return list(inside.children)


class _Include(_Reading):
    def run(self) -> Sequence[nodes.Node]:
        # As docutils' own does: inside other directives its line numbers start anew, and only this tells the file.
        read = self.state_machine.input_lines
        source = read.source(self.lineno - self.state_machine.input_offset - 1) if read is not None else None
        main = self.state.document.settings.ragtrial_source
        found = self.context.include(self.argument().strip(), source if source and source != main else None)
        if found is None:
            return []
        path, text = found
        lines = _chosen(text.expandtabs(8).splitlines(), self.options)
        if self.name == "literalinclude" or {"literal", "code"} & set(self.options):
            language = self.options.get("language") or self.options.get("code") or ""
            return [self.listing("\n".join(lines), language, None)] if lines else []
        self.state_machine.insert_input(StringList([*lines, ""], source=path), path)
        return []


def _chosen(lines: list[str], options: dict[str, Any]) -> list[str]:
    """Return the lines that an include asks for by number or by the text around them."""
    first, last = _number(options.get("start-line"), 0), _number(options.get("end-line"), len(lines))
    lines = lines[first:last]
    if wanted := options.get("lines"):
        chosen: list[str] = []
        for part in wanted.split(","):
            low, dash, high = part.strip().partition("-")
            start = _number(low, 1)
            chosen += lines[max(start - 1, 0) : _number(high, len(lines)) if dash else start]
        lines = chosen
    for key, keep in (("start-after", 1), ("start-at", 0)):
        if mark := options.get(key):
            at = next((number for number, line in enumerate(lines) if mark in line), -keep)
            lines = lines[at + keep :]
    for key, keep in (("end-before", 0), ("end-at", 1)):
        if mark := options.get(key):
            at = next((number for number, line in enumerate(lines) if mark in line), len(lines))
            lines = lines[: at + keep]
    return lines


def _number(text: str | None, default: int) -> int:
    word = (text or "").strip()
    return int(word) if word.lstrip("-").isascii() and word.lstrip("-").isdigit() and len(word) < 9 else default


def _role(  # noqa: PLR0917  # what docutils calls
    name: str,
    rawtext: str,
    text: str,
    lineno: int,  # noqa: ARG001
    inliner: Any,  # noqa: ARG001
    options: Any = None,  # noqa: ARG001
    content: Any = (),  # noqa: ARG001
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Read any role of Sphinx or of an extension: its title, or its target in its shortest form."""
    plain = nodes.unescape(text)
    titled = _TITLED.match(plain)
    title, target = (titled[1], titled[2]) if titled and titled[1] else (plain, plain)
    kind = _LINKS.get(name.rpartition(":")[2].lower())
    if kind is not None:
        return [nodes.reference(rawtext, title, refuri=f"{kind}:{target.lstrip('~!')}", named=bool(titled))], []
    if not titled and title.startswith("~"):
        title = title.rpartition(".")[2].lstrip("~")
    if not titled and name.rpartition(":")[2] in _OBJECTS:
        # A dot in front tells Sphinx where to look, and no reader.
        title = title.lstrip("!").removeprefix(".")
    return [nodes.inline(rawtext, title.lstrip("!~"))], []


@contextmanager
def sphinx() -> Iterator[None]:
    """Let docutils find directives and roles here, and nowhere else, while a document is parsed.

    Its registries belong to the process, so one document is parsed at a time and they are put back afterwards.
    """
    original_directive, original_role = directives.directive, roles.role

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        key = name.lower()
        if key in _OWN_OF_DOCUTILS:
            found, messages = original_directive(key, language, document)
            return found or _Kept, messages
        if key in ("include", "literalinclude"):
            return _Include, []
        if key == "figure":
            return _Figure, []
        if key in _DROPPED:
            return _Dropped, []
        return _Code if key in _CODE else _Kept, []

    def role(name: str, language: Any, lineno: int, reporter: Any) -> tuple[Any, list[Any]]:
        key = name.lower()
        if key in _ROLES_OF_DOCUTILS or (key in roles._roles and key != "raw") or not key:  # type: ignore[attr-defined]
            found, messages = original_role(key, language, lineno, reporter)
            return found or _role, messages
        return _role, []

    with _LOCK:
        own_roles = dict(roles._roles)  # type: ignore[attr-defined]
        directives.directive, roles.role = directive, role  # type: ignore[assignment]
        try:
            yield
        finally:
            directives.directive, roles.role = original_directive, original_role
            roles._roles.clear()  # type: ignore[attr-defined]
            roles._roles.update(own_roles)  # type: ignore[attr-defined]
