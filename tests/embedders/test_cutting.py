"""Texts cut by tokens: a prefix, never inside a character, never longer than asked, and noted."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragtrial.embedders.cutting import Cutter
from ragtrial.embedders.tokenizer import find_tokenizer
from ragtrial.errors import DataError, UsageError

TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("aé🙂 \n中\u0301\u200d\ufb01ﷺ"), max_size=80)


def byte_level(normalizer: str | None):
    """Return a tokenizer such as Qwen's: bytes, some of them merged, and a token at the end of what a model gets."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra local")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = None if normalizer is None else getattr(tokenizers.normalizers, normalizer)()
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|end|>"],
        show_progress=False,
    )
    made.train_from_iterator(["the cat sat on the mat, the hat and the rat"], trainer)
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A <|end|>", special_tokens=[("<|end|>", made.token_to_id("<|end|>"))]
    )
    made.enable_truncation(3)
    made.enable_padding(length=5)
    return made


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("tokenizers")
    for name in ("NFC", "NFKC", None):
        byte_level(name).save(str(folder / f"{name}.json"))
    return {name: str(folder / f"{name}.json") for name in ("NFC", "NFKC", "None")}


@given(text=TEXT, most=st.integers(8, 30), name=st.sampled_from(["NFC", "NFKC", "None", "cl100k"]))
@example(text="🙂" * 9, most=8, name="None")
@example(text="🙂" * 9, most=8, name="cl100k")
@example(text="ﷺ" * 20, most=8, name="NFKC")
@example(text="\ud800" * 20, most=8, name="NFC")
@example(text="", most=8, name="cl100k")
def test_what_is_cut_is_a_prefix_of_at_most_so_many_tokens(files, text, most, name):
    cutter = Cutter(most, files.get(name))
    (length,) = cutter.lengths([text])
    cut = cutter.cut(text)
    assert text.startswith(cut)
    assert cutter.lengths([cut])[0] <= most
    assert (cut == text) == (length <= most)
    assert cutter.cut(cut) == cut


def test_as_much_is_left_as_fits(files):
    words = "the cat sat on the mat"
    assert [Cutter(8, files["None"]).cut("🙂" * 9), Cutter(9).cut("x" + " cat" * 20)] == ["🙂🙂", "x" + " cat" * 8]
    for most in range(8, 30):
        cutter = Cutter(most, files["None"])
        cut = cutter.cut(words * 3)
        assert cutter.lengths([cut]) == [most] or cut == words * 3


def test_what_a_model_adds_is_not_counted(files):
    assert Cutter(8, files["NFC"]).lengths(["", "x"]) == [0, 1]


def test_the_tokenizer_is_known_by_its_content(files, tmp_path: Path):
    data = Path(files["NFC"]).read_bytes()
    (tmp_path / "tokenizer.json").write_bytes(data)
    known = {"max_length": 8, "tokenizer": hashlib.sha256(data).hexdigest()}
    assert Cutter(8, files["NFC"]).identity() == Cutter(8, str(tmp_path)).identity() == known
    assert Cutter(8).identity() == Cutter(8, "cl100k").identity() == {"max_length": 8, "tokenizer": "cl100k"}


def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match=r"There is no tokenizer 'qwen3'.*OWNER/NAME"):
        find_tokenizer("qwen3")
    with pytest.raises(DataError, match=r"has no tokenizer\.json"):
        find_tokenizer(str(tmp_path))
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match="Cannot read the tokenizer"):
        Cutter(8, str(tmp_path)).cut("a")


class Hub:
    """Has one model's tokenizer, once it was downloaded."""

    def __init__(self, file: Path):
        self.file, self.here, self.asked = file, False, []

    def hf_hub_download(self, name, file, *, local_files_only=False):
        self.asked.append((name, file, local_files_only))
        if name != "owner/model" or (local_files_only and not self.here):
            raise OSError("not here")
        self.here = True
        return str(self.file)


def test_of_the_hub_one_file_is_downloaded_once(monkeypatch, tmp_path: Path):
    hub = Hub(tmp_path / "t.json")
    monkeypatch.setattr("ragtrial.embedders.tokenizer.require", lambda *names: hub)
    assert [find_tokenizer("owner/model") for _ in range(2)] == [hub.file] * 2
    assert [local for _, _, local in hub.asked] == [True, False, True]
    assert {file for _, file, _ in hub.asked} == {"tokenizer.json"}
    with pytest.raises(DataError, match="The tokenizer 'owner/other' is no file or folder here, and cannot be downl"):
        find_tokenizer("owner/other")
