"""Every prompt of generated questions on a real small model: they go through; nothing is said of the questions."""

from typing import get_args

import pytest

from ragtrial.documents.markdown.reader import read_markdown
from ragtrial.llm.load import load
from ragtrial.questions.generate.ask import QuestionPrompts, Stage, draft_question
from ragtrial.questions.generate.overlap import Overlap
from ragtrial.questions.generate.targets import TYPES, Sampling, pick_targets

pytestmark = pytest.mark.slow

TEXT = """# Harbour

## Lights

The red lantern marks the harbour gate at night, and the keeper lights it with oil from the shed.

A blue lantern marks the northern pier in winter, when the ice closes the channel for weeks.

## Stock

Paint and oil are kept in the shed behind the mill, and the eldest mechanic holds both keys.

New wicks come with the spring boat, which brings flour and letters to the village as well.
"""


def test_every_type(small_model):
    document = read_markdown(TEXT, id="harbour.md")
    model, prompts = load(small_model), QuestionPrompts.load()
    targets = pick_targets(document, Sampling(per_document=1, min_words=5))
    assert [target.type for target in targets] == list(TYPES)
    everything = Overlap(rouge=1.0, gram=1_000)
    for target in targets:
        draft = draft_question(model, target, "Harbour", prompts, everything)
        assert draft.ended in get_args(Stage)
        assert 1 <= draft.calls <= 8
        assert (draft.ended == "kept") == bool(draft.question)
        strict = draft_question(model, target, "Harbour", prompts, Overlap())
        assert strict.first == draft.first
