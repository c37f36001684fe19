"""An estimate held against the run that follows it, on a server that counts."""

import json
from pathlib import Path

import pytest

from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.rehearsal import Rehearsal
from ragtrial.text import tokens
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.estimate.growth import growth_of
from ragtrial.trial.estimate.rate import ledger_rate
from ragtrial.trial.estimate.run import estimate_trial
from ragtrial.trial.run import run

ARMS = ("enriched", "context", "per_field")


def document(number: int, sections: int) -> str:
    parts = [f"# Page {number}\n"]
    for section in range(sections):
        words = " ".join(f"w{number}x{section}x{word}" for word in range(12))
        parts.append(f"## Part {section}\n\nLamp {number} {section} shines {words}.\n")
    return "\n".join(parts)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    rows = []
    for number in range(4):
        sections = 2 ** (number + 1)
        (tmp_path / "docs" / f"page{number}.md").write_text(document(number, sections), encoding="utf-8")
        evidence = " ".join(["Lamp", str(number), "0", "shines", *(f"w{number}x0x{word}" for word in range(12))]) + "."
        rows.append(
            {"question": f"Which lamp {number}?", "evidence": evidence, "answers": ["x"], "nuggets": ["x", "y"]}
        )
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def keys(url: str) -> dict:
    how = f"'gpt-4o-mini', url='{url}'"
    return {
        "documents": "docs",
        "questions": "questions.jsonl",
        "measures": ["token-f1@32t", "nuggets@32t"],
        "arms": {
            "plain": "headers(min=0)",
            "E": f"headers(min=0) + enriched({how})",
            "M": f"headers(min=0) + enriched({how}) + merge('key')",
            "CR": f"headers(min=0) + context({how})",
            "PF": f"headers(min=0) + per_field({how}, fields=('title', 'summary'))",
        },
        "retrievers": {"bm25": "bm25"},
        "answers": {"reader": {"model": "gpt-4o-mini", "url": url}, "judge": {"model": "llama-3.3-70b", "url": url}},
        "resamples": 200,
    }


def made_up(call):
    """Reply what a rehearsal takes for the reply to this call."""
    options = ModelOptions("gpt-4o-mini", made_up.url)
    if call.body["model"] != "gpt-4o-mini":
        return '{"labels": [{"fact": 1, "label": "support"}, {"fact": 2, "label": "no_support"}]}'
    limit = call.body.get("max_tokens") or call.body["max_completion_tokens"]
    request = Request(call.system, call.user, limit, schema=call.schema, seed=call.seed)
    return Rehearsal(lavish=False, cache=None).model(options).ask(request, Purpose("x")).text


@pytest.fixture
def trial(folder, chat_server, monkeypatch):
    monkeypatch.chdir(folder)
    made_up.url = chat_server.url
    chat_server.reply = made_up
    return Trial.of(keys(chat_server.url), folder)


def by_step(estimate):
    return {(row.arm, row.step): row for row in estimate.calls}


def test_calls_and_tokens_are_those_of_the_run_and_nothing_is_paid_twice(trial, folder, chat_server):
    estimate = estimate_trial(trial, load_corpus(trial))
    assert chat_server.calls == []
    rows = by_step(estimate)
    chunks = sum(2 ** (number + 1) for number in range(4))
    assert [rows[key].calls for key in (("E", "enriched"), ("CR", "context"), ("PF", "per_field"))] == [
        chunks,
        chunks,
        2 * chunks,
    ]
    assert ("M", "enriched") not in rows
    run(trial, folder / "record")
    sent = {}
    ledger = [json.loads(line) for line in (folder / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in ledger:
        sent[row["arm"], row["step"]] = sent.get((row["arm"], row["step"]), 0) + 1
    for step in (("E", "enriched"), ("CR", "context"), ("PF", "per_field")):
        assert sent[step] == rows[step].calls
    counted = sum(tokens.count(call.system) + tokens.count(call.user) for call in chat_server.calls if asks_arm(call))
    assert counted == sum(row.input_tokens for (_, step), row in rows.items() if step in ARMS)
    reads_and_judges_within_bounds(chat_server.calls, rows)
    again = by_step(estimate_trial(trial, load_corpus(trial)))
    for (arm, step), row in rows.items():
        if step in ARMS:
            assert (again[arm, step].calls, again[arm, step].kept) == (0, row.calls)
            assert again[arm, step].dollars == 0


def reads_and_judges_within_bounds(made, rows):
    reading = [call for call in made if "Pieces:" in call.user]
    judging = [call for call in made if call.body["model"] == "llama-3.3-70b"]
    for calls, step in ((reading, "reader"), (judging, "judge")):
        counted = sum(tokens.count(call.system) + tokens.count(call.user) for call in calls)
        planned = [row for (_, of), row in rows.items() if of == step]
        share = len(calls) / sum(row.calls for row in planned)
        assert 0 < share <= 1
        assert 0.5 * share * sum(row.input_tokens for row in planned) <= counted
        assert counted <= sum(row.most_input_tokens for row in planned)


def asks_arm(call):
    return call.body["model"] == "gpt-4o-mini" and "Pieces:" not in call.user


def test_context_grows_quadratically_and_enrichment_linearly(trial):
    growth = {row.arm: row for row in estimate_trial(trial, load_corpus(trial)).growth}
    assert growth["CR"].exponent > 1.5
    assert growth["E"].exponent < 1.3
    assert [size.documents for size in growth["CR"].sizes] == [1] * 4
    ratio = growth["CR"].sizes[-1].input_tokens / growth["CR"].sizes[-2].input_tokens
    assert 2.8 < ratio < 4.2


def test_prices_and_ranges(folder, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CAP", "0.001")
    trial = Trial.of(keys("http://gpu.lan:8000/v1"), folder)
    estimate = estimate_trial(trial, load_corpus(trial), calls_per_minute=30)
    row = by_step(estimate)["E", "enriched"]
    assert row.dollars == pytest.approx(row.input_tokens * 0.15e-6 + row.output_tokens * 0.60e-6)
    assert row.most_dollars == pytest.approx(row.most_input_tokens * 0.15e-6 + row.most_output_tokens * 0.60e-6)
    assert row.most_output_tokens == 1000 * row.calls
    assert row.input_tokens < row.most_input_tokens
    assert row.minutes == pytest.approx(row.calls / 30)
    context = by_step(estimate)["CR", "context"]
    assert context.input_tokens == context.most_input_tokens
    assert estimate.cap == 0.001
    assert json.loads(json.dumps(estimate.to_dict()))["calls"]


def test_an_unknown_price_is_said(folder):
    text = json.dumps(keys("http://gpu.lan:8000/v1")).replace("gpt-4o-mini", "nobody-knows-it")
    trial = Trial.of(json.loads(text), folder)
    estimate = estimate_trial(trial, load_corpus(trial))
    assert estimate.dollars is None
    assert any("No price is known of" in note and "nobody-knows-it" in note for note in estimate.notes)


def test_a_document_beyond_the_window_is_named(folder, chat_server):
    own = keys(chat_server.url)
    own["arms"] = {"CR": f"headers(min=0) + context('gpt-4o-mini', url='{chat_server.url}', window=900)"}
    trial = Trial.of(own, folder)
    estimate = estimate_trial(trial, load_corpus(trial))
    assert any("page3.md would leave all arms" in note for note in estimate.notes)
    assert by_step(estimate)["CR", "context"].calls < 30


def test_a_trial_without_models_costs_nothing(folder):
    own = {key: value for key, value in keys("ollama").items() if key not in ("answers", "measures")}
    trial = Trial.of(own | {"arms": {"a": "headers"}}, folder)
    estimate = estimate_trial(trial, load_corpus(trial))
    assert (estimate.calls, estimate.growth, estimate.embeddings, estimate.notes) == ((), (), (), ())
    assert estimate.dollars == 0


def test_exponents():
    lengths = {f"d{n}": 100 * 2**n for n in range(5)}
    inputs = {("lin", d): 7 * length for d, length in lengths.items()}
    inputs |= {("sq", d): length**2 for d, length in lengths.items()}
    inputs |= {("one", "d0"): 5}
    found = {row.arm: row.exponent for row in growth_of(lengths, inputs)}
    assert found["lin"] == pytest.approx(1.0)
    assert found["sq"] == pytest.approx(2.0)
    assert found["one"] is None


def test_the_rate_of_a_ledger(tmp_path: Path):
    path = tmp_path / "ledger.jsonl"
    assert ledger_rate(path, "m") is None
    times = [*(f"2026-01-01T00:00:{second:02}.000+00:00" for second in range(0, 60, 2)), "2026-01-02T00:00:00+00:00"]
    path.write_text("".join(json.dumps({"model": "m", "time": time, "price": 0}) + "\n" for time in times))
    assert ledger_rate(path, "m") == pytest.approx(30)
    assert ledger_rate(path, "other") is None


SMALLER = {"exclude": ["page3.md"]}
TEXTS = 2 * (2 + 4 + 8) + 3
"""Chunks with and without their path, and questions."""


def dense_trial(folder):
    keys_ = {key: value for key, value in keys("ollama").items() if key not in ("answers", "measures")}
    arms = {"plain": "headers(min=0)", "path": "headers(min=0) + path", "again": "headers(min=0) + path"}
    return Trial.of(
        keys_ | {"arms": arms, "retrievers": {"dense": "dense('minilm')", "bm25": "bm25"}, **SMALLER}, folder
    )


def test_texts_to_embed_are_counted_once_and_timed(folder, chat_server):
    trial = dense_trial(folder)
    corpus = load_corpus(trial)
    (stated,) = estimate_trial(trial, corpus, texts_per_second=2).embeddings
    assert (stated.texts, stated.minutes) == (TEXTS, pytest.approx(TEXTS / 120))
    (unknown,) = estimate_trial(trial, corpus, measure=False).embeddings
    assert unknown.minutes is None
    estimate = estimate_trial(trial, corpus)
    (measured,) = estimate.embeddings
    assert 0 < measured.minutes < 5
    assert measured.arms == ("plain", "path", "again")
    assert estimate.notes == ()
    run(trial, folder / "record")
    (after,) = estimate_trial(trial, corpus).embeddings
    assert (after.texts, after.characters) == (0, 0)


def test_without_a_cache_every_different_text_is_counted(folder, chat_server, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    trial = dense_trial(folder)
    (row,) = estimate_trial(trial, load_corpus(trial), measure=False).embeddings
    assert row.texts == TEXTS
