"""Exports: the record's own numbers, read again by other programs."""

import json
import shutil
import subprocess

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import DataError, UsageError
from ragtrial.report.exports.latex import latex_document, latex_table, latex_text
from ragtrial.report.exports.trec import judgements
from ragtrial.report.exports.write import EXPORTS, FIGURES, export
from ragtrial.report.tables import Table
from ragtrial.report.trec import unescape_id
from ragtrial.trial.config import Trial
from ragtrial.trial.run import run

from .made_up_trial import EVIL


@pytest.mark.parametrize("kind", [*EXPORTS, *FIGURES])
def test_every_format_is_written_and_the_same_again(kind, hostile, tmp_path):
    one, two = (export(hostile, kind, tmp_path / name) for name in ("one", "two"))
    assert one
    assert [path.name for path in one] == [path.name for path in two]
    for path, again in zip(one, two, strict=True):
        assert path.read_bytes() == again.read_bytes()
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == sorted(path.name for path in one)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_hold_the_record_s_numbers_in_full(kind, real, tmp_path):
    paths = {path.stem: path for path in export(real, kind, tmp_path)}
    read = pl.read_csv if kind == "csv" else pl.read_parquet
    contrasts = read(paths["contrasts"])
    for row, stored in zip(contrasts.to_dicts(), real.contrasts, strict=True):
        assert row["difference"] == stored["difference"]
        assert [row["ci95_low"], row["ci95_high"]] == stored["ci95"]
        assert row["verdict"] == stored["verdict"]
    assert read(paths["scores"])["value"].to_list() == real.scores["value"].to_list()
    assert read(paths["curves"]).height == sum(len(row["curve"]) for row in real.contrasts)


def test_one_json_file_holds_what_people_ask_for(real, tmp_path):
    (path,) = export(real, "json", tmp_path)
    read = json.loads(path.read_text(encoding="utf-8"))
    assert read["contrasts"] == real.contrasts
    assert read["trial"] == real.header["trial"]


def test_an_unknown_format_is_named(real, tmp_path):
    with pytest.raises(UsageError, match="'latx'") as caught:
        export(real, "latx", tmp_path)
    assert "latex" in str(caught.value)
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(DataError, match="Cannot make the folder"):
        export(real, "csv", tmp_path / "taken")


def test_what_latex_reads_as_commands_is_set_as_text():
    assert latex_text("a_b & 50% $x$ #1 {y} ~ ^ \\n") == (
        r"a\_b \& 50\% \$x\$ \#1 \{y\} \textasciitilde{} \textasciicircum{} \textbackslash{}n"
    )
    table = latex_table(Table("t", ("a", "b"), (("x\ny", "[1, 2]"),), "n"))
    assert r"x y & {[}1, 2{]} \\" in table


@pytest.mark.slow
def test_latex_compiles(real, told, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("needs pdflatex")
    rows = [row | {"name": EVIL.replace("{% raw %}", "")} for row in real.contrasts]
    (tmp_path / "tables.tex").write_text(latex_document(told(rows, title=EVIL)), encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_a_cell_stays_one_cell(words):
    assert latex_text(words).replace(r"\&", "").count("&") == 0


TEXT = (
    "# Pump\n\n## Start\n\nPress the green button to start the pump at dawn.\n\n"
    "## Stop\n\nTurn the red valve slowly to stop it.\n"
)
QUESTIONS = [
    {
        "id": "start 1",
        "question": "Which button starts it?",
        "evidence": ["Press the green button to start the pump at dawn."],
    },
    {"id": "stop", "question": "Which valve stops the pump?", "evidence": ["Turn the red valve slowly to stop it."]},
    {"id": "both", "question": "green pump", "evidence": ["Press the green button to start the pump at dawn."]},
]


@pytest.fixture
def scored(tmp_path):
    """Return a function that runs a small trial under a primary measure."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "pump.md").write_text(TEXT)
    (tmp_path / "docs" / "other.md").write_text("# Other\n\nThe green pump is red and the button starts a valve.\n")
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    keys = {
        "documents": "docs",
        "questions": "questions.jsonl",
        "arms": {"fixed": "chars(40)", "sections": "headers(min=0)"},
        "retrievers": {"bm25": "bm25(variant='lucene')"},
        "resamples": 100,
    }
    return lambda **more: run(Trial.of(keys | more, tmp_path), tmp_path / "record")


@pytest.mark.parametrize(
    ("primary", "measure", "outside"),
    [("mrr@10", "mrr@10", "RR@10"), ("ndcg@10", "ndcg@10", "nDCG@10"), ("ndcg@10", "span-mrr@10", "RR@10")],
)
def test_outside_tools_agree_on_every_question(primary, measure, outside, scored, tmp_path):
    ir_measures = pytest.importorskip("ir_measures")
    record = scored(primary=primary, measures=[measure, "recall@512t"])
    folder = tmp_path / "trec"
    export(record, "trec", folder)
    asked = ir_measures.parse_measure(outside)
    for arm in ("fixed", "sections"):
        qrels = list(ir_measures.read_trec_qrels(str(folder / f"{arm}.qrels")))
        ran = list(ir_measures.read_trec_run(str(folder / f"{arm}.bm25.run")))
        found = {unescape_id(row.query_id): row.value for row in ir_measures.iter_calc([asked], qrels, ran)}
        own = record.scores.filter(pl.col("arm") == arm, pl.col("measure") == measure)
        assert found == pytest.approx(dict(own.select("question", "value").iter_rows()))


def test_without_texts_words_cannot_be_judged(scored):
    record = scored()
    record.__dict__["documents"] = record.documents.with_columns(pl.lit(None, dtype=pl.String).alias("text"))
    with pytest.raises(DataError, match="holds no texts"):
        list(judgements(record, "fixed"))
