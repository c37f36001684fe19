"""Embeddings of a trial: made ahead and once, told in the record, and no part of what threads and batches change."""

import numpy as np
import pytest

from ragtrial.embedders.load import load
from ragtrial.embedders.options import ModelOptions
from ragtrial.report.latency import latency_table
from ragtrial.retrievers.dense import Dense, DenseIndex
from ragtrial.retrievers.sources import Sources
from ragtrial.trial.build import build_arms
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.latency import measure_latency
from ragtrial.trial.progress import silent
from ragtrial.trial.routing import kept_evidence
from ragtrial.trial.run import run
from ragtrial.trial.setup import Setup
from ragtrial.trial.verify import verify_record

pytest.importorskip("onnxruntime", reason="needs the extra local")

DENSE = {
    "arms": {"sections": "headers(min=0)", "path": "headers(min=0) + path"},
    "retrievers": {"bm25": "bm25", "dense": "dense('minilm')", "hybrid": "rrf(bm25, dense)", "routed": "routed(dense)"},
    "contrasts": [{"name": "path", "of": "path - sections", "retriever": "dense"}],
    "questions": "single.jsonl",
}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return the folder of a cache of this test alone."""
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_every_text_is_embedded_ahead_and_once(trial_of, tmp_path, cache, stages):
    record = run(trial_of(**DENSE), tmp_path / "first", progress=stages)
    told = [stage for stage in stages.heard if stage[0].startswith("Embedding")]
    chunks = {row["arm"]: row["chunks"] for row in record.header["arms"]}
    # No text has the same words in both arms here: each chunk of each, and each question.
    assert told == [("Embedding texts with minilm", sum(chunks.values())), ("Embedding questions with minilm", 4)]
    stages.heard.clear()
    run(trial_of(**DENSE), tmp_path / "second", progress=stages)
    assert not [stage for stage, _ in stages.heard if stage.startswith("Embedding")]


def test_a_cold_cache_a_warm_one_and_none_give_the_same_record(trial_of, tmp_path, cache, tables, monkeypatch):
    cold = run(trial_of(**DENSE), tmp_path / "cold")
    warm = run(trial_of(**DENSE), tmp_path / "warm")
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    without = run(trial_of(**DENSE), tmp_path / "without")
    assert tables(cold.folder) == tables(warm.folder) == tables(without.folder)


def test_two_workers_find_what_was_embedded_ahead(trial_of, tmp_path, cache, tables):
    pytest.importorskip("joblib", reason="needs the extra parallel")
    one = run(trial_of(**DENSE), tmp_path / "one")
    two = run(trial_of(**DENSE), tmp_path / "two", workers=2)
    assert tables(one.folder) == tables(two.folder)


def test_the_record_tells_how_each_model_was_used_and_what_it_cut(trial_of, tmp_path, cache):
    arms = {"whole": "chars(10000)", "path": "headers(min=0) + path"}
    retrievers = DENSE["retrievers"] | {"short": "dense('minilm', max_length=8, query_prefix='find: ')"}
    record = run(trial_of(**DENSE | {"arms": arms, "retrievers": retrievers, "contrasts": []}), tmp_path / "record")
    full, short = record.header["models"]
    assert full["retrievers"] == ["dense", "hybrid", "routed"]
    assert (full["convention"], full["pooling"], full["max_length"]) == ("all-minilm-l6", "mean", 256)
    assert full["cut"] == {"whole": 0, "path": 0}
    assert short["retrievers"] == ["short"]
    assert (short["query_prefix"], short["max_length"]) == ("find: ", 8)
    assert short["texts"] == {"whole": 5, "path": 8}
    assert 0 < short["cut"]["whole"] <= 5
    assert short["cut_questions"] > 0


def test_the_record_tells_how_often_the_first_stage_kept_the_evidence(trial_of, tmp_path, cache):
    record = run(trial_of(**DENSE), tmp_path / "record")
    assert [(row["arm"], row["retriever"], row["questions"]) for row in record.header["routing"]] == [
        ("sections", "routed", 4),
        ("path", "routed", 4),
    ]
    table = record.routing
    assert table.columns == ["question", "arm", "retriever", "found"]
    assert [row["found"] for row in record.header["routing"]] == [
        int(table.filter(arm=arm)["found"].sum()) for arm in ("sections", "path")
    ]
    assert verify_record(record) == []


def test_one_section_is_found_where_the_evidence_lies_in_it(trial_of, cache):
    trial = trial_of(**DENSE | {"retrievers": {"routed": "routed(dense('minilm'), sections=1)"}, "contrasts": []})
    corpus = load_corpus(trial)
    chunks = build_arms(corpus, trial.arms, silent).chunks["sections"]
    sources = Sources.of(chunks)
    index = trial.retrievers["routed"].index(chunks.indexed_texts, None, sources)
    texts = [question.text for question in corpus.questions]
    found = kept_evidence(index, sources, texts, [0] * len(texts), corpus.gold_spans())
    for number, gold in enumerate(corpus.gold_spans()):
        (section,) = index.kept([texts[number]], [0]).of(0)[0].tolist()
        members = [chunks[place] for place in np.flatnonzero(sources.section == section)]
        inside = any(
            chunks.documents[document].id == chunk.document and chunk.start_index < end and start < chunk.end_index
            for document, spans in zip(gold.documents, gold.spans, strict=True)
            for start, end in spans
            for chunk in members
        )
        assert found[number] == inside
    assert found.any()


def test_taking_some_sources_keeps_their_spans(trial_of):
    trial = trial_of(arms={"sections": "headers(dialect='study')", "tiny": "chars(6)"}, contrasts=[])
    built = build_arms(load_corpus(trial), trial.arms, silent)
    for chunks in built.chunks.values():
        sources = Sources.of(chunks)
        some = np.arange(len(chunks))[::2][::-1].copy()
        taken = sources.take(some)
        assert [taken.spans(place) for place in range(len(some))] == [sources.spans(number) for number in some.tolist()]
        assert taken.document.tolist() == sources.document[some].tolist()
        assert taken.section.tolist() == sources.section[some].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"THREADS": "1", "BATCH": "4"}, {"THREADS": "8", "BATCH": "64"}])
def test_threads_and_batches_change_no_ranking(settings, trial_of, tmp_path, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    plain = run(trial_of(**DENSE), tmp_path / "plain")
    for name, value in settings.items():
        monkeypatch.setenv(f"RAGTRIAL_{name}", value)
    changed = run(trial_of(**DENSE), tmp_path / "changed")
    keys = ["question", "arm", "retriever", "document", "chunk"]
    both = plain.rankings.join(changed.rankings, on=keys, suffix="_changed")
    assert len(both) == len(plain.rankings) == len(changed.rankings)
    assert float((both["score"] - both["score_changed"]).abs().max()) <= 1e-6
    moved = both.filter(both["rank"] != both["rank_changed"])
    assert len(moved) == 0
    assert plain.scores.equals(changed.scores)


def test_latency_is_measured_without_the_cache_and_changes_no_table(trial_of, tmp_path, cache):
    keys = DENSE | {
        "retrievers": DENSE["retrievers"] | {"late": "late('minilm')"},
        "only": {"late": ["sections"]},
    }
    trial = trial_of(**keys)
    corpus = load_corpus(trial)
    built = build_arms(corpus, trial.arms, silent)
    setup = Setup(trial, corpus, {row.name: row.tier for row in trial.contrasts})
    found = measure_latency(setup, built, questions=3, sample=4, progress=silent)
    assert [(row["arm"], row["retriever"]) for row in found["rows"]] == trial.cells
    assert (found["questions"], found["depth"]) == (3, 10)
    for row in found["rows"]:
        embeds = row["retriever"] != "bm25"
        assert (row["sampled"] is not None) == embeds
        assert row["index_seconds"] > 0
        assert row["index_bytes"] > 0
        for kind in ("median", "p95"):
            assert row["search_ms"][kind] > 0
            # Embedding a question takes a model's time; without one nothing is taken off.
            assert (row["search_ms"][kind] < row["query_ms"][kind]) == embeds
    table = latency_table(found)
    assert [cells[:2] for cells in table.rows] == [(row["arm"], row["retriever"]) for row in found["rows"]]


def test_half_precision_takes_half_the_room(cache):
    texts = [f"text {number}" for number in range(9)]
    whole, half = (Dense(store=store).index(texts).nbytes for store in ("float32", "float16"))
    numbers = 9 * 8
    assert whole - numbers == 9 * 384 * 4
    assert half - numbers == 9 * 384 * 2
    pools = Dense().index(texts, [0, 1, 2] * 3)
    assert isinstance(pools, DenseIndex)
    assert pools.nbytes == whole  # pools share the memory of one array


def test_the_clock_of_a_model_runs_only_while_it_embeds(monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    embedder = load(ModelOptions("minilm"))
    before = embedder.seconds
    embedder.embed([])
    assert embedder.seconds == before
    embedder.embed(["a lantern"])
    assert embedder.seconds > before
