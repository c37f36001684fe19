"""``ragtrial questions generate``: documents and a language model to questions, a review sheet and the funnel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragtrial.cli.reading import reading_options

if TYPE_CHECKING:
    from ragtrial.documents.formats import Format

__all__ = ["command"]


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="DOCS...")
@click.option("--model", required=True, help="The language model, by the name that its server knows.")
@click.option("--url", default="openai", show_default=True, help="Its server: a short name such as ollama, or a URL.")
@click.option("--key-variable", metavar="NAME", help="The environment variable that holds the server's key.")
@click.option("--effort", help="The reasoning effort.")
@click.option("--provider", help="Who must run the model, where a server has several.")
@click.option(
    "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The questions file to write."
)
@click.option("--per-document", type=click.IntRange(min=1), default=2, show_default=True, help="Targets of each type.")
@click.option("--most", type=click.IntRange(min=1), default=250, show_default=True, help="Most questions of a type.")
@click.option("--min-words", type=click.IntRange(min=1), default=30, show_default=True, help="Of a paragraph.")
@click.option("--max-words", type=click.IntRange(min=1), default=400, show_default=True, help="Of a paragraph.")
@click.option("--rouge", type=click.FloatRange(0, 1), default=0.35, show_default=True, help="Highest ROUGE-L F1.")
@click.option("--gram", type=click.IntRange(min=1), default=4, show_default=True, help="Words in a row not to share.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is asked about.")
@click.option("--prompt", "prompts", multiple=True, metavar="TYPE=FILE", help="A prompt of your own; repeatable.")
@reading_options
@click.option("--encoding", help="Encoding of all files; by default each file's is found out.")
@click.option("--json", "as_json", is_flag=True, help="Print the funnel as JSON.")
def command(
    paths: tuple[str, ...],
    model: str,
    url: str,
    key_variable: str | None,
    effort: str | None,
    provider: str | None,
    output: Path,
    per_document: int,
    most: int,
    min_words: int,
    max_words: int,
    rouge: float,
    gram: int,
    seed: int,
    prompts: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    read_as: dict[str, Format],
    encoding: str | None,
    as_json: bool,
) -> None:
    """Let a language model write questions about the documents DOCS.

    Four types of questions, about spans that a seed picks. A question that takes too many words
    from its evidence is rejected; a second call rewords what is left, and that has to pass again.

    Beside the questions lie NAME.review.jsonl, in which a person accepts, edits or rejects each
    question (see 'ragtrial questions review'), and NAME.funnel.json, which says how many were
    lost where. Replies are kept: a run that was stopped pays nothing twice.
    """
    from ragtrial.cli.output import progress_bars, talk, tell
    from ragtrial.documents.folder import read_folder
    from ragtrial.llm.load import load
    from ragtrial.llm.options import ModelOptions
    from ragtrial.questions.generate.ask import QuestionPrompts
    from ragtrial.questions.generate.overlap import Overlap
    from ragtrial.questions.generate.run import Plan, generate_questions
    from ragtrial.questions.generate.targets import Sampling
    from ragtrial.report.questions import funnel_tables
    from ragtrial.report.terminal import print_table
    from ragtrial.trial.generation import Files, write_generated

    files = Files.beside(output)
    files.refuse_decided()
    options = ModelOptions(model, url, key_variable, effort, provider)
    plan = Plan(
        QuestionPrompts.load(_named(prompts)),
        Sampling(per_document, min_words, max_words, seed=seed),
        Overlap(rouge, gram),
        most,
    )
    folder = read_folder(paths, include=include, exclude=exclude, encoding=encoding, read_as=read_as)
    documents = list(folder)
    served = load(options)
    generated = generate_questions(documents, served, plan, progress=progress_bars())
    report = write_generated(files, documents, generated, plan, served)
    for item in folder.skipped:
        click.echo(f"Skipped {item.path}: {item.cause}", err=True)
    if as_json:
        click.echo(files.funnel.read_text(encoding="utf-8"), nl=False)
    else:
        for table in funnel_tables(report):
            print_table(table, tell())
    talk().print(f"Wrote {files.questions}, {files.review.name} and {files.funnel.name}.", soft_wrap=True)


def _named(prompts: tuple[str, ...]) -> dict[str, str]:
    from ragtrial.errors import UsageError, did_you_mean
    from ragtrial.questions.generate.targets import TYPES

    known = [*TYPES, "paraphrase"]
    named = {}
    for given in prompts:
        name, equals, path = given.partition("=")
        if not equals or name not in known:
            raise UsageError(f"--prompt {given!r} names no prompt.", hint=did_you_mean(name, known))
        named[name] = path
    return named
