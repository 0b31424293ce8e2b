"""Answers at once are those of the usual way; time and size of connections are bounded."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from banbury import Classifier
from commands import LABELS, TEXTS
from serving import Serving

QUICK, USUAL = "/v1/models/mood/predict", "/v1/models/m%6fod/predict"  # a name that has to be decoded takes its time


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    path: Path = tmp_path_factory.mktemp("models") / "mood.banbury"
    Classifier().fit(TEXTS[:200], LABELS[:200]).save(path)
    with Serving(path) as server:
        yield server


def request(body: bytes, more: bytes = b"") -> bytes:
    head = f"POST {QUICK} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n".encode()
    return head + more + b"\r\n" + body


@pytest.mark.parametrize(
    "body",
    [
        b'{"texts": ["so happy"]}',
        b'{"texts": ["so happy", "so sad"], "top": 2, "prior": "uniform"}',
        b'{"texts": []}',
        b'{"texts": ["a"], "costs": [], "unsure": 0}',
        b'{"texts": 3}',
        b"{",
        b'{"rows": []}',
        json.dumps({"texts": ["so happy"] * 5000}).encode(),
    ],
)
def test_an_answer_at_once_is_that_of_the_usual_way(server: Serving, body: bytes) -> None:
    quick, usual = server.post(QUICK, body), server.post(USUAL, body)
    assert (quick.status, quick.body) == (usual.status, usual.body)
    assert set(quick.headers) == set(usual.headers)


def test_requests_in_a_row_are_answered_in_their_order(server: Serving) -> None:
    bodies = [json.dumps({"texts": [text]}).encode() for text in TEXTS[:40]]
    bodies[7] = bodies[23] = b"{"  # these go the usual way
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"".join(map(request, bodies)))
        answers = b""
        while answers.count(b"HTTP/1.1 ") < 40 or not answers.endswith(b"}"):
            answers += connection.recv(65536)
    statuses = [part.split(b" ")[0] for part in answers.split(b"HTTP/1.1 ")[1:]]
    assert [n for n, status in enumerate(statuses) if status == b"400"] == [7, 23]
    expected = [server.post(QUICK, body).body for body in bodies]
    assert [part.split(b"\r\n\r\n")[1] for part in answers.split(b"HTTP/1.1 ")[1:]] == expected


def test_a_request_may_come_in_pieces_and_end_the_connection(server: Serving) -> None:
    whole = request(b'{"texts": ["so happy"]}', b"Connection: close\r\n")
    for size in (1, 7, 50):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            for start in range(0, len(whole), size):
                connection.sendall(whole[start : start + size])
                time.sleep(0.0005)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert answer.endswith(server.post(QUICK, b'{"texts": ["so happy"]}').body)


def everything(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def test_what_is_no_http_is_answered_after_the_requests_before_it(server: Serving) -> None:
    body = b'{"texts": ["so happy"]}'
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request(body) * 2 + b"\x16\x03\x01 no HTTP\r\n\r\n")
        statuses = [part.split(b" ")[0] for part in everything(connection).split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"200", b"400"]


def test_a_client_that_has_said_all_is_answered(server: Serving) -> None:
    body = b'{"texts": ["so happy"]}'
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request(body))
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).endswith(server.post(QUICK, body).body)


# The same process, which waits for the next request of a connection for half a second.
IMPATIENT = """
import sys
from banbury.server import limits
limits.KEEP_ALIVE_SECONDS = 0.5
from banbury.cli import main
sys.exit(main())
"""


def test_a_connection_is_closed_when_nothing_more_is_asked(tmp_path: Path) -> None:
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(tmp_path / "mood.banbury")
    with Serving(tmp_path, program=IMPATIENT) as server:
        for body in (b'{"texts": ["happy"]}', b"{"):  # at once, and the usual way
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                connection.sendall(request(body))
                assert everything(connection).startswith(b"HTTP/1.1 ")
