"""The funnel, repeats, and balanced finals."""

from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.parts import Span
from ragtrial.questions.generate.ask import Drafted
from ragtrial.questions.generate.finals import FUNNEL, choose_finals
from ragtrial.questions.generate.targets import TYPES, Target

STAGES = ("writing", "first filter", "rewording", "second filter", "kept")


def draft(number, kind="factoid", ended="kept", question=None, leak=""):
    target = Target(kind, f"d{number}", (Span(number, number + 5),), ("text",))
    return Drafted(target, ended, 2, "first", question or f"What is {number}?", leak)


def test_the_funnel_counts_every_loss_once():
    drafts = [
        draft(0, ended="writing"),
        draft(1, ended="first filter", leak="gram"),
        draft(2, ended="first filter", leak="rouge"),
        draft(3, ended="rewording"),
        draft(4, ended="second filter", leak="rouge"),
        draft(5, question="Same words?"),
        draft(6, question="same WORDS?"),
        draft(7),
        draft(8),
        draft(9, kind="structural"),
    ]
    finals = choose_finals(drafts, most=2)
    assert list(finals.funnel["factoid"].items()) == list(zip(FUNNEL, [9, 8, 6, 5, 4, 3, 2], strict=True))
    assert finals.funnel["structural"]["finals"] == 1
    assert set(finals.funnel["multihop"].values()) == {0}
    assert finals.rejected == {
        "first filter: gram": 1,
        "first filter: rouge": 1,
        "second filter: gram": 0,
        "second filter: rouge": 1,
    }
    assert [item.target.document for item in finals.drafts][-1] == "d9"


def test_the_draw_is_seeded_and_keeps_the_order():
    drafts = [draft(number) for number in range(50)]
    one, again, other = (choose_finals(drafts, most=10, seed=seed).drafts for seed in (3, 3, 4))
    assert one == again != other
    numbers = [int(item.target.document[1:]) for item in one]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == 10


@given(st.lists(st.tuples(st.sampled_from(TYPES), st.sampled_from(STAGES), st.integers(0, 9))), st.integers(0, 5))
def test_the_funnel_only_narrows(rows, most):
    drafts = [
        draft(number, kind, ended, f"Q{words}", "gram" if "filter" in ended else "")
        for number, (kind, ended, words) in enumerate(rows)
    ]
    finals = choose_finals(drafts, most=most)
    for counts in finals.funnel.values():
        values = list(counts.values())
        assert values == sorted(values, reverse=True)
        assert counts["finals"] <= most
    assert sum(counts["targets"] for counts in finals.funnel.values()) == len(drafts)
    assert len({item.question.casefold() for item in finals.drafts}) == len(finals.drafts)
    assert all(item.ended == "kept" for item in finals.drafts)
