"""Late chunking on the default model against a plain loop over its token vectors."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragtrial.embedders import load
from ragtrial.embedders.cache import store
from ragtrial.embedders.graph import Graph
from ragtrial.embedders.wheels import minilm_files
from ragtrial.errors import DataError, UsageError
from ragtrial.retrievers.late import Late
from ragtrial.retrievers.late.encoder import LateEncoder
from ragtrial.retrievers.late.vectors import late_vectors
from ragtrial.retrievers.sources import Sources
from ragtrial.retrievers.vectors import vectors_of

onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra local")
tokenizers = pytest.importorskip("tokenizers", reason="needs the extra local")

SENTENCES = [
    "The lighthouse keeper climbs the stairs at dusk.",
    "He lights the red lantern, which marks the harbour gate.",
    "In winter it burns until eight o'clock in the morning.",
    "Сторож зажигает маяк каждый вечер.",
    "守塔人每天傍晚点亮灯塔的主灯。 🙂",
]
LONG = " ".join(f"{number}. {SENTENCES[number % 5]}" for number in range(30))
TEXT = LONG[:600]
SHORT = "A blue lantern marks the northern pier.\n\n   \n\nNobody knows why it is blue."


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no test see the user's cache or settings; the model is loaded once for all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAL_CACHE", str(tmp_path_factory.mktemp("cache")))
        for variable in ("RAGTRIAL_THREADS", "RAGTRIAL_BATCH"):
            patch.delenv(variable, raising=False)
        load._shared.cache_clear()
        yield
    load._shared.cache_clear()
    store._opened.cache_clear()


def cut_every(text: str, size: int) -> list[list[tuple[int, int]]]:
    return [[(start, min(start + size, len(text)))] for start in range(0, len(text), size)]


def sources_of(*documents: tuple[str, list[list[tuple[int, int]]]]) -> tuple[list[str], Sources]:
    """Return the chunks' texts and their sources."""
    chunks = [(number, spans) for number, (_, cut) in enumerate(documents) for spans in cut]
    edges = np.array([edge for _, spans in chunks for edge in spans], dtype=np.int64).reshape(-1, 2)
    sources = Sources(
        documents=tuple(text for text, _ in documents),
        document=np.array([number for number, _ in chunks], dtype=np.int64),
        section=np.zeros(len(chunks), dtype=np.int64),
        offsets=np.concatenate(([0], np.cumsum([len(spans) for _, spans in chunks]))).astype(np.int64),
        starts=edges[:, 0],
        ends=edges[:, 1],
    )
    return ["".join(documents[number][0][start:end] for start, end in spans) for number, spans in chunks], sources


class PlainLoop:
    """Late chunking token by token, straight from the definition."""

    def __init__(self) -> None:
        files = minilm_files()
        self.session = onnxruntime.InferenceSession(str(files.model), providers=["CPUExecutionProvider"])
        self.tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def vectors(self, document: str, chunks: list, window: int, prefix: str = "") -> list[np.ndarray | None]:
        encoding = self.tokenizer.encode(document)
        assert encoding.tokens[0] == "[CLS]"
        assert encoding.tokens[-1] == "[SEP]"
        first, last = encoding.ids[0], encoding.ids[-1]
        front = [first, *self.tokenizer.encode(prefix, add_special_tokens=False).ids]
        room = window - len(front) - 1
        tokens = list(zip(encoding.ids[1:-1], encoding.offsets[1:-1], strict=True))
        read: list[tuple[tuple[int, int], np.ndarray]] = []
        for start in range(0, len(tokens), room):
            part = tokens[start : start + room]
            ids = np.array([[*front, *(number for number, _ in part), last]], dtype=np.int64)
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            (hidden,) = self.session.run(None, feeds)
            for place, (_, span) in enumerate(part):
                read.append((span, hidden[0, len(front) + place].astype(np.float64)))
        found: list[np.ndarray | None] = []
        for spans in chunks:
            own = [vector for (_, end), vector in read if any(low <= end - 1 < high for low, high in spans)]
            mean = sum(own) / len(own) if own else None
            found.append(None if mean is None else mean / np.linalg.norm(mean))
        return found


@pytest.fixture(scope="module")
def loop() -> PlainLoop:
    return PlainLoop()


def vectors(late: Late, texts: list[str], sources: Sources) -> np.ndarray:
    chunks, found = vectors_of(late.index(texts, None, sources).pools[0])
    assert chunks.tolist() == list(range(len(texts)))
    return found


@pytest.mark.parametrize(
    ("window", "prefix", "text"), [(None, "", LONG), (64, "search_document: ", TEXT), (11, "x y", TEXT)]
)
def test_chunk_vectors_equal_the_plain_loop(loop: PlainLoop, window: int | None, prefix: str, text: str):
    chunks = [cut_every(text, 111), cut_every(SHORT, 25)]
    texts, sources = sources_of((text, chunks[0]), (SHORT, chunks[1]))
    found = vectors(Late(window=window, document_prefix=prefix), texts, sources)
    expected = [
        vector
        for document, cut in ((text, chunks[0]), (SHORT, chunks[1]))
        for vector in loop.vectors(document, cut, window or 256, prefix)
    ]
    assert len(loop.tokenizer.encode(LONG)) > 2 * 256
    assert np.allclose(found, np.array(expected), atol=1e-6)


def test_a_chunk_of_several_spans_is_the_mean_of_all_its_tokens(loop: PlainLoop):
    chunks = [[(0, 40), (300, 420)], [(40, 300)], [(500, 590), (0, 200)]]
    texts, sources = sources_of((TEXT, chunks))
    expected = np.array(loop.vectors(TEXT, chunks, 64))
    assert np.allclose(vectors(Late(window=64), texts, sources), expected, atol=1e-6)


def test_a_vector_does_not_depend_on_how_the_rest_is_cut():
    one = sources_of((TEXT, cut_every(TEXT, 200)))
    other = sources_of((TEXT, [[(0, 3)], [(200, 400)], [(7, 550)]]))
    late = Late(window=64)
    first, second = (late_vectors(late.encoder(), late.embedder(), *cut, None) for cut in (one, other))
    assert first[1].tobytes() == second[1].tobytes()


def test_the_context_matters_and_questions_get_plain_vectors():
    again = f"{SENTENCES[1]} {SENTENCES[0]} {SENTENCES[1]}"
    start = len(again) - len(SENTENCES[1])
    texts, sources = sources_of((again, [[(0, len(SENTENCES[1]))], [(start, len(again))]]))
    first, second = vectors(Late(), texts, sources)
    assert 0.5 < float(first @ second) < 0.9999
    index = Late().index(texts, None, sources)
    question = Late().embedder().embed(["who?"], "query")[0]
    ranking = index.rank(["who?"], [0])
    assert sorted(ranking.scores.tolist()) == pytest.approx(sorted([first @ question, second @ question]), abs=1e-6)


def test_a_chunk_without_tokens_gets_the_plain_vector_of_its_text():
    blank = SHORT.index("   ")
    texts, sources = sources_of((SHORT, [[(0, 20)], [(blank, blank + 3)]]), ("  ", [[(0, 2)]]), ("", []))
    found = vectors(Late(), texts, sources)
    assert found[1:].tobytes() == Late().embedder().embed(["   ", "  "]).tobytes()


def test_a_document_whose_chunks_are_all_known_is_not_read_again(monkeypatch: pytest.MonkeyPatch):
    texts, sources = sources_of((TEXT, cut_every(TEXT, 300)), (SHORT, cut_every(SHORT, 30)))
    cold = vectors(Late(window=63), texts, sources)
    read: list[str] = []
    means = LateEncoder.means
    monkeypatch.setattr(LateEncoder, "means", lambda self, text, chunks: read.append(text) or means(self, text, chunks))
    assert vectors(Late(window=63), texts, sources).tobytes() == cold.tobytes()
    assert read == []
    vectors(Late(window=65), texts, sources)
    assert read == [TEXT, SHORT]
    # Another text around the same chunk is another context.
    texts, sources = sources_of((f"{TEXT}!", cut_every(TEXT, 300)))
    vectors(Late(window=63), texts, sources)
    assert read == [TEXT, SHORT, f"{TEXT}!"]


def test_without_a_cache_the_vectors_are_the_same(monkeypatch: pytest.MonkeyPatch):
    texts, sources = sources_of((SHORT, cut_every(SHORT, 30)))
    late = Late()
    with_cache = vectors(late, texts, sources)
    alone = late_vectors(late.encoder(), late.embedder(), texts, sources, None)
    assert alone.tobytes() == with_cache.tobytes()


def test_what_late_chunking_cannot_do_is_refused(tmp_path: Path):
    texts, sources = sources_of((SHORT, cut_every(SHORT, 30)))
    with pytest.raises(UsageError, match="needs to know where the texts come from"):
        Late().index(texts)
    prefixed = replace(sources, prefixed=True)
    with pytest.raises(UsageError, match="where the text put before them is not"):
        Late().index(texts, None, prefixed)
    with pytest.raises(UsageError, match="A window of 8 tokens leaves no room: 12 of them frame it"):
        Late(window=8, document_prefix="one two three four five six seven eight nine ten").index(texts, None, sources)
    texts, sources = sources_of((LONG, cut_every(LONG, 300)))
    with pytest.raises(DataError, match="failed on 1 texts of up to"):
        Late(window=5_000).index(texts, None, sources)


def test_a_model_that_pools_otherwise_is_refused(tmp_path: Path):
    files = minilm_files()
    (tmp_path / "model.onnx").symlink_to(files.model)
    (tmp_path / "tokenizer.json").symlink_to(files.tokenizer)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true}')
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    with pytest.raises(UsageError, match="was trained with the pooling 'cls'"):
        Late(str(tmp_path)).embedder()
    (tmp_path / "1_Pooling/config.json").write_text('{"pooling_mode_mean_tokens": true}')
    load._shared.cache_clear()
    texts, sources = sources_of((SHORT, cut_every(SHORT, 30)))
    assert np.array_equal(vectors(Late(str(tmp_path)), texts, sources), vectors(Late(window=128), texts, sources))


def test_a_model_without_token_vectors_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Graph, "outputs", {"sentence_embedding": 2})
    files = minilm_files()
    with pytest.raises(DataError, match="gives no vectors of tokens: its outputs are sentence_embedding"):
        LateEncoder(Graph([files.model], files.tokenizer), window=64).means(SHORT, cut_every(SHORT, 30))


def test_parameters_say_what_the_model_is_and_how_far_it_reads():
    parameters = Late().parameters()
    assert parameters["window"] == 256
    assert parameters["embedder"]["pooling"] == "mean"
    assert "runtime" not in parameters["embedder"]
    assert str(Late("models/x", window=8192)) == "late('models/x', window=8192)"
