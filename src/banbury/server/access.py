"""Who may ask: the Host and Origin of a request, and its key."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address

from banbury.server.keys import SCOPES, Keys
from banbury.server.problems import Problem
from banbury.server.requests import Headers

COOKIE = "banbury-key"  # that the page remembers a key by
EVERYTHING = frozenset(SCOPES)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_KNOWN = 1000  # Host headers that were checked before
METHODS = b"GET, POST, OPTIONS"
ASKED_HEADERS = b"authorization, content-type, idempotency-key"


class Access:
    """Checks requests before anything else is done with them."""

    def __init__(self, keys: Keys | None, hosts: Iterable[str] | None, origins: Iterable[str]) -> None:
        self.keys = keys
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower() for origin in origins)
        self._known_hosts: set[bytes] = set()

    def check(self, headers: Headers, *, by_cookie: bool = False) -> frozenset[str]:
        """What a request with these headers may do: scopes. A problem where it may not even be looked at.

        The page may also show its key in a cookie; a wrong one is as good as none.
        """
        host = headers.get(b"host", b"")
        if self._hosts is not None and host not in self._known_hosts:
            self._check_host(host.decode("latin-1").lower())
            if len(self._known_hosts) < MOST_KNOWN:
                self._known_hosts.add(host)
        if (origin := headers.get(b"origin")) is not None:
            self._check_origin(origin.decode("latin-1").lower(), host.decode("latin-1").lower())
        if self.keys is None:
            return EVERYTHING
        if by_cookie and b"authorization" not in headers:
            return self._scopes_of_cookie(self.keys, headers.get(b"cookie", b""))
        return self.keys.scopes(headers.get(b"authorization"))

    def _scopes_of_cookie(self, keys: Keys, header: bytes) -> frozenset[str]:
        try:
            key = SimpleCookie(header.decode("latin-1")).get(COOKIE)
            return keys.scopes(None if key is None else b"Bearer " + key.value.encode("latin-1", "replace"))
        except (CookieError, Problem):
            return frozenset()

    def _check_host(self, host: str) -> None:
        """Only names that this server has.

        A page from elsewhere can make its own name lead here (DNS rebinding), but no number.
        """
        name = name_of_host(host)
        assert self._hosts is not None
        if name not in self._hosts and not is_address(name):
            raise Problem(421, f"this server is not called {name[:100]!r}; say --allow-host if it is")

    def _check_origin(self, origin: str, host: str) -> None:
        """A browser says which page asks. Pages of other origins may not, or any page could teach a local model."""
        if origin not in self._origins and origin.partition("://")[2] != host:
            raise Problem(403, f"pages of {origin[:100]!r} may not ask this server; say --cors if they may")

    def cors(self, headers: Headers) -> list[tuple[bytes, bytes]]:
        """The headers by which a browser lets a page of another origin see the answer; none unless that was asked."""
        if not self._origins:
            return []
        origin = headers.get(b"origin", b"")
        if origin.decode("latin-1").lower() not in self._origins:
            return [(b"vary", b"origin")]
        return [(b"vary", b"origin"), (b"access-control-allow-origin", origin)]

    def preflight(self, method: str) -> list[tuple[bytes, bytes]] | None:
        """More headers for a browser that asks whether it may ask; None where this is no such question."""
        if method != "OPTIONS" or not self._origins:
            return None
        allowed = [(b"access-control-allow-methods", METHODS), (b"access-control-allow-headers", ASKED_HEADERS)]
        return [*allowed, (b"access-control-max-age", b"600")]


def name_of_host(host: str) -> str:
    """A Host header without its port.

    >>> name_of_host("localhost:8000"), name_of_host("[::1]:8000"), name_of_host("example.org")
    ('localhost', '::1', 'example.org')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def is_address(name: str) -> bool:
    """Whether this is the number of a machine, not a name.

    >>> is_address("127.0.0.1"), is_address("::1"), is_address("example.org")
    (True, True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host.lower() == "localhost" or (is_address(host) and ip_address(host).is_loopback)
