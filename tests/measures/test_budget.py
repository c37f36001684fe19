from ragtrial.measures import texts
from ragtrial.measures.budget import Selection, fill, pieces
from ragtrial.measures.texts import TextTable
from ragtrial.text import tokens

TEXTS = ["one two three", "four five", "", "six seven eight nine ten"]
TABLE = TextTable(TEXTS, "study")


def words(selection: Selection, ranking: list[int]) -> list[str]:
    return [piece.words for piece in pieces(selection, ranking, TABLE)]


def test_every_word_of_the_example_is_one_token():
    assert [TABLE.token_count(number) for number in range(len(TABLE))] == [3, 2, 0, 5]


def test_a_text_that_does_not_fit_is_cut_and_ends_the_selection():
    ranking = [3, 2, 0, 1]
    (selection,) = fill(ranking, TABLE, [7])
    assert words(selection, ranking) == ["six seven eight nine ten", "", "one two"]


def test_a_full_budget_stops_without_an_empty_part():
    ranking = [0, 1, 3]
    assert fill(ranking, TABLE, [3, 5]) == [Selection(1), Selection(2)]


def test_one_walk_serves_all_budgets():
    ranking = [0, 3, 1]
    budgets = [1, 2, 3, 4, 8, 9, 10, 11, 500]
    together = fill(ranking, TABLE, budgets)
    assert together == [fill(ranking, TABLE, [budget])[0] for budget in budgets]
    kept = [" ".join(words(selection, ranking)).split() for selection in together]
    assert [len(some) for some in kept] == [1, 2, 3, 4, 8, 9, 10, 10, 10]
    assert together[-1] == Selection(3)


def test_the_walk_reads_no_further_than_the_largest_budget(monkeypatch):
    read = []
    monkeypatch.setattr(TextTable, "token_count", lambda table, number: read.append(number) or 3)
    fill([0, 1, 3], TextTable(TEXTS, "study"), [5])
    assert read == [0, 1]


def test_nothing_is_selected_from_nothing():
    assert fill([], TABLE, [10, 20]) == [Selection(0), Selection(0)]
    assert fill([2, 2], TABLE, [10]) == [Selection(2)]
    assert pieces(Selection(0), [], TABLE) == []


def test_a_cut_inside_a_character_leaves_no_half_word():
    text = "abc 𓀀"
    kept = tokens.count(text) - 1
    table = TextTable([text], "unicode")
    assert table.cut(0, kept).words == "abc"
    assert table.cut(0, kept + 1) == table.whole(0)


def test_equal_texts_share_their_work_and_the_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(texts, "_HELD_GRAMS", 10)
    table = TextTable(["aaaa", "aaaa", "bbbb", "cccc", "dddd"], "study")
    assert table.whole(0) is table.whole(1)
    seen = [table.whole(number).words for number in (2, 3, 4, 0)]
    assert seen == ["bbbb", "cccc", "dddd", "aaaa"]
    assert sum(map(len, table._pieces)) <= 10
