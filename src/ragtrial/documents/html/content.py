"""Which part of a page is its content, and which elements in it are not.

The content is the first of these that has text: the only ``main`` or ``role="main"``; the only ``article``; the only
element with the id ``content`` or ``main-content`` or the class ``body`` (Sphinx) or ``markdown-body``; the body. If a
``main`` holds just one ``article``, with at least half of its text, the article is taken.

Inside it these elements are left out, with all they hold, and counted: see `boilerplate`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragtrial.documents.html.lines import unmarked

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["INVISIBLE", "boilerplate", "find_content", "letters"]

INVISIBLE = frozenset(
    (
        *("area", "audio", "base", "basefont", "canvas", "datalist", "embed", "frame", "frameset", "head", "iframe"),
        *("input", "link", "meta", "noembed", "noframes", "noscript", "object", "param", "script", "select", "source"),
        *("style", "svg", "template", "textarea", "track", "video", "wbr"),
    )
)
"""Elements without any text for a reader: left out and not counted."""

_TAGS = frozenset(("nav", "footer", "button", "dialog", "menu"))
_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "complementary", "button", "alert", "dialog"))
_NAMES = frozenset(
    (
        *("breadcrumb", "breadcrumbs", "headerlink", "header-anchor", "anchor-link", "hash-link", "heading-anchor"),
        *("toc", "table-of-contents", "toctree-wrapper", "sidebar", "sphinxsidebar", "mw-editsection", "reference-toc"),
        *(
            "edit-this-page",
            "edit-page-link",
            "pagination",
            "pagination-nav",
            "prev-next",
            "prev-next-area",
            "skip-link",
        ),
        *("linenos", "lineno", "linenodiv", "copybtn", "copy-button", "cookie-banner", "visually-hidden", "sr-only"),
        *("navbox", "noprint", "catlinks", "printfooter", "reference", "mw-jump-link", "related-pages"),
    )
)
_HIDDEN = re.compile(r"(?:^|;)\s*display\s*:\s*none", re.IGNORECASE)
_CANDIDATES = ("main, [role=main]", "article", "#content, #main-content, div.body, .markdown-body")


def find_content(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the element that holds the content of a page, None for a page without a body."""
    for selector in _CANDIDATES:
        # Themes mark one place twice: <div role="main"><main>.
        matches = tree.css(selector)
        known = {node.mem_id for node in matches}
        found = [node for node in matches if node.parent is None or node.parent.mem_id not in known]
        size = letters(found[0]) if len(found) == 1 else 0
        if size:
            inner = found[0].css("article") if found[0].tag != "article" else []
            return inner[0] if len(inner) == 1 and 2 * letters(inner[0]) >= size else found[0]
    return tree.body


def letters(node: LexborNode) -> int:
    """Return how many characters of text an element holds, white space and line marks apart."""
    return len("".join(unmarked(node.text(deep=True) or "").split()))


def boilerplate(tag: str, attributes: dict[str, str | None]) -> str:
    """Return the reason why an element inside the content is left out, "" if it is read.

    Left out are ``nav``, ``footer``, ``button``, ``dialog`` and ``menu``; elements with one of the roles navigation,
    banner, contentinfo, search, complementary, button, alert and dialog; hidden ones (``hidden``,
    ``aria-hidden="true"``, ``display: none``), but not the panels of tabs; and those whose id or one of whose
    classes is a usual name of navigation: breadcrumbs, tables of contents, heading anchors, edit and page links,
    line numbers, copy buttons, footnote marks.
    """
    if tag in _TAGS:
        return tag
    if not attributes:
        return ""
    role = (attributes.get("role") or "").strip().lower()
    if role in _ROLES:
        return f"role {role}"
    if role != "tabpanel" and _is_hidden(attributes):
        return "hidden"
    names = {(attributes.get("id") or "").strip().lower(), *(attributes.get("class") or "").lower().split()}
    found = sorted(names & _NAMES)
    return f"class {found[0]}" if found else ""


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if (attributes.get("aria-hidden") or "").lower() == "true":
        return True
    return bool(_HIDDEN.search(attributes.get("style") or ""))
