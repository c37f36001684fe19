"""Keys are found in the environment, else in ``.env``, and shown to nobody."""

import os
from pathlib import Path

import pytest

from ragtrial.errors import UsageError
from ragtrial.servers.keys import key_in, without_key

pytest.importorskip("dotenv", reason="needs the extra openai")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MY_KEY", raising=False)
    return tmp_path


def test_the_environment_wins_over_the_file(here: Path, monkeypatch):
    assert key_in(None) is None
    assert key_in("MY_KEY") is None
    (here / ".env").write_text("MY_KEY=file\n")
    assert key_in("MY_KEY") == "file"
    assert "MY_KEY" not in os.environ
    monkeypatch.setenv("MY_KEY", " set\n")
    assert key_in("MY_KEY") == "set"
    monkeypatch.setenv("MY_KEY", "")
    assert key_in("MY_KEY") == "file"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("\ufeffMY_KEY=a", "a"),
        ("export MY_KEY = 'a b'  # mine\r\nX=1\r\n", "a b"),
        ("MY_KEY=$HOME", "$HOME"),
        ("MY_KEY=", None),
        ("MY_KEY", None),
        ("MY_KEY_2=a", None),
        ("nonsense \0 =\nMY_KEY=a", "a"),
    ],
)
def test_the_file_is_read_as_people_write_it(here: Path, text: str, key: str | None):
    (here / ".env").write_bytes(text.encode())
    assert key_in("MY_KEY") == key


def test_a_file_that_cannot_be_read_is_refused_without_showing_it(here: Path):
    (here / ".env").write_bytes(b"MY_KEY=\xff\xfesecret")
    with pytest.raises(UsageError, match=r"The key MY_KEY was looked for in the file \.env") as error:
        key_in("MY_KEY")
    assert "secret" not in str(error.value)


def test_a_key_is_struck_out():
    assert without_key("Bearer abc, abc!", "abc") == "Bearer ***, ***!"
    assert without_key("abc", None) == "abc"
