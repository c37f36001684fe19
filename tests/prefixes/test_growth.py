"""What a longer document costs, as the server counts it: enrichment grows with its length, context with its square."""

import itertools

import pytest

from ragtrial.documents.markdown import read_markdown
from ragtrial.trial.arms import Arm

LENGTHS = (8, 16, 32, 64)
SAID = '{"title": "T", "summary": "Some words on it.", "keywords": [], "questions": [], "key": "same", "entities": []}'


@pytest.fixture
def cost(chat_server):
    chat_server.reply = SAID

    def of(step, sections):
        text = "".join(f"## Part {number}\n\n{'word ' * 150}\n\n" for number in range(sections))
        calls, tokens = len(chat_server.calls), chat_server.input_tokens
        Arm.of(f"headers + {step}('m', url='{chat_server.url}')").build([read_markdown(text, id=f"{sections}.md")])
        assert len(chat_server.calls) - calls == sections  # one call a chunk, exactly
        return chat_server.input_tokens - tokens

    return of


def test_enrichment_is_linear(cost):
    costs = [cost("enriched", sections) for sections in LENGTHS]
    assert all(1.95 < long / short < 2.1 for short, long in itertools.pairwise(costs))


def test_context_is_quadratic(cost):
    costs = [cost("context", sections) for sections in LENGTHS]
    ratios = [long / short for short, long in itertools.pairwise(costs)]
    assert ratios == sorted(ratios)  # what is not the document weighs less and less
    assert ratios[0] > 3.2
    assert 3.8 < ratios[-1] < 4
