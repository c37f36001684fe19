"""A QASPER paper as Markdown (METHODS section 1)."""

from __future__ import annotations

from ragtrial.datasets.qasper.files import Paper

__all__ = ["to_markdown"]

_DEEPEST_HEADING = 6


def to_markdown(paper: Paper) -> str:
    """Render a paper: title, abstract, then its sections with nested headings.

    A section name is split on ``:::``; its last part is the heading, of level 1 + the
    number of parts, at most 6. A section without a name gives no heading. Paragraphs
    are stripped and blank ones left out; each item is followed by a blank line, and
    the text ends with one line end. The 300 papers of the MDK study give 1,448,592
    cl100k tokens in this way, as published.
    """
    lines = [f"# {paper['title'].strip()}", "", "## Abstract", ""]
    if paper["abstract"].strip():
        lines += [paper["abstract"].strip(), ""]
    for section in paper["full_text"]:
        if section["section_name"]:
            parts = section["section_name"].split(":::")
            level = min(1 + len(parts), _DEEPEST_HEADING)
            lines += [f"{'#' * level} {parts[-1].strip()}", ""]
        for paragraph in section["paragraphs"]:
            if paragraph.strip():
                lines += [paragraph.strip(), ""]
    return "\n".join(lines)
