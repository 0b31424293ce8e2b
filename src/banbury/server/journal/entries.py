"""What a journal holds: entries, one for each document; and changes, the requests that they came with."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from banbury.errors import BanburyError, InputError
from banbury.text.tokens import Tokens

LEARN, FORGET, REFIT, REFUSED = "learn", "forget", "refit", "refused"


class JournalError(BanburyError, OSError):
    """The journal cannot be read or written; the message says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a request wants to be learned or forgotten: all of it, or nothing."""

    model: str
    act: str
    documents: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    """Of a forget, instead of documents: the entries that it takes back. Of a refit: the last one that is known."""
    key: str | None = None
    """The Idempotency-Key of the request …"""
    fingerprint: str = ""
    """… and what it asked for."""

    @property
    def n_documents(self) -> int:
        """How many documents it is about."""
        return len(self.ids or self.documents)


class Written(NamedTuple):
    """Where a change stands in the journal."""

    first: int
    last: int
    is_repeat: bool = False
    """Whether it stood there before, under the same Idempotency-Key."""


class Entry(NamedTuple):
    """One line of the journal."""

    sequence: int
    change: int
    """The first entry of the change that it is part of."""
    model: str
    act: str
    document: Any
    label: Any


class Head(NamedTuple):
    """What is known of a journal as a whole."""

    identity: str
    sequence: int
    """The last entry."""
    compacted: int
    """The last entry that compaction has removed; whoever has not come so far starts from the model's file."""


def plain(value: Any) -> str:
    """A document or a label as it is written: JSON, the same for the same content.

    >>> plain({"b": 1, "a": "x"}), plain("a"), plain(Tokens(["a", "b"]))
    ('{"a":"x","b":1}', '"a"', '["a","b"]')
    """
    try:
        return msgspec.json.encode(value, enc_hook=tokens_as_list, order="sorted").decode()
    except UnicodeEncodeError:
        raise InputError("a document holds half a character (a lone surrogate), which cannot be written") from None


def read_document(written: str) -> Any:
    """A document as it was before it was written.

    >>> read_document(plain(Tokens(["a", "b"])))
    Tokens(['a', 'b'])
    """
    document = msgspec.json.decode(written)
    return Tokens(document) if isinstance(document, list) else document


def tokens_as_list(value: Any) -> list[str]:
    """Tokens as JSON has them; for what else JSON has no form for, an error."""
    if isinstance(value, Tokens):
        return list(value.tokens)
    raise NotImplementedError(f"a document of type {type(value).__name__} cannot be written")


def digest(document: str, label: str) -> str:
    """The content of an entry in 32 letters: by it entries are found, and damage is seen."""
    return blake2b(f"{label}\n{document}".encode(), digest_size=16).hexdigest()
