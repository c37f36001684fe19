"""Induced sections: what the model sees, what is wrong with its answers, one correction, repair, and the report."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers import CHUNKERS, asking
from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.induced import Entry, faults_of, read_entries, repaired, sections_of
from ragtrial.chunkers.sections import Sections
from ragtrial.chunkers.windows_matched import WindowsMatched
from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.plain import read_text
from ragtrial.documents.verify import violations
from ragtrial.errors import FailedDocumentsError, ModelCallError, SpecError
from ragtrial.llm.base import Reply
from ragtrial.specs import parse_call

TEXT = (
    "# Pump\n\nIntro one.\n\nIntro two.\n\n## Oil\n\nOil one.\n\n- a\n- b\n\n## Filter\n\n### Paper\n\nPaper one.\n\n"
    "Paper two.\n"
)
GOOD = [("Start", 1, 0, 1), ("Oil", 2, 2, 3), ("Paper", 2, 4, 5)]
INDUCED = Sections(min=0, source="induced", model="m")


def answer(*entries):
    rows = [dict(zip(("title", "level", "first", "last"), entry, strict=True)) for entry in entries]
    return json.dumps({"sections": rows})


class Model:
    """Gives its replies one after another; an exception among them is raised."""

    concurrency = 1

    def __init__(self, *replies, window=None):
        self.replies = list(replies)
        self.window = window
        self.asked = []

    def ask(self, request, purpose):
        self.asked.append((request, purpose))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, 1, 1)


@pytest.fixture
def use(monkeypatch):
    def put(*replies, **more):
        model = Model(*replies, **more)
        monkeypatch.setattr(asking, "load", lambda options: model)
        return model

    return put


def document(text=TEXT, name="d"):
    return read_markdown(text, id=name)


def test_the_model_sees_numbered_paragraphs_without_headings(use):
    model = use(answer(*GOOD))
    chunks = INDUCED.chunk_documents([document()])
    ((request, purpose),) = model.asked
    inside = request.user.split("<document>\n")[1].split("\n</document>")[0]
    assert inside == (
        "[0] Intro one.\n\n[1] Intro two.\n\n[2] Oil one.\n\n[3] - a\n- b\n\n[4] Paper one.\n\n[5] Paper two."
    )
    assert "The last paragraph has the number 5." in request.user
    assert "Pump" not in request.user
    assert (purpose.step, purpose.document, request.max_tokens) == ("structure", "d", 4000)
    assert chunks.paths == (("Start",), ("Start", "Oil"), ("Start", "Paper"))
    assert "".join(chunks.texts) == TEXT
    # Headings go with the paragraph that they stand before, as the author's sections begin.
    assert [text.split("\n")[0] for text in chunks.texts] == ["# Pump", "## Oil", "## Filter"]


def test_the_report(use):
    use(answer(*GOOD))
    (report,) = INDUCED.chunk_documents([document()]).reports
    # The author's sections: Pump, Oil, the empty Filter, and Paper. Two of the three induced ones are his.
    assert report == {
        "step": "sections",
        "given": "sections(min=0, source='induced', model='m')",
        "documents": 1,
        "usable": 1,
        "verified": 1,
        "corrected": 0,
        "repaired": 0,
        "unusable": 0,
        "sections_per_document": 3.0,
        "native_sections_per_document": 4.0,
        "chunks": 3,
        "identical_to_native": 2 / 3,
    }
    assert Sections().chunk_documents([document()]).reports == ()


def test_one_correction_quotes_what_is_wrong(use):
    wrong = answer(("Start", 1, 0, 1), ("Oil", 3, 3, 3), ("Paper", 5, 4, 9))
    model = use(wrong, answer(*GOOD))
    chunks = INDUCED.chunk_documents([document()])
    assert chunks.reports[0]["corrected"] == 1
    request, purpose = model.asked[1]
    assert purpose.step == "structure correction"
    assert request.user.split("<proposed>\n")[1].split("\n</proposed>")[0] == wrong
    assert request.user.split("<wrong>\n")[1].split("\n</wrong>")[0].split("\n") == [
        "- Section 1 ('Oil', 3 to 3) begins with paragraph 3, not 2.",
        "- Section 2 ('Paper', 4 to 9) leaves the paragraphs 0 to 5.",
        "- Section 2 ('Paper', 4 to 9) has level 5, which is not 1 to 4.",
        "- Section 1 ('Oil') has level 3 right after level 1.",
        "- Section 2 ('Paper') has level 5 right after level 3.",
        "- The last section ends with paragraph 9, not 5.",
    ]


def test_what_is_still_wrong_is_repaired(use):
    model = use("I cannot.", answer(("Oil", 3, 2, 2), ("Gone", 1, 9, 9), ("Start", 2, 1, 5), ("Paper", 9, 4, 4)))
    chunks = INDUCED.chunk_documents([document()])
    assert len(model.asked) == 2
    assert 'no JSON object with "sections"' in model.asked[1][0].user
    assert chunks.reports[0]["repaired"] == 1
    assert chunks.paths == (("Start",), ("Start", "Oil"), ("Start", "Oil", "Paper"))
    assert [text.split("\n")[0] for text in chunks.texts] == ["# Pump", "## Oil", "## Filter"]


def test_the_first_answer_is_repaired_if_the_correction_is_of_no_use(use):
    use(answer(("Start", 1, 0, 1), ("Oil", 1, 3, 5)), "Sorry.")
    chunks = INDUCED.chunk_documents([document()])
    assert chunks.reports[0]["repaired"] == 1
    assert chunks.paths == (("Start",), ("Oil",))


@pytest.mark.parametrize("replies", [("no", "no"), ('{"sections": []}', '{"sections": [7, {"title": "x"}]}')])
def test_an_unusable_document_fails_and_is_counted(replies, use):
    model = use(*replies, answer(("All", 1, 0, 0)))
    documents = [document(), document("One.\n", "e")]
    with pytest.raises(FailedDocumentsError) as caught:
        INDUCED.chunk_documents(documents)
    assert list(caught.value.failed) == ["d"]
    report = INDUCED.report(documents)
    assert (report["documents"], report["usable"], report["unusable"], report["verified"]) == (2, 1, 1, 1)
    assert len(model.asked) == 3  # and nothing is asked again
    assert [piece.path for piece in INDUCED.split(documents[1])] == [("All",)]


def test_a_failed_call_fails_the_document_and_can_be_made_again(use):
    use(ModelCallError("no reply"))
    one = document()
    with pytest.raises(FailedDocumentsError, match="no reply"):
        INDUCED.chunk_documents([one])
    assert INDUCED.report([one])["documents"] == 0
    use(answer(*GOOD))
    assert len(INDUCED.chunk_documents([one])) == 3


def test_a_document_beyond_the_window_is_refused(use):
    model = use(window=4100)
    with pytest.raises(FailedDocumentsError, match="too long for its sections"):
        INDUCED.chunk_documents([document()])
    assert model.asked == []


def test_sizes_apply_and_arms_with_other_sizes_ask_nothing_again(use):
    model = use(answer(*GOOD))
    one = document()
    assert len(INDUCED.chunk_documents([one])) == 3
    assert len(Sections(source="induced", model="m").chunk_documents([one])) == 1
    windows = WindowsMatched(INDUCED)
    chunks = windows.chunk_documents([one])
    assert len(chunks) == 3
    assert chunks.reports[0]["step"] == "sections"
    assert windows.target(one) == pytest.approx(sum(len(chunk.text.split()) for chunk in chunks), rel=1)
    assert len(model.asked) == 1
    assert windows.asks_model


def test_a_document_without_paragraphs_asks_nothing(use):
    model = use()
    assert INDUCED.chunk_documents([document("# Only\n"), document("", "e")]).texts == ("# Only\n",)
    assert model.asked == []


# --- the rules --------------------------------------------------------------------------------------------------------


def plain(count):
    return read_text("\n\n".join(f"Paragraph {number}." for number in range(count)), id="p")


_entries = st.lists(
    st.builds(Entry, st.sampled_from("ABC"), st.integers(-1, 6), st.integers(-2, 9), st.integers(-2, 9)), max_size=8
)


@given(_entries, st.integers(1, 8))
def test_what_is_verified_or_repaired_is_legal(entries, count):
    one = plain(count)
    if not faults_of(entries, one):
        assert repaired(entries, count)[1:] == list(entries)[1:]
        legal = list(entries)
    else:
        legal = repaired(entries, count)
        assert bool(legal) == any(0 <= entry.first <= entry.last < count for entry in entries)
    if legal:
        sections = sections_of(legal, one)
        assert violations(one.text, one.blocks, sections, one.paragraphs, induced=True) == []
        assert repaired(legal, count)[1:] == legal[1:]
        assert [section.title for section in sections] == [entry.title for entry in legal]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), min_size=1, max_size=6))
def test_legal_answers_are_verified(parts):
    entries, first, level = [], 0, 0
    for width, wanted in parts:
        level = min(wanted, level + 1)
        entries.append(Entry("T", level, first, first + width - 1))
        first += width
    assert faults_of(entries, plain(first)) == []


def test_entries_are_read_as_data():
    assert read_entries("no") is None
    assert read_entries('{"sections": "x"}') is None
    assert read_entries('{"other": []}') is None
    rows = [
        {"title": " A \n b ", "level": 1, "first": 0, "last": 1, "html": "<b>"},
        {"title": 7, "level": 2, "first": 2, "last": 2},
        {"title": "float", "level": 1.0, "first": 0, "last": 1},
        {"title": "true", "level": True, "first": 0, "last": 1},
        {"title": "x" * 1_000_000, "level": 1, "first": 3, "last": 3},
        "text",
    ]
    found = read_entries(f"```json\n{json.dumps({'sections': rows})}\n```")
    assert found == [Entry("A b", 1, 0, 1), Entry("", 2, 2, 2), Entry("x" * 200, 1, 3, 3)]


def test_spelling_and_parameters():
    assert str(INDUCED) == "sections(min=0, source='induced', model='m')"
    assert CHUNKERS.build(parse_call("sections(source='induced', model='m', url='vllm')")).asks_model
    nested = "windows_matched(of=sections(source='induced', model='m'))"
    assert CHUNKERS.build(parse_call(nested)) == WindowsMatched(Sections(source="induced", model="m"))
    given = INDUCED.parameters()
    assert given["language_model"]["model"] == "m"
    assert len(given["prompt"]["sha256"]) == len(given["correction"]["sha256"]) == 64
    assert "model" not in Sections().parameters()
    for text in ("sections(model='m')", "sections(source='induced')", "sections(seed=1)"):
        with pytest.raises(SpecError, match=r"induced|name of a language model"):
            CHUNKERS.build(parse_call(text))
    assert not Headers().asks_model
