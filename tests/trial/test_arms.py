"""Arms: a chunker and its steps, in one spelling everywhere."""

import json

import pytest

from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.length_matched import LengthMatched
from ragtrial.chunkers.windows import Chars, Tokens
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError
from ragtrial.prefixes.path import Path
from ragtrial.retrievers.bm25 import BM25
from ragtrial.trial.arms import Arm

DOCUMENT = read_markdown("# One\n\nFirst words.\n\n## Two\n\nMore words, and many of them.\n", id="d.md")


@pytest.mark.parametrize(
    "spec",
    [
        "headers",
        "chars(512)",
        "tokens(256, overlap=32)",
        "headers(max=1000, min=0) + path",
        "headers(dialect='study') + path(separator=' / ')",
        "length_matched(of=headers(max=900))",
        "paragraphs + path + path(separator=': ')",
    ],
)
def test_an_arm_prints_the_expression_that_makes_it(spec):
    arm = Arm.of(spec)
    assert Arm.of(str(arm)) == arm
    assert str(Arm.of(str(arm))) == str(arm)
    json.dumps(arm.parameters(), allow_nan=False)


def test_the_spellings_of_one_arm_are_equal():
    assert Arm.of("headers(max=900) + path") == Arm.of(Headers(max=900) + Path()) == Arm(Headers(max=900), (Path(),))
    assert Arm.of("chars(512)") == Arm.of(Chars(512)) == Arm.of("chars(size=512)")


def test_parameters_tell_all_defaults():
    parameters = Arm.of("headers + path").parameters()
    assert parameters["chunker"]["component"] == "headers"
    assert (parameters["chunker"]["max"], parameters["chunker"]["min"]) == (1500, 100)
    assert parameters["steps"] == [{"component": "path", "separator": " > "}]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("path", "'headers + path'"),
        ("path + headers", "'path' is a step"),
        ("headers + chars(5)", "no step called 'chars'"),
        ("headrs + path", "Did you mean 'headers'"),
        ("headers + paht", "Did you mean 'path'"),
        ("headers path", "Cannot read"),
        ("headers - path", "headers - path"),
        ("headers + 'path'", "Cannot read"),
        ("", "Cannot read"),
        ("headers(open('x'))", "open"),
        (Path(), "An arm starts with a chunker, and 'path' is none"),
        (BM25(), "An arm starts with a chunker"),
        (Headers() + BM25(), "After its chunker an arm has steps"),
        (Headers() + Headers(), "After its chunker an arm has steps"),
        (None, "None"),
        (5, "5"),
        (["headers"], "headers"),
    ],
    ids=str,
)
def test_what_is_no_arm_is_refused(source, words):
    with pytest.raises(SpecError) as caught:
        Arm.of(source)
    assert words in str(caught.value)


def test_building_cuts_and_applies_the_steps():
    chunks = Arm.of("headers(min=0) + path").build([DOCUMENT])
    assert [chunk.path for chunk in chunks] == [("One",), ("One", "Two")]
    assert [chunk.prefix for chunk in chunks] == ["One\n\n", "One > Two\n\n"]
    assert "".join(chunk.text for chunk in chunks) == DOCUMENT.text


def test_fitting_settles_what_depends_on_the_corpus():
    arm = Arm.of("length_matched + path")
    assert arm.chunker == LengthMatched()
    fitted = arm.fit([DOCUMENT])
    assert isinstance(fitted.chunker, Tokens)
    assert fitted.steps == arm.steps
    assert Arm.of("chars(5) + path").fit([DOCUMENT]) == Arm.of("chars(5) + path")
    assert [c.text for c in fitted.build([DOCUMENT])] == [c.text for c in arm.build([DOCUMENT])]
