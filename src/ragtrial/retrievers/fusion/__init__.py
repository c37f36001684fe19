"""Two rankings made into one: the components `RRF` and `Weighted`."""

from __future__ import annotations

from ragtrial.retrievers.fusion.rrf import RRF
from ragtrial.retrievers.fusion.weighted import Weighted

__all__ = ["RRF", "Weighted"]
