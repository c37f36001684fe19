"""Merges by key and their controls: hand-worked examples, laws, and count-matching document by document."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.fields import Entity, Fields
from ragtrial.chunkers.headers import Headers
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError, UsageError
from ragtrial.merging import merge as module
from ragtrial.merging.bins import bins_by_key, bins_of_neighbours, by_chance, by_similarity, merges
from ragtrial.merging.merge import Merge
from ragtrial.specs import parse_call
from ragtrial.trial.steps import STEPS

from .sets import enriched_set, enriched_sets


def members(chunks):
    """Return each chunk's text as the tuple of what its spans say."""
    found = []
    for chunk in chunks:
        source = next(document.text for document in chunks.documents if document.id == chunk.document)
        found.append(tuple(source[start:end] for start, end in chunk.spans))
    return found


# --- by key -----------------------------------------------------------------------------------------------------------


def test_chunks_of_one_key_join_whatever_lies_between():
    chunks = enriched_set([("one", "a", ("I",)), ("two", "b", ("II",)), ("three", "a", ("III",)), ("four", "", ())])
    merged = Merge(orphan=0).apply(chunks)
    assert merged.texts == ("one\n\nthree", "two", "four")
    assert members(merged) == [("one", "three"), ("two",), ("four",)]
    assert merged.paths == (("I",), ("II",), ())
    assert [chunk.index for chunk in merged] == [0, 1, 2]


def test_next_fit_does_not_look_back():
    # Sizes 6, 3, 7, 2 under a cap of 12: 6+2+3 fits; 7 does not and opens a bin; 7+2+2 fits there, not in the first.
    sizes = [6, 3, 7, 2]
    assert bins_by_key(["k"] * 4, sizes, 12) == [(0, 1), (2, 3)]
    # A chunk over the cap is alone, and what follows does not go back before it.
    assert bins_by_key(["k"] * 3, [2, 30, 2], 12) == [(0,), (1,), (2,)]
    # Exactly the cap fits: 5 + 2 + 5.
    assert bins_by_key(["k", "k"], [5, 5], 12) == [(0, 1)]
    assert bins_by_key(["k", "k"], [5, 5], 11) == [(0,), (1,)]


def test_groups_stand_where_their_first_member_stands():
    assert bins_by_key(["b", "a", "", "b", "a", ""], [1] * 6, 100) == [(0, 3), (1, 4), (2,), (5,)]


def test_keys_are_equal_only_as_exact_strings():
    assert bins_by_key(["pump", "pumps", "pump "], [1] * 3, 100) == [(0,), (1,), (2,)]


def test_documents_are_never_merged_with_each_other():
    chunks = enriched_set([("one", "a", ())], [("two", "a", ())])
    assert Merge().apply(chunks).texts == ("one", "two")


def test_a_merged_chunk_takes_from_the_first_and_unites_the_rest():
    first = Fields("T1", "S1", ("x", "y"), (Entity("Pump", "TECH"),), ("Q1?",), "k", ("r",))
    second = Fields(
        "T2", "S2", ("y", "z"), (Entity("PUMP", "TECH"), Entity("pump", "ORG")), ("Q2?", "Q1?"), "k", ("s", "r")
    )
    merged = Merge().apply(enriched_set([("one", first, ("I",)), ("two", second, ("II",))]))
    assert merged.generated.fields == (
        Fields(
            "T1",
            "S1",
            ("x", "y", "z"),
            (Entity("Pump", "TECH"), Entity("pump", "ORG")),
            ("Q1?", "Q2?"),
            "k",
            ("r", "s"),
        ),
    )
    assert merged.prefixes == ("T1\nS1\nx, y, z\nQ1? Q2?\n\n",)
    assert merged.indexed_texts == ("T1\nS1\nx, y, z\nQ1? Q2?\n\none\n\ntwo",)


def test_what_other_steps_put_before_the_chunks_stays_around_the_fields():
    fields = Fields(title="T", keywords=("x",), key="k")
    chunks = enriched_set(
        [("one", fields, ()), ("two", fields._replace(title="U", keywords=("y",)), ())], behind="| head |\n"
    )
    chunks = chunks.with_prefixes([f"T\n\n{prefix}" for prefix in chunks.prefixes])  # reads like the fields
    assert Merge().apply(chunks).prefixes == ("T\n\nT\nx, y\n\n| head |\n",)


def test_only_the_shown_fields_are_shown_again():
    fields = Fields("T", "S", ("x",), (), ("Q?",), "k")
    merged = Merge().apply(enriched_set([("one", fields, ()), ("two", fields, ())], shown=("questions", "key")))
    assert merged.prefixes == ("Q?\nk\n\n",)


def test_short_chunks_without_a_key_say_where_they_stand():
    chunks = enriched_set(
        [
            ("one", Fields(summary="S1", key="a"), ("I",)),
            ("two", Fields(title="T2", summary="S2"), ("I", "II")),
            ("three", None, ()),
            ("four", Fields(summary="S4", key="b"), ()),
        ]
    )
    merged = Merge(orphan=6).apply(chunks)
    assert merged.texts == ("one", "two", "three", "four")
    assert merged.prefixes == (
        "S1\n\n",
        "T2\nS2\n\n[Section: I > II]\n[Previous: S1]\n\n",
        "[Previous: S2]\n[Next: S4]\n\n",
        "S4\n\n",
    )
    assert merged.reports[-1] == {"step": "merge", "given": "merge(orphan=6)", "chunks": 4, "orphans": 2, "merges": 0}
    assert Merge(orphan=5).apply(chunks).prefixes[2] == ""  # "three" is not shorter than 5


def test_lines_of_orphans_and_merges_go_together():
    chunks = enriched_set([("one", "a", ()), ("two", Fields(summary="S"), ("II",)), ("three", "a", ())])
    merged = Merge().apply(chunks)
    assert merged.texts == ("one\n\nthree", "two")
    assert merged.prefixes == ("", "S\n\n[Section: II]\n\n")
    # A merge of the merged set finds the fields where they stand.
    again = Merge().apply(merged)
    assert (again.texts, again.generated.fields) == (merged.texts, merged.generated.fields)


def test_the_blocks_of_the_study_s_chunks_stay_apart_in_a_merged_one():
    document = read_markdown("# A\n\none\r\ntwo\n\n# B\n\nthree\n\n# C\n\nfour\n", dialect="study")
    chunks = Headers(min=0).chunk_documents([document])
    assert chunks.texts == ("# A\n\none\ntwo", "# B\n\nthree", "# C\n\nfour")
    merged = Merge().apply(chunks.with_fields([Fields(key="k"), Fields(), Fields(key="k")], ()))
    assert merged.texts == ("# A\n\none\ntwo\n\n# C\n\nfour", "# B\n\nthree")
    assert [len(chunk.spans) for chunk in merged] == [4, 2]


def test_slices_that_touch_are_one_slice():
    document = read_markdown("# A\r\n\r\none\r\n\r\n# B\r\n\r\ntwo\r\n\r\n# C\r\n\r\nthree\r\n")
    chunks = Headers(min=0).chunk_documents([document])
    near = Merge().apply(chunks.with_fields([Fields(key="k"), Fields(key="k"), Fields()], ()))
    assert near.joiner is None
    assert near.texts == (chunks.texts[0] + chunks.texts[1], chunks.texts[2])
    far = Merge(orphan=0).apply(chunks.with_fields([Fields(key="k"), Fields(), Fields(key="k")], ()))
    assert far.joiner == "\n\n"
    assert far.texts == ("# A\n\none\n\n\n\n# C\n\nthree\n", "# B\n\ntwo\n\n")


def test_nothing_to_merge_leaves_the_set_as_it_is():
    chunks = enriched_set([("one\r\n", "a", ()), ("two", "b", ())])
    merged = Merge().apply(chunks)
    assert merged.joiner is None
    assert merged.texts == ("one\r\n", "two")


def test_merging_needs_what_was_generated():
    document = read_markdown("# A\n\none\n")
    with pytest.raises(UsageError, match="nothing was"):
        Merge().apply(Headers().chunk_documents([document]))


@given(enriched_sets, st.integers(1, 90))
def test_a_merge_loses_no_character_and_keeps_the_order_of_first_members(chunks, cap):
    merged = Merge(cap=cap, orphan=0).apply(chunks)
    before, after = sorted(zip(chunks.document.tolist(), chunks.texts, strict=False)), []
    for number, chunk in zip(merged.document.tolist(), members(merged), strict=True):
        after += [(number, text) for text in chunk]
    assert sorted(after) == before
    for numbers in merged.ranges():
        firsts = [merged.spans(number)[0].start for number in numbers]
        assert firsts == sorted(firsts)
        for number in numbers:
            starts = [span.start for span in merged.spans(number)]
            assert starts == sorted(starts)
            assert len(starts) == 1 or len(merged.texts[number]) <= cap


@given(enriched_sets)
def test_only_chunks_of_one_key_are_together(chunks):
    key_of = {}
    for number, fields in enumerate(chunks.generated.fields):
        key_of[int(chunks.document[number]), chunks.spans(number)[0].start] = "" if fields is None else fields.key
    merged = Merge().apply(chunks)
    for number in range(len(merged)):
        keys = [key_of[int(merged.document[number]), span.start] for span in merged.spans(number)]
        assert len(set(keys)) == 1
        assert len(keys) == 1 or keys[0]


# --- the controls -----------------------------------------------------------------------------------------------------


def test_random_merges_are_of_neighbours_and_as_many_as_by_key():
    chunks = enriched_set([(f"c{number}", "k" if number % 3 == 0 else f"k{number}", ()) for number in range(12)])
    by_key = Merge().apply(chunks)
    for seed in range(5):
        merged = Merge("random", seed=seed).apply(chunks)
        assert len(merged) == len(by_key) == 9
        assert "\n\n".join(merged.texts) == "\n\n".join(chunks.texts)  # neighbours: the order of the text is kept
    assert len({Merge("random", seed=seed).apply(chunks).texts for seed in range(5)}) > 1


def test_a_random_merge_of_a_document_does_not_depend_on_its_company():
    own = [(f"c{number}", "k" if number < 4 else f"k{number}", ()) for number in range(9)]
    alone = Merge("random").apply(enriched_set(own))
    together = Merge("random").apply(enriched_set(own, [("other", "k", ())]))
    assert together.texts[: len(alone)] == alone.texts


@pytest.mark.parametrize("by", ["random", "similar"])
@given(enriched_sets, st.integers(1, 120))
def test_controls_have_as_many_chunks_in_every_document(by, chunks, cap):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "load_embedder", lambda options: Lengths())
        merged = Merge(by, cap=cap).apply(chunks)
    by_key = Merge(cap=cap).apply(chunks)
    short = lacking = 0
    for after, matched in zip(merged.ranges(), by_key.ranges(), strict=True):
        missing = len(after) - len(matched)
        assert missing >= 0
        if missing:
            sizes = [len(merged.texts[number]) for number in after]
            assert all(one + 2 + other > cap for one, other in itertools.pairwise(sizes))
        short, lacking = short + (missing > 0), lacking + missing
    report = merged.reports[-1]
    assert (report["documents_with_fewer"], report["lacking_merges"]) == (short, lacking)
    assert report["merges"] == len(chunks) - len(merged)
    assert [text for chunk in members(merged) for text in chunk] == list(chunks.texts)


def test_a_control_that_cannot_keep_up_says_so():
    # The two short chunks share a key, but what lies between them fits with neither.
    chunks = enriched_set([("x" * 4, "k", ()), ("y" * 50, "l", ()), ("z" * 4, "k", ())])
    assert len(Merge(cap=20).apply(chunks)) == 2
    report = Merge("random", cap=20).apply(chunks).reports[-1]
    assert report == {
        "step": "merge",
        "given": "merge('random', cap=20)",
        "chunks": 3,
        "lacking_merges": 1,
        "documents_with_fewer": 1,
        "merges": 0,
    }


class Lengths:
    """An embedder whose vectors tell how long a text is."""

    def embed(self, texts, kind="document", progress=None):
        angles = np.array([len(text) for text in texts]) / 10
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_similar_takes_the_nearest_pair_by_mean_vectors():
    # Angles 0.1, 0.2, 0.9, 1.0: first the two equal gaps, the earlier of them; then the other.
    vectors = np.array([[np.cos(a), np.sin(a)] for a in (0.0, 0.25, 1.0, 1.2)])
    assert bins_of_neighbours([1] * 4, 1, 100, by_similarity(vectors)) == [(0,), (1,), (2, 3)]
    assert bins_of_neighbours([1] * 4, 2, 100, by_similarity(vectors)) == [(0, 1), (2, 3)]
    # Means at 0.125 and 1.1 now: the last pair that is left.
    assert bins_of_neighbours([1] * 4, 3, 100, by_similarity(vectors)) == [(0, 1, 2, 3)]
    # The cap is held before likeness: 1.0 and 1.2 are too long together.
    assert bins_of_neighbours([1, 1, 5, 5], 1, 8, by_similarity(vectors)) == [(0, 1), (2,), (3,)]


def test_similar_takes_the_first_of_equals_and_lives_with_vectors_that_cancel_out():
    same = np.ones((4, 2))
    assert bins_of_neighbours([1] * 4, 1, 100, by_similarity(same)) == [(0, 1), (2,), (3,)]
    opposed = np.array([[1.0, 0], [-1, 0], [1, 0]])
    found = bins_of_neighbours([1] * 3, 2, 100, by_similarity(opposed))
    assert found == [(0, 1, 2)]


def test_random_pairs_are_drawn_evenly_among_those_that_fit():
    generator = np.random.default_rng(0)
    drawn = [bins_of_neighbours([1, 1, 9, 1, 1], 1, 5, by_chance(generator)) for _ in range(400)]
    first = sum(bins[0] == (0, 1) for bins in drawn)
    assert 150 < first < 250
    assert all(bins in ([(0, 1), (2,), (3,), (4,)], [(0,), (1,), (2,), (3, 4)]) for bins in drawn)
    assert merges([(0, 1, 2), (3,)]) == 2


# --- the expression ---------------------------------------------------------------------------------------------------


def test_spelling_and_what_each_way_takes():
    spelt = ["merge", "merge('random', seed=3)", "merge('random', draws=1)", "merge('similar', 'models/x')"]
    for text in (*spelt, "merge(cap=2000, orphan=0)"):
        assert str(STEPS.build(parse_call(text))) == text
    for text in (
        "merge('key', 'minilm')",
        "merge('key', seed=1)",
        "merge('similar', seed=1)",
        "merge('random', orphan=5)",
    ):
        with pytest.raises(SpecError, match="takes no"):
            STEPS.build(parse_call(text))
    with pytest.raises(SpecError, match="by"):
        STEPS.build(parse_call("merge('colour')"))
