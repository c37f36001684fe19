"""What stands beside the contrasts: each table where the record has its rows."""

from ragtrial.report.secondary import secondary_tables


def test_a_plain_record_has_none(real):
    assert secondary_tables(real) == []


def test_every_part_has_its_table(told):
    model = {"model": "minilm", "retrievers": ["dense", "hybrid"], "max_length": 256, "cut_questions": None}
    record = told(
        runs=[
            {
                "contrast": "c",
                "average": "avg",
                "runs": {"one": 0.01, "two": -0.02},
                "sd": 0.02,
                "range": [],
                "se": None,
            }
        ],
        mixed_models=[
            {"contrast": "c", "coefficient": 0.01, "se": 0.1, "ci95": [-0.1, 0.2], "p": 0.5, "converged": False},
            {"contrast": "d", "fault": "Too few clusters."},
        ],
        models=[model | {"texts": {"fixed": 10, "path": 9}, "cut": {"fixed": 3, "path": None}}],
        language_models=[
            {
                "model": "m",
                "url": "http://h/v1",
                "served": {"models": ["m-1"], "fingerprints": ["a", "b"], "digest": "d"},
            },
            {"model": "n", "url": "http://h/v1", "served": {"models": [], "fingerprints": [], "digest": None}},
        ],
        routing=[{"arm": "fixed", "retriever": "routed", "questions": 1000, "found": 900}],
        weights=[{"arm": "fixed", "retriever": "tuned", "weight": 0.35, "tried": [], "means": []}],
    )
    runs, mixed, models, language, routing, weights = secondary_tables(record)
    assert runs.rows == (("c", "avg", "one +1.0, two -2.0", "2.00", ""),)
    assert mixed.rows[0] == ("c", "+1.0 [-10.0, +20.0]\nthe fit did not converge", "0.500")
    assert mixed.rows[1] == ("d", "Too few clusters.", "")
    assert models.rows[0] == ("minilm", "dense, hybrid", "256 tokens", "fixed 3 of 10, path unknown", "unknown")
    assert language.rows == (("m", "http://h/v1", "m-1", "a, b", "d"), ("n", "http://h/v1", "not told", "not told", ""))
    assert routing.rows == (("fixed", "routed", "900 of 1,000"),)
    assert weights.rows == (("fixed", "tuned", "0.35"),)
