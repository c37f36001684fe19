import io
import sys
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.documents.files import read_file
from ragtrial.documents.office import read_office
from ragtrial.errors import DataError, MissingExtraError


def pdf(pages, outline=()):
    """Return a PDF of pages of lines, with an outline of (title, page)."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    first = 4 + 2 * len(pages)
    catalog = "<< /Type /Catalog /Pages 2 0 R" + (f" /Outlines {first} 0 R" if outline else "") + " >>"
    objects = [catalog, f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -14 Td " if line else "0 -28 Td " for line in lines)
        stream = f"BT /F1 12 Tf 72 720 Td {shown}ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    if outline:
        last = first + len(outline)
        objects.append(f"<< /Type /Outlines /First {first + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>")
        for number, (title, page) in enumerate(outline, 1):
            after = f" /Next {first + number + 1} 0 R" if number < len(outline) else ""
            before = f" /Prev {first + number - 1} 0 R" if number > 1 else ""
            place = f"[{4 + 2 * page} 0 R /Fit]"
            objects.append(f"<< /Title ({title}) /Parent {first} 0 R{after}{before} /Dest {place} >>")
    out = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def docx(*paragraphs):
    """Return a Word file of (style, text)."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{main}.styles+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kind}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kind}/styles" Target="styles.xml"/></Relationships>',
        "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)
    return out.getvalue()


def test_a_pdf_leads_back_to_its_pages_and_its_outline_gives_the_headings(laws, tmp_path):
    pages = [["Chapter one", "", "Words of page one.", "More words."], ["Chapter two", "", "Words of page two."], [""]]
    (tmp_path / "a.pdf").write_bytes(pdf(pages, [("Chapter one", 0), ("Chapter two", 1), ("Elsewhere", 1)]))
    document = read_file(tmp_path / "a.pdf")
    laws.check(document)
    assert [heading.title for heading in document.headings] == ["Chapter one", "Chapter two"]
    assert document.path_at(document.text.index("page two")) == ("Chapter two",)
    assert document.locate(document.text.index("page two")) == f"{tmp_path / 'a.pdf'}, page 2"
    assert document.meta["pages"] == 3
    assert document.meta["dropped"] == {"page without text": 1}


def test_a_pdf_without_an_outline_has_no_headings():
    document = read_office(pdf([["# not a heading", "", "text"]]), ".pdf")
    assert document.headings == ()
    assert "# not a heading" in document.text


def test_a_scan_is_refused_with_advice():
    with pytest.raises(DataError, match="no page of it has text") as caught:
        read_office(pdf([[""]]), ".pdf")
    assert "OCR" in caught.value.hint


def test_a_word_file_becomes_markdown(laws):
    document = read_office(docx(("Heading1", "Раздел"), ("Normal", "Текст 中文"), ("Heading2", "Sub")), ".docx")
    laws.check(document)
    assert [(heading.level, heading.title) for heading in document.headings] == [(1, "Раздел"), (2, "Sub")]
    assert "Текст 中文" in document.text


def test_a_presentation_leads_back_to_its_slides(laws):
    pptx = pytest.importorskip("pptx")
    presentation = pptx.Presentation()
    for number in (1, 2):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = f"content {number}"
    out = io.BytesIO()
    presentation.save(out)
    document = read_office(out.getvalue(), ".pptx", "p")
    laws.check(document)
    assert [heading.title for heading in document.headings] == ["Slide 1", "Slide 2"]
    assert document.locate(document.text.index("content 2")) == "p, slide 2"
    assert document.meta["slides"] == 2


@pytest.mark.parametrize("extension", [".pdf", ".docx", ".pptx"])
@settings(max_examples=15)
@given(data=st.one_of(st.binary(max_size=50), st.integers(0, 2000).map(lambda cut: pdf([["a"]])[:cut])))
def test_a_damaged_file_is_refused(extension, data):
    try:
        document = read_office(data, extension)
    except DataError:
        return
    assert document.verify() == []


def test_a_packed_bomb_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", "x")
        packed.infolist()[0].file_size = 2_000_000_000
    with pytest.raises(DataError, match=r"unpacks to 2,000,000,000 bytes"):
        read_office(out.getvalue(), ".docx")


def test_without_the_library_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "markitdown.converters", None)
    with pytest.raises(MissingExtraError, match=r"markitdown.*pip install 'ragtrial\[office\]'"):
        read_office(b"", ".pdf")
