"""Every worked example in a docstring of the package runs, and every public function has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import ragtrial.statistics

MODULES = [
    importlib.import_module(f"ragtrial.statistics.{m.name}") for m in pkgutil.iter_modules(ragtrial.statistics.__path__)
]
NEEDS_AN_EXTRA = {"equivalence": "scipy", "mixed": "statsmodels"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_worked_examples(module):
    extra = NEEDS_AN_EXTRA.get(module.__name__.rpartition(".")[2])
    if extra:
        pytest.importorskip(extra)
    result = doctest.testmod(module)
    assert result.failed == 0


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_public_function_has_a_worked_example(module):
    assert list(module.__all__) == sorted(
        module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isfunction(thing) and thing.__module__ == module.__name__:
            assert ">>>" in (thing.__doc__ or ""), f"{module.__name__}.{name} has no worked example"
