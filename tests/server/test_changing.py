"""Learning and forgetting over HTTP: what is accepted, what is refused, and what a repeated request does."""

import json
from pathlib import Path

import pytest

from asgi import Asked, Said, talk
from banbury import Classifier, Tokens
from banbury.server import app

LEARN = "/v1/models/mood/learn"
FORGET = "/v1/models/mood/forget"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(tmp_path / "mood.banbury")
    return tmp_path


def tell(folder: Path, *requests: Asked) -> list[Said]:
    return talk(app(folder, journal=str(folder / "learned.journal")), *requests)


def test_documents_are_numbered_and_forgotten_by_number_or_by_content(folder: Path) -> None:
    said = tell(
        folder,
        Asked("POST", LEARN, {"texts": ["a", "b"], "labels": ["sad", "glad"]}),
        Asked("POST", FORGET, {"ids": [1]}),
        Asked("POST", FORGET, {"texts": ["b"], "labels": ["glad"]}),
        Asked("POST", FORGET, {"texts": ["b"], "labels": ["glad"]}),
        Asked("GET", "/v1/models/mood/export"),
    )
    assert [one.status for one in said] == [200, 200, 200, 409, 200]
    assert said[0].json == {"learned": 2, "sequence": 2}
    assert said[4].body == b""


def test_documents_may_come_as_tokens(folder: Path) -> None:
    tokens = ["New York", "is", "n't", "far", "!"]
    learned, shown, explained, alone, lines = tell(
        folder,
        Asked("POST", LEARN, {"texts": [tokens, "so sad"], "labels": ["glad", "sad"]}),
        Asked("POST", "/v1/models/mood/predict", {"texts": [tokens, "so sad"]}),
        Asked("POST", "/v1/models/mood/explain", {"text": ["New York"]}),
        Asked("POST", "/v1/models/mood/predict", {"texts": [["New York"]]}),
        Asked("GET", "/v1/models/mood/export"),
    )
    assert learned.json == {"learned": 2, "sequence": 2}
    model = Classifier.load(folder / "mood.banbury").learn([tokens, "so sad"], ["glad", "sad"])
    assert shown.json["labels"] == model.predict([tokens, "so sad"]).tolist()
    assert [one["word"] for one in explained.json["evidence"]] == ["new_york"]
    assert explained.json["text"] == "New_York"
    assert alone.json["probabilities"] == [max(model.probabilities(Tokens(["New York"])).values())]
    first, second = map(json.loads, lines.body.splitlines())
    assert first == {"id": 1, "text": ["New_York", "is", "n't", "far", "!"], "label": "glad"}
    assert second == {"id": 2, "text": "so sad", "label": "sad"}
    again, forgotten, told = tell(  # a server that is started anew reads them from the journal
        folder,
        Asked("POST", "/v1/models/mood/predict", {"texts": [tokens, "so sad"]}),
        Asked("POST", FORGET, {"texts": [tokens], "labels": ["glad"]}),
        Asked("POST", "/v1/models/mood/predict", {"texts": [["New", 1]]}),
    )
    assert again.json == shown.json
    assert forgotten.json["forgotten"] == 1
    assert told.status == 422


def test_a_request_that_comes_again_under_its_key_is_learned_once(folder: Path) -> None:
    key = [(b"idempotency-key", b"7")]
    same = Asked("POST", LEARN, {"texts": ["a"], "labels": ["sad"]}, key)
    other = Asked("POST", LEARN, {"texts": ["b"], "labels": ["sad"]}, key)
    first, second, third = tell(folder, same, same, other)
    assert (first.json, second.json) == ({"learned": 1, "sequence": 1},) * 2
    assert second.headers["idempotent-replayed"] == "true"
    assert third.status in (409, 422)


@pytest.mark.parametrize(
    "path, body, detail",
    [
        (LEARN, {"texts": ["a"], "labels": []}, "1 documents but 0 labels"),
        (LEARN, {"texts": ["a"], "labels": [3]}, "label"),
        (FORGET, {"texts": ["a"]}, "give labels"),
        (FORGET, {"texts": ["a"], "labels": ["sad"], "ids": [1]}, "not both"),
        (FORGET, {"ids": [99]}, "99"),
    ],
)
def test_what_is_refused_changes_nothing(folder: Path, path: str, body: object, detail: str) -> None:
    refused, status = tell(folder, Asked("POST", path, body), Asked("GET", "/v1/models/mood"))
    assert 400 <= refused.status < 500
    assert detail in refused.json["detail"]
    assert [row["documents"] for row in status.json["documents"]] == [1, 1]


def test_without_a_journal_nothing_is_learned(folder: Path) -> None:
    (said,) = talk(app(folder), Asked("POST", LEARN, {"texts": ["a"], "labels": ["sad"]}))
    assert (said.status, "--journal" in said.json["detail"]) == (409, True)


def test_compaction_says_how_far_it_came(folder: Path) -> None:
    learned, compacted = tell(
        folder, Asked("POST", LEARN, {"texts": ["a"], "labels": ["sad"]}), Asked("POST", "/v1/compact")
    )
    assert (learned.status, compacted.status, compacted.json["sequence"]) == (200, 200, 1)
