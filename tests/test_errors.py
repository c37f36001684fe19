"""The tree of errors: sentences, hints, exit codes."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragtrial as rt
from ragtrial import errors
from ragtrial.errors import (
    ConfigError,
    DataError,
    FailedDocumentsError,
    MissingExtraError,
    ModelCallError,
    RagtrialError,
    RecordError,
    SpecError,
    SpendingCapError,
    StatisticsError,
    UsageError,
    did_you_mean,
)

EXIT_CODES = {
    RagtrialError: 1,
    UsageError: 2,
    SpecError: 2,
    ConfigError: 2,
    DataError: 1,
    RecordError: 3,
    MissingExtraError: 1,
    FailedDocumentsError: 1,
    ModelCallError: 1,
    SpendingCapError: 4,
    StatisticsError: 1,
}


def test_the_tree_is_complete_and_public():
    kinds = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, RagtrialError)}
    assert kinds == set(EXIT_CODES)
    for kind in kinds:
        assert getattr(rt, kind.__name__) is kind
        assert kind.__name__ in errors.__all__
        assert kind.__doc__


@pytest.mark.parametrize(("kind", "code"), EXIT_CODES.items())
def test_exit_codes(kind, code):
    assert kind("x").exit_code == kind.exit_code == code


def test_what_catches_what():
    assert issubclass(SpecError, UsageError)
    assert issubclass(ConfigError, UsageError)
    for kind in EXIT_CODES:
        assert issubclass(kind, RagtrialError)
        assert not issubclass(kind, (ValueError, KeyError, OSError))
    assert not issubclass(DataError, UsageError)
    assert not issubclass(RecordError, DataError)


@pytest.mark.parametrize("kind", EXIT_CODES)
@pytest.mark.parametrize("hint", [None, "Do that."])
def test_an_error_is_what_it_says(kind, hint):
    error = kind("This is wrong.", hint=hint)
    assert (error.message, error.hint) == ("This is wrong.", hint)
    assert str(error) == ("This is wrong." if hint is None else "This is wrong. Do that.")


@pytest.mark.parametrize("kind", EXIT_CODES)
@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_an_error_crosses_processes_whole(kind, again):
    error = again(kind("This is wrong.", hint="Do that."))
    assert type(error) is kind
    assert (error.message, error.hint, str(error)) == ("This is wrong.", "Do that.", "This is wrong. Do that.")


def test_a_missing_extra_gives_the_exact_command():
    error = MissingExtraError("Stemming needs PyStemmer.", extra="stem")
    assert error.hint == "Install it with: pip install 'ragtrial[stem]'"
    assert pickle.loads(pickle.dumps(error)).hint == error.hint
    assert MissingExtraError("x", extra="stem", hint="Do that.").hint == "Do that."
    assert MissingExtraError("x").hint is None


@pytest.mark.parametrize(
    ("word", "known", "answer"),
    [
        ("headrs", ["headers", "chars"], "Did you mean 'headers'? Known: chars, headers."),
        ("xyz", ["headers", "chars"], "Known: chars, headers."),
        ("maxx", {"min": 1, "max": 2}, "Did you mean 'max'? Known: max, min."),
    ],
)
def test_what_was_probably_meant(word, known, answer):
    assert did_you_mean(word, known) == answer


def test_where_nothing_is_known_no_empty_list_is_shown():
    assert "Known: ." not in did_you_mean("x", [])


@given(st.text(), st.sets(st.text(min_size=1), min_size=1))
def test_the_suggestion_is_known_and_all_are_listed_in_order(word, known):
    answer = did_you_mean(word, known)
    listed = ", ".join(sorted(known))
    assert answer.endswith(f"Known: {listed}.")
    question = answer.removesuffix(f"Known: {listed}.")
    assert question == "" or question in {f"Did you mean {name!r}? " for name in known}
    assert did_you_mean(word, sorted(known, reverse=True)) == answer


def test_failed_documents_keep_their_reasons_across_processes():
    error = FailedDocumentsError.of({"a.md": "no reply", "b.md": "too long"})
    assert error.message == "a.md and 1 more failed: no reply"
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.failed, copied.message) == (error.failed, error.message)
