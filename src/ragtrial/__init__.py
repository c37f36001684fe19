"""ragtrial: controlled, paired trials of the choices that build a retrieval index.

Everything public is a name of this module and is imported when it is first used,
so that ``import ragtrial`` and ``ragtrial --help`` stay light::

    import ragtrial as rt

    document = rt.read_markdown(text, id="guide.md")
    chunks = rt.Headers(max=1500).chunk(document)
    arm = rt.Arm.of(rt.Headers() + rt.Path())
"""

from __future__ import annotations

import importlib
from typing import Any

_PLACES = {
    "Arm": "trial.arms",
    "BM25": "retrievers.bm25",
    "Chars": "chunkers.windows",
    "Chunk": "chunkers.chunkset",
    "ChunkSet": "chunkers.chunkset",
    "Comparison": "statistics.compare",
    "ConfigError": "errors",
    "Context": "prefixes.context",
    "DataError": "errors",
    "Document": "documents.model",
    "Enriched": "prefixes.enriched",
    "Evidence": "questions.model",
    "Expand": "retrievers.expand",
    "External": "chunkers.external",
    "FailedDocumentsError": "errors",
    "Fields": "chunkers.fields",
    "Headers": "chunkers.headers",
    "LengthMatched": "chunkers.length_matched",
    "Merge": "merging.merge",
    "MissingExtraError": "errors",
    "ModelCallError": "errors",
    "Paragraphs": "chunkers.paragraphs",
    "Path": "prefixes.path",
    "PerField": "prefixes.per_field",
    "Question": "questions.model",
    "RagtrialError": "errors",
    "Ranking": "retrievers.ranking",
    "Record": "trial.record",
    "RecordError": "errors",
    "Recursive": "chunkers.recursive",
    "Sections": "chunkers.sections",
    "SpecError": "errors",
    "SpendingCapError": "errors",
    "StatisticsError": "errors",
    "Tokens": "chunkers.windows",
    "Trial": "trial.config",
    "UsageError": "errors",
    "compare": "statistics.compare",
    "export": "report.exports.write",
    "external": "chunkers.external",
    "harvest": "questions.links.harvest",
    "parse_measure": "measures.names",
    "read_file": "documents.files",
    "read_folder": "documents.folder",
    "read_markdown": "documents.markdown",
    "read_questions": "questions.load",
    "read_text": "documents.plain",
    "run": "trial.run",
    "write_report": "report.pages.answer",
}

__version__ = "0.1.0"

__all__ = ["__version__", *sorted(_PLACES)]


def __getattr__(name: str) -> Any:  # any public object
    if name not in _PLACES:
        raise AttributeError(f"module 'ragtrial' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"ragtrial.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
