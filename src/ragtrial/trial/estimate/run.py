"""An estimate of a trial: nothing is asked, nothing is scored, nothing is spent."""

from __future__ import annotations

from collections.abc import Iterator

from ragtrial.llm.settings import ledger_file, spending_cap
from ragtrial.text import tokens
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.estimate.answers import answer_lines
from ragtrial.trial.estimate.calls import Rehearsed, call_row, rehearse_arms
from ragtrial.trial.estimate.embeddings import embedding_rows
from ragtrial.trial.estimate.growth import growth_of
from ragtrial.trial.estimate.rate import call_rate
from ragtrial.trial.estimate.rows import CallRow, EmbeddingRow, Estimate
from ragtrial.trial.progress import Progress, silent

__all__ = ["estimate_trial"]


def estimate_trial(
    trial: Trial,
    corpus: Corpus,
    *,
    calls_per_minute: float | None = None,
    texts_per_second: float | None = None,
    measure: bool = True,
    progress: Progress = silent,
) -> Estimate:
    """Return what a trial would cost.

    Parameters
    ----------
    trial : Trial
    corpus : Corpus
    calls_per_minute : float, optional
        How many calls a minute the models answer; None: what the ledger shows, if anything.
    texts_per_second : float, optional
        How many texts a second are embedded; None: what a local model needs for a few of them.
    measure : bool
        Whether local models may embed those few; their vectors are kept for the run.
    progress : Progress, optional
    """
    rehearsed = rehearse_arms(corpus, trial.arms, progress)
    chunks, questions = rehearsed.built.chunks, rehearsed.built.corpus.questions
    rate = call_rate(calls_per_minute, ledger_file())
    rows = rehearsed.rows(rate)
    answers = [call_row(line, usual, lavish, rate) for line, usual, lavish in answer_lines(trial, chunks, questions)]
    lengths = {document.id: tokens.count(document.text) for document in corpus.documents}
    embeddings = embedding_rows(
        trial,
        rehearsed.built,
        [question.text for question in questions],
        rehearsed.asking_arms(),
        texts_per_second=texts_per_second,
        measure=measure,
    )
    made = tuple(embeddings)
    cap = spending_cap()
    return Estimate(
        calls=(*rows, *answers),
        growth=tuple(growth_of(lengths, rehearsed.usual.documents) if rows else ()),
        embeddings=made,
        cap=None if cap is None else float(cap),
        notes=tuple(_notes(rehearsed, [*rows, *answers], made, answers=bool(answers))),
    )


def _notes(
    rehearsed: Rehearsed, calls: list[CallRow], embeddings: tuple[EmbeddingRow, ...], *, answers: bool
) -> Iterator[str]:
    if calls:
        yield (
            "Tokens are cl100k_base tokens of the prompts; servers count their own. Prompts hold the real chunks. What "
            "stands in them of earlier replies is not known yet: summaries of 45 words and a new key of 3 words for "
            "each chunk are taken, and at most 1,000 and 80 characters of plain words."
        )
        yield "A reply that cannot be read is asked for again up to three times; such calls are not counted."
    if any("correction" in row.step for row in calls):
        yield "Every induced structure is counted with a round of correction, which many documents do not need."
    if answers:
        yield (
            "The reader gets exactly its budget of tokens. Answers are taken to have 20 tokens, a judge's reply half "
            "of what it may have. Conditions that retrieve the same share their calls, and are counted in full here."
        )
    if unpriced := sorted({row.model for row in calls if row.calls and row.dollars is None}):
        yield f"No price is known of {', '.join(unpriced)}: write it into prices.toml."
    if slow := sorted({row.model for row in calls if row.calls and row.minutes is None}):
        yield f"No rate is known of {', '.join(slow)}: give --calls-per-minute, or let the ledger show it."
    if unknown := sorted(row.model for row in embeddings if row.texts and row.minutes is None):
        yield f"No rate of embedding is known of {', '.join(unknown)}: give --texts-per-second."
    if any(row.arms and set(row.arms) & rehearsed.asking_arms() for row in embeddings):
        yield "Texts that hold generated parts are counted with made-up ones."
    for document, reason in rehearsed.built.failed.items():
        yield f"{document} would leave all arms: {reason}"
