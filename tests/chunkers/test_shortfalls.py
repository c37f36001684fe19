"""What steps could not do is said in words, added up over batches, and not at all where nothing is amiss."""

from ragtrial.chunkers.shortfalls import shortfalls

FINE = {"step": "enriched", "given": "enriched('m')", "chunks": 3, "without_fields": 0, "asked_again": 2, "keyed": 3}


def test_nothing_is_said_where_nothing_is_amiss():
    assert shortfalls([]) == []
    assert shortfalls([(), (FINE,)]) == []
    assert shortfalls([({"step": "sections", "sections_per_document": 4.5, "chunks": 3},)]) == []


def test_batches_are_added_up_and_steps_kept_apart():
    merge = {"step": "merge", "chunks": 3, "failed_calls": 1, "lacking_merges": 2}
    note = {"step": "context", "chunks": 1200, "without_context": 1000}
    batches = [(FINE | {"without_fields": 1}, merge), (FINE | {"without_fields": 2}, merge), (FINE, merge, note)]
    assert shortfalls(batches) == [
        "enriched: 3 of 9 chunks have no generated fields, since no reply about them could be read.",
        "merge: in 3 of the documents keys stay as they were, since no reply came or could be read.",
        "merge: 6 of the merges of what it controls are lacking, since no two neighbours fit together.",
        "context: 1,000 of 1,200 chunks have no generated note, since every reply about them was empty.",
    ]
