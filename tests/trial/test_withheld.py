"""Text that is out of a question's pool: chunks that overlap it are in no ranking, whatever the arm."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.windows import Chars
from ragtrial.documents.plain import read_text
from ragtrial.retrievers.ranking import Ranking, offsets_of
from ragtrial.retrievers.sources import Sources
from ragtrial.trial.config import Trial
from ragtrial.trial.run import run
from ragtrial.trial.withheld import without_withheld

DOCUMENTS = [read_text("abcdefghij" * 3, id="a"), read_text("klmnopqrst" * 2, id="b")]
CHUNKS = Chars(4, overlap=1).chunk_documents(DOCUMENTS)
SOURCES = Sources.of(CHUNKS)
COUNT = len(CHUNKS)

places = st.tuples(st.integers(0, 1), st.integers(0, 28), st.integers(1, 10)).map(lambda p: (p[0], p[1], p[1] + p[2]))
questions = st.tuples(st.permutations(range(COUNT)), st.integers(0, COUNT), st.lists(places, max_size=3).map(tuple))


@given(st.lists(questions, min_size=1, max_size=4))
def test_what_is_left_is_the_ranking_without_what_overlaps(asked):
    ranked = [order[:length] for order, length, _ in asked]
    flat = np.array([chunk for part in ranked for chunk in part], dtype=np.int64)
    ranking = Ranking(offsets_of([len(part) for part in ranked]), flat, -np.arange(len(flat), dtype=np.float64))
    left = without_withheld(ranking, SOURCES, tuple(withheld for _, _, withheld in asked))
    assert left.n_questions == len(asked)
    for number, (part, (_, _, withheld)) in enumerate(zip(ranked, asked, strict=True)):
        expected = [
            chunk
            for chunk in part
            if not any(
                CHUNKS.document[chunk] == document and CHUNKS.starts[chunk] < end and start < CHUNKS.ends[chunk]
                for document, start, end in withheld
            )
        ]
        assert left.of(number)[0].tolist() == expected
        scores = dict(zip(*(column.tolist() for column in ranking.of(number)), strict=True))
        assert left.of(number)[1].tolist() == [scores[chunk] for chunk in expected]


def test_without_anything_withheld_the_ranking_is_the_same_object():
    ranking = Ranking(offsets_of([1]), np.array([0]), np.array([1.0]))
    assert without_withheld(ranking, SOURCES, ()) is ranking
    assert without_withheld(ranking, SOURCES, ((),)) is ranking


@pytest.fixture
def asked(tmp_path):
    """Three pages; every question is a sentence of one page about another, and that sentence is withheld or not."""

    def write(*, withheld, origin=None):
        folder = tmp_path / "docs"
        folder.mkdir(exist_ok=True)
        lines = []
        for number, word in enumerate(("lamp", "ship", "tower", "rope")):
            question = f"How to mend a broken {word} on a rainy night"
            answer = f"Take glue and patience when the {word} is in pieces and work slowly until the morning."
            (folder / f"{word}.md").write_text(f"# Page\n\n{answer}\n", encoding="utf-8")
            text = f"# Index of {word}\n\n{question}.\n"
            (folder / f"index-{number}.md").write_text(text, encoding="utf-8")
            place = {"document": f"index-{number}.md", "start": text.index("How"), "end": len(text) - 1}
            line = {"question": question, "evidence": answer, "document": f"{word}.md", "origin": origin}
            lines.append(line | ({"withheld": [place]} if withheld else {}))
        (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        keys = {"documents": str(folder), "questions": str(tmp_path / "q.jsonl"), "pool": "corpus", "primary": "hit@1"}
        contrast = {"name": "c", "of": "a - b", "tier": "confirmatory", "family": "f"}
        keys |= {"arms": {"a": "headers", "b": "paragraphs"}, "retrievers": {"bm25": "bm25"}, "contrasts": [contrast]}
        return Trial.of(keys)

    return write


def means(record):
    import polars as pl

    scores = pl.read_parquet(record.folder / "scores.parquet").filter(pl.col("measure") == "hit@1")
    return scores["value"].mean()


def test_the_sentence_a_question_was_taken_from_is_not_found(asked, tmp_path):
    assert means(run(asked(withheld=False), tmp_path / "one")) == 0.0
    record = run(asked(withheld=True), tmp_path / "two")
    assert means(record) == 1.0
    import polars as pl

    rankings = pl.read_parquet(record.folder / "rankings.parquet")
    mine = rankings.filter((pl.col("question") == "q1") & (pl.col("document") == "index-0.md"))
    assert mine.is_empty()


def test_harvested_questions_say_so_in_the_record(asked, tmp_path):
    record = run(asked(withheld=True, origin="links"), tmp_path / "record")
    assert record.header["corpus"]["questions_harvested"] == 4
    assert any("harvested from the documents' own links" in doubt for doubt in record.header["doubts"])
    plain = run(asked(withheld=True), tmp_path / "plain")
    assert not any("harvested" in doubt for doubt in plain.header["doubts"])
