"""Figures: the same bytes, text as text, a shape for each verdict, and nothing lost at the edges."""

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.report.figures.canvas import PAPER, SCREEN, inline_svg, label, save
from ragtrial.report.figures.curves import MOST, draw_curves
from ragtrial.report.figures.forest import SHAPES, draw_forest, forest_limit
from ragtrial.statistics.verdict import TESTS, WORDS

from .html_reader import Page
from .made_up import rows
from .made_up_trial import EVIL

DRAW = {"forest": draw_forest, "curves": draw_curves}


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_the_same_rows_give_the_same_file(draw, kind, real):
    one, two = (save(draw(real.contrasts, PAPER), kind, PAPER) for _ in range(2))
    assert one == two
    assert one.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[kind])


def test_settings_of_the_user_change_nothing(real):
    import matplotlib as mpl

    plain = save(draw_forest(real.contrasts, PAPER), "svg", PAPER)
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.facecolor": "red"}):
        assert save(draw_forest(real.contrasts, PAPER), "svg", PAPER) == plain
        assert mpl.rcParams["font.size"] == 30


def test_every_verdict_has_a_shape_of_its_own():
    assert set(SHAPES) == set(WORDS)
    assert len(set(SHAPES.values())) == len(WORDS)


def test_text_is_text_and_numbers_stand_beside(real):
    page = Page(f"<div>{inline_svg(draw_forest(real.contrasts, SCREEN), 'f', 'told')}</div>")
    words = page.texts["text"]
    for row in real.contrasts:
        assert row["name"] in words
        assert any(f"[{row['ci95'][0] * 100:+.1f}" in text or f"[{row['ci90'][0] * 100:+.1f}" in text for text in words)
    assert {"← second higher", "first higher →"} <= set(words)


def test_colours_of_a_page_are_the_page_s_own(real):
    svg = inline_svg(draw_forest(real.contrasts, SCREEN), "f", "told")
    assert "var(--accent)" in svg
    assert "currentColor" in svg
    assert not set(re.findall(r"#[0-9a-f]{6}", svg))
    assert not re.search(r"<(metadata|\?xml|!DOCTYPE)", svg)


def test_two_figures_on_a_page_share_no_id(real):
    ids = [
        set(re.findall(r'\bid="([^"]+)"', inline_svg(draw_forest(real.contrasts, SCREEN), name, "t")))
        for name in ("one", "two")
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize("words", [EVIL, "$\\frac{1}{2}$", "水泵 насос 🚀", "\x00\x1b", "a" * 500, "$", "\\", "&<>\"'"])
def test_names_are_drawn_as_they_are_and_break_nothing(words, real):
    named = [row | {"name": words, "a": words, "b": words} for row in real.contrasts]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for draw in DRAW.values():
            page = Page(f"<div>{inline_svg(draw(named, SCREEN), 'f', words)}</div>")
            assert any(label(words, 20)[:10] in text for text in page.texts["text"])
            assert not page.all("script") + page.all("img")
            save(draw(named, PAPER), "pdf", PAPER)


@settings(max_examples=25)
@given(st.lists(rows(tests=TESTS), min_size=1, max_size=5))
def test_any_rows_can_be_drawn_and_cut_intervals_have_arrows(contrasts):
    limit = forest_limit(contrasts)
    assert all(abs(row["difference"]) * 100 <= limit for row in contrasts)
    assert all((row["margin"] or 0) * 100 <= limit for row in contrasts)
    cut = sum(abs(end) * 100 > limit for row in contrasts if row["ci95"] for end in row["ci95"])
    figure = draw_forest(contrasts, PAPER)
    (axes,) = figure.axes
    edges = [
        line for line in axes.lines if line.get_marker() in ("<", ">") and abs(abs(line.get_xdata()[0]) - limit) < 1e-9
    ]
    assert len([line for line in edges if not line.get_clip_on()]) == cut


def test_one_wide_interval_does_not_squeeze_the_others(real):
    row = real.contrasts[0] | {"difference": 0.01, "ci95": [-0.01, 0.03], "ci90": [0.0, 0.02], "margin": None}
    wide = row | {"ci95": [-0.9, 0.9], "ci90": [-0.8, 0.8]}
    assert forest_limit([row, row, wide]) < 15
    assert forest_limit([row, row, row]) == pytest.approx(3.15)


def test_only_so_many_curves_are_drawn(real):
    figure = draw_curves(real.contrasts * 10, PAPER)
    assert sum(axes.get_visible() for axes in figure.axes) == MOST
