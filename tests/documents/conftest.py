"""The laws of documents, for all readers' tests."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def laws():
    spec = importlib.util.spec_from_file_location("document_laws", Path(__file__).with_name("laws.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
