"""Templates to pages: everything that comes from a record is text, whatever it says."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ragtrial.errors import MissingExtraError
from ragtrial.report.tables import Table
from ragtrial.report.words import clean

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "environment", "is_numeric", "policy", "render"]


def render(template: str, **values: object) -> str:
    """Render a template of the package; every text in it is escaped and without control characters."""
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Return the environment of all templates: autoescape on, an unknown name is an error."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise MissingExtraError("Pages need Jinja2.", extra="report") from None
    made = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    tests: dict[str, Callable[..., Any]] = {"numeric": is_numeric}
    made.tests.update(tests)
    made.filters["numbers_of"] = _numbers_of
    made.globals["asset"] = _verbatim
    made.globals["policy"] = policy
    return made


def asset(name: str) -> str:
    """Return a file of the package's templates."""
    return (files("ragtrial.report") / "templates" / name).read_text(encoding="utf-8")


def policy(script: str | None = None) -> str:
    """Return the content policy of a page: nothing from anywhere, and no script but the one named."""
    allowed = "'none'"
    if script is not None:
        digest = hashlib.sha256(asset(script).encode("utf-8")).digest()
        allowed = f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; base-uri 'none'; form-action 'none'"


def is_numeric(table: Table, column: int) -> bool:
    """Tell whether every cell of a column begins with a number, so that it is set to the right."""
    cells = [row[column] for row in table.rows if row[column]]
    return bool(cells) and all(cell.lstrip("+-<[ ")[:1].isdecimal() for cell in cells)


def _numbers_of(found: Sequence[bool | None], state: bool | None) -> list[int]:
    """Return which pieces are found, missed or unknown, counted from 1."""
    return [number for number, one in enumerate(found, 1) if one is state]


def _harmless(value: object) -> object:
    # Mark-up made here is a class of its own; everything else is somebody's words.
    return clean(value) if type(value) is str else value


def _verbatim(name: str) -> object:
    from markupsafe import Markup

    return Markup(asset(name))  # noqa: S704  # a file of this package
