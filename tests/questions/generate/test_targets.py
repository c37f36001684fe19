"""Which spans are picked: by type, by seed, and never by anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.markdown.reader import read_markdown
from ragtrial.documents.plain import read_text
from ragtrial.questions.generate.targets import TYPES, Sampling, pick_targets

SMALL = Sampling(per_document=2, min_words=3, max_words=30, max_section_words=60)
TEXT = """# Handbook

An opening paragraph before any section.

## Lights

The red lantern marks the harbour gate.

### Blue

A blue lantern marks the northern pier.

## Stock

Paint is kept in the shed.

Short one.

## Rules

Nobody smokes near the oil store, ever.

Keys are kept by the eldest mechanic.
"""
DOCUMENT = read_markdown(TEXT, id="handbook.md")


def by_type(targets):
    return {kind: [target for target in targets if target.type == kind] for kind in TYPES}


def test_each_type_gets_spans_of_its_kind():
    found = by_type(pick_targets(DOCUMENT, SMALL))
    assert {kind: len(targets) for kind, targets in found.items()} == dict.fromkeys(TYPES, 2)
    for kind in ("factoid", "underspecified"):
        assert all(len(target.spans) == 1 and "\n" not in target.texts[0] for target in found[kind])
    for target in found["multihop"]:
        one, two = target.spans
        tops = [DOCUMENT.path_at(span.start)[1:2] for span in (one, two)]
        assert one < two
        assert tops[0] != tops[1]
    assert {target.texts[0].splitlines()[0] for target in found["structural"]} <= {
        "The red lantern marks the harbour gate.",
        "Paint is kept in the shed.",
        "Nobody smokes near the oil store, ever.",
    }


def test_texts_are_exact_slices_and_ids_are_unique():
    targets = pick_targets(DOCUMENT, SMALL)
    for target in targets:
        assert target.texts == tuple(TEXT[span.start : span.end] for span in target.spans)
    assert len({target.id for target in targets}) == len(targets)


def test_a_seed_draws_the_same_and_another_one_otherwise():
    many = "# T\n\n" + "\n\n".join(f"## S{n}\n\nparagraph {n} has so many words" for n in range(40))
    document = read_markdown(many, id="d")
    draws = [pick_targets(document, Sampling(seed=seed, min_words=3)) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert pick_targets(read_markdown(many, id="other"), Sampling(seed=1, min_words=3)) != draws[0]


def test_limits_on_words_hold():
    assert all(len(text.split()) >= 3 for target in pick_targets(DOCUMENT, SMALL) for text in target.texts)
    none = pick_targets(DOCUMENT, Sampling(min_words=500))
    assert none == ()
    short = Sampling(per_document=9, min_words=3, max_words=6, max_section_words=60)
    assert all(len(t.texts[0].split()) <= 6 for t in pick_targets(DOCUMENT, short) if t.type == "factoid")


def test_a_document_without_headings_has_no_hops():
    document = read_text("one two three four five six\n\nseven eight nine ten eleven\n", id="plain")
    found = by_type(pick_targets(document, SMALL))
    assert found["multihop"] == []
    assert len(found["structural"]) == 1


@pytest.mark.parametrize("text", ["", "\ufeff", "\n\n", "# Only a title\n", "---\na: b\n---\n"])
def test_nothing_to_ask_about(text):
    assert pick_targets(read_markdown(text, id="d"), SMALL) == ()


@given(st.text(alphabet="ab \n#\r\ud800中я\0"), st.integers(0, 3))
def test_any_text_gives_spans_inside_it(text, seed):
    document = read_markdown(text, id="d")
    for target in pick_targets(document, Sampling(min_words=1, seed=seed)):
        assert all(0 <= span.start < span.end <= len(text) for span in target.spans)
        assert target.texts == tuple(text[span.start : span.end] for span in target.spans)
