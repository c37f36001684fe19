import gzip
import importlib.util
import json
from pathlib import Path

import pytest

from ragtrial.datasets.demo import ATTRIBUTION, demo_path, load_demo

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_demo_sample.py"


def test_the_sample_has_papers_and_questions():
    dataset = load_demo()
    assert len(dataset.documents) == 12
    assert len(dataset.questions) == 86
    assert dataset.funnel["evidence texts"] == dataset.funnel["evidence texts in the Markdown"] == 172
    ids = [document.id for document in dataset.documents]
    assert ids == sorted(ids)
    assert {question.cluster for question in dataset.questions} == set(ids)
    assert all(document.verify() == [] for document in dataset.documents)


def test_the_dialect_is_the_caller_s():
    study, commonmark = load_demo(dialect="study"), load_demo()
    assert [document.text for document in study.documents] == [document.text for document in commonmark.documents]
    assert study.questions == commonmark.questions


def test_the_sample_is_small_and_attributed():
    assert len(demo_path().read_bytes()) < 400_000
    assert load_demo().meta["attribution"] == ATTRIBUTION
    note = (Path(str(demo_path())).parent / "LICENSE-QASPER.md").read_text(encoding="utf-8")
    for word in ("Dasigi", "CC BY 4.0", "subset", "creativecommons.org/licenses/by/4.0"):
        assert word in note


def test_the_script_makes_the_sample(shared):
    spec = importlib.util.spec_from_file_location("build_demo_sample", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    pilot = script.read_selection(shared("data/selections/qasper-pilot-30.txt"))
    papers = script.choose(shared("data/qasper"), pilot)
    packed = gzip.decompress(demo_path().read_bytes())
    # The packed bytes may differ between versions of zlib, the content may not.
    assert packed == gzip.decompress(script.pack(papers)) == json.dumps(papers, ensure_ascii=False).encode()
    assert script.pack(papers) == script.pack(papers)
    assert not papers.keys() & {*pilot, *script.read_selection(shared("data/selections/qasper-300.txt"))}


@pytest.mark.parametrize("byte", [4, 5, 6, 7])
def test_the_sample_carries_no_time(byte):
    assert demo_path().read_bytes()[byte] == 0
