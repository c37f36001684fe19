"""The presets themselves: every stage is a valid trial, names fit together, published rows point at real ones."""

import copy
import json
from typing import get_args

import pytest

from ragtrial.errors import UsageError
from ragtrial.questions.generate.targets import QuestionType
from ragtrial.replications.compare import compare_with_paper
from ragtrial.replications.design import design_of
from ragtrial.replications.numbers import NUMBERS, PLACES
from ragtrial.replications.run import families_of
from ragtrial.replications.study import Study, listed, study_names
from ragtrial.statistics.verdict import SMALL_DIFFERENCE, WORDS
from ragtrial.trial.config import Trial
from ragtrial.trial.exploratory.explore import EVIDENCE

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


def parts_of(study):
    return {planned.part.name: planned.filled.whole() for planned in whole(study).parts}


def contrasts_of(keys):
    return {contrast["name"]: contrast["of"] for contrast in keys["contrasts"]}


def test_every_published_contrast_is_one_of_the_preset(study):
    parts = parts_of(study)
    for row in study.published["contrasts"]:
        assert row["contrast"] in contrasts_of(parts[row["part"]]), row
        assert (row.get("ci") is None) == (row.get("level") is None), row
        if row.get("ci"):
            assert row["ci"][0] <= row["difference"] <= row["ci"][1], row
        assert row.get("difference") is not None or row.get("verdict") is not None, row
        assert row.get("verdict") in {None, *WORDS}, row
        assert row.get("remark") in {None, SMALL_DIFFERENCE}, row


def test_every_published_mean_and_share_is_of_a_cell_of_the_preset(study):
    parts = parts_of(study)
    trials = {name: Trial.of(keys | SOURCE) for name, keys in parts.items()}
    for row in study.published.get("means", []):
        trial = trials[row["part"]]
        assert (row["arm"], row["retriever"]) in trial.cells, row
        assert row["measure"] in [measure.name for measure in trial.all_measures], row
    for row in study.published.get("shares", []):
        assert row["arm"] in parts[row["part"]]["arms"], row
        assert ("key" in row) != ("retriever" in row), row
        assert "retriever" not in row or (row["arm"], row["retriever"]) in trials[row["part"]].cells, row


def test_every_published_count_slope_and_outcome_is_of_the_preset(study):
    parts = parts_of(study)
    for row in study.published.get("counts", []):
        assert row["what"] in {"chunks", "clusters", "documents", "evidence", "questions"}, row
        assert (row["what"] == "chunks") == ("arm" in row), row
        assert row.get("arm") is None or row["arm"] in parts[row["part"]]["arms"], row
    for row in study.published.get("ladders", []):
        assert row["ladder"] in [ladder["name"] for ladder in parts[row["part"]]["ladders"]], row
    for row in study.published.get("outcomes", []):
        assert row["contrast"] in contrasts_of(parts[row["part"]]), row
        assert row["wins"] + row["ties"] + row["losses"] == pytest.approx(1.0)


def test_every_published_row_has_its_place_in_the_paper_and_stands_once(study):
    for kind, rows in study.published.items():
        numbers = {"ci", "count", "difference", "level", "losses", "mean", "remark", "share", "slope", "source", "ties"}
        numbers |= {"below", "value", "verdict", "wins"}
        places = [tuple(sorted((key, value) for key, value in row.items() if key not in numbers)) for row in rows]
        assert len(places) == len(set(places)), kind
        assert all(row["source"] for row in rows), kind


GROUPS = {
    "answers": set(EVIDENCE),
    "overlap": {"low", "middle", "high", "low - high"},
    "bridging": {"bridged", "missing, not bridged", "none missing", "bridged - missing, not bridged"},
    "targeting": {"low", "middle", "high", "high - low"},
}
"""What the exploratory analyses call the groups of questions."""

TYPES = {
    "qasper": {"boolean", "extractive", "abstractive"},
    "freshstack": {"laravel", "angular", "yolo"},
    "wikipedia": set(get_args(QuestionType)),
}
"""The types of the questions of each data set."""


def groups_in(study, part, analysis, keys):
    if analysis == "type":
        return TYPES[study.part(part).data]
    return set(keys["measures"]) if analysis == "measure" else GROUPS[analysis]


def test_every_published_cut_is_one_that_the_preset_makes(study):
    parts = parts_of(study)
    for row in study.published.get("cuts", []):
        keys = parts[row["part"]]
        contrasts = contrasts_of(keys)
        assert row["contrast"] in contrasts, row
        assert row["group"] in groups_in(study, row["part"], row["analysis"], keys), row
        assert ("arm" in row) == (row["analysis"] in {"bridging", "targeting"}), row
        assert "arm" not in row or row["arm"] in contrasts[row["contrast"]].split(" - "), row
        assert row.get("measure") in ({keys["primary"], *keys["measures"]} if row["analysis"] == "answers" else {None})
        assert row.get("ci") is None or row["ci"][0] <= row["difference"] <= row["ci"][1], row


OF_CONTRASTS = {"p (bootstrap, Holm)", "p (sign flips, Holm)", "p (sign flips)", "p (mixed model)", "dz"}
OF_GROUPS = {"questions of a group", "share of questions"}
OF_ARMS = {"share of evidence that no chunk holds whole", "tokens a chunk"}


def test_every_published_number_is_one_that_the_preset_measures(study):
    parts = parts_of(study)
    for row in study.published.get("numbers", []):
        what, keys = row["what"], parts[row["part"]]
        assert what in NUMBERS, row
        assert ("value" in row) != ("below" in row), row
        places = {key for key in PLACES if key in row}
        if what in OF_GROUPS:
            place = "contrast" if row["analysis"] == "answers" else "arm"
            assert places == {"analysis", "group", place}, row
            assert row["group"] in GROUPS[row["analysis"]], row
        else:
            needed = {"contrast": OF_CONTRASTS, "ladder": {"p (bootstrap of a slope)"}, "arm": OF_ARMS}
            assert places == {key for key, whats in needed.items() if what in whats} | (
                {"type"} if what == "questions of a type" else set()
            ), row
        assert row.get("contrast") in {None, *contrasts_of(keys)}, row
        assert row.get("ladder") in {None, *(ladder["name"] for ladder in keys.get("ladders", []))}, row
        assert row.get("arm") in {None, *keys["arms"]}, row
        assert row.get("type") in {None, *TYPES[study.part(row["part"]).data]}, row
        assert what != "p (mixed model)" or keys["mixed_model"], row
        assert what != "settings" or row["value"] == len(keys["contrasts"]), row
        assert "judge" not in what or keys["answers"]["judge"], row


def test_every_kind_of_published_row_is_compared(study):
    compared = compare_with_paper(study.published, {}, [])
    assert set(study.published) <= set(compared)
    assert all(len(compared[kind]) == len(rows) for kind, rows in study.published.items())


def test_published_numbers_are_those_of_the_oracles(shared):
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
    numbers = {
        (row["part"], row["what"], row.get("contrast")): row.get("value", row.get("below"))
        for row in Study.open("structure-ablation").published["numbers"]
    }
    for row in known["KMR"]["table1"]:
        part = "wikipedia" if row["corpus"] == "wiki" else "qasper"
        for what, key in (("p (bootstrap, Holm)", "p_holm"), ("dz", "dz"), ("p (mixed model)", "p_mixedlm")):
            assert numbers[part, what, row["c"]] == float(str(row[key]).removeprefix("<")), row
    papers = known["KMR"]["qasper"]
    assert numbers["qasper", "questions before filters", None] == papers["questions_before"]
    assert numbers["qasper", "evidence a question", None] == papers["spans_per_question"]
    counts = {(row["part"], row["what"]): row["count"] for row in Study.open("structure-ablation").published["counts"]}
    assert counts["qasper", "documents"] == papers["papers"]
    assert counts["qasper", "clusters"] == papers["papers_with_questions"]
    assert counts["qasper", "questions"] == papers["questions"]
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


def twin(study, part):
    """Return the template of a part without what its title and the reasons of its amendments say."""
    template = copy.deepcopy(dict(Study.open(study).templates[part]))
    del template["title"]
    for amendment in template.get("amendments", []):
        del amendment["reason"]
    return template


def test_both_corpora_of_the_structure_ablation_have_one_design():
    wikipedia = json.dumps(twin("structure-ablation", "wikipedia"))
    assert json.loads(wikipedia.replace("C-wikipedia", "C-qasper")) == twin("structure-ablation", "qasper")


def test_both_data_sets_of_the_study_have_one_design_but_for_margins_measures_and_contexts_of_the_large_model():
    qasper, freshstack = twin("llm-call-per-chunk", "qasper"), twin("llm-call-per-chunk", "freshstack")
    assert (qasper.pop("pool"), freshstack.pop("pool")) == ("document", "group")
    assert (qasper.pop("primary"), freshstack.pop("primary")) == ("recall@512t", "precision@1024t")
    del qasper["measures"], freshstack["measures"]
    for stage, other in zip((qasper, *qasper["amendments"]), (freshstack, *freshstack["amendments"]), strict=True):
        # CRs was built for QASPER alone (table 2).
        stage.get("arms", {}).pop("CRs", None)
        for arms in stage.get("only", {}).values():
            arms[:] = [arm for arm in arms if arm != "CRs"]
        stage["contrasts"] = [row for row in stage["contrasts"] if "CRs" not in row["of"]]
        assert {row.pop("margin", 5) for row in stage["contrasts"]} == {5}
        assert {row.pop("margin", 4) for row in other["contrasts"]} == {4}
    assert freshstack == qasper
