"""Reader and judge on a real small model: the prompts go through; nothing is said of its answers."""

import pytest

from ragtrial.llm.ledger_rows import read_rows
from ragtrial.llm.load import load
from ragtrial.llm.prompt import load_prompt
from ragtrial.measures.answers import LABELS
from ragtrial.questions.model import Evidence, Question
from ragtrial.trial.answers.judge import judge
from ragtrial.trial.answers.reader import read_answer

pytestmark = pytest.mark.slow

PIECES = ["The red lantern marks the harbour gate at night.", "Сторож зажигает маяк каждый вечер."]
ASKED = Question("q", "What marks the gate?", (Evidence("e"),), "d", "d", nuggets=("a red lantern", "at night"))


def test_an_answer_is_one_line_and_is_judged(small_model, tmp_path):
    model = load(small_model)
    answer = read_answer(model, load_prompt("reader", ["pieces", "question"]), ASKED, PIECES, 40)
    assert answer
    assert len(answer.splitlines()) == 1
    judgement = judge(model, load_prompt("judge", ["question", "answer", "nuggets"]), ASKED, answer)
    assert len(judgement.labels) == 2
    assert set(judgement.labels) <= set(LABELS)
    rows = list(read_rows(tmp_path / "ledger.jsonl"))
    assert rows[0]["step"] == "reader"
    assert {row["step"] for row in rows[1:]} == {"judge"}
    assert 1 <= len(rows[1:]) <= 4
    assert all(row["input_tokens"] > 100 for row in rows)
