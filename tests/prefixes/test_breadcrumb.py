"""The breadcrumb: title, path, brackets, a blank line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.headers import Headers
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError
from ragtrial.prefixes.breadcrumb import Breadcrumb
from ragtrial.prefixes.path import Path
from ragtrial.specs import parse_call
from ragtrial.trial.steps import STEPS

from .corpora import chunk_set, chunk_sets

DEEP = chunk_set([["A", "B", "C", "D"]])


@pytest.mark.parametrize(
    ("parameters", "prefix"),
    [
        ({}, "[T0 › A › B › C › D]\n\n"),
        ({"depth": 1}, "[T0 › A]\n\n"),
        ({"depth": 3}, "[T0 › A › B › C]\n\n"),
        ({"depth": 9}, "[T0 › A › B › C › D]\n\n"),
        ({"depth": 1, "count_title": True}, "[T0]\n\n"),
        ({"depth": 3, "count_title": True}, "[T0 › A › B]\n\n"),
        ({"count_title": True}, "[T0 › A › B › C › D]\n\n"),
        ({"title": False}, "[A › B › C › D]\n\n"),
        ({"title": False, "depth": 2, "count_title": True}, "[A › B]\n\n"),
        ({"separator": " > ", "depth": 1}, "[T0 > A]\n\n"),
    ],
)
def test_rendering(parameters, prefix):
    assert Breadcrumb(**parameters).apply(DEEP).prefixes == (prefix,)


def test_a_chunk_without_a_path_shows_the_title_or_nothing():
    chunks = chunk_set([[]])
    assert Breadcrumb().apply(chunks).prefixes == ("[T0]\n\n",)
    assert Breadcrumb(title=False).apply(chunks).prefixes == ("",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Guide\n\none\n\n## Part\n\ntwo\n", ["[Guide]\n\n", "[Guide › Part]\n\n"]),
        ("# Guide\n\none\n\n# Other\n\ntwo\n", ["[a/b.md › Guide]\n\n", "[a/b.md › Other]\n\n"]),
        ("## Part\n\ntwo\n", ["[a/b.md › Part]\n\n"]),
        ("zero\n\n# Guide\n\n## Guide\n\ntwo\n", ["[Guide]\n\n", "[Guide › Guide]\n\n"]),
        ("---\ntitle: Meta\n---\n\n# Guide\n\n## Part\n\ntwo\n", ["[Meta]\n\n", "[Meta › Part]\n\n"]),
    ],
)
def test_the_title_heading_of_markdown_is_shown_once(text, expected):
    chunks = Headers(min=0).chunk_documents([read_markdown(text, id="a/b.md")])
    assert list(Breadcrumb().apply(chunks).prefixes) == expected


def test_it_stands_in_front_of_what_is_there():
    chunks = (Path().apply(DEEP), Breadcrumb(1).apply(DEEP))
    assert Breadcrumb(1).apply(chunks[0]).prefixes == ("[T0 › A]\n\nA > B > C > D\n\n",)
    assert Path().apply(chunks[1]).prefixes == ("A > B > C > D\n\n[T0 › A]\n\n",)


@given(chunk_sets, st.integers(1, 5))
def test_a_breadcrumb_is_the_full_one_cut_to_its_depth(chunks, depth):
    full = Breadcrumb().trails(chunks)
    cut = Breadcrumb(depth).trails(chunks)
    assert cut == [trail[: depth + 1] for trail in full]
    assert Breadcrumb(depth + 1, count_title=True).trails(chunks) == cut
    assert Breadcrumb(depth, title=False).trails(chunks) == [trail[1:] for trail in cut]


@given(chunk_sets)
def test_text_and_spans_stay(chunks):
    after = Breadcrumb().apply(chunks)
    assert after.texts == chunks.texts
    assert after.paths == chunks.paths
    assert after.prefixes == tuple(f"[{' › '.join(trail)}]\n\n" for trail in Breadcrumb().trails(chunks))


def test_spelling():
    assert STEPS.build(parse_call("breadcrumb(2, separator=' / ')")) == Breadcrumb(2, separator=" / ")
    assert str(Breadcrumb()) == "breadcrumb"
    assert str(Breadcrumb(3)) == "breadcrumb(3)"
    assert not Breadcrumb().corpus_wide


@pytest.mark.parametrize("parameters", [{"depth": 0}, {"depth": "1"}, {"title": "yes"}])
def test_impossible_parameters_are_refused(parameters):
    with pytest.raises(SpecError, match="breadcrumb"):
        Breadcrumb(**parameters)
