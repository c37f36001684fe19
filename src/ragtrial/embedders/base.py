"""What the rest of ragtrial knows of embeddings, and what a backend has to provide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Embedder", "Encoder", "Identity", "Kind", "Progress", "Report", "Vectors"]

Kind: TypeAlias = Literal["document", "query"]
"""Models may put different words before questions and before what is searched."""

Vectors: TypeAlias = npt.NDArray[np.float32]
"""One vector a row, shape (texts, dimension)."""

Identity: TypeAlias = Mapping[str, Any]
"""JSON-ready: everything that the vectors of a model depend on beside the texts; never a path, a secret or a time."""


class Progress(NamedTuple):
    """How far an embedding is: texts done, all texts to do, and the seconds that the rest will take."""

    done: int
    total: int
    seconds_left: float


Report: TypeAlias = Callable[[Progress], None]
"""Called after every batch."""


class Embedder(Protocol):
    """Texts to vectors of length 1, each a function of its text alone."""

    @property
    def dimension(self) -> int:
        """The number of components of a vector; may load the model."""

    @property
    def seconds(self) -> float:
        """How long the model has taken so far to embed texts, cutting them into tokens included."""

    def identity(self) -> Identity:
        """Return everything that the vectors depend on; loads no model."""

    def embed(self, texts: Sequence[str], kind: Kind = "document", progress: Report | None = None) -> Vectors:
        """Return float32 vectors of length 1, shape (texts, dimension), in the order of the texts.

        Identical texts are embedded once. A vector that is missing, of another size, not finite or zero
        raises `DataError`.
        """

    def missing(self, texts: Sequence[str], kind: Kind = "document") -> list[str]:
        """Return the different texts that `prepare` would embed; none where nothing is kept."""

    def prepare(self, texts: Sequence[str], kind: Kind = "document", progress: Report | None = None) -> None:
        """Embed ahead what later calls will ask for, in this process or others; nothing where nothing is kept."""

    def cut(self, texts: Sequence[str], kind: Kind = "document") -> int | None:
        """Return how many of the texts are longer than the model's window, so that their ends are not in the vector.

        None where the backend does not tell.
        """


class Encoder(Protocol):
    """One model behind one backend: takes texts with their prefixes, one batch at a time."""

    @property
    def batch(self) -> int:
        """How many texts to encode at a time where nobody says otherwise."""

    @property
    def window(self) -> int | None:
        """The most tokens of a text that the model sees; None where that is not known."""

    def identity(self) -> Identity:
        """Return everything that the vectors depend on, the prefixes excepted; loads no model.

        Under ``runtime`` stand the versions of the libraries that compute them.
        """

    def lengths(self, texts: Sequence[str]) -> Sequence[int] | None:
        """Return the number of tokens of each text, none of them cut; None where that is not known."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """Return the vectors of one batch as the model gives them."""
