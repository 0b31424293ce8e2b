"""The application as ASGI sees it: its life, its errors, what it counts."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from asgi import Asked, talk
from banbury import Classifier
from banbury.server import app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(tmp_path / "mood.banbury")
    return tmp_path


PREDICT = Asked("POST", "/v1/models/mood/predict", {"texts": ["happy"]})


def test_the_hot_route_answers_as_the_table_of_routes_does(folder: Path) -> None:
    application = app(folder)
    (said,) = talk(application, PREDICT)
    body = b'{"texts": ["happy"]}'
    assert said.json["labels"] == ["glad"]

    async def at_once() -> list[bytes | None]:
        application = app(folder)
        asked = [(b"mood", body), (b"none", body), (b"mood", b"{")]
        before = application.at_once(b"/v1/models/mood/predict", {}, body)
        await application.start()
        answers = [application.at_once(b"/v1/models/%s/predict" % name, {}, sent) for name, sent in asked]
        await application.stop()
        return [before, *answers]

    assert asyncio.run(at_once()) == [None, said.body, None, None]


def test_what_is_not_there_is_a_problem_with_a_name(folder: Path) -> None:
    lost, wrong, unknown = talk(
        app(folder), Asked("GET", "/nothing"), Asked("GET", "/v1/compact"), Asked("GET", "/v1/models/other")
    )
    assert [said.status for said in (lost, wrong, unknown)] == [404, 405, 404]
    assert lost.headers["content-type"] == "application/problem+json"
    assert lost.json["detail"] == "there is nothing at /nothing"
    assert unknown.json["detail"] == "there is no model 'other'; there is 'mood'"


def test_an_error_of_ours_says_nothing_of_its_cause(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("banbury.server.application.predict", fail)
    (said,) = talk(app(folder), PREDICT)
    assert (said.status, b"secret" in said.body) == (500, False)


def test_life_begins_and_ends_as_asgi_says(folder: Path) -> None:
    application = app(folder, journal=str(folder / "learned.journal"))
    messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(application({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_requests_are_counted_by_route_and_status(folder: Path) -> None:
    application = app(folder)
    talk(application, PREDICT, PREDICT, Asked("POST", "/v1/models/other/predict", {"texts": []}))
    summary = {row.route: row for row in application.metrics.summary()}
    assert summary["/v1/models/{name}/predict"].requests == 3
    assert summary["/v1/models/{name}/predict"].failed == 0
