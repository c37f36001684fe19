"""``ragtrial doctor``: what is installed, and what each missing extra would add."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

import click

__all__ = ["command"]

ADDS = {
    "fastembed": "the models of fastembed",
    "fuzzy": "evidence located by likeness, in questions and in the QASPER protocol 'kmr'",
    "html": "pages of HTML as documents",
    "keywords": "keywords without a language model: enriched('extractive')",
    "langchain": "the recursive splitter that most pipelines use, as an arm",
    "local": "embeddings on this machine with a model that is installed, and their cache",
    "office": "PDF, Word and PowerPoint files as documents",
    "openai": "language models, embeddings and rerankers of servers",
    "parallel": "several worker processes (--workers) through joblib",
    "report": "report.html with its pages and figures",
    "rst": "reStructuredText as documents",
    "sentence-transformers": "the models of sentence-transformers, cross-encoders and Qwen3-Reranker (needs torch)",
    "stats": "the t version of TOST and the mixed model",
    "stem": "stemming and stop words for BM25",
}
"""What each extra for users adds; a test holds this table against the package's own metadata."""


class Library(NamedTuple):
    """A library that the package or one of its extras needs, with its version or None."""

    name: str
    extra: str | None
    version: str | None


def libraries() -> Iterator[Library]:
    """Yield the libraries of the core and of the extras for users, from the package's own metadata."""
    from packaging.requirements import Requirement

    for line in requires("ragtrial") or ():
        requirement = Requirement(line)
        extra = next((name for name in ADDS if _needed_by(requirement.marker, name)), None)
        if requirement.marker is None or extra is not None:
            yield Library(requirement.name, extra, _version(requirement.name))


def _needed_by(marker: object, extra: str) -> bool:
    return marker is not None and f'extra == "{extra}"' in str(marker)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Show what is installed and what each missing extra would add.

    Exits with 1 if a library of the core is missing.
    """
    found = list(libraries())
    broken = [library.name for library in found if library.extra is None and library.version is None]
    if as_json:
        rows = [library._asdict() for library in found]
        click.echo(
            json.dumps({"ragtrial": version("ragtrial"), "python": platform.python_version(), "libraries": rows})
        )
    else:
        click.echo(f"ragtrial {version('ragtrial')} on Python {platform.python_version()}")
        for library in found:
            if library.extra is None:
                click.echo(f"  {library.name:<19} {library.version or 'MISSING: reinstall ragtrial'}")
        for extra, adds in ADDS.items():
            missing = [library.name for library in found if library.extra == extra and library.version is None]
            state = f"missing: pip install 'ragtrial[{extra}]'" if missing else "installed"
            click.echo(f"extra {extra:<21} {adds}: {state}")
    if broken:
        click.get_current_context().exit(1)
