"""The file of keys: a line for each, with a name, scopes, and the hash of the key. The keys themselves are nowhere."""

from __future__ import annotations

import hmac
import os
import re
import secrets
from hashlib import sha256
from pathlib import Path

from banbury.errors import FileFormatError, InputError
from banbury.server.problems import Problem

SCOPES = ("read", "learn", "admin")
"""Each includes those before it."""
KEY_PREFIX = "bby_"  # by which a key that has leaked can be found
KEY_LINE = re.compile(r"(?P<name>\S+)\s+(?P<scope>read|learn|admin)\s+sha256:(?P<hash>[0-9a-f]{64})")


class Keys:
    """Keys that a request can show."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.load()

    def load(self) -> None:
        """Read the file again; where it cannot be read, the keys stay as they are and an error says why."""
        known: list[tuple[bytes, frozenset[str]]] = []
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = KEY_LINE.fullmatch(line.strip())
            if match is None:
                raise FileFormatError(f"{self.path}: line {number} is not NAME SCOPE sha256:HASH")
            scopes = SCOPES[: SCOPES.index(match["scope"]) + 1]
            known.append((bytes.fromhex(match["hash"]), frozenset(scopes)))
        self._known = known

    def scopes(self, authorization: bytes | None) -> frozenset[str]:
        """What the bearer of a key may do: nothing without one, and a 401 with a wrong one."""
        if authorization is None:
            return frozenset()
        kind, _, key = authorization.partition(b" ")
        shown = sha256(key.strip()).digest()
        granted: frozenset[str] = frozenset()
        for known, scopes in self._known:  # all of them, so that the time tells nothing
            if hmac.compare_digest(shown, known):
                granted = scopes
        if kind.lower() != b"bearer" or not granted:
            raise unauthorized("this key is not known here")
        return granted


def unauthorized(detail: str) -> Problem:
    """A 401."""
    return Problem(401, detail, headers={"www-authenticate": 'Bearer realm="banbury"'})


def check_scope(scopes: frozenset[str], needed: str) -> None:
    """A problem where the scopes of a key are not enough."""
    if needed and needed not in scopes:
        if not scopes:
            raise unauthorized("this needs a key: Authorization: Bearer KEY")
        raise Problem(403, f"this needs a key of scope {needed}")


def add_key(path: str | os.PathLike[str], name: str, scope: str) -> str:
    """A new key, whose hash is written to the file; it cannot be found out again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     key = add_key(folder + "/keys", "phone", "learn")
    ...     scopes = Keys(folder + "/keys").scopes(b"Bearer " + key.encode())
    >>> sorted(scopes)
    ['learn', 'read']
    """
    if scope not in SCOPES:
        raise InputError(f"scope is {scope!r}; it can be {', '.join(SCOPES)}")
    if not re.fullmatch(r"[^\s#]\S*", name):
        raise InputError(f"name is {name!r}; it must be one word")
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with open(os.open(path, flags, 0o600), "a", encoding="utf-8") as file:
        file.write(f"{name} {scope} sha256:{sha256(key.encode()).hexdigest()}\n")
    return key
