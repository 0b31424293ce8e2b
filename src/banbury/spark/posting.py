"""Posting: documents are sent to a running server so that they are learned once, however often they are sent.

Each request has an Idempotency-Key, and the same documents make the same requests, in whatever order they come.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any

from banbury.distributed.columns import Rows
from banbury.errors import InputError

REQUEST_DOCUMENTS = 1000  # of a request …
REQUEST_BYTES = 4 << 20  # … and their bytes, unless a single document has more
BUSY = (429, 502, 503, 504)  # the server, or what stands before it, asks to come back later
ANSWER_SECONDS = 60  # until an answer is there
PAUSE_SECONDS = 1.0  # between two attempts


def post(url: str, key: str, rows: Rows, *, token: str | None = None, patience: float = 60.0) -> int:
    """How many documents the model at `url` has learned, now or under this key before.

    A server that is busy or cannot be reached is tried again for `patience` seconds; then it is a `ConnectionError`.
    """
    n_documents = 0
    for number, body in enumerate(request_bodies(rows)):
        n_documents += _learned(f"{url.rstrip('/')}/learn", body, f"{key}/{number}", token, patience)
    return n_documents


def request_bodies(rows: Rows) -> Iterator[bytes]:
    """The bodies of requests by which these documents are learned."""
    name = "rows" if hasattr(rows.documents, "column_names") else "texts"
    part: list[str] = []
    n_bytes = 0
    for pair in sorted(_encoded(row) for row in zip(rows.documents.to_pylist(), rows.labels or [], strict=True)):
        if len(part) == REQUEST_DOCUMENTS or (part and n_bytes + len(pair) > REQUEST_BYTES):
            yield _body(name, part)
            part, n_bytes = [], 0
        part.append(pair)
        n_bytes += len(pair)
    if part:
        yield _body(name, part)


def _encoded(row: tuple[Any, Any]) -> str:
    document, label = row
    if isinstance(document, dict):  # not a number is a missing value
        document = {name: None if value != value else value for name, value in document.items()}
    try:
        return json.dumps([document, label], allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"a row cannot be sent as JSON: {error}") from error


def _body(name: str, pairs: list[str]) -> bytes:
    documents, labels = zip(*map(json.loads, pairs), strict=True)
    return json.dumps({name: documents, "labels": labels}).encode()


def _learned(url: str, body: bytes, key: str, token: str | None, patience: float) -> int:
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    until = time.monotonic() + patience
    while True:
        try:
            asked = urllib.request.Request(url, body, headers)
            with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:
                return int(json.load(answer)["learned"])
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(2000).decode("utf-8", "replace")
            if error.code not in BUSY:
                raise InputError(f"{url} answers {error.code}: {_detail(said)}") from error
            why = f"it answers {error.code}: {_detail(said)}"
        except (OSError, HTTPException) as error:
            why = str(error) or type(error).__name__
        if time.monotonic() + PAUSE_SECONDS > until:
            raise ConnectionError(f"{url} did not learn what was sent under the key {key!r}: {why}")
        time.sleep(PAUSE_SECONDS)


def _detail(said: str) -> str:
    try:
        return str(json.loads(said)["detail"])
    except (ValueError, KeyError, TypeError):
        return said
