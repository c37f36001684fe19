"""What all tests share: the folder of oracles and data that lies beside a developer's checkout."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a test may load a vocabulary or a model: time says nothing about the code.
settings.register_profile("ragtrial", deadline=None)
settings.load_profile("ragtrial")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return a path below ``../shared``; the test is skipped where that folder is absent."""

    def locate(relative: str) -> Path:
        path = SHARED / relative
        if not path.exists():
            pytest.skip(f"needs {relative} of the folder ../shared, which lies beside a developer's checkout only")
        return path

    return locate
