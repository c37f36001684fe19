"""The tables of exploratory analyses: each where its inputs exist, none where they do not."""

from ragtrial.report.exploratory import exploratory_tables

CI = [-0.01, 0.03]
ROW = {"contrast": "structure", "difference": 0.012, "ci95": CI, "questions": 3, "clusters": 3}


def titles(record):
    return [table.title for table in exploratory_tables(record)]


def test_a_plain_trial_has_the_analyses_that_need_nothing(real):
    """One of its three questions has no terms, so there are too few for thirds."""
    assert titles(real) == ["Questions won, tied, lost", "Evidence split by chunk boundaries"]


def test_every_analysis_has_its_table(real, told):
    arms = [
        arm | {"reports": [{"given": "enriched('m')", "chunks": 9, "keyed": 8, "reused": 2, "without_fields": 1}]}
        for arm in real.header["arms"]
    ]
    means = [
        *real.header["conditions"],
        {"arm": "fixed", "retriever": "bm25", "measure": "recall@512t:ceiling", "mean": 0.9, "ci95": [0.8, 1.0]},
    ]
    record = told(arms=arms, conditions=means)
    record.__dict__["exploratory"] = {
        "overlap": [{"third": "low", "questions": 3, "low": 0.0, "high": 0.25, "contrasts": [ROW]}],
        "split": [{"arm": "fixed", "mean": 0.5, "ci95": [0.25, 0.75], "questions": 3}],
        "bridging": [{"arm": "path", "questions": 3, "bridged": 1, "on_bridged": [ROW], "on_others": []}],
        "targeting": [{"arm": "path", "mean": 0.125, "ci95": None, "questions": 3}],
        "answers": [ROW | {"measure": "token-f1@512t", "evidence": "more"}],
    }
    record.__dict__["grid"] = [
        {"contrast": "structure", "type": "why", "questions": 2, "difference": 0.012, "ci95": CI, "planned": False}
    ]
    found = {table.title: table for table in exploratory_tables(record)}
    assert len(found) == 9
    cells = {title: [cell for row in table.rows for cell in row] for title, table in found.items()}
    assert "+1.2 [-1.0, +3.0]" in cells["By type of question"]
    assert "low (0% to 25%)" in cells["By lexical overlap of question and evidence"]
    assert "[25.0%, 75.0%]" in cells["Evidence split by chunk boundaries"]
    assert "90.0\n[80.0, 100.0]" in cells["Oracle ceilings"]
    assert "1 of 3" in cells["Bridging: terms that only the text before a chunk brings"]
    assert cells["Targeting of the text before a chunk"][1:3] == ["+0.125", "no interval"]
    assert cells["Reuse of keys"][:6] == ["fixed", "enriched('m')", "9", "8", "2", "1"]
    assert cells["Change of answers by change of evidence"][2] == "more"
