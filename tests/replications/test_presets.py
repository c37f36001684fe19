"""The presets themselves: every stage is a valid trial, names fit together, published rows point at real ones."""

import pytest

from ragtrial.errors import UsageError
from ragtrial.replications.design import design_of
from ragtrial.replications.run import families_of
from ragtrial.replications.study import Study, listed, study_names
from ragtrial.trial.config import Trial

SOURCE = {"dataset": {"reader": "qasper", "path": "nowhere"}}


def whole(study):
    return design_of(study, study.roles, [part.name for part in study.parts])


@pytest.fixture(params=study_names())
def study(request):
    return Study.open(request.param)


def test_the_presets_are_the_two_studies_and_the_pilot():
    assert study_names() == ["llm-call-per-chunk", "pilot", "structure-ablation"]


def test_every_stage_of_every_part_is_a_trial(study):
    for planned in whole(study).parts:
        for keys in planned.filled.stages():
            Trial.of(keys | SOURCE)


def test_every_role_plays_somewhere_and_can_be_swapped(study):
    playing = {name for planned in whole(study).parts for name in planned.roles}
    assert playing == set(study.roles)
    for role in study.roles.values():
        assert role.what
        assert role.get
        assert next(iter(role.options)) == "model"


def test_every_published_row_is_of_a_row_of_the_preset(study):
    parts = {planned.part.name: planned.filled.whole() for planned in whole(study).parts}
    for row in study.published["contrasts"]:
        names = [contrast["name"] for contrast in parts[row["part"]]["contrasts"]]
        assert row["contrast"] in names, row
        assert row["source"]
        assert (row.get("ci") is None) == (row.get("level") is None), row
        if row.get("ci"):
            assert row["ci"][0] <= row["difference"] <= row["ci"][1], row
        assert row.get("difference") is not None or row.get("verdict") is not None, row
    for row in study.published.get("means", []):
        trial = Trial.of(parts[row["part"]] | SOURCE)
        assert (row["arm"], row["retriever"]) in trial.cells, row
        assert row["measure"] in [measure.name for measure in trial.all_measures], row
    for row in study.published.get("counts", []):
        assert row["part"] in parts
        assert row.get("arm") is None or row["arm"] in parts[row["part"]]["arms"]
    for row in study.published.get("ladders", []):
        assert row["ladder"] in [ladder["name"] for ladder in parts[row["part"]]["ladders"]]
    for row in study.published.get("shares", []):
        assert row["arm"] in parts[row["part"]]["arms"]
    for row in study.published.get("outcomes", []):
        assert row["contrast"] in [contrast["name"] for contrast in parts[row["part"]]["contrasts"]]
        assert row["wins"] + row["ties"] + row["losses"] == pytest.approx(1.0)


GROUPS = {
    "overlap": {"low", "middle", "high", "low - high"},
    "bridging": {"bridged", "missing, not bridged", "none missing", "bridged - missing, not bridged"},
    "targeting": {"low", "middle", "high", "high - low"},
    "type": {"boolean", "extractive", "abstractive", "laravel", "angular", "yolo", "godot", "langchain"},
}
"""What the exploratory analyses call the groups of questions."""


def test_every_published_cut_is_one_that_the_preset_makes(study):
    parts = {planned.part.name: planned.filled.whole() for planned in whole(study).parts}
    for row in study.published.get("cuts", []):
        contrasts = {contrast["name"]: contrast["of"] for contrast in parts[row["part"]]["contrasts"]}
        assert row["contrast"] in contrasts, row
        assert row["group"] in GROUPS[row["analysis"]], row
        assert ("arm" in row) == (row["analysis"] in {"bridging", "targeting"}), row
        assert "arm" not in row or row["arm"] in contrasts[row["contrast"]].split(" - "), row
        assert row.get("ci") is None or row["ci"][0] <= row["difference"] <= row["ci"][1], row


def test_published_numbers_are_those_of_the_oracles(shared):
    import json

    known = json.loads(shared("oracles/published.json").read_text(encoding="utf-8"))
    rows = {(row["part"], row["contrast"]): row for row in Study.open("structure-ablation").published["contrasts"]}
    for row in known["KMR"]["table1"]:
        mine = rows["wikipedia" if row["corpus"] == "wiki" else "qasper", row["c"]]
        assert mine["difference"] == pytest.approx(row["delta"] * 100)
        assert mine["ci"] == pytest.approx([end * 100 for end in row["ci"]])
    means = {
        (row["part"], row["arm"], row["retriever"]): row["mean"]
        for row in Study.open("structure-ablation").published["means"]
        if row["measure"] == "coverage-ndcg@10"
    }
    for corpus, table in known["KMR"]["table2"].items():
        part = "wikipedia" if corpus == "wiki" else "qasper"
        for arm, value in table.items():
            routed = {"A4": "A3", "G4": "G3"}
            cell = (routed.get(arm, arm), "strong-routed" if arm in routed else "strong")
            assert means[part, *cell] == pytest.approx(value * 100)
    for part, corpus in (("wikipedia", "wiki"), ("qasper", "qasper")):
        for arm, value in known["KMR"]["weak_embedder"][corpus].items():
            assert means[part, arm, "weak"] == pytest.approx(value * 100)
    config = known["KMR"]["config"]
    keys = whole(Study.open("structure-ablation")).parts[0].filled.whole()
    assert (keys["seed"], keys["resamples"], keys["keep"]) == (
        config["seed"],
        config["bootstrap_iters"],
        config["top_k"],
    )
    assert f"max={config['t_max']}, min={config['t_min']}" in keys["arms"]["A2"]
    assert f"depth={config['rerank_top']}" in keys["retrievers"]["reranked"]
    assert f"sections={config['hier_top_sections']}" in keys["retrievers"]["strong-routed"]
    assert f"max_tokens={config['context_max_tokens']}" in keys["arms"]["A1"]


def test_families_are_those_of_the_papers():
    study = Study.open("llm-call-per-chunk")
    families = families_of(study, study.roles)
    sizes = {name: len(members) for name, members in families.items()}
    assert sizes == {"primary": 4, "H3": 4, "key-secondary": 5, "H4": 8, "H5": 4, "H7": 2}
    study = Study.open("structure-ablation")
    assert {name: len(members) for name, members in families_of(study, study.roles).items()} == {
        "C-qasper": 4,
        "C-wikipedia": 4,
    }


def test_reductions_name_parts_and_arms(study):
    for reduction in study.reductions:
        arms = study.templates[reduction.part]["arms"]
        assert set(reduction.arms) <= set(arms)
        assert reduction.why


def test_the_pilot_s_papers_are_thirty():
    assert len(set(listed("pilot/papers.txt"))) == 30


def test_an_unknown_preset_is_named():
    with pytest.raises(UsageError, match="no preset 'pilots'"):
        Study.open("pilots")


def test_the_sha256_changes_with_a_preset(monkeypatch, tmp_path):
    import shutil

    from ragtrial.replications import study as module

    shutil.copytree(module._presets(), tmp_path / "presets")
    before = Study.open("pilot").sha256
    monkeypatch.setattr(module, "_presets", lambda: tmp_path / "presets")
    assert Study.open("pilot").sha256 == before
    file = tmp_path / "presets" / "pilot" / "qasper.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("margin = 5", "margin = 6", 1), encoding="utf-8")
    assert Study.open("pilot").sha256 != before
