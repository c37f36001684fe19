"""What the arms of a part lack: documents that failed, and chunks about which no reply could be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["lacking_in", "lacking_lines", "unread_of"]

_UNREAD: Final = ("without_fields", "without_context")


def unread_of(arms: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> Iterator[dict[str, Any]]:
    """Yield for each step that asked about chunks ``arm``, ``chunks`` and ``unread``, those without a usable reply.

    ``arms``: names of arms with the reports of their steps.
    """
    for arm, reports in arms:
        for report in reports:
            unread = sum(report.get(key, 0) for key in _UNREAD)
            if unread:
                yield {"arm": arm, "chunks": report["chunks"], "unread": unread}


def lacking_in(part: str, header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the record of a part lacks, JSON-ready; ``header`` is the record's."""
    corpus = header["corpus"]
    return {
        "part": part,
        "documents": corpus["documents"],
        "failed_documents": len(corpus["failed_documents"]),
        "unread": list(unread_of((arm["arm"], arm["reports"]) for arm in header["arms"])),
    }


def lacking_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for everything that is lacking."""
    for row in rows:
        if row["failed_documents"]:
            total = row["documents"] + row["failed_documents"]
            yield (
                f"INCOMPLETE: {row['failed_documents']:,} of {total:,} documents of {row['part']} failed in some arm "
                "and left all arms with their questions."
            )
        for arm in row["unread"]:
            yield (
                f"INCOMPLETE: no reply could be read about {arm['unread']:,} of {arm['chunks']:,} chunks of the arm "
                f"{arm['arm']} of {row['part']}."
            )
