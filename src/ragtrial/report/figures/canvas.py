"""What all figures share: colours, the settings that make the same figure the same bytes, and the ways to save one."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal

from ragtrial.errors import MissingExtraError
from ragtrial.report.words import clean, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAPER", "SCREEN", "Format", "Palette", "drawing", "inline_svg", "label", "save"]

Format = Literal["svg", "pdf", "png"]


@dataclass(frozen=True, slots=True)
class Palette:
    """The four inks of a figure; marks differ in shape as well, so that no meaning hangs on them."""

    ink: str
    muted: str
    accent: str
    band: str


PAPER: Final = Palette(ink="#1a1a1a", muted="#6b6b6b", accent="#1d5f8a", band="#e6e6e0")
"""For files that stand alone."""

SCREEN: Final = Palette(ink="#010101", muted="#020202", accent="#030303", band="#040404")
"""Stand-ins that `inline_svg` turns into the page's own colours, light or dark."""

_VARIABLES: Final = {
    SCREEN.ink: "currentColor",
    SCREEN.muted: "var(--muted)",
    SCREEN.accent: "var(--accent)",
    SCREEN.band: "var(--band)",
}

_SETTINGS: Final[dict[str, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ragtrial",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": False,
    "text.parse_math": False,
    "text.usetex": False,
    "axes.unicode_minus": True,
}


@contextmanager
def drawing(palette: Palette) -> Iterator[None]:
    """Draw with fixed settings, whatever the user's own are; without matplotlib `MissingExtraError` is raised."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("Figures need matplotlib.", extra="report") from None
    settings: dict[Any, Any] = _SETTINGS | {
        "text.color": palette.ink,
        "axes.labelcolor": palette.ink,
        "axes.edgecolor": palette.muted,
        "xtick.color": palette.muted,
        "ytick.color": palette.muted,
    }
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        # The browser has letters that the measuring font lacks.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def label(text: str, most: int = 40) -> str:
    """Return a name as it stands in a figure: on one line, not too long, without control characters."""
    return shortened(clean(text), most)


def save(figure: Figure, kind: Format, palette: Palette) -> bytes:
    """Return a figure as a file; the same figure gives the same bytes."""
    out = BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with drawing(palette):
        figure.savefig(out, format=kind, metadata=metadata, dpi=200, transparent=kind == "svg")
    return out.getvalue()


def inline_svg(figure: Figure, name: str, title: str) -> str:
    """Return a figure drawn in `SCREEN` as an element of a page: its text is text, its colours are the page's.

    Parameters
    ----------
    figure : Figure
    name : str
        Letters only; ids in the figure begin with it, so that several figures fit on one page.
    title : str
        The text for those who do not see the figure.
    """
    svg = save(figure, "svg", SCREEN).decode("utf-8")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    for ink, variable in _VARIABLES.items():
        svg = svg.replace(ink, variable)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\1#{name}-", svg)
    told = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return re.sub(
        r'<svg [^>]*?width="([\d.]+)pt"[^>]*?>|<svg [^>]*>',
        lambda found: _opening(found.group(0), told),
        svg,
        count=1,
    )


def _opening(tag: str, title: str) -> str:
    box = re.search(r'viewBox="([^"]+)"', tag)
    assert box is not None
    return f'<svg viewBox="{box[1]}" role="img" aria-label="{title}" xmlns="http://www.w3.org/2000/svg">'
