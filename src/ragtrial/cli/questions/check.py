"""``ragtrial questions check``: what is wrong with a set of questions, and what it can detect."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragtrial.cli.reading import reading_options

if TYPE_CHECKING:
    from ragtrial.questions.check import Finding

__all__ = ["command"]

_FAILING = ("missing",)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("docs", nargs=-1, required=True, metavar="DOCS...")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(file: Path, docs: tuple[str, ...], as_json: bool, **how: Any) -> None:
    """Check the questions of FILE against the documents DOCS.

    Names evidence that stands nowhere, with the nearest text to paste, or in several places;
    questions that repeat each other or their evidence; too few clusters; and says which
    differences the set can detect. Exit code 1 if evidence is missing.
    """
    from ragtrial.documents.folder import read_folder
    from ragtrial.questions.check import check_questions
    from ragtrial.questions.formats.detect import read_drafts
    from ragtrial.questions.load import read_questions
    from ragtrial.trial.outlook import detectable

    documents = list(read_folder(docs, **how))
    reading = read_questions(file, documents)
    findings = check_questions(read_drafts(file).drafts, reading, documents)
    clusters = len({question.cluster for question in reading.questions})
    counts = {
        "format": reading.format,
        "questions": len(reading.questions),
        "left_out": len(reading.excluded),
        "evidence": sum(len(question.evidence) for question in reading.questions),
        "clusters": clusters,
    }
    outlook = detectable(reading.questions)
    if as_json:
        rows = [finding._asdict() for finding in findings]
        click.echo(json.dumps(counts | {"findings": rows, "detects": outlook}, ensure_ascii=False))
    else:
        _print(counts, findings)
        click.echo(outlook)
    if any(finding.kind in _FAILING for finding in findings):
        click.get_current_context().exit(1)


def _print(counts: dict[str, object], findings: list[Finding]) -> None:
    for finding in findings:
        click.echo(f"{finding.question or 'The set'}: {finding.sentence}{':' if finding.paste else '.'}")
        if finding.paste:
            click.echo(f"    {json.dumps(finding.paste, ensure_ascii=False)}")
    kinds = Counter(finding.kind for finding in findings)
    listed = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items())) or "nothing found wrong"
    click.echo(
        f"{counts['questions']:,} questions ({counts['format']}) with {counts['evidence']:,} pieces of evidence in "
        f"{counts['clusters']:,} clusters; {counts['left_out']:,} left out. {listed}."
    )
