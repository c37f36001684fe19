import pytest

from ragtrial.documents.files import line_ends, read_file
from ragtrial.documents.parts import Kind
from ragtrial.errors import DataError, UsageError


def test_markdown_is_read_with_its_encoding_and_line_ends(tmp_path):
    path = tmp_path / "guide.MD"
    path.write_bytes("\ufeff# Größe\r\n\r\nText\r\n".encode())
    document = read_file(path)
    assert document.id == "guide.MD"
    assert document.source == path
    assert document.text == "\ufeff# Größe\r\n\r\nText\r\n"
    assert [heading.title for heading in document.headings] == ["Größe"]
    assert dict(document.meta) == {"encoding": "utf-8", "newline": "crlf"}
    assert document.locate(document.text.index("Text")) == f"{path}:3"


def test_a_txt_file_has_no_headings(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("# not a heading\n\nText\n", encoding="utf-8")
    document = read_file(path, id="x/a")
    assert document.id == "x/a"
    assert [block.kind for block in document.blocks] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_the_dialect_reaches_the_markdown_reader(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# *Emphasis*\n", encoding="utf-8")
    assert read_file(path).headings[0].title == "Emphasis"
    assert read_file(path, dialect="study").headings[0].title == "*Emphasis*"


def test_an_encoding_can_be_given(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("Zażółć".encode("iso8859_2"))
    document = read_file(path, encoding="iso8859-2")
    assert document.text == "Zażółć"
    assert document.meta["encoding"] == "iso8859-2"
    with pytest.raises(UsageError):
        read_file(path, encoding="no such")


def test_an_empty_file_is_a_document_without_blocks(tmp_path):
    for name in ("a.md", "a.txt"):
        (tmp_path / name).touch()
        document = read_file(tmp_path / name)
        assert document.blocks == ()
        assert document.meta["newline"] == "none"


def test_what_cannot_be_read_is_named_with_the_reason(tmp_path):
    with pytest.raises(DataError, match=r"Cannot read .*missing\.md: no such file"):
        read_file(tmp_path / "missing.md")
    (tmp_path / "a.md").write_bytes(b"\x00\x01binary")
    with pytest.raises(DataError, match=r"Cannot read .*a\.md: it is binary"):
        read_file(tmp_path / "a.md")
    with pytest.raises(DataError, match=r"a\.xls is not a kind of file that is read\. Known: \.docx, \.htm"):
        read_file(tmp_path / "a.xls")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("", "none"), ("a", "none"), ("a\n", "lf"), ("a\r\nb\r\n", "crlf"), ("a\r", "cr"), ("a\r\nb\n", "mixed")],
)
def test_line_ends_are_named(text, kind):
    assert line_ends(text) == kind
