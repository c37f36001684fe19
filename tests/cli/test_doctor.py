"""`ragtrial doctor`: what is installed, and what each missing extra would add."""

import json
import platform
from importlib.metadata import PackageNotFoundError, metadata, version

import pytest

import ragtrial
from ragtrial.cli import doctor

FOR_DEVELOPERS = {"bench", "browser", "lint", "test"}


def test_the_table_of_extras_is_that_of_the_package():
    assert set(doctor.ADDS) == set(metadata("ragtrial").get_all("Provides-Extra")) - FOR_DEVELOPERS


def test_everything_is_told(call):
    done = call("doctor")
    assert (done.code, done.err) == (0, "")
    assert f"ragtrial {ragtrial.__version__} on Python {platform.python_version()}" in done.out
    for name in ("numpy", "polars", "tiktoken"):
        assert any(line.split() == [name, version(name)] for line in done.out.splitlines())
    for extra, adds in doctor.ADDS.items():
        assert extra in done.out
        assert adds in done.out


def test_json_is_for_programs(call):
    done = call("doctor", "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert told["ragtrial"] == ragtrial.__version__
    assert told["python"] == platform.python_version()
    rows = {row["name"]: row for row in told["libraries"]}
    assert rows["numpy"] == {"name": "numpy", "extra": None, "version": version("numpy")}
    assert rows["joblib"]["extra"] == "parallel"
    assert {row["extra"] for row in told["libraries"]} == {None, *doctor.ADDS}


@pytest.fixture
def without(monkeypatch):
    """Return a function after which a library counts as not installed."""

    def remove(name):
        def found(asked):
            if asked.lower() == name.lower():
                raise PackageNotFoundError(asked)
            return version(asked)

        monkeypatch.setattr(doctor, "version", found)

    return remove


@pytest.mark.parametrize(("library", "extra"), [("joblib", "parallel"), ("scipy", "stats"), ("PyStemmer", "stem")])
def test_a_missing_extra_gives_the_exact_command(library, extra, without, call):
    without(library)
    done = call("doctor")
    assert done.code == 0
    (line,) = [line for line in done.out.splitlines() if line.startswith(f"extra {extra} ")]
    assert f"pip install 'ragtrial[{extra}]'" in line
    assert doctor.ADDS[extra] in line
    rows = json.loads(call("doctor", "--json").out)["libraries"]
    assert library.lower() in [row["name"].lower() for row in rows if row["version"] is None]


def test_a_missing_library_of_the_core_is_a_failure(without, call):
    without("polars")
    done = call("doctor")
    assert done.code == 1
    assert any("polars" in line and "MISSING" in line for line in done.out.splitlines())
    assert call("doctor", "--json").code == 1
