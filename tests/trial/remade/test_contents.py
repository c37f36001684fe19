"""Every value of a record that its own tables tell is made again: one edit, hidden behind a new sha256, is named."""

import json
import shutil

import polars as pl
import pytest

from ragtrial.trial.config import Trial
from ragtrial.trial.record import Record, file_sha256
from ragtrial.trial.run import run
from ragtrial.trial.verify import verify_record

COLOURS = ("red", "blue", "green", "amber", "violet", "white", "black", "brown")
DOCUMENTS = {
    f"page{number}.md": f"# Page {number}\n\n## Colour\n\nThe lamp number {number} shines in the colour {colour}, says "
    f"the keeper.\n\n## Place\n\nThe {colour} lamp hangs over the gate of the northern pier in winter.\n"
    for number, colour in enumerate(COLOURS)
}
QUESTIONS = [
    {
        "id": f"q{number}",
        "question": f"where does the {colour} lamp number {number} hang",
        "evidence": [DOCUMENTS[f"page{number}.md"].split("\n\n")[2 if number % 2 else 4].strip()],
        "type": "odd" if number % 2 else "even",
        "stratum": "low" if number < 4 else "high",
    }
    for number, colour in enumerate(COLOURS)
]
KEYS = {
    "title": "Lamps",
    "documents": "docs",
    "questions": "questions.jsonl",
    "primary": "recall@24t",
    "measures": ["hit@1"],
    "arms": {"sections": "headers(min=0)", "tiny": "chars(40)", "path": "headers(min=0) + path"},
    "averages": {"both": ["sections", "path"]},
    "retrievers": {
        "short": "bm25(variant='lucene', b=0.0)",
        "long": "bm25(variant='lucene', b=1.0)",
        "mix": "weighted(short, long, weight='tuned')",
    },
    "retriever": "short",
    "held_out": {"share": 0.25, "seed": 3},
    "contrasts": [{"name": "boundaries", "of": "sections - tiny"}, {"name": "average", "of": "both - tiny"}],
    "ladders": [{"name": "steps", "arms": ["tiny", "sections", "path"]}],
    "resamples": 200,
}


def made(folder, **changed):
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return run(Trial.of(KEYS | changed, folder), folder / "record")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return made(tmp_path_factory.mktemp("lamps"))


@pytest.fixture
def folder(original, tmp_path):
    return shutil.copytree(original.folder, tmp_path / "record")


def faults_of(folder):
    return verify_record(Record.open(folder))


def test_what_is_not_edited_holds(original):
    header = original.header
    assert header["weights"]
    assert header["fusions"]
    assert header["ladders"]
    assert header["runs"]
    assert header["strata"]
    assert verify_record(original) == []


def set_at(value, keys, new):
    for key in keys[:-1]:
        value = value[key]
    assert value[keys[-1]] != new
    value[keys[-1]] = new


@pytest.mark.parametrize(
    ("keys", "new"),
    [
        (("trial",), "0" * 64),
        (("title",), "Other"),
        (("package",), "9.9"),
        (("corpus", "documents"), 9),
        (("corpus", "characters"), 1),
        (("corpus", "documents_without_text"), ["page0.md"]),
        (("corpus", "evidence"), 99),
        (("corpus", "clusters"), 2),
        (("corpus", "question_types", "q1"), "even"),
        (("strata", "q1"), "high"),
        (("arms", 0, "chunks"), 1),
        (("arms", 0, "documents"), 1),
        (("arms", 1, "tokens"), 1),
        (("arms", 2, "added_tokens"), 0),
        (("arms", 1, "median_characters"), 1.0),
        (("arms", 1, "mean_characters"), 1.0),
        (("conditions", 0, "mean"), 0.99),
        (("conditions", 0, "ci95"), None),
        (("fused", "mix"), ["short"]),
        (("fusions", 0, "difference"), 0.5),
        (("weights", 0, "weight"), 0.95),
        (("ladders", 0, "slope"), 0.7),
        (("ladders", 0, "ci95"), [0.1, 0.2]),
        (("runs", 0, "sd"), 0.7),
        (("doubts",), []),
        (("mixed_models",), [{"contrast": "boundaries", "p": 0.01}]),
        (("routing",), [{"arm": "tiny", "retriever": "short", "questions": 6, "found": 6}]),
    ],
)
def test_an_edit_of_the_header_is_named(folder, rewrite, keys, new):
    rewrite(folder, "record.json", lambda header: set_at(header, keys, new))
    faults = faults_of(folder)
    wanted = "record.json: " + ("".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)).lstrip(".")
    if keys[0] == "ladders":
        wanted = f"record.json: ladders[steps].{keys[2]}"
    if keys[0] == "arms":
        wanted = f"record.json: arms[{list(KEYS['arms'])[keys[1]]}].{keys[2]}"
    told = [fault for fault in faults if fault.startswith(wanted)]
    assert told, faults
    if not isinstance(new, list):
        assert any(repr(new) in fault for fault in told)
    assert any("made again" in fault for fault in told)


@pytest.mark.parametrize(
    ("name", "keys", "new", "wanted"),
    [
        ("contrasts.json", (0, "verdict"), "different!", "contrasts.json: [boundaries].verdict is 'different!'"),
        ("contrasts.json", (1, "wins"), 77, "contrasts.json: [average].wins is 77"),
        (
            "contrasts.json",
            (0, "curve", 0, "difference"),
            0.7,
            "contrasts.json: [boundaries].curve[0].difference is 0.7",
        ),
        ("grid.json", (0, "difference"), 0.7, "grid.json: [0].difference is 0.7"),
        ("exploratory.json", ("overlap",), [], "exploratory.json: overlap"),
        ("exploratory.json", ("split", 0, "mean"), 0.77, "exploratory.json: split[0].mean is 0.77"),
    ],
)
def test_an_edit_of_a_file_is_named(folder, rewrite, name, keys, new, wanted):
    rewrite(folder, name, lambda value: set_at(value, keys, new), hide=True)
    faults = faults_of(folder)
    assert [fault for fault in faults if fault.startswith(wanted)] == faults
    assert len(faults) == 1


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        (
            "chunks.parquet",
            {"tokens": 1},
            "chunks.parquet: tokens of arm 'sections', document 'page0.md', chunk 0 is 1",
        ),
        ("chunks.parquet", {"prefix": "more"}, "chunks.parquet: added_tokens of arm 'sections'"),
        ("chunks.parquet", {"ends": [5]}, "chunks.parquet: tokens of arm 'sections'"),
        ("documents.parquet", {"characters": 1}, "documents.parquet: characters of document 'page0.md' is 1"),
        ("documents.parquet", {"text": "Other."}, "chunks.parquet: tokens of"),
        ("questions.parquet", {"cluster": "other"}, "scores.parquet: cluster[0] is"),
        ("questions.parquet", {"question": "other"}, "scores.parquet: question[0] is"),
        ("questions.parquet", {"type": None}, "record.json: corpus.question_types"),
        ("questions.parquet", {"stratum": "other"}, "record.json: strata"),
        ("questions.parquet", {"evidence": []}, "record.json: corpus.evidence"),
        ("rankings.parquet", {"document": "page9.md"}, "the tables do not fit the record: KeyError: 'page9.md'"),
        ("scores.parquet", {"value": 0.123}, "record.json: conditions"),
        ("scores.parquet", {"question": "other"}, "the tables do not fit the record: ValueError: scores.parquet holds"),
        ("features.parquet", {"value": 0.123}, "features.parquet: value of feature 'overlap', question"),
    ],
)
def test_an_edit_of_a_table_is_named(folder, retable, name, values, wanted):
    retable(folder, name, 0, **values)
    faults = faults_of(folder)
    assert any(fault.startswith(wanted) for fault in faults), faults
    assert not any("sha256 does not fit" in fault for fault in faults)


def test_evidence_that_was_not_found_cannot_be_said_to_be(folder, retable):
    found = pl.read_parquet(folder / "found.parquet")
    row = next(number for number, value in enumerate(found["found"].to_list()) if value is False)
    retable(folder, "found.parquet", row, found=True)
    (fault,) = [fault for fault in faults_of(folder) if fault.startswith("found.parquet")]
    assert "is True in the record, and False when it is made again" in fault


def test_rankings_cannot_be_edited_behind_the_evidence_that_they_found(folder, rewrite):
    hit = pl.read_parquet(folder / "found.parquet").filter(pl.col("found")).row(0, named=True)
    path = folder / "rankings.parquet"
    own = (pl.col("arm") == hit["arm"]) & (pl.col("retriever") == hit["retriever"])
    own &= pl.col("question") == hit["question"]
    elsewhere = "page7.md" if hit["question"] != "q7" else "page6.md"
    changed = pl.read_parquet(path).with_columns(
        pl.when(own).then(pl.lit(elsewhere)).otherwise("document").alias("document"),
        pl.when(own).then(pl.lit(0, dtype=pl.Int32)).otherwise("chunk").alias("chunk"),
    )
    changed.write_parquet(path)
    rewrite(folder, "record.json", lambda header: header["files"].update({path.name: file_sha256(path)}))
    (fault,) = faults_of(folder)
    assert fault.startswith(f"found.parquet: found of arm {hit['arm']!r}, retriever {hit['retriever']!r}")
    assert "is True in the record, and False when it is made again" in fault


def test_a_file_cannot_be_taken_out_of_the_list(folder, rewrite):
    rewrite(folder, "record.json", lambda header: header["files"].pop("rankings.parquet"))
    assert faults_of(folder) == ["record.json: files holds no sha256 of rankings.parquet"]


@pytest.mark.parametrize("change", ["lost", "added"])
def test_doubts_are_named_line_by_line(folder, rewrite, original, change):
    doubts = original.header["doubts"]
    assert doubts
    new = doubts[1:] if change == "lost" else [*doubts, "All is well."]
    rewrite(folder, "record.json", lambda header: header.update(doubts=new))
    (fault,) = faults_of(folder)
    assert fault.startswith(
        "record.json: doubts lacks" if change == "lost" else "record.json: doubts has the line 'All"
    )
    assert (doubts[0] if change == "lost" else "All is well.") in fault


def test_without_texts_the_rest_is_made_again(folder, rewrite):
    path = folder / "documents.parquet"
    pl.read_parquet(path).with_columns(pl.lit(None, dtype=pl.String).alias("text")).write_parquet(path)
    rewrite(folder, "record.json", lambda header: header["files"].update({path.name: file_sha256(path)}))
    assert faults_of(folder) == []
    rewrite(folder, "record.json", lambda header: header["arms"][0].update(tokens=1))
    (fault,) = faults_of(folder)
    assert fault.startswith("record.json: arms[sections].tokens is 1 in the record")


def test_mixed_models_are_made_again(tmp_path, rewrite):
    pytest.importorskip("statsmodels")
    folder = made(tmp_path, mixed_model=True).folder
    assert faults_of(folder) == []
    rows = Record.open(folder).header["mixed_models"]
    number = next(number for number, row in enumerate(rows) if "coefficient" in row)
    rewrite(folder, "record.json", lambda header: header["mixed_models"][number].update(coefficient=0.77, notes=[]))
    (fault,) = faults_of(folder)
    assert fault.startswith(f"record.json: mixed_models[{number}].coefficient is 0.77 in the record")
    rewrite(folder, "record.json", lambda header: header.update(mixed_models=[]))
    (fault,) = faults_of(folder)
    assert fault == "record.json: mixed_models has 0 entries in the record, and 2 when it is made again"


def test_routing_is_counted_again(tmp_path, rewrite, retable):
    folder = made(
        tmp_path,
        retrievers={"short": "bm25", "routed": "routed(dense('minilm'), sections=1)"},
        only={"routed": ["sections"]},
        held_out=None,
        averages={},
        contrasts=[],
        ladders=[],
    ).folder
    assert faults_of(folder) == []
    (row,) = Record.open(folder).header["routing"]
    rewrite(folder, "record.json", lambda header: header["routing"][0].update(found=row["found"] + 1))
    (fault,) = faults_of(folder)
    assert fault.startswith(
        f"record.json: routing[0].found is {row['found'] + 1} in the record, and {row['found']} when"
    )
    rewrite(folder, "record.json", lambda header: header["routing"][0].update(found=row["found"]))
    found = pl.read_parquet(folder / "routing.parquet")["found"][0]
    retable(folder, "routing.parquet", 0, found=not found)
    (fault,) = faults_of(folder)
    assert fault.startswith("record.json: routing[0].found")
