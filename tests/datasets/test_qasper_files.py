import gzip
import json

import pytest

from ragtrial.datasets.qasper.files import parse_papers, read_split, split_files
from ragtrial.datasets.qasper.markdown import to_markdown
from ragtrial.errors import DataError

PAPER = {
    "title": "Deep Things ",
    "abstract": " We do things.\n",
    "full_text": [
        {"section_name": "Introduction", "paragraphs": [" First. ", "", " \n", "Second."]},
        {"section_name": "Method ::: Data ::: Sources", "paragraphs": ["Third."]},
        {"section_name": "a ::: b ::: c ::: d ::: e ::: f ::: g", "paragraphs": []},
        {"section_name": None, "paragraphs": ["Loose."]},
        {"section_name": "", "paragraphs": ["Also loose."]},
        {"section_name": "Method ::: ", "paragraphs": ["Under a blank name."]},
    ],
    "qas": [
        {
            "question": "What?",
            "question_id": "id1",
            "answers": [{"answer": {"unanswerable": False, "evidence": ["First."]}}],
        }
    ],
}


def test_a_paper_becomes_markdown():
    assert to_markdown(PAPER).split("\n") == [
        *("# Deep Things", "", "## Abstract", "", "We do things.", ""),
        *("## Introduction", "", "First.", "", "Second.", ""),
        *("#### Sources", "", "Third.", ""),
        *("###### g", ""),
        *("Loose.", "", "Also loose.", ""),
        *("### ", "", "Under a blank name.", ""),
    ]


def test_a_paper_without_abstract_keeps_the_heading():
    assert to_markdown(PAPER | {"abstract": " ", "full_text": []}) == "# Deep Things\n\n## Abstract\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_packed_and_plain_files_are_read(tmp_path, pack):
    path = tmp_path / "any.name"
    path.write_bytes(pack(json.dumps({"2": PAPER, "1": PAPER}).encode()))
    assert read_split(path) == {"2": PAPER, "1": PAPER}
    assert list(read_split(path)) == ["2", "1"]


def test_files_of_the_wanted_splits_are_found(tmp_path):
    for name in (
        "qasper-test-v0.3.json.gz",
        "qasper-dev-v0.3.json",
        "qasper-dev-v0.3.json.gz",
        "qasper-train-v0.3.json",
    ):
        (tmp_path / name).touch()
    files = split_files(tmp_path, ("dev", "test"))
    assert [file.name for file in files] == ["qasper-dev-v0.3.json", "qasper-test-v0.3.json.gz"]
    one = tmp_path / "qasper-train-v0.3.json"
    assert split_files(one, ("dev",)) == [one]


def test_missing_files_are_told_with_what_is_there(tmp_path):
    with pytest.raises(DataError, match=r"There is no .*nowhere"):
        split_files(tmp_path / "nowhere", ("dev",))
    with pytest.raises(DataError, match=r"no QASPER file of dev or test\. .*there is nothing"):
        split_files(tmp_path, ("dev", "test"))
    (tmp_path / "qasper-train-v0.3.json").touch()
    with pytest.raises(DataError, match=r"there are 1 other files, the first 'qasper-train-v0\.3\.json'"):
        split_files(tmp_path, ("dev", "test"))


def changed(path, value):
    paper = json.loads(json.dumps(PAPER))
    target = paper
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return paper


@pytest.mark.parametrize(
    ("paper", "part"),
    [
        (None, "object"),
        (changed(["title"], None), "'title'"),
        (changed(["abstract"], 1), "'abstract'"),
        (changed(["full_text"], {}), "'full_text'"),
        (changed(["full_text", 0, "section_name"], 3), "'section_name'"),
        (changed(["full_text", 1, "paragraphs"], [1]), "'paragraphs'"),
        (changed(["qas"], [1]), "'qas'"),
        (changed(["qas", 0, "question"], None), "'question'"),
        (changed(["qas", 0, "question_id"], 7), "'question_id'"),
        (changed(["qas", 0, "answers"], None), "'answers'"),
        (changed(["qas", 0, "answers", 0], {}), "'answer'"),
        (changed(["qas", 0, "answers", 0, "answer"], {"evidence": []}), "'unanswerable'"),
        (changed(["qas", 0, "answers", 0, "answer", "evidence"], "x"), "'evidence'"),
    ],
)
def test_another_layout_is_refused_with_paper_and_part(paper, part):
    with pytest.raises(DataError, match=f"f.json is not a QASPER file: paper 'p' has no {part} of the official kind"):
        parse_papers(json.dumps({"p": paper}).encode(), "f.json")


def test_damaged_files_are_refused(tmp_path):
    packed = gzip.compress(json.dumps({"1": PAPER}).encode())
    for data in (packed[:-4], packed[:40], packed[:30] + b"\x00\x00" + packed[32:]):
        with pytest.raises(DataError, match=r"f\.gz is a damaged gzip file"):
            parse_papers(data, "f.gz")
    with pytest.raises(DataError, match=r"f\.json is not JSON"):
        parse_papers(b"{", "f.json")
    with pytest.raises(DataError, match=r"f\.json is not JSON"):
        parse_papers(b"\xff\x00", "f.json")
    for data in (b"[]", b"{}"):
        with pytest.raises(DataError, match="it must be an object of papers by id"):
            parse_papers(data, "f.json")
    with pytest.raises(DataError, match=r"Cannot read .*no\.json"):
        read_split(tmp_path / "no.json")
