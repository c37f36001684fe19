"""The sample that the package carries: 12 QASPER papers with their questions.

The papers are by their authors; the questions, answers and evidence are from QASPER by
Pradeep Dasigi, Kyle Lo, Iz Beltagy, Arman Cohan, Noah A. Smith and Matt Gardner (2021,
"A Dataset of Information-Seeking Questions and Answers Anchored in Research Papers"),
under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). The sample is a subset
of the dev split of version 0.3 and otherwise unchanged; ``scripts/build_demo_sample.py``
makes it, `samples/LICENSE-QASPER.md` says how the papers were chosen.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from ragtrial.datasets.model import Dataset
from ragtrial.datasets.qasper.files import parse_papers
from ragtrial.datasets.qasper.load import LICENCE, SOURCE
from ragtrial.datasets.qasper.mdk import build_mdk
from ragtrial.documents.markdown.reader import Dialect

__all__ = ["ATTRIBUTION", "demo_path", "load_demo"]

ATTRIBUTION = (
    "12 papers of QASPER v0.3 (Dasigi, Lo, Beltagy, Cohan, Smith and Gardner 2021), CC BY 4.0, a subset, unchanged."
)
"""One line to print beside results on the sample."""


def demo_path() -> Traversable:
    """Return the sample: a packed file in the format of the official ones."""
    return files("ragtrial.datasets") / "samples" / "qasper-demo.json.gz"


def load_demo(*, dialect: Dialect = "study") -> Dataset:
    """Load the sample under the protocol "mdk"; its papers are in the order of their ids.

    Parameters
    ----------
    dialect : {"study", "commonmark"}
        How the papers' Markdown is read.
    """
    path = demo_path()
    papers = parse_papers(path.read_bytes(), path.name)
    dataset = build_mdk(papers, sorted(papers), dialect=dialect, name=path.name)
    meta = {"name": "demo", "source": SOURCE, "licence": LICENCE, "attribution": ATTRIBUTION}
    return replace(dataset, meta=MappingProxyType(meta))
