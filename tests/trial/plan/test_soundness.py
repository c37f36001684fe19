"""Trials that cannot answer say so, before they run and after."""

import json

import pytest

from ragtrial.trial.build import build_arms
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.outlook import outlooks
from ragtrial.trial.progress import silent
from ragtrial.trial.run import run
from ragtrial.trial.setup import Setup
from ragtrial.trial.soundness import doubts_before


def before(path):
    trial = Trial.read(path)
    corpus = load_corpus(trial)
    setup = Setup(trial, corpus, {contrast.name: "exploratory" for contrast in trial.contrasts})
    return setup, doubts_before(setup.effective, build_arms(corpus, trial.arms, silent))


def test_a_sound_trial_raises_no_doubt(small_trial):
    assert before(small_trial)[1] == []


def test_arms_with_the_same_chunks_are_named(small_trial, edit):
    edit(small_trial, "chars(200)", "chars(100000)")
    edit(small_trial, "headers(min=0)", "headers(max=100000, levels=[1])")
    doubts = before(small_trial)[1]
    assert any(
        doubt.startswith("boundaries: 100% of the chunks of 'headers' and 'fixed' are the same") for doubt in doubts
    )
    # The prefix tells "path" from "headers", though their spans are the same.
    assert not any(doubt.startswith("path:") for doubt in doubts)
    assert any("100% of the documents are a single chunk in the arm 'fixed'" in doubt for doubt in doubts)


def test_a_budget_that_holds_everything_is_named(small_trial, edit):
    edit(small_trial, "recall@64t", "recall@9000t")
    edit(small_trial, "[arms]", 'pool = "document"\n[arms]')
    text = small_trial.read_text().replace('pool = "document"\n', "")
    small_trial.write_text('pool = "document"\n' + text)
    assert any("100% of the questions have their whole document inside the budget" in d for d in before(small_trial)[1])


@pytest.mark.parametrize(("questions", "sentence"), [(3, "Only 2 of the 3 clusters"), (9, "There are only 5 clusters")])
def test_few_clusters_are_named(small_trial, questions, sentence):
    path = small_trial.with_name("questions.jsonl")
    path.write_text("\n".join(path.read_text().splitlines()[:questions]) + "\n")
    assert any(doubt.startswith(sentence) for doubt in before(small_trial)[1])


def test_scores_that_show_nothing_are_named_in_the_record(small_trial, tmp_path, edit):
    edit(small_trial, "recall@64t", "recall@900t")
    lines = [json.loads(line) for line in small_trial.with_name("questions.jsonl").read_text().splitlines()]
    for line in lines:
        line["question"] = line["evidence"][0]
    small_trial.with_name("questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    record = run(Trial.read(small_trial), tmp_path / "record")
    assert "Every question scores 1 in recall@900t for 'headers' under 'bm25'." in record.header["doubts"]


def test_an_mde_above_any_plausible_effect_is_named(small_trial, tmp_path):
    record = run(Trial.read(small_trial), tmp_path / "record")
    row = record.contrasts[0]
    assert row["mde"] > 0.10
    assert any(
        doubt.startswith(f"boundaries: differences under {row['mde'] * 100:.0f} points")
        for doubt in record.header["doubts"]
    )


def test_a_document_that_fails_in_one_arm_leaves_all(small_trial, tmp_path, monkeypatch):
    from ragtrial.chunkers.headers import Headers

    split = Headers.split

    def fails(self, document):
        if document.id in ("p03.md", "p04.md"):
            raise ValueError("boom")
        return split(self, document)

    monkeypatch.setattr(Headers, "split", fails)
    record = run(Trial.read(small_trial), tmp_path / "record")
    scores = record.scores
    assert not scores.filter(scores["document"].is_in(["p03.md", "p04.md"])).height
    assert scores["question"].n_unique() == 46
    assert record.header["corpus"]["failed_documents"] == {
        "p03.md": "arm 'headers': ValueError: boom",
        "p04.md": "arm 'headers': ValueError: boom",
    }
    assert any(doubt.startswith("WARNING: 2 of 25 documents (8.0%) failed") for doubt in record.header["doubts"])
    assert {item["id"] for item in record.header["corpus"]["excluded_questions"]} == {"q7", "q8", "q9", "q10"}


def test_outlooks_from_a_typical_spread_and_from_a_pilot(small_trial, tmp_path):
    setup, _ = before(small_trial)
    boundaries, path = outlooks(setup)
    assert (boundaries.power, boundaries.needed) == (None, None)
    assert boundaries.sd == 0.38
    assert "typical" in boundaries.sentence()
    assert path.needed > 50
    assert 0 <= path.power < 0.8
    pilot = run(Trial.read(small_trial), tmp_path / "pilot")
    measured = outlooks(setup, pilot)[0]
    assert measured.source == "measured in the pilot"
    assert measured.sd != 0.38
    assert f"{measured.mde * 100:.1f} points" in measured.sentence()


def test_words_that_drop_most_letters_are_named(small_trial, edit):
    for path in (small_trial.parent / "docs").iterdir():
        path.write_text(path.read_text() + "\n" + "Здесь по-русски. " * 400, encoding="utf-8")
    edit(small_trial, 'bm25 = "bm25"', "bm25 = \"bm25(words='study')\"")
    (doubt,) = [doubt for doubt in before(small_trial)[1] if "drop" in doubt]
    assert "of the letters of these documents, in bm25: use words" in doubt
    edit(small_trial, "bm25(words='study')", "bm25(words='unicode')")
    assert not [doubt for doubt in before(small_trial)[1] if "drop" in doubt]
