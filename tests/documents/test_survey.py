"""What a folder holds: counts, scripts, and documents that are nearly the same."""

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.survey import survey

LONG = [f"Paragraph number {n} is long enough to be told from all the others in this test." for n in range(10)]


def page(name, *paragraphs, title="# Title"):
    return read_markdown("\n\n".join([title, *paragraphs]), id=name)


def test_counts_and_scripts():
    found = survey([page("a", "Текст на русском языке."), page("b", "中文", title="Plain")])
    assert (found.documents, found.headings, found.without_headings) == (2, 1, 1)
    assert [name for name, _ in found.scripts] == ["Cyrillic", "Latin", "Han"]
    assert abs(sum(share for _, share in found.scripts) - 1) < 1e-9
    assert found.lines()[0].startswith("2 documents, ")
    assert "Cyrillic 61%" in found.lines()[1]


def test_documents_that_share_most_of_their_paragraphs_are_alike():
    found = survey(
        [page("a", *LONG), page("b", *LONG[:9], "Something short."), page("c", *LONG[:5], "x" * 60, "y" * 60)]
    )
    assert found.alike == (("a", "b"),)
    assert "One pair of nearly the same documents, the first a and b" in found.lines()[-1]


def test_what_every_page_has_makes_none_alike():
    assert survey([page(str(n), LONG[0]) for n in range(30)]).alike == ()
    assert survey([page("a", "Short."), page("b", "Short.")]).alike == ()


def test_nothing_is_no_fault():
    found = survey([])
    assert (found.documents, found.scripts, found.alike) == (0, (), ())
    assert found.lines() == ["0 documents, 0 characters, 0 headings."]
