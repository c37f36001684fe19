"""Which words BM25 counts: scripts, stop words, stems; and how the component is written."""

import sys

import pytest

from ragtrial.errors import MissingExtraError, SpecError
from ragtrial.retrievers import RETRIEVERS
from ragtrial.retrievers.bm25 import BM25
from ragtrial.specs import parse_call


@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (["猫は魚を食べる。", "東京都の人口は増えている。", "犬が走る。"], "東京の人口"),
        (["魚を食べる。", "小猫と遊ぶ。", "犬が走る。"], "猫"),
        (["我喜欢吃苹果。", "数据库索引可以加快查询速度。", "天气很好。"], "如何加快数据库查询?"),
        (["나는 사과를 먹는다.", "서울에서 회의가 열렸다.", "날씨가 좋다."], "서울 회의"),
        (["ฉันกินข้าว", "ฐานข้อมูลเร็วขึ้นด้วยดัชนี", "อากาศดี"], "ดัชนีฐานข้อมูล"),
        (["Кошка ест рыбу.", "ИНДЕКС ускоряет запросы.", "Погода."], "индекс запросы"),
        (["القط يأكل السمك", "الفهرس يسرع البحث", "الطقس"], "الفهرس"),
        (["⚙️ settings", "🚀 launch", "sleep"], "what does 🚀 mean"),
        (["the parser", "def read_file(path):", "other"], "read file"),
    ],
)
def test_every_script_retrieves(texts: list[str], query: str):
    numbers, scores = BM25().index(texts).top(query)
    assert numbers[0] == 1
    assert scores[0] > scores[1]


def test_the_study_words_know_ascii_only():
    texts = ["кошка", "naïve индекс", "сон"]
    assert BM25(words="study").index(texts).scores("индекс").tolist() == [0.0, 0.0, 0.0]
    assert BM25(words="study").index(texts).scores("ve")[1] > 0


def test_stems_match_other_forms():
    texts = ["the indexes were built", "cats", "dogs"]
    assert BM25().index(texts).scores("building an index").tolist() == [0.0, 0.0, 0.0]
    for language in ("english", "en"):
        assert BM25(stem=language).index(texts).scores("index")[0] > 0


@pytest.mark.parametrize("language", ["english", "en"])
def test_stop_words_are_dropped_from_chunks_and_questions(language: str):
    texts = ["where is the cat", "the dog", "a bird and the tree"]
    index = BM25(stop=language).index(texts)
    assert set(index.vocabularies[0]) == {"cat", "dog", "bird", "tree"}
    assert index.scores("is it the").tolist() == [0.0, 0.0, 0.0]


def test_stop_words_go_before_stems():
    # "being" is a stop word; its stem "be" would not be recognised.
    assert set(BM25(stop="en", stem="en").index(["being foxes"]).vocabularies[0]) == {"fox"}


@pytest.mark.parametrize("stop", ["zh", "chinese"])
def test_stop_words_of_unspaced_scripts(stop: str):
    index = BM25(stop=stop).index(["数据", "但是", "的"])
    # Of an unspaced word the pair is dropped, its letters only where they are stop words themselves.
    assert "数据" in index.vocabularies[0]
    assert not {"但是", "的"} & set(index.vocabularies[0])


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ({"stem": "englsh"}, "no stemmer for 'englsh'. Did you mean 'english'?"),
        ({"stop": "englsh"}, "no stop words for 'englsh'. Did you mean 'english'?"),
        ({"stop": "xx"}, "no stop words for 'xx'."),
        ({"delta": 1.0}, "the variant 'okapi' has no delta. Leave delta out"),
        ({"variant": "okapy"}, "bm25 cannot be built: variant"),
        ({"words": "bytes"}, "words: Input should be 'unicode' or 'study'"),
        ({"k1": -1.0}, "k1: Input should be greater than or equal to 0"),
        ({"b": 1.5}, "b: Input should be less than or equal to 1"),
        ({"epsilon": float("nan")}, "epsilon: Input should be"),
    ],
)
def test_parameters_that_cannot_be(parameters: dict, fault: str):
    with pytest.raises(SpecError) as caught:
        BM25(**parameters)
    assert fault in str(caught.value)


@pytest.mark.parametrize(("parameter", "library"), [("stem", "Stemmer"), ("stop", "stopwordsiso")])
def test_a_missing_library_is_named_with_its_command(monkeypatch, parameter: str, library: str):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragtrial\[stem\]'"):
        BM25(**{parameter: "english"})


@pytest.mark.parametrize(
    ("retriever", "spelling"),
    [
        (BM25(), "bm25"),
        (BM25(variant="okapi", words="study"), "bm25(words='study')"),
        (BM25(variant="lucene", k1=0.9, b=0.4), "bm25(variant='lucene', k1=0.9, b=0.4)"),
        (BM25(variant="bm25+", delta=0.5, stem="english"), "bm25(variant='bm25+', delta=0.5, stem='english')"),
    ],
)
def test_the_spelling_round_trips(retriever: BM25, spelling: str):
    assert str(retriever) == spelling
    assert RETRIEVERS.build(parse_call(spelling)) == retriever


def test_parameters_are_the_effective_ones():
    assert BM25(variant="bm25l").parameters() == BM25(variant="bm25l", delta=0.5).to_dict()
    assert BM25().parameters() == {
        "component": "bm25",
        "variant": "okapi",
        "words": "unicode",
        "k1": 1.5,
        "b": 0.75,
        "epsilon": 0.25,
        "delta": None,
        "stem": None,
        "stop": None,
        "statistics": "pool",
    }
