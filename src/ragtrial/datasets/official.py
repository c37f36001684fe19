"""Where the official files of the data sets are, what they must hash to, and under which licence they come."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["OFFICIAL", "Archive", "Official", "Repository"]


class Archive(NamedTuple):
    """A packed file: where it is, and the sha256 of each of its members that is needed."""

    url: str
    members: dict[str, str]


class Repository(NamedTuple):
    """A folder of a repository of data sets, which publishes the sha256 of each file in its listing.

    ``files`` begin with ``start`` there and with ``name`` here.
    """

    listing: str
    download: str
    folder: str
    start: str
    name: str


class Official(NamedTuple):
    """A data set: its official files, its licence, where it is described, and what else it needs."""

    archives: tuple[Archive, ...]
    repositories: tuple[Repository, ...]
    licence: str
    about: str
    next_step: str


_QASPER = "https://qasper-dataset.s3.us-west-2.amazonaws.com"
_HUB = "https://huggingface.co"
_FRESHSTACK_DOMAINS = ("angular", "laravel", "yolo")


def _freshstack(repository: str, start: str, name: str) -> tuple[Repository, ...]:
    return tuple(
        Repository(
            f"{_HUB}/api/datasets/freshstack/{repository}/tree/main/{domain}",
            f"{_HUB}/datasets/freshstack/{repository}/resolve/main",
            domain,
            start,
            name,
        )
        for domain in _FRESHSTACK_DOMAINS
    )


OFFICIAL: dict[str, Official] = {
    "freshstack": Official(
        (),
        (*_freshstack("queries-oct-2024", "test-", "queries-"), *_freshstack("corpus-oct-2024", "train-", "corpus-")),
        "CC BY-SA 4.0 (questions and answers by the users of Stack Overflow); each documentation under its own licence",
        "Thakur et al. 2025, arXiv 2504.13128",
        "Put the documentation of each repository, at the commit of the corpus, into the folder docs of its domain.",
    ),
    "qasper": Official(
        (
            Archive(
                f"{_QASPER}/qasper-train-dev-v0.3.tgz",
                {
                    "qasper-dev-v0.3.json": "4ad85e4f6bedb587640752d398ed31c3ce281f90157fa39072a1d94d1ca3d193",
                    "qasper-train-v0.3.json": "89be79d6c1e038e635bdb90ead553c72172478a62c877e05f3b48cc6f986d278",
                },
            ),
            Archive(
                f"{_QASPER}/qasper-test-and-evaluator-v0.3.tgz",
                {"qasper-test-v0.3.json": "61aaf4fcd43c50bd176eeb73224811032c732f500b8503fd411c32c409e34f96"},
            ),
        ),
        (),
        "CC BY 4.0",
        "Dasigi et al. 2021, arXiv 2105.03011",
        "",
    ),
}
"""The data sets that can be fetched; each goes into a folder that its reader takes as ``path``."""
