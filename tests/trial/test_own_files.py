"""A trial on files of one's own, in three scripts; every expected score is worked out by hand.

``red`` and ``blue`` each have a rival in another document with the same words more often: in
the same folder for ``red``, in the other folder for ``blue``. The pool decides whether it competes.
"""

import json

import polars as pl
import pytest

from ragtrial.errors import ConfigError, DataError, RagtrialError
from ragtrial.report.markdown import render_markdown
from ragtrial.report.tables import left_out
from ragtrial.statistics.verdict import WORDS
from ragtrial.trial.config import Trial
from ragtrial.trial.run import run

IDS = ["red", "blue", "q3", "zh"]


@pytest.fixture
def record(trial_of, tmp_path):
    return run(trial_of(), tmp_path / "record")


def values(record, arm, measure):
    chosen = record.scores.filter((pl.col("arm") == arm) & (pl.col("measure") == measure))
    return dict(chosen.select("question", "value").iter_rows())


def test_the_tables_have_the_promised_columns(record):
    text, number = pl.String, pl.Float64
    assert dict(record.scores.schema) == {
        "question": text,
        "document": text,
        "cluster": text,
        "arm": text,
        "retriever": text,
        "measure": text,
        "value": number,
    }
    schema = dict(record.rankings.schema)
    assert list(schema) == ["question", "arm", "retriever", "rank", "document", "chunk", "score"]
    assert schema["rank"].is_integer()
    assert schema["chunk"].is_integer()
    assert {schema[name] for name in ("question", "arm", "retriever", "document")} == {text}
    assert schema["score"] == number


def test_every_row_of_the_scores(record):
    measures = ["hit@1", "recall@1", "recall@5", "mrr@10", "recall@64t", "recall@512t"]
    arms = ["sections", "tiny", "whole"]
    keys = [(q, a, m) for a in arms for q in [*IDS, "both"] for m in measures]
    assert list(record.scores.select("question", "arm", "measure").iter_rows()) == keys
    assert record.scores["retriever"].unique().to_list() == ["bm25"]
    assert record.scores["value"].null_count() == 0


def test_questions_keep_their_document_and_cluster(record):
    rows = record.scores.select("question", "document", "cluster").unique(maintain_order=True)
    assert list(rows.iter_rows()) == [
        ("red", "harbour/lights.md", "harbour/lights.md"),
        ("blue", "harbour/lights.md", "night shift"),
        ("q3", "hill/охрана.md", "hill/охрана.md"),
        ("zh", "hill/灯塔.md", "hill/灯塔.md"),
        ("both", None, "hill/охрана.md"),
    ]
    assert record.header["corpus"]["clusters"] == 4


def test_the_scores_by_hand(record):
    assert values(record, "sections", "hit@1") == {"red": 0, "blue": 0, "q3": 1, "zh": 1, "both": 1}
    assert values(record, "sections", "mrr@10") == {"red": 0.5, "blue": 0.5, "q3": 1, "zh": 1, "both": 1}
    assert values(record, "sections", "recall@1") == {"red": 0, "blue": 0, "q3": 1, "zh": 1, "both": 0.5}
    assert values(record, "sections", "recall@5") == dict.fromkeys([*IDS, "both"], 1)
    # No piece of six characters holds five words: nothing is ever found in it, whatever the budget.
    assert set(values(record, "tiny", "hit@1").values()) == {0}
    assert set(values(record, "tiny", "recall@512t").values()) == {0}
    assert values(record, "whole", "hit@1") == {"red": 0, "blue": 0, "q3": 1, "zh": 1, "both": 1}


def test_the_contrast_by_hand(record):
    row = record.contrasts[0]
    assert (row["name"], row["a"], row["b"]) == ("sections or crumbs", "sections", "tiny")
    assert (row["mean_a"], row["mean_b"], row["difference"]) == (0.6, 0, 0.6)
    assert (row["wins"], row["ties"], row["losses"]) == (3, 2, 0)
    assert (row["questions"], row["clusters"]) == (5, 4)
    assert row["direction"] == "A"
    assert all(row["verdict"] in WORDS and row["tier"] == "exploratory" for row in record.contrasts)


def test_the_chunks_by_hand(record):
    chunks = {row["arm"]: (row["chunks"], row["documents"]) for row in record.header["arms"]}
    assert chunks["sections"] == (8, 5)
    assert chunks["whole"] == (5, 5)


def test_the_rankings_by_hand(record):
    def first(question, count):
        rows = record.rankings.filter((pl.col("arm") == "sections") & (pl.col("question") == question))
        return list(rows.select("rank", "document", "chunk").iter_rows())[:count]

    assert first("red", 2) == [(1, "harbour/stock.md", 0), (2, "harbour/lights.md", 0)]
    assert first("blue", 2) == [(1, "hill/tools.txt", 0), (2, "harbour/lights.md", 1)]
    assert first("q3", 1) == [(1, "hill/охрана.md", 0)]
    assert first("zh", 1) == [(1, "hill/灯塔.md", 1)]
    assert {row[1:] for row in first("both", 2)} == {("hill/охрана.md", 1), ("hill/灯塔.md", 0)}


def test_rankings_are_whole_and_in_order(record):
    for _, ranked in record.rankings.group_by("question", "arm", maintain_order=True):
        assert ranked["rank"].to_list() == list(range(1, len(ranked) + 1))
        assert ranked["score"].is_sorted(descending=True)
        assert ranked.select("document", "chunk").is_duplicated().sum() == 0
    assert set(record.rankings.filter(pl.col("arm") == "sections").group_by("question").len()["len"]) == {8}


def test_no_more_ranks_are_kept_than_asked(trial_of, tmp_path, record):
    kept = run(trial_of(keep=2), tmp_path / "kept")
    assert kept.rankings["rank"].max() == 2
    assert kept.rankings.equals(record.rankings.filter(pl.col("rank") <= 2))
    assert kept.scores.equals(record.scores)


@pytest.mark.parametrize(
    ("pool", "hits"),
    [
        ("document", {"red": 1, "blue": 1, "q3": 1, "zh": 1}),
        ("group", {"red": 0, "blue": 1, "q3": 1, "zh": 1}),
        ("corpus", {"red": 0, "blue": 0, "q3": 1, "zh": 1}),
    ],
)
def test_the_pool_decides_who_competes(pool, hits, trial_of, tmp_path):
    record = run(trial_of(pool=pool, questions="single.jsonl"), tmp_path / pool)
    assert values(record, "sections", "hit@1") == hits
    assert record.header["effective"]["pool"] == pool
    own = dict(record.scores.select("question", "document").iter_rows())
    for question, document in record.rankings.select("question", "document").iter_rows():
        if pool == "document":
            assert document == own[question]
        elif pool == "group":
            assert document.split("/")[0] == own[question].split("/")[0]


@pytest.mark.parametrize("pool", ["document", "group"])
def test_a_pool_of_one_document_needs_the_question_s_document(pool, trial_of, tmp_path):
    with pytest.raises(DataError, match=f"pool = \"?'?{pool}.*both") as caught:
        run(trial_of(pool=pool), tmp_path / "record")
    assert "document" in caught.value.hint


def test_evidence_that_is_nowhere_is_named_and_never_scored(handbook, trial_of, tmp_path):
    path = handbook / "questions.jsonl"
    lost = {"id": "lost | <b>", "question": "Where is it?", "evidence": ["It stands in no document at all."]}
    half = {"id": "half", "question": "?", "evidence": ["ключ от всех дверей", "修理工具放在地下室的柜子里。"]}
    lines = path.read_text(encoding="utf-8") + "".join(json.dumps(q) + "\n" for q in (lost, half))
    path.write_text(lines, encoding="utf-8")
    record = run(trial_of(), tmp_path / "record")
    assert record.scores["question"].unique(maintain_order=True).to_list() == [*IDS, "both"]
    excluded = record.header["corpus"]["excluded_questions"]
    assert [item["id"] for item in excluded] == ["lost | <b>", "half"]
    assert [item["where"].rpartition(":")[2] for item in excluded] == ["6", "7"]
    assert "It stands in no document at all." in excluded[0]["reason"]
    assert "ключ от всех дверей" in excluded[1]["reason"]
    assert record.header["corpus"]["questions"] == 5
    report = render_markdown(record)
    assert "half" in report
    assert "questions.jsonl:7" in report
    assert "questions.jsonl:6" in report
    assert "<b>" not in report.replace("\\<b", "")


def test_when_no_question_is_left_the_reasons_are_told(handbook, trial_of, tmp_path):
    (handbook / "questions.jsonl").write_text('{"id": "x", "question": "?", "evidence": ["nowhere to be found"]}\n')
    with pytest.raises(DataError, match=r"No question is left to ask .*1 .*x: .*nowhere to be found") as caught:
        run(trial_of(), tmp_path / "record")
    assert caught.value.hint
    assert not (tmp_path / "record").exists()


def test_a_file_that_cannot_be_read_is_named_and_the_run_goes_on(handbook, trial_of, tmp_path):
    expected = run(trial_of(), tmp_path / "without")
    (handbook / "docs" / "aaa.md").write_bytes(b"\x00\x01\x02")
    (handbook / "docs" / "zzz.txt").write_bytes("damaged: ü".encode() * 9 + b"\xff\xfe")
    record = run(trial_of(), tmp_path / "with")
    assert record.scores.equals(expected.scores)
    skipped = record.header["corpus"]["skipped_files"]
    assert [item["path"].rpartition("/")[2] for item in skipped] == ["aaa.md", "zzz.txt"]
    assert "binary" in skipped[0]["reason"]
    report = render_markdown(record)
    assert "aaa.md" in report
    assert "zzz.txt" in report


def test_files_with_one_reason_are_told_together(handbook, trial_of, tmp_path):
    for number in range(12):
        (handbook / "docs" / f"binary{number:02}.txt").write_bytes(b"\x00")
    record = run(trial_of(), tmp_path / "record")
    assert len(record.header["corpus"]["skipped_files"]) == 12
    [line] = left_out(record)
    assert line.startswith("12 files were not read, ")
    assert "binary00.txt" in line
    assert "and 9 more" in line


def test_a_document_without_text_is_named(handbook, trial_of, tmp_path):
    (handbook / "docs" / "blank.md").write_text(" \n\n")
    record = run(trial_of(), tmp_path / "record")
    assert record.header["corpus"]["documents_without_text"] == ["blank.md"]
    assert record.header["corpus"]["documents"] == 6
    assert "blank.md" in render_markdown(record)


def test_include_and_exclude_choose_the_documents(handbook, trial_of, tmp_path):
    record = run(trial_of(include=["**/*.md"], exclude=["harbour/stock.md"]), tmp_path / "record")
    assert record.header["corpus"]["documents"] == 3
    # Both rivals are gone: the first is excluded, the second is no Markdown.
    assert values(record, "sections", "hit@1") == dict.fromkeys([*IDS, "both"], 1)


def test_several_folders_and_single_files_are_one_corpus(handbook, trial_of, tmp_path):
    (handbook / "single.jsonl").write_text(
        '{"question": "red lantern harbour", "evidence": ["The red lantern marks the harbour gate at night."]}\n'
        '{"question": "blue pier", "evidence": ["The blue blue blue northern"]}\n'
    )
    roots = ["docs/harbour", "docs/hill/tools.txt"]
    record = run(trial_of(documents=roots, questions="single.jsonl"), tmp_path / "record")
    assert record.header["corpus"]["documents"] == 3
    assert record.scores["document"].unique().sort().to_list() == ["lights.md", "tools.txt"]


def test_documents_are_found_from_behind_a_link(handbook, trial_of, tmp_path):
    (tmp_path / "real" / "trial").mkdir(parents=True)
    (handbook / "docs").rename(tmp_path / "real" / "docs")
    (handbook / "questions.jsonl").rename(tmp_path / "real" / "trial" / "questions.jsonl")
    (tmp_path / "docs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "trial")
    (tmp_path / "real" / "docs" / "broken.md").write_bytes(b"\0\1\2")
    keys = dict(trial_of().given) | {"documents": "../docs"}
    for folder, shown in (("link", "link/../docs"), ("real/trial", "real/docs")):
        record = run(Trial.of(keys, tmp_path / folder), tmp_path / "records" / folder)
        (skipped,) = record.header["corpus"]["skipped_files"]
        assert skipped["path"] == str(tmp_path / shown / "broken.md")


def test_files_are_read_as_the_trial_says(handbook, trial_of, tmp_path):
    plain = run(trial_of(), tmp_path / "plain")
    as_markdown = run(trial_of(read_as={".TXT": "markdown"}), tmp_path / "markdown")
    assert as_markdown.header["given"]["read_as"] == {".TXT": "markdown"}
    assert as_markdown.header["trial"] != plain.header["trial"]
    with pytest.raises(ConfigError, match=r"read_as: There is no format 'word'"):
        trial_of(read_as={".txt": "word"})
    with pytest.raises(ConfigError, match="read_as"):
        trial_of(read_as="rst")
    with pytest.raises(ConfigError, match="read_as"):
        trial_of(read_as={".txt": 1})


def test_two_documents_with_one_id_are_refused(handbook, trial_of, tmp_path):
    (handbook / "more" / "harbour").mkdir(parents=True)
    (handbook / "more" / "harbour" / "stock.md").write_text("Another stock.\n")
    with pytest.raises(DataError, match=r"two documents with one id, 'harbour/stock\.md'") as caught:
        run(trial_of(documents=["docs", "more"]), tmp_path / "record")
    for folder in ("docs", "more"):
        assert str(handbook / folder / "harbour" / "stock.md") in caught.value.message
    assert not (tmp_path / "record").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"documents": "no-docs"}, "no-docs"),
        ({"documents": "empty"}, "There is no document in .*empty"),
        ({"documents": []}, "no document"),
        ({"questions": "no.jsonl"}, r"no\.jsonl"),
        ({"questions": "docs"}, "docs"),
        ({"exclude": ["**"]}, "There is no document"),
        ({"include": ["*.rst"]}, "There is no document"),
        ({"encoding": "latin-99"}, "latin-99"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(change, words, handbook, trial_of, tmp_path):
    (handbook / "empty").mkdir()
    with pytest.raises(RagtrialError, match=words) as caught:
        run(trial_of(**change), tmp_path / "record")
    assert caught.value.message.endswith(".")
    assert not (tmp_path / "record").exists()


def test_every_fault_of_the_questions_is_told_with_file_and_line(handbook, trial_of, tmp_path):
    path = handbook / "questions.jsonl"
    path.write_text('{"question": "a", "evidence": ["x"]}\n{"question": \n\n{"qestion": "b", "evidence": []}\n[]\n')
    with pytest.raises(DataError) as caught:
        run(trial_of(), tmp_path / "record")
    lines = caught.value.message.split("\n")
    assert [line.split(" ")[0] for line in lines[1:]] == [f"{path}:{number}:" for number in (2, 4, 5)]
    assert "Did you mean 'question'?" in caught.value.message


def test_the_record_says_what_was_given_and_what_it_meant(record):
    given, effective = record.header["given"], record.header["effective"]
    assert given["arms"]["sections"] == "headers(min=0)"
    assert effective["arms"]["sections"]["chunker"]["min"] == 0
    assert effective["arms"]["sections"]["chunker"]["max"] == 1500
    assert effective["retrievers"]["bm25"]["component"] == "bm25"
    assert effective["words"] == "unicode"
    assert effective["pool"] == "corpus"
    assert effective["seed"] == 0
    assert record.header["title"] == "Handbook"
    assert record.header["version"] == 1
    assert record.header["package"]


def test_the_inputs_are_hashed(handbook, trial_of, tmp_path, record):
    same = run(trial_of(), tmp_path / "same")
    assert same.header == record.header
    path = handbook / "docs" / "hill" / "tools.txt"
    path.write_text(path.read_text() + " ", newline="")
    changed = run(trial_of(), tmp_path / "changed")
    assert changed.header["inputs"] != record.header["inputs"]
    assert changed.header["trial"] != record.header["trial"]


def test_the_title_is_no_part_of_what_a_trial_is(trial_of, tmp_path, record):
    renamed = run(trial_of(title="Another title"), tmp_path / "renamed")
    assert renamed.header["trial"] == record.header["trial"]
    assert renamed.header["title"] == "Another title"


def test_half_a_surrogate_pair_in_a_data_set_does_not_end_a_run(tmp_path):
    answer = {"unanswerable": False, "evidence": ["Before \udc00 after, and five more words."]}
    paper = {
        "title": "Half \ud83d of it",
        "abstract": "An abstract.",
        "full_text": [{"section_name": "Intro", "paragraphs": answer["evidence"]}],
        "qas": [{"question": "What is \ud83d before?", "question_id": "1", "answers": [{"answer": answer}]}],
    }
    (tmp_path / "qasper-dev-v0.3.json").write_text(json.dumps({"p": paper}))
    (tmp_path / "select.txt").write_text("p\n")
    source = {"reader": "qasper", "path": str(tmp_path), "select": str(tmp_path / "select.txt")}
    arms = {"headers": "headers + path", "chars": "chars(20)", "tokens": "tokens(8)"}
    keys = {"dataset": source, "arms": arms, "retrievers": {"b": "bm25", "s": "bm25(words='study')"}}
    record = run(Trial.of(keys), tmp_path / "record")
    assert values(record, "headers", "recall@512t") == {"1": 1}
    assert "p" in render_markdown(record)


def test_strata_are_resampled_within(handbook, trial_of, tmp_path):
    lines = [json.loads(line) for line in (handbook / "single.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [line | {"stratum": "ab"[number // 2]} for number, line in enumerate(lines)]
    (handbook / "strata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    plain = run(trial_of(questions="single.jsonl"), tmp_path / "plain").contrasts[0]
    strata = run(trial_of(questions="strata.jsonl"), tmp_path / "strata").contrasts[0]
    assert strata["difference"] == plain["difference"] == 0.5
    # Within each stratum both questions score the same: resampling inside cannot move the mean.
    assert strata["ci95"] == [0.5, 0.5]
    assert plain["ci95"] != [0.5, 0.5]
