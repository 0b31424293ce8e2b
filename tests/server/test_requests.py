"""Requests: bodies within limits, parameters that mean something, documents of the model's kind."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from asgi import Asked, talk
from banbury import Classifier
from banbury.server import app
from banbury.server.limits import BODY
from banbury.server.messages import PredictRequest
from banbury.server.problems import Problem
from banbury.server.requests import HungUp, declared_size, decoded, label_of, read_body


def received(*messages: dict[str, Any]) -> bytes:
    left = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(left)

    return asyncio.run(read_body(receive))


def part(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_is_whole_in_however_many_pieces_it_comes() -> None:
    assert received(part(b"abc")) == b"abc"
    assert received(part(b"a", True), part(b"", True), part(b"bc")) == b"abc"


def test_a_body_that_is_too_long_or_never_ends_is_refused() -> None:
    with pytest.raises(Problem) as raised:
        received(part(b"x" * BODY, True), part(b"x"))
    assert raised.value.status == 413
    with pytest.raises(HungUp):
        received(part(b"x", True), {"type": "http.disconnect"})


@pytest.mark.parametrize("length", [b"-1", b"1e3", b"9" * 30, str(BODY + 1).encode(), b""])
def test_a_declared_length_that_is_none_is_refused(length: bytes) -> None:
    with pytest.raises(Problem):
        declared_size({b"content-length": length})
    assert declared_size({}) == 0
    assert declared_size({b"transfer-encoding": b"chunked"}) == BODY


@pytest.mark.parametrize("body, status", [(b"{", 400), (b'{"texts": [1]}', 422), (b"\xff", 400), (b"[" * 10**6, 400)])
def test_a_body_that_is_no_message_is_a_problem(body: bytes, status: int) -> None:
    with pytest.raises(Problem) as raised:
        decoded(msgspec.json.Decoder(PredictRequest), body)
    assert raised.value.status in (status, 422)


def test_a_label_is_found_by_how_it_is_written() -> None:
    assert label_of("1", [0, 1]) == 1
    assert label_of("true", [False, True]) is True
    assert label_of("other", ["a"]) == "other"


def test_parameters_and_documents_that_do_not_fit_are_named(tmp_path: Path) -> None:
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(tmp_path / "mood.banbury")
    said = talk(
        app(tmp_path),
        Asked("GET", "/v1/models/mood/words?top=0"),
        Asked("GET", "/v1/models/mood/words?tops=3"),
        Asked("POST", "/v1/models/mood/predict", {"rows": [{"a": 1}]}),
        Asked("GET", "/v1/models/mood/words?label=glad&top=1"),
    )
    assert [one.status for one in said] == [422, 422, 422, 200]
    assert "number from 1" in said[0].json["detail"]
    assert "no parameter 'tops'" in said[1].json["detail"]
    assert "model of texts: give texts" in said[2].json["detail"]
    assert said[3].json["words"][0]["word"] == "happy"
