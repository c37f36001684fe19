"""Work that may leave this process."""

import sys

import pytest

from ragtrial.errors import MissingExtraError
from ragtrial.trial.work import map_tasks


def test_results_come_in_order_and_one_at_a_time():
    started = []

    def tasks():
        for number in range(3):
            started.append(number)
            yield number

    results = map_tasks(lambda number: number * 2, tasks())
    assert next(results) == 0
    assert started == [0]
    assert list(results) == [2, 4]


def test_several_workers_need_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(MissingExtraError, match="joblib") as caught:
        list(map_tasks(str, [1], workers=2))
    assert "pip install 'ragtrial[parallel]'" in caught.value.hint
    assert list(map_tasks(str, [1], workers=1)) == ["1"]
