import pytest

from ragtrial.datasets.registry import load_dataset, protocol_names, reader_names
from ragtrial.errors import SpecError


def test_readers_are_loaded_by_name():
    assert reader_names() == ("demo", "freshstack", "qasper", "wikipedia")
    assert len(load_dataset("demo", dialect="study").documents) == 12


def test_every_reader_can_be_imported(tmp_path):
    with pytest.raises(SpecError, match="no protocol"):
        load_dataset("qasper", path=tmp_path, protocol="none")


def test_protocols_are_those_that_readers_take():
    assert {name: protocol_names(name) for name in reader_names()} == {
        "demo": (),
        "freshstack": ("all", "mdk"),
        "qasper": ("kmr", "mdk"),
        "wikipedia": ("featured", "kmr"),
    }
    with pytest.raises(SpecError, match="no data set reader called 'none'"):
        protocol_names("none")


def test_names_and_options_are_checked():
    with pytest.raises(SpecError, match=r"no data set reader called 'quasper'\. Did you mean 'qasper'\?"):
        load_dataset("quasper")
    with pytest.raises(SpecError, match=r"'qasper' has no option 'selct'\. Did you mean 'select'\?"):
        load_dataset("qasper", path="x", selct="y")
    with pytest.raises(SpecError, match="'qasper' needs path"):
        load_dataset("qasper", protocol="mdk")
