"""Too much, too deep, too slow, too many: each is answered or ended, and others are served."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from banbury import Classifier
from banbury.server.limits import BODY, DOCUMENTS, TEXT
from serving import Serving

PREDICT = "/v1/models/mood/predict"
# The same process with shorter time-outs: a test cannot wait for half a minute.
IMPATIENT = """
import sys
from banbury.server import limits
limits.BODY_SECONDS = limits.HEADER_SECONDS = 1.0
from banbury.cli import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    path: Path = tmp_path_factory.mktemp("models") / "mood.banbury"
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(path)
    with Serving(path, program=IMPATIENT) as server:
        yield server


def connected(server: Serving) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def head(length: int | None = None, more: str = "") -> bytes:
    size = "" if length is None else f"Content-Length: {length}\r\n"
    return f"POST {PREDICT} HTTP/1.1\r\nHost: localhost\r\n{size}{more}\r\n".encode()


def received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except ConnectionResetError:
        return b""


def everything(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    "body, status, detail",
    [
        (b"{", 400, "not JSON"),
        (b"\xff", 400, "not JSON"),
        (b'{"texts": ["\xed\xa0\x80"]}', 400, "not JSON"),
        (b'{"texts": ["\\ud800 and more"]}', 400, "not JSON"),
        (b"[" * 100_000, 422, "Expected `object`"),
        (b'{"texts":' + b"[" * 100_000, 422, "Expected `str`"),
        (b'{"other":' + b"[" * 100_000, 422, "unknown field `other`"),
        (b"", 400, "not JSON"),
        (json.dumps({"texts": ["a" * (TEXT + 1)]}).encode(), 422, "length"),
        (json.dumps({"texts": ["a"] * (DOCUMENTS + 1)}).encode(), 422, "length"),
        (b" " * (BODY + 1), 413, "the body is longer"),
    ],
    ids=["cut", "binary", "surrogate", "escaped", "deep", "deep-texts", "deep-other", "empty", "text", "batch", "body"],
)
def test_too_much_is_a_problem(server: Serving, body: bytes, status: int, detail: str) -> None:
    answer = server.post(PREDICT, body)
    assert answer.status == status
    assert detail in answer.json["detail"]


def test_a_body_in_chunks_has_the_same_limit(server: Serving) -> None:
    with connected(server) as connection:
        connection.sendall(head(more="Transfer-Encoding: chunked\r\n"))
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        try:
            for _ in range(11):
                connection.sendall(chunk)
        except OSError:
            pass  # it is over already
        assert b" 413 " in connection.recv(65536)


def test_a_body_that_takes_too_long_is_answered_with_408(server: Serving) -> None:
    with connected(server) as connection:
        connection.sendall(head(100) + b'{"te')
        assert b" 408 " in everything(connection)


def test_headers_that_take_too_long_close_the_connection(server: Serving) -> None:
    with connected(server) as connection:
        connection.sendall(b"POST /v1/models HTTP/1.1\r\nHost: lo")
        start = time.monotonic()
        assert received(connection) == b""
        assert time.monotonic() - start < 10


def test_headers_that_do_not_end_close_the_connection(server: Serving) -> None:
    with connected(server) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nX: ")
        try:
            for _ in range(100):
                connection.sendall(b"x" * 65536)
            pytest.fail("six megabytes of headers were taken")
        except OSError:
            pass


def test_a_thousand_connections_that_say_nothing_keep_nobody_waiting(server: Serving) -> None:
    silent: list[socket.socket] = []
    try:
        silent += [connected(server) for _ in range(1000)]
        start = time.monotonic()
        for _ in range(20):
            assert server.predict("mood", "happy")["labels"] == ["glad"]
        assert time.monotonic() - start < 5
    finally:
        for connection in silent:
            connection.close()


def test_clients_that_hang_up_early_do_no_harm(server: Serving) -> None:
    body = json.dumps({"texts": ["so happy"] * 1000}).encode()
    for cut in (10, len(head(len(body))) - 2, len(head(len(body))) + 50, len(head(len(body)) + body)):
        for _ in range(5):
            with connected(server) as connection:
                connection.sendall((head(len(body)) + body)[:cut])
    assert server.predict("mood", "happy")["labels"] == ["glad"]
    assert "Traceback" not in server.log
    assert "failed" not in server.log
