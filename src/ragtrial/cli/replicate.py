"""``ragtrial replicate``: a paper's whole design on this machine, and its rows beside the paper's."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragtrial.cli.output import cap_option, threads_option

if TYPE_CHECKING:
    from ragtrial.replications.design import Design
    from ragtrial.replications.needs import Missing
    from ragtrial.replications.place import Given, Promise
    from ragtrial.replications.price import Priced
    from ragtrial.replications.study import Reduction

__all__ = ["command"]

_SWAP = "ROLE=NAME[,KEY=VALUE...]"


@click.command()
@click.argument("name", required=False)
@click.option("--dry-run", is_flag=True, help="Print the whole design, its cost, and what is missing here.")
@click.option("--data", "data", metavar="[NAME=]PATH", multiple=True, help="Where a data set lies.")
@click.option("--questions", metavar="[NAME=]FILE", multiple=True, help="The questions of a data set without any.")
@click.option("--select", metavar="[NAME=]FILE", multiple=True, help="Ids to take instead of the paper's sample.")
@click.option("--only", metavar="NAME", multiple=True, help="Parts, arms, retrievers, or llm-free; repeatable.")
@click.option("--sample", type=click.IntRange(min=1), help="So many papers (of other data, questions) of each sample.")
@click.option("--model", metavar=_SWAP, multiple=True, help="Swap a language model: indexer=llama3.1:8b,url=ollama.")
@click.option("--embedder", metavar=_SWAP, multiple=True, help="Swap an embedder: nomic=minilm.")
@click.option("--reranker", metavar=_SWAP, multiple=True, help="Swap a reranker.")
@click.option("--freeze", is_flag=True, help="Freeze each part's plan, with the paper's amendments, before building.")
@click.option("--seen", default="nothing", show_default=True, help="With --freeze: what outcomes had been seen.")
@click.option("--incomplete", is_flag=True, help="Score though more than 5% of the documents failed.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), help="[default: ragtrial-runs/NAME]")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that score.")
@click.option("--calls-per-minute", type=click.FloatRange(min=0, min_open=True), help="For the time in --dry-run.")
@cap_option
@threads_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def command(
    name: str | None,
    dry_run: bool,
    data: tuple[str, ...],
    questions: tuple[str, ...],
    select: tuple[str, ...],
    only: tuple[str, ...],
    sample: int | None,
    model: tuple[str, ...],
    embedder: tuple[str, ...],
    reranker: tuple[str, ...],
    freeze: bool,
    seen: str,
    incomplete: bool,
    output: Path | None,
    workers: int,
    calls_per_minute: float | None,
    as_json: bool,
) -> None:
    """Run the study NAME as its paper planned it, and set what is measured beside what it reports.

    Without NAME the studies are listed. Arms are built for all parts before anything is scored; a run
    that was stopped goes on when the same command is given again.
    """
    from ragtrial.replications.design import design_of, reduced
    from ragtrial.replications.needs import missing_of
    from ragtrial.replications.price import remember, remembered
    from ragtrial.replications.roles import swapped
    from ragtrial.replications.study import Study, study_names

    if name is None:
        for known in study_names():
            click.echo(f"{known}\t{Study.open(known).title}")
        return
    study = Study.open(name)
    swaps = [*(("model", t) for t in model), *(("embedder", t) for t in embedder), *(("reranker", t) for t in reranker)]
    design = design_of(study, swapped(study.roles, swaps), only)  # type: ignore[arg-type]  # the kinds are literals
    given = _given(design, data, questions, select, sample)
    missing = missing_of(design, given)
    folder = output or Path("ragtrial-runs") / name
    kept = None if dry_run else remembered(folder)
    priced: dict[str, Priced] = {}
    faults: list[Missing] = []
    applied = kept or []
    if kept is None and (dry_run or _capped(design)):
        priced, faults = _estimates(design, given, _without_data(missing), calls_per_minute, strict=not dry_run)
        applied = _reductions(design, priced)
    if applied:
        design = reduced(design, applied)
        missing = missing_of(design, given)
    missing += faults
    for reduction in applied:
        arms = f"the arms {', '.join(reduction.arms)} of {reduction.part}" if reduction.arms else reduction.part
        click.echo(f"The estimate passes the cap: {arms} will be left out ({reduction.why}).", err=True)
    if dry_run:
        _show_design(design, priced, missing, sample, as_json=as_json)
        return
    _refuse(missing, {part.name for part in study.parts} & set(only))
    design = _with_data(design, _without_data(missing))
    if applied:
        remember(folder, applied)
    promise = _promise(design, applied, seen) if freeze else None
    _run(design, given, folder, promise, incomplete=incomplete, workers=workers, as_json=as_json)


def _given(
    design: Design, data: tuple[str, ...], questions: tuple[str, ...], select: tuple[str, ...], sample: int | None
) -> Given:
    from ragtrial.replications.place import Given

    return Given(
        _named(design, data, "--data"),
        _named(design, questions, "--questions"),
        _named(design, select, "--select"),
        sample,
    )


def _named(design: Design, texts: tuple[str, ...], option: str) -> dict[str, Path]:
    from ragtrial.errors import UsageError, did_you_mean

    used = list(dict.fromkeys(planned.part.data for planned in design.parts))
    found: dict[str, Path] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals and len(used) == 1:
            name, path = used[0], text
        elif not equals:
            raise UsageError(
                f"{option} {text}: of which data?", hint=f"Write {option} NAME=PATH, NAME: {', '.join(used)}."
            )
        if name not in design.study.data:
            raise UsageError(f"The study has no data set {name!r}.", hint=did_you_mean(name, design.study.data))
        found[name] = Path(path)
    return found


def _capped(design: Design) -> bool:
    from ragtrial.llm.settings import spending_cap

    return spending_cap() is not None and bool(design.study.reductions)


def _estimates(
    design: Design, given: Given, absent: set[str], calls_per_minute: float | None, *, strict: bool
) -> tuple[dict[str, Priced], list[Missing]]:
    """Estimate each part whose data is here; unless ``strict``, data that cannot be read is missing as well."""
    from tempfile import TemporaryDirectory

    from ragtrial.cli.output import progress_bars
    from ragtrial.errors import DataError
    from ragtrial.replications.needs import unreadable
    from ragtrial.replications.place import draw, keys_of
    from ragtrial.replications.price import estimate_part

    priced: dict[str, Priced] = {}
    faults: dict[str, str] = {}
    for planned in design.parts:
        need = design.study.data[planned.part.data]
        if planned.part.name in absent or planned.part.data in faults:
            continue
        with TemporaryDirectory() as own:
            try:
                keys = keys_of(planned, draw(planned.part, need, given, Path(own)))[-1]
                options = {"calls_per_minute": calls_per_minute, "measure": False}
                priced[planned.part.name] = estimate_part(planned, keys, Path(own), options, progress_bars())
            except DataError as error:
                if strict:
                    raise
                faults[planned.part.data] = error.message
    return priced, unreadable(design, faults)


def _reductions(design: Design, priced: dict[str, Priced]) -> list[Reduction]:
    """Return what is left out of the parts that have an estimate, to stay below the cap if there is one."""
    from ragtrial.llm.ledger import open_ledger
    from ragtrial.llm.prices import PICO
    from ragtrial.llm.settings import ledger_file, spending_cap
    from ragtrial.replications.design import without_parts
    from ragtrial.replications.price import calls_once, reductions_needed, unpriced

    cap = spending_cap()
    if cap is None:
        return []
    present = without_parts(design, {planned.part.name for planned in design.parts} - priced.keys())
    if names := unpriced(calls_once(present, priced)):
        click.echo(
            f"The cap is held against an estimate without {', '.join(names)}, of which no price is known: under a cap "
            "such a call is refused. Write the price into prices.toml.",
            err=True,
        )
    left = float(cap) - open_ledger(ledger_file(), None).spent() / PICO
    return reductions_needed(present, priced, left)


def _with_data(design: Design, absent: set[str]) -> Design:
    """Leave out the parts whose data is absent, and say so."""
    from ragtrial.errors import UsageError
    from ragtrial.replications.design import without_parts

    left = without_parts(design, absent)
    for name in sorted(absent):
        click.echo(f"{name} is not run: its data is not there.", err=True)
    if not left.parts:
        raise UsageError(
            "No part is left: of all the data is missing, or the cap leaves them out.",
            hint="Name the data with --data, raise --cap, or see --dry-run.",
        )
    return left


def _without_data(missing: list[Missing]) -> set[str]:
    return {part for item in missing if item.data for part in item.parts}


def _refuse(missing: list[Missing], named: set[str]) -> None:
    """Stop before anything is paid for; data that is missing is no reason, unless its part was named."""
    from ragtrial.errors import UsageError
    from ragtrial.report.words import count

    without = _without_data(missing)
    lost = [item for item in missing if (set(item.parts) & named if item.data else set(item.parts) - without)]
    if lost:
        lines = "\n".join(f"  {item.what} ({item.why}): {item.get}" for item in lost)
        raise UsageError(
            f"{count(len(lost), 'thing')} {'is' if len(lost) == 1 else 'are'} missing on this machine:\n{lines}",
            hint="Get them, swap models, or leave out what needs them with --only.",
        )


def _promise(design: Design, applied: list[Reduction], seen: str) -> Promise:
    from ragtrial.replications.place import Promise

    declared = {
        "study": design.study.name,
        "source": design.study.source,
        "preset_sha256": design.study.sha256,
        "reductions": [reduction.model_dump() for reduction in design.study.reductions],
        "applied": [reduction.model_dump() for reduction in applied],
    }
    return Promise(seen, declared)


def _show_design(
    design: Design, priced: dict[str, Priced], missing: list[Missing], sample: int | None, *, as_json: bool
) -> None:
    from dataclasses import asdict

    from ragtrial.cli.output import tell
    from ragtrial.report.design import design_tables
    from ragtrial.report.terminal import print_tables

    if as_json:
        parts = {
            planned.part.name: {
                "keys": planned.filled.whole(),
                "estimate": priced[planned.part.name].estimate.to_dict() if planned.part.name in priced else None,
            }
            for planned in design.parts
        }
        click.echo(json.dumps({"parts": parts, "missing": [asdict(item) for item in missing]}, ensure_ascii=False))
        return
    notes = dict.fromkeys(note for one in priced.values() for note in one.estimate.notes)
    print_tables(design_tables(design, priced, missing, sample), notes, tell())


def _run(
    design: Design,
    given: Given,
    folder: Path,
    promise: Promise | None,
    *,
    incomplete: bool,
    workers: int,
    as_json: bool,
) -> None:
    from ragtrial.cli.output import progress_bars, tell
    from ragtrial.replications.run import COMPARISON_NAME, Replication
    from ragtrial.report.markdown import write_markdown
    from ragtrial.report.replication import comparison_lines, comparison_markdown, comparison_tables
    from ragtrial.report.terminal import print_tables
    from ragtrial.trial.record import write_whole

    began = time.perf_counter()
    replication = Replication(
        folder, promise, incomplete, workers, progress_bars(), lambda line: click.echo(line, err=True)
    )
    done = replication.run(design, given)
    for record in done.records.values():
        write_markdown(record)
    write_whole(folder / "comparison.md", comparison_markdown(done.comparison).encode("utf-8", "replace"))
    if as_json:
        click.echo((folder / COMPARISON_NAME).read_text(encoding="utf-8"), nl=False)
    else:
        print_tables(comparison_tables(done.comparison), comparison_lines(done.comparison), tell())
    click.echo(f"{time.perf_counter() - began:.0f} s. {folder / COMPARISON_NAME}", err=True)
