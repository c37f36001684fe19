"""Addresses that stand in records hold no secret, and what is none is refused."""

import pytest

from ragtrial.errors import UsageError
from ragtrial.servers.address import checked_url, host_of, is_loopback


@pytest.mark.parametrize("url", ["http://localhost:8000/v1", "https://пример.рф/v1", "http://[::1]:8080"])
def test_an_address_stays_what_it_is(url: str):
    assert checked_url(url) == checked_url(f"{url}//") == url


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://x", "http://", "http://x:port", "http://[x", "http://x:0"]
)
def test_what_is_no_address_is_refused(url: str):
    with pytest.raises(UsageError, match=r"is not the address of a server\. Write for example http://here"):
        checked_url(url, "http://here")


@pytest.mark.parametrize("url", ["http://me:pass@x", "http://me@x", "http://x/v1?key=abc"])
def test_an_address_with_a_secret_is_refused_without_showing_it(url: str):
    with pytest.raises(UsageError, match="must hold no user, password or query") as error:
        checked_url(url)
    assert not {"pass", "abc"} & set(str(error.value).replace(",", "").split())


def test_the_host_is_shown_with_its_port():
    assert host_of("http://localhost:8000/v1") == "localhost:8000"
    assert host_of("https://api.openai.com/v1") == "api.openai.com"


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost:8000", True), ("127.3.2.1", True), ("[::1]:1", True), ("localhost.x", False), ("10.0.0.1", False)],
)
def test_this_machine_is_known_by_its_host(host: str, here: bool):
    assert is_loopback(host) is here
