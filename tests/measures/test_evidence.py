import pickle

import pytest

from ragtrial.errors import DataError, SpecError
from ragtrial.measures.evidence import Gold


def test_a_text_counts_once_however_many_annotators_marked_it():
    gold = Gold.of([["one two", "three four five six seven"], [], ["one two", "one two"], ["eight"]], "study")
    assert [target.phrase for target in gold.targets] == ["one two", "", "eight"]
    assert gold.groups == ((0, 1), (0,), (2,))
    assert gold.grams == {"one two", "three four five six seven", "eight"}
    assert pickle.loads(pickle.dumps(gold)) == gold


@pytest.mark.parametrize(("words", "needed"), [(5, 1), (6, 1), (7, 2), (8, 2), (9, 3), (24, 10), (25, 11)])
def test_at_least_half_of_the_grams_are_needed(words, needed):
    (target,) = Gold.of([[" ".join(f"w{number}" for number in range(words))]]).targets
    assert len(target.grams) == words - 4
    assert target.needed == needed


def test_a_text_without_words_stays_a_target():
    gold = Gold.of([["…", "東京"]], "study")
    assert [target.grams for target in gold.targets] == [frozenset(), frozenset()]
    assert gold.groups == ((0, 1),)


@pytest.mark.parametrize("groups", [[], [[]], [[], []]])
def test_a_question_without_evidence_has_no_gold(groups):
    with pytest.raises(DataError, match="without evidence"):
        Gold.of(groups)


def test_an_unknown_splitter_is_refused():
    with pytest.raises(SpecError, match="Did you mean 'unicode'"):
        Gold.of([["x"]], "unicod")
