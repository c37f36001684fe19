"""What a preset's study.toml says, and that faults in it are told when it is read."""

import shutil

import pytest

from ragtrial.errors import SpecError
from ragtrial.replications import study as module
from ragtrial.replications.study import Study


@pytest.fixture
def pilot(monkeypatch, tmp_path):
    """Return a function that reads the pilot with one text of its study.toml replaced."""
    shutil.copytree(module._presets(), tmp_path / "presets")
    monkeypatch.setattr(module, "_presets", lambda: tmp_path / "presets")
    file = tmp_path / "presets" / "pilot" / "study.toml"

    def read(old, new):
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        return Study.open("pilot")

    return read


def test_an_unknown_reader_is_told_when_the_study_is_read(pilot):
    with pytest.raises(SpecError, match=r"no data set reader called 'freshstock'\. Did you mean 'freshstack'\?"):
        pilot('"freshstack"\nprotocol', '"freshstock"\nprotocol')


def test_an_unknown_protocol_is_told_with_the_data_that_names_it(pilot):
    with pytest.raises(SpecError, match=r"data\.qasper: the reader 'qasper' has no protocol 'mkd'"):
        pilot('reader   = "qasper"\nprotocol = "mdk"', 'reader   = "qasper"\nprotocol = "mkd"')


def test_a_reader_without_protocols_takes_none(pilot):
    with pytest.raises(SpecError, match=r"data\.qasper: the reader 'demo' has no protocol 'mdk'"):
        pilot('reader   = "qasper"', 'reader   = "demo"')


def test_a_data_set_may_leave_the_protocol_to_its_reader(pilot):
    study = pilot('reader   = "qasper"\nprotocol = "mdk"\n', 'reader   = "qasper"\n')
    assert study.data["qasper"].protocol is None


def test_the_cap_is_the_paper_s():
    assert {name: Study.open(name).cap for name in module.study_names()} == {
        "llm-call-per-chunk": 5.5,
        "pilot": None,
        "structure-ablation": None,
    }


def test_questions_whose_ids_only_the_paper_s_release_has_are_named():
    asked = {name: Study.open(name).data for name in module.study_names()}
    assert {(name, data) for name, needs in asked.items() for data, need in needs.items() if need.selection} == {
        ("llm-call-per-chunk", "freshstack"),
        ("pilot", "freshstack"),
    }
