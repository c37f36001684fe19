"""Who plays which role: swaps, their faults, and how options are spelled in expressions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import UsageError
from ragtrial.replications.roles import Role, swapped
from ragtrial.specs import parse_call

INDEXER = Role("indexer", "model", "writes", "buy it", {"model": "qwen2.5:7b", "url": "ollama", "effort": "low"})
NOMIC = Role("nomic", "embedder", "embeds", "buy it", {"model": "nomic", "backend": "openai"})
ROLES = {"indexer": INDEXER, "nomic": NOMIC}


def test_spelled():
    assert INDEXER.spelled() == "'qwen2.5:7b', url='ollama', effort='low'"
    assert INDEXER.spelled(named=True) == "model='qwen2.5:7b', url='ollama', effort='low'"


@given(st.text(min_size=1), st.integers(0, 10**6), st.booleans())
def test_what_is_spelled_is_read_back(name, window, structured):
    role = Role("r", "model", "", "", {"model": name, "window": window, "structured": structured})
    call = parse_call(f"f({role.spelled()})")
    assert call.arguments == (name,)
    assert dict(call.keywords) == {"window": window, "structured": structured}


def test_a_swap_keeps_the_server_and_nothing_else():
    role = swapped(ROLES, [("model", "indexer=llama3.1:8b")])["indexer"]
    assert dict(role.options) == {"model": "llama3.1:8b", "url": "ollama"}
    assert role.swapped


def test_a_swap_with_parameters():
    given_ = "indexer=my model,url=http://localhost:1/v1,window=8192,structured=false"
    role = swapped(ROLES, [("model", given_)])["indexer"]
    assert dict(role.options) == {
        "model": "my model",
        "url": "http://localhost:1/v1",
        "window": 8192,
        "structured": False,
    }


def test_an_embedder_that_is_swapped_has_no_backend_of_the_paper_s():
    assert dict(swapped(ROLES, [("embedder", "nomic=minilm")])["nomic"].options) == {"model": "minilm"}


def test_the_paper_s_own_model_is_no_swap():
    roles = {"indexer": Role("indexer", "model", "", "", {"model": "a", "url": "ollama"})}
    assert not swapped(roles, [("model", "indexer=a")])["indexer"].swapped
    assert swapped(roles, [("model", "indexer=a,window=9")])["indexer"].swapped


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("model", "indexr=a", "no model called 'indexr'"),
        ("model", "nomic=a", "no model called 'nomic'"),
        ("reranker", "cross=a", "no reranker called 'cross'"),
        ("model", "indexer", "names no model for 'indexer'"),
        ("model", "indexer=", "names no model for 'indexer'"),
        ("model", "indexer=a,b", "'b' is no parameter"),
    ],
)
def test_faults(kind, text, words):
    with pytest.raises(UsageError, match=words):
        swapped(ROLES, [(kind, text)])
