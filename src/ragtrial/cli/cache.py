"""``ragtrial cache``: the vectors that all trials of a user share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import click

__all__ = ["command"]


def _what(identity: Mapping[str, Any]) -> str:
    """Return what a model is in a few words: its name where it has one, else its backend and the start of its hash."""
    files = identity.get("files")
    digest = f"sha256 {next(iter(files.values()))[:12]}" if isinstance(files, dict) and files else ""
    return " ".join(str(part) for part in (identity.get("backend"), identity.get("model"), digest) if part)


@click.command()
@click.option(
    "--prune",
    "chosen",
    multiple=True,
    metavar="MODEL",
    help="Remove the vectors of a model, by the start of its id; repeatable.",
)
@click.option(
    "--unused", "days", type=click.IntRange(min=1), metavar="DAYS", help="Remove models not used for so many days."
)
@click.option("--all", "everything", is_flag=True, help="Remove all vectors.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(chosen: tuple[str, ...], days: int | None, everything: bool, as_json: bool) -> None:
    """List the models whose vectors are kept, with their size and last use, or remove some.

    The cache lies in the user's cache folder, or where RAGTRIAL_CACHE says; what is removed
    is embedded again when a trial needs it.
    """
    from ragtrial.embedders.cache.store import CachedModel, open_cache
    from ragtrial.embedders.cache.upkeep import prune
    from ragtrial.embedders.settings import RunSettings
    from ragtrial.errors import UsageError

    folder = RunSettings.from_environment().cache
    if folder is None:
        raise UsageError("There is no cache: RAGTRIAL_CACHE is 'off'.")
    cache = open_cache(folder)
    models = cache.models()
    for start in chosen:
        if not any(model.id.startswith(start) for model in models):
            raise UsageError(f"The cache {folder} has no model whose id starts with {start!r}.")
    oldest = None if days is None else date.today() - timedelta(days=days)  # the user's own day

    def wanted(model: CachedModel) -> bool:
        unused = oldest is not None and model.used < oldest
        return everything or unused or any(model.id.startswith(start) for start in chosen)

    if chosen or everything or oldest is not None:
        done = prune(cache, wanted)
        freed = (done.bytes_before - done.bytes_after) / 1e6
        click.echo(f"Removed {len(done.models)} of {len(models)} models, {freed:,.1f} MB.", err=True)
        models = cache.models()
    if as_json:
        rows = [model._asdict() | {"used": model.used.isoformat()} for model in models]
        click.echo(json.dumps({"folder": str(folder), "models": rows}, ensure_ascii=False))
        return
    click.echo(f"{folder}: {len(models)} models, {cache.database.file_bytes() / 1e6:,.1f} MB on disk")
    for model in models:
        size = f"{model.vectors:>10,} vectors of {model.dimension:>5,} {model.bytes / 1e6:>10,.1f} MB"
        click.echo(f"{model.id[:12]}  {size}  last used {model.used}  {_what(model.identity)}")
