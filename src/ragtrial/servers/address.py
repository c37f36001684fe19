"""The address of a server, which stands in records and messages and so must hold no secret."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from ragtrial.errors import UsageError

__all__ = ["checked_url", "host_of", "is_loopback"]


def checked_url(url: str, example: str = "http://localhost:8000/v1") -> str:
    """Return the address without a slash at its end; one that is none, or holds a secret, raises `UsageError`."""
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named:
        raise UsageError(f"{url!r} is not the address of a server.", hint=f"Write for example {example}.")
    if parts.username or parts.password or parts.query:
        raise UsageError(
            "The url of a server must hold no user, password or query: it stands in the record.",
            hint="Put the key into an environment variable and name it in key_variable.",
        )
    return url.rstrip("/")


def host_of(url: str) -> str:
    """Return the host of an address, with the port where one is written: ``localhost:8000``."""
    return urlsplit(url).netloc


def is_loopback(host: str) -> bool:
    """Return whether a host as `host_of` gives it is this machine: ``localhost``, 127.0.0.0/8 or ``::1``."""
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False
