import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragtrial.documents.notebook import read_notebook
from ragtrial.documents.parts import Kind
from ragtrial.errors import DataError


def notebook(*cells, **meta):
    return json.dumps({"cells": list(cells), "metadata": meta, "nbformat": 4, "nbformat_minor": 5})


def test_cells_become_one_text_and_lead_back_to_their_numbers(laws):
    text = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "Some *text*\n", "```\n", "open"]},
        {"cell_type": "code", "source": "print('```')", "outputs": [{"text": "x"}], "execution_count": 1},
        {"cell_type": "code", "source": [], "outputs": []},
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "markdown", "source": "---\nx: 1\n---\n## Next\n![a](data:image/png;base64,AAAA) b"},
        language_info={"name": "python"},
    )
    document = read_notebook(text, "n.ipynb")
    laws.check(document)
    assert document.text == (
        "# Title\nSome *text*\n```\nopen\n\n````python\nprint('```')\n````\n\n---\nx: 1\n---\n## Next\n![a]() b"
    )
    assert [(heading.level, heading.title) for heading in document.headings] == [(1, "Title"), (2, "Next")]
    assert Kind.FRONT_MATTER not in {block.kind for block in document.blocks}
    assert document.path_at(document.text.index("print")) == ("Title",)
    assert document.locate(document.text.index("## Next")) == "n.ipynb, cell 5"
    assert document.meta["language"] == "python"
    assert dict(document.meta["dropped"]) == {"output": 1, "picture in the file": 1, "raw cell": 1}


def test_format_3():
    old = {
        "worksheets": [
            {"cells": [{"cell_type": "heading", "level": 2, "source": "H"}, {"cell_type": "code", "input": "a"}]}
        ]
    }
    assert read_notebook(json.dumps(old)).text == "## H\n\n```\na\n```"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cells": 1}', '{"cells": ["a"]}', "[" * 100_000])
def test_what_is_no_notebook(text):
    with pytest.raises(DataError, match="it is no notebook"):
        read_notebook(text)


def test_a_notebook_without_text_is_a_document_without_blocks():
    assert read_notebook(notebook()).blocks == ()


CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["markdown", "code", "raw", "heading", None])},
    optional={
        "source": st.one_of(st.text(), st.lists(st.text()), st.none(), st.integers()),
        "level": st.integers(),
        "outputs": st.lists(st.integers()),
    },
)


@given(st.lists(CELLS, max_size=6))
@example([{"cell_type": "heading", "source": ["~", "0~0"]}])
def test_any_cells_give_a_sound_document(laws, cells):
    document = read_notebook(notebook(*cells))
    laws.check(document, marked=True)
    document.text.encode()


@pytest.mark.parametrize("text", ["Введение", "简介", "مقدمة"])
def test_other_alphabets(text):
    assert read_notebook(notebook({"cell_type": "markdown", "source": f"# {text}"})).headings[0].title == text
