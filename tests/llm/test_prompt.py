"""Prompts are filled in one pass, and a file that is not right is refused in a sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import DataError, UsageError
from ragtrial.llm.prompt import load_prompt, prompt_names

GOOD = """\
version = 2
system = "You index {{ language }} text."
user = '''
Reply with {"title": "..."}.
<chunk>
{{chunk}}
</chunk>
Path: {{path}}'''
"""
PLACES = ("chunk", "language", "path")


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str | bytes) -> str:
        path = tmp_path / "own.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["{{path}}", "{{chunk}}", "\\1 \\g<0>", "{0}", "%s", "$path"]
)


@given(ANY_TEXT, ANY_TEXT)
def test_values_are_text_and_nothing_else(tmp_path_factory, chunk: str, path: str):
    file = tmp_path_factory.mktemp("prompt") / "own.toml"
    file.write_text(GOOD, encoding="utf-8")
    prompt = load_prompt(file, PLACES)
    system, user = prompt.fill({"chunk": chunk, "path": path, "language": "English", "other": "x"})
    assert system == "You index English text."
    assert user == f'Reply with {{"title": "..."}}.\n<chunk>\n{chunk}\n</chunk>\nPath: {path}'


def test_the_hash_is_that_of_the_words(write, tmp_path: Path):
    first = load_prompt(write(GOOD), PLACES)
    assert first.places == frozenset(PLACES)
    assert load_prompt(write(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()), PLACES).sha256 == first.sha256
    changed = [
        GOOD.replace("version = 2", "version = 3"),
        GOOD.replace("Path", "path"),
        GOOD.replace("text.", "texts."),
    ]
    assert len({load_prompt(write(text), PLACES).sha256 for text in [GOOD, *changed]}) == 4
    assert first.identity() == {"version": 2, "sha256": first.sha256}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("{{path}}", "{{paht}}"), "has the place {{paht}}, which nothing fills. Did you mean 'path'?"),
        (GOOD.replace("{{chunk}}", ""), "lacks the place {{chunk}}"),
        (GOOD.replace("version = 2", "version = true"), "needs a version"),
        (GOOD.replace("version = 2\n", ""), "needs a version"),
        (GOOD.replace("system", "sistem"), "has the key 'sistem'. Did you mean 'system'?"),
        ("version = 1\nuser = 3", "needs user"),
        ("version = 1\nuser = ' '", "needs user"),
        ("version = ", "is no TOML"),
        (b"version = 1\nuser = '\xff'", "is not UTF-8"),
    ],
)
def test_a_file_that_is_not_right_is_refused(write, text: str | bytes, message: str):
    with pytest.raises(DataError) as error:
        load_prompt(write(text), PLACES, required=["chunk"])
    assert message in str(error.value)


def test_a_prompt_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match=r"There is no prompt 'none'.* named by its path"):
        load_prompt("none", PLACES)
    with pytest.raises(UsageError, match="Cannot read the prompt"):
        load_prompt(tmp_path / "none.toml", PLACES)


@pytest.mark.parametrize("name", prompt_names())
def test_own_prompts_are_whole(name: str):
    from ragtrial.llm.prompt import _PLACE, _read

    text = _read(name)
    places = {place.strip() for place in _PLACE.findall(text)}
    prompt = load_prompt(name, places)
    assert prompt.version >= 1
    assert prompt.name == name
