"""Dose-response over a ladder of arms."""

import numpy as np
import pytest

from ragtrial.errors import ConfigError
from ragtrial.statistics import dose_response
from ragtrial.trial.ladders import climb_ladders
from ragtrial.trial.run import run
from ragtrial.trial.scores import Scores
from ragtrial.trial.verify import verify_record


def test_a_row_is_the_slope_of_the_scores():
    draw = np.random.default_rng(4)
    values = {(arm, "r"): draw.random((30, 1)) + step * 0.1 for step, arm in enumerate(("none", "one", "two"))}
    clusters = [f"p{number // 3}" for number in range(30)]
    scores = Scores([str(n) for n in range(30)], [None] * 30, clusters, None, ["hit@1"], values)
    ladder = {"arms": ["none", "one", "two"], "doses": [0.0, 1.0, 3.0], "retriever": "r", "measure": "hit@1"}
    (row,) = climb_ladders({"ladders": {"depth": ladder}, "resamples": 300, "seed": 2}, scores)
    matrix = [values[arm, "r"][:, 0] for arm in ladder["arms"]]
    alone = dose_response(matrix, ladder["doses"], clusters, resamples=300, seed=2)
    assert (row["name"], row["slope"], row["ci95"]) == ("depth", alone.slope, list(alone.ci95))
    assert row["means"] == pytest.approx([column.mean() for column in matrix])
    assert row["slope"] > 0


def test_a_record_holds_ladders_and_verifies(trial_of, tmp_path):
    ladders = [{"name": "size", "arms": ["tiny", "sections", "whole"]}]
    record = run(trial_of(ladders=ladders), tmp_path / "record")
    (row,) = record.header["ladders"]
    assert (row["doses"], row["retriever"], row["measure"]) == ([0.0, 1.0, 2.0], "bm25", "hit@1")
    assert verify_record(record) == []


@pytest.mark.parametrize(
    ("ladder", "words"),
    [
        ({"arms": ["tiny", "hole"]}, "no arm called 'hole'. Did you mean 'whole'?"),
        ({"arms": ["tiny"]}, "at least 2 items"),
        ({"arms": ["tiny", "whole"], "doses": [1.0]}, "there are 1 doses for 2 arms"),
        ({"arms": ["tiny", "whole"], "doses": [1.0, 1.0]}, "two different doses"),
        ({"arms": ["tiny", "whole"], "retriever": "bm52"}, "no retriever called 'bm52'"),
        ({"arms": ["tiny", "whole"], "measure": "hit"}, "'hit' is not a measure"),
        ({"arms": ["tiny", "whole"], "dose": [1]}, "unknown key 'dose'. Did you mean 'doses'?"),
    ],
)
def test_what_is_wrong_with_a_ladder_is_told(ladder, words, trial_of):
    with pytest.raises(ConfigError) as caught:
        trial_of(ladders=[{"name": "size", **ladder}])
    assert words in caught.value.message
