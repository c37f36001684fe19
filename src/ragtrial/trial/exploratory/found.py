"""Which evidence each condition found: the measure's own rule, for each piece of evidence alone.

The primary measure decides where a ranking is cut. Measures by words find a piece as
`ragtrial.measures.coverage` does; measures by spans where at least half of its characters are covered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.measures.budget import Selection, fill
from ragtrial.measures.coverage import Coverage
from ragtrial.measures.evidence import Gold
from ragtrial.measures.intervals import merged
from ragtrial.measures.names import Measure
from ragtrial.measures.span_budget import fill_spans, kept_spans
from ragtrial.measures.span_coverage import covered
from ragtrial.measures.spans import Candidate, GoldSpans, SpanTable
from ragtrial.measures.texts import TextTable
from ragtrial.questions.model import Question
from ragtrial.retrievers.sources import Sources
from ragtrial.trial.score import span_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DEFAULT_CUTOFF", "cutoff_of", "found_counts", "found_table"]

DEFAULT_CUTOFF = 10
"""Where a measure of the whole ranking, such as ``mrr``, is cut: after so many chunks."""

Ranked: TypeAlias = npt.NDArray[np.int64]
Found: TypeAlias = tuple[list[bool], bool]
"""Whether each piece is found, and whether the ranking reached the cut."""

Finder: TypeAlias = Callable[[int, Ranked], Found]
"""What tells this of a question's number and its ranking."""


def cutoff_of(measure: Measure) -> int:
    """Return where a measure cuts the ranking; `DEFAULT_CUTOFF` where it does not."""
    return measure.cutoff or DEFAULT_CUTOFF


def found_table(
    measure: Measure,
    questions: Sequence[Question],
    gold_spans: Sequence[GoldSpans],
    arms: Mapping[str, ChunkSet],
    rankings: pl.DataFrame,
    *,
    words: str,
    keep: int,
) -> pl.DataFrame:
    """Return one row per condition, question and piece of evidence: ``arm, retriever, question, evidence, found``.

    Parameters
    ----------
    measure : Measure
        The primary one.
    questions : sequence of Question
    gold_spans : sequence of GoldSpans
        Of the same questions; used, and needed, only where the measure is one of spans.
    arms : mapping of str to ChunkSet
    rankings : DataFrame
        As in the record: at most ``keep`` chunks a question.
    words : {"unicode", "study"}

    Returns
    -------
    DataFrame
        ``evidence`` numbers the question's pieces from 0. ``found`` is null where the kept part of the
        ranking ends before the cut, so that nothing can be said.
    """
    import polars as pl

    rows: dict[str, list[object]] = {name: [] for name in ("arm", "retriever", "question", "evidence", "found")}
    by_cell = rankings.partition_by(["arm", "retriever"], as_dict=True, maintain_order=True)
    make = _by_spans_of(measure, gold_spans) if measure.needs_spans else _by_words_of(measure, questions, words)
    finders: dict[str, Finder] = {}
    for (arm, retriever), ranked in by_cell.items():
        if arm not in finders:
            finders = {arm: make(arms[str(arm)])}
        numbers = _numbers(ranked, arms[str(arm)])
        for place, question in enumerate(questions):
            ranking = numbers.get(question.id, np.zeros(0, dtype=np.int64))
            found, reached = finders[str(arm)](place, ranking)
            known = reached or len(ranking) < keep
            for number, one in enumerate(found):
                for name, value in zip(
                    rows, (arm, retriever, question.id, number, True if one else False if known else None), strict=True
                ):
                    rows[name].append(value)
    types = {"evidence": pl.Int32, "found": pl.Boolean}
    return pl.DataFrame({name: pl.Series(column, dtype=types.get(name, pl.String)) for name, column in rows.items()})


def found_counts(table: pl.DataFrame) -> dict[tuple[str, str], dict[str, int]]:
    """Return how many pieces of each question's evidence each condition surely found, from `found_table`."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for arm, retriever, question, found in table.select("arm", "retriever", "question", "found").iter_rows():
        own = counts.setdefault((arm, retriever), {})
        own[question] = own.get(question, 0) + bool(found)
    return counts


def _numbers(ranked: pl.DataFrame, chunks: ChunkSet) -> dict[str, Ranked]:
    """Return the numbers of each question's ranked chunks in the arm's set."""
    first = np.searchsorted(chunks.document, np.arange(len(chunks.documents)))
    start_of = {document.id: int(start) for document, start in zip(chunks.documents, first, strict=True)}
    starts = np.array([start_of[document] for document in ranked["document"].to_list()], dtype=np.int64)
    numbers = starts + ranked["chunk"].to_numpy()
    names = ranked["question"].to_list()
    edges = [place for place in range(len(names)) if not place or names[place] != names[place - 1]]
    return {names[start]: numbers[start:end] for start, end in zip(edges, [*edges[1:], len(names)], strict=True)}


def _by_words_of(measure: Measure, questions: Sequence[Question], words: str) -> Callable[[ChunkSet], Finder]:
    gold = [Gold.of([question.evidence_texts], words) for question in questions]

    @lru_cache(maxsize=1)
    def table(texts: tuple[str, ...]) -> TextTable:
        # Arms that differ only in their prefix share the chunks' own texts, hence their tokens and grams.
        return TextTable(texts, words)

    def of(chunks: ChunkSet) -> Finder:
        texts = table(chunks.texts)
        return lambda place, ranking: _by_words(
            measure, ranking.tolist(), texts, gold[place], questions[place].evidence_texts
        )

    return of


def _by_spans_of(measure: Measure, gold: Sequence[GoldSpans]) -> Callable[[ChunkSet], Finder]:
    def of(chunks: ChunkSet) -> Finder:
        spans = span_table(Sources.of(chunks), chunks.texts, chunks.prefixes, chunks.suffixes, joiner=chunks.joiner)
        return lambda place, ranking: _by_spans(measure, ranking, spans, gold[place])

    return of


def _by_words(measure: Measure, ranking: list[int], table: TextTable, gold: Gold, evidence: Sequence[str]) -> Found:
    cutoff = cutoff_of(measure)
    if measure.unit == "tokens":
        (selection,) = fill(ranking, table, [cutoff])
        reached = selection.whole < len(ranking)
    else:
        selection = Selection(min(cutoff, len(ranking)))
        reached = len(ranking) >= cutoff
    coverage = Coverage(gold, selected=False)
    for number in ranking[: selection.whole]:
        coverage.add(table.whole(number))
    found = dict(zip(dict.fromkeys(evidence), coverage.found(selection.part), strict=True))
    return [found[text] for text in evidence], reached


def _by_spans(measure: Measure, ranking: Ranked, table: SpanTable, gold: GoldSpans) -> Found:
    cutoff = cutoff_of(measure)
    whole, left = min(cutoff, len(ranking)), 0
    reached = len(ranking) >= cutoff
    if measure.unit == "tokens":
        ((whole, left),) = fill_spans(ranking, table, [cutoff])
        reached = whole < len(ranking)
    chosen = [(number, merged(table.spans(number))) for number in ranking[:whole].tolist()]
    if measure.variant == "cut" and left:
        number = int(ranking[whole])
        chosen.append((number, kept_spans(table, number, left)))
    holding = set(gold.documents)
    selected = [Candidate(table.document(n), spans) for n, spans in chosen if table.document(n) in holding]
    return [2 * part >= size for part, size in zip(covered(selected, gold), gold.sizes, strict=True)], reached
