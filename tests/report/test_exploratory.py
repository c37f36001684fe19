"""The tables of exploratory analyses: each where its inputs exist, none where they do not."""

from ragtrial.report.exploratory import exploratory_tables

CI = [-0.01, 0.03]
ROW = {"contrast": "structure", "difference": 0.012, "ci95": CI, "questions": 3, "clusters": 3}

NOTHING = {"first": "bridged", "second": "missing, not bridged", "contrasts": []}


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
        "overlap": [
            {
                "arm": None,
                "groups": [{"group": "low", "questions": 3, "low": 0.0, "high": 0.25, "contrasts": [ROW]}],
                "between": {"first": "low", "second": "high", "contrasts": [ROW]},
            }
        ],
        "split": [{"arm": "fixed", "mean": 0.5, "ci95": [0.25, 0.75], "questions": 3}],
        "bridging": [
            {
                "arm": "path",
                "groups": [{"group": "bridged", "questions": 3, "contrasts": [ROW | {"share": 0.56}]}],
                "between": NOTHING,
            }
        ],
        "targeting": [{"arm": "path", "mean": 0.125, "ci95": None, "questions": 3, "groups": [], "between": NOTHING}],
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
    assert "low - high" in cells["By lexical overlap of question and evidence"]
    bridging = cells["Bridging: terms that only the text added to a chunk brings"]
    assert bridging[1:4] == ["3 bridged", "structure", "bridged"]
    assert bridging[5] == "+1.2 [-1.0, +3.0]\n56% of the gain"
    assert cells["Targeting of the text added to a chunk"][:3] == ["path", "+0.125 no interval", ""]
    assert cells["Reuse of keys"][:6] == ["fixed", "enriched('m')", "9", "8", "2", "1"]
    assert cells["Change of answers by change of evidence"][2] == "more"
