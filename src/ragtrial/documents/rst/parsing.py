"""From text to docutils' tree, with settings under which nothing is executed and no file is read."""

from __future__ import annotations

from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import SystemMessage

from ragtrial.documents.rst.context import Context
from ragtrial.documents.rst.directives import sphinx
from ragtrial.errors import DataError

__all__ = ["parse"]


def parse(text: str, context: Context, name: str) -> nodes.document:
    """Return the tree of a page; ``name`` is what docutils calls its source."""
    settings = {
        "_disable_config": True,
        "docinfo_xform": False,
        "doctitle_xform": False,
        "file_insertion_enabled": False,
        "halt_level": 6,
        "input_encoding": "unicode",
        "ragtrial_context": context,
        "ragtrial_source": name,
        "raw_enabled": False,
        "report_level": 5,
        "sectsubtitle_xform": False,
        "smart_quotes": False,
        "syntax_highlight": "none",
        "warning_stream": False,
    }
    with sphinx():
        try:
            return publish_doctree(text, source_path=name, settings_overrides=settings)
        # What docutils and its transforms let through on odd input.
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            SystemMessage,
            TypeError,
            ValueError,
        ) as e:
            raise DataError(f"docutils cannot read it: {type(e).__name__}: {e}") from e
