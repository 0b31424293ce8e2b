"""Lines that stream through, and raw e-mails."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import Classifier, SpamFilter
from commands import LABELS, TEXTS
from serving import Serving, served

HAM = b"From: ann@example.org\r\nSubject: Lunch?\r\n\r\nAt noon, as always?"
SPAM = b"From: win@example.com\r\nSubject: You have won\r\n\r\nFree money, free money!"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    Classifier().fit(TEXTS, LABELS).save(folder / "mood.banbury")
    SpamFilter().fit([HAM, SPAM] * 3, ["ham", "spam"] * 3).save(folder / "mail.banbury")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Serving]:
    with Serving(folder, "--journal", folder / "learned.journal") as server:
        yield server


def lines(body: bytes) -> list[Any]:
    return [json.loads(line) for line in body.splitlines()]


def test_lines_come_back_with_a_label_and_its_probability(server: Serving, folder: Path) -> None:
    rows = [{"id": n, "text": text} for n, text in enumerate(TEXTS * 3)]
    answer = server.post("/v1/batch?model=mood", "\n".join(map(json.dumps, rows)).encode())
    assert answer.status == 200
    assert [line["id"] for line in lines(answer.body)] == list(range(len(rows)))
    model = banbury.load(folder / "mood.banbury")
    assert [line["predicted"] for line in lines(answer.body)] == model.predict(TEXTS * 3).tolist()


def test_a_line_may_have_tokens(server: Serving, folder: Path) -> None:
    rows = [{"text": ["so", "happy"]}, {"text": ["so", 1]}]
    first, second = lines(server.post("/v1/batch?model=mood", "\n".join(map(json.dumps, rows)).encode()).body)
    model = banbury.Classifier.load(folder / "mood.banbury")
    assert first["predicted"] == model.predict([["so", "happy"]])[0]
    assert "it has no text under 'text'" in second["error"]


def test_a_bad_line_is_said_where_it_stands(server: Serving) -> None:
    deep = '{"text": "a", "more": ' + "[" * 40 + "]" * 40 + "}"
    body = ['{"text": "so happy"}', "{", "", "[1]", '{"letter": "a"}', deep, '{"text": "so sad", "predicted": 1}',
            '{"text": "so sad"}']  # fmt: skip
    found = lines(server.post("/v1/batch?model=mood", "\n".join(body).encode()).body)
    assert [next(iter(set(line) - {"text", "probability"})) for line in found] == [
        "predicted", *["error"] * 5, "predicted"
    ]  # fmt: skip
    assert [line["error"].partition(":")[0] for line in found[1:-1]] == [f"line {n}" for n in (2, 4, 5, 6, 7)]
    assert "line 5: it has no text under 'text'" in found[3]["error"]


def test_lines_are_answered_before_the_last_has_come(server: Serving) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(
            b"POST /v1/batch?model=mood HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for text in ("so happy", "so sad"):
            line = json.dumps({"text": text}).encode() + b"\n"
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            answer = b""
            while b"predicted" not in answer:
                answer += connection.recv(65536)
            assert text.encode() in answer
        connection.sendall(b"0\r\n\r\n")
        assert connection.recv(65536).endswith(b"0\r\n\r\n")


def test_rows_of_tables_stream_too(server: Serving) -> None:
    rows = [{"subject": "Lunch?", "body": "noon", "is_answer": False}, {"is_answer": "maybe"}]
    found = lines(server.post("/v1/batch?model=mail", "\n".join(map(json.dumps, rows)).encode()).body)
    assert found[0]["predicted"] == "ham"
    assert "maybe" in found[1]["error"]


def test_a_raw_message_has_a_label(server: Serving, folder: Path) -> None:
    spam_filter = SpamFilter.load(folder / "mail.banbury")
    answer = server.post("/v1/mail?model=mail", SPAM).json
    assert answer == {"label": "spam", "probability": pytest.approx(spam_filter.probability(SPAM), rel=1e-12)}
    assert server.post("/v1/mail?model=mood", b"Subject: happy\n\nso happy, so glad").json["label"] == "positive"
    assert server.post("/v1/mail?model=mail", b"\xff\x00 no mail at all").status == 200


def test_a_raw_message_can_be_learned_and_forgotten(server: Serving, folder: Path) -> None:
    message = b"From: deals@example.net\r\nSubject: Deals\r\n\r\nCheap cheap"
    assert server.post("/v1/mail?model=mail&train=spam", message).json == {"learned": 1, "sequence": 1}
    assert server.post("/v1/mail?model=mail", message).json["label"] == "spam"
    assert server.post("/v1/mail?model=mail&forget=spam", message).json == {"forgotten": 1, "sequence": 2}
    assert server.post("/v1/mail?model=mail&forget=spam", message).status == 409
    assert server.get("/v1/models/mail/export").body == b""
    assert served(server, folder / "learned.journal", folder)


def test_which_model_has_to_be_said_where_there_are_several(server: Serving) -> None:
    for path in ("/v1/mail", "/v1/batch"):
        answer = server.post(path, b"")
        assert answer.status == 422
        assert "say which model" in answer.json["detail"]
