"""Known models are used as their cards say (METHODS 4), and what the user says wins."""

import pytest

from ragtrial.embedders.conventions import TASK, Prefixes, convention_of, prefixes_of
from ragtrial.errors import SpecError

FIND = "Represent this sentence for searching relevant passages: "
TABLE = [
    ("minilm", "", "", "mean", 256),
    ("sentence-transformers/all-MiniLM-L6-v2", "", "", "mean", 256),
    ("all-minilm:l6-v2", "", "", "mean", 256),
    ("models/all-MiniLM-L12-v2/", "", "", "mean", 128),
    ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: ", "mean", 8192),
    ("nomic-embed-text:latest", "search_query: ", "search_document: ", "mean", 8192),
    ("nomic-ai/nomic-embed-text-v2-moe", "search_query: ", "search_document: ", "mean", 512),
    ("mixedbread-ai/mxbai-embed-large-v1", FIND, "", "cls", 512),
    ("BAAI/bge-small-en-v1.5", FIND, "", "cls", 512),
    ("C:\\models\\bge-large-en-v1.5-onnx", FIND, "", "cls", 512),
    ("BAAI/bge-base-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", "", "cls", 512),
    ("BAAI/bge-m3", "", "", "cls", 8192),
    ("intfloat/e5-base-v2", "query: ", "passage: ", "mean", 512),
    ("intfloat/multilingual-e5-large", "query: ", "passage: ", "mean", 512),
    ("intfloat/multilingual-e5-large-instruct", f"Instruct: {TASK}\nQuery: ", "", "mean", 512),
    ("Qwen/Qwen3-Embedding-0.6B", f"Instruct: {TASK}\nQuery:", "", "last", 8192),
    ("qwen3-embedding:0.6b", f"Instruct: {TASK}\nQuery:", "", "last", 8192),
    ("/home/me/.cache/hub/models--BAAI--bge-base-en-v1.5/snapshots/a5beb1e/", FIND, "", "cls", 512),
]


@pytest.mark.parametrize(("model", "query", "document", "pooling", "window"), TABLE, ids=[row[0] for row in TABLE])
def test_known_models(model: str, query: str, document: str, pooling: str, window: int):
    convention = convention_of(model)
    assert prefixes_of(model, convention) == Prefixes(query, document)
    assert (convention.pooling, convention.window) == (pooling, window)


@pytest.mark.parametrize(
    "model",
    ["text-embedding-3-small", "my-bge-small-en", "bge-small-english", "e5-mistral-7b-instruct", "models/e5", ""],
)
def test_unknown_models_have_no_convention(model: str):
    assert convention_of(model) is None
    assert prefixes_of(model, None) == Prefixes("", "")


def test_the_user_wins_over_the_table_and_the_table_over_the_models_files():
    bge = convention_of("bge-base-en-v1.5")
    own = {"query": "own q: ", "passage": "own p: "}
    assert prefixes_of("m", bge, query="", document="d: ", own=own) == Prefixes("", "d: ")
    assert prefixes_of("m", bge, own=own) == Prefixes(FIND, "")
    assert prefixes_of("m", None, own=own) == Prefixes("own q: ", "own p: ")
    assert prefixes_of("m", None, query="q: ", own={"document": "own d: "}) == Prefixes("q: ", "own d: ")


def test_a_task_fills_the_place_for_it():
    qwen = convention_of("qwen3-embedding")
    assert prefixes_of("m", qwen, task="Find laws").query == "Instruct: Find laws\nQuery:"
    assert prefixes_of("m", None, query="{task} -> ", task="Find laws").query == "Find laws -> "
    with pytest.raises(SpecError, match=r"'bge-base-en' takes no task\. Write what is to stand before a question"):
        prefixes_of("bge-base-en", convention_of("bge-base-en"), task="Find laws")
