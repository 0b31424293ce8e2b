"""Live learning: what is acknowledged is in the model and on the disk, and the model is that of the journal."""

import json
import signal
import threading
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import Classifier
from banbury.server.keys import add_key
from commands import LABELS, TEXTS
from serving import Serving, bytes_of, served, trained, wait_for

LEARN, FORGET, PREDICT = (f"/v1/models/mood/{act}" for act in ("learn", "forget", "predict"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mood.banbury"
    Classifier().fit(TEXTS, LABELS).save(path)
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "learned.journal"


def example(label: str, *texts: str) -> dict[str, Any]:
    return {"texts": texts, "labels": [label] * len(texts)}


def test_the_answer_to_learn_has_how_many_and_the_last_number(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal) as server:
        assert server.post(LEARN, example("positive", "blorp", "flurb")).json == {"learned": 2, "sequence": 2}
        local = Classifier().fit(TEXTS, LABELS).learn(["blorp", "flurb"], ["positive"] * 2)
        assert server.predict("mood", "blorp")["labels"] == [local.predict("blorp")]
        assert server.post(LEARN, example("strange", "zonk zonk")).json == {"learned": 1, "sequence": 3}
        assert server.predict("mood", "zonk")["labels"] == [local.learn(["zonk zonk"], ["strange"]).predict("zonk")]
        assert server.post(LEARN, {"texts": [], "labels": []}).json == {"learned": 0, "sequence": 3}
        assert server.post(FORGET, {"ids": [3]}).json == {"forgotten": 1, "sequence": 4}
        assert server.post(FORGET, example("positive", "blorp")).json == {"forgotten": 1, "sequence": 5}
        assert [one["label"] for one in server.get("/v1/models/mood").json["documents"]] == ["negative", "positive"]
        exported = server.get("/v1/models/mood/export").body.splitlines()
        assert [json.loads(line) for line in exported] == [{"id": 2, "text": "flurb", "label": "positive"}]
        assert server.get("/metrics").body.count(b'banbury_learned_total{act="learn"} 3.0') == 1
        assert server.stop() in (0, -signal.SIGTERM)
    with Serving(file, "--journal", journal) as server:
        assert server.get("/v1/models/mood").json["sequence"] == 5
        expected = banbury.load(file).learn(["flurb"], ["positive"])
        assert served(server, journal, file.parent) == bytes_of(expected, file.parent)


def test_what_cannot_be_learned_changes_nothing(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal) as server:
        for path, body, status, detail in (
            (LEARN, {"texts": ["a"], "labels": []}, 422, "1 documents but 0 labels"),
            (LEARN, {"texts": ["a"], "labels": [3]}, 422, "label 3 is of type int"),
            (LEARN, {"texts": ["a", "b"], "labels": ["x", True]}, 422, "use labels of one type"),
            (LEARN, {"texts": ["a"], "labels": [None]}, 422, "Expected"),
            (FORGET, example("positive", "never was this learned"), 409, "nothing was changed"),
            (FORGET, example("unheard", "a"), 409, "nothing was changed"),
            (FORGET, {"ids": [1]}, 404, "no document 1"),
            (FORGET, {"ids": []}, 422, "length"),
            (FORGET, {"texts": ["a"]}, 422, "give labels"),
            (FORGET, {"texts": ["a"], "ids": [1]}, 422, "not both"),
        ):
            answer = server.post(path, body)
            assert (answer.status, detail in answer.json["detail"]) == (status, True), answer
        assert served(server, journal, file.parent) == bytes_of(banbury.load(file), file.parent)
    with Serving(file) as server:
        answer = server.post(LEARN, example("positive", "a"))
        assert answer.status == 409
        assert "--journal FILE" in answer.json["detail"]


def test_a_request_that_is_sent_again_is_learned_once(file: Path, journal: Path) -> None:
    key = {"Idempotency-Key": "letter 17"}
    with Serving(file, "--journal", journal) as server:
        first = server.post(LEARN, example("positive", "blorp"), headers=key)
        again = server.post(LEARN, example("positive", "blorp"), headers=key)
        assert first.json == again.json == {"learned": 1, "sequence": 1}
        assert again.headers["idempotent-replayed"] == "true"
        assert server.post(LEARN, example("positive", "other"), headers=key).status == 422
        server.stop(signal.SIGKILL)
    with Serving(file, "--journal", journal) as server:
        assert server.post(LEARN, example("positive", "blorp"), headers=key).json == first.json
        assert server.get("/v1/models/mood").json["sequence"] == 1


def test_scopes_say_who_may_learn(file: Path, journal: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    headers = {
        scope: {"Authorization": f"Bearer {add_key(keys, scope, scope)}"} for scope in ("read", "learn", "admin")
    }
    with Serving(file, "--journal", journal, "--keys", keys) as server:
        body = example("positive", "blorp")
        assert server.post(LEARN, body, headers=headers["read"]).status == 403
        assert server.post(LEARN, body, headers=headers["learn"]).status == 200
        assert server.get("/v1/models/mood/export", headers=headers["learn"]).status == 403
        assert server.get("/v1/models/mood/export", headers=headers["admin"]).status == 200


def test_readers_see_whole_changes_while_others_are_learned(file: Path, journal: Path) -> None:
    """Every answer is that of the model after some number of changes; large requests are answered in threads."""
    texts = ["so happy", "blorp", "glad blorp"] * 700
    model = banbury.load(file)
    changes = [example("positive" if n % 2 else "negative", f"blorp {n} happy") for n in range(12)]

    def state() -> list[float]:
        found: list[float] = model.predict_proba(texts).max(axis=1).tolist()
        return found

    states = [state(), *(model.learn(**change) and state() for change in changes)]
    with Serving(file, "--journal", journal) as server:
        done, answers = threading.Event(), list[Any]()

        def read() -> None:
            while not done.is_set():
                answers.append(server.post(PREDICT, {"texts": texts}).json["probabilities"])

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for change in changes:
            assert server.post(LEARN, change).status == 200
        done.set()
        for reader in readers:
            reader.join()
    assert len(answers) > 3
    assert [answer for answer in answers if answer not in states] == []


def test_settings_are_chosen_again_when_the_data_has_doubled(file: Path, journal: Path) -> None:
    Classifier().fit(TEXTS[:120], LABELS[:120]).save(file)
    with Serving(file, "--journal", journal) as server:
        for start in range(120, 600, 60):
            body = {"texts": TEXTS[start : start + 60], "labels": LABELS[start : start + 60]}
            assert server.post(LEARN, body).status == 200
            if start == 180:  # before more comes: else the first choice may already have seen twice as many
                wait_for(lambda: b"banbury_settings_chosen_total 1.0" in server.get("/metrics").body)
        assert server.post(FORGET, {"ids": [7, 8]}).status == 200
        wait_for(lambda: b"banbury_settings_chosen_total 2.0" in server.get("/metrics").body)
        expected = trained(file, journal)
        assert expected.report_.n_documents > 120
        assert served(server, journal, file.parent) == bytes_of(expected, file.parent)
        server.post(LEARN, example("positive", "one more"))
        server.stop(signal.SIGKILL)
    with Serving(file, "--journal", journal) as server:  # from a snapshot
        again = served(server, journal, file.parent)
        assert again == bytes_of(expected.learn(["one more"], ["positive"]), file.parent)
        server.stop(signal.SIGKILL)
    for snapshot in Path(f"{journal}-snapshots").iterdir():
        snapshot.write_bytes(snapshot.read_bytes()[:-1])
    with Serving(file, "--journal", journal) as server:  # from the file and the whole journal
        assert served(server, journal, file.parent) == again
        assert "is not used" in server.log


def test_what_was_learned_stays_when_the_file_is_replaced(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal) as server:
        server.post(LEARN, example("positive", "blorp blorp"))
        new = Classifier().fit(TEXTS[:400], LABELS[:400])
        new.save(file)
        wait_for(lambda: sum(one["documents"] for one in server.get("/v1/models/mood").json["documents"]) == 401)
        server.post(LEARN, example("negative", "grumph"))
        expected = new.learn(["blorp blorp", "grumph"], ["positive", "negative"])
        assert served(server, journal, file.parent) == bytes_of(expected, file.parent)


def test_rows_of_a_table_are_learned_too(tmp_path: Path, journal: Path) -> None:
    file = tmp_path / "animals.banbury"
    Classifier().fit({"legs": [2, 2, 4, 4], "sound": ["caw", "tweet", "meow", None]}, [1, 1, 2, 2]).save(file)
    rows: list[dict[str, Any]] = [{"legs": 6, "sound": None}, {"sound": "buzz", "legs": 6}]
    with Serving(file, "--journal", journal) as server:
        answer = server.post("/v1/models/animals/learn", {"rows": rows, "labels": [3, 3]})
        assert answer.json == {"learned": 2, "sequence": 2}
        assert server.post("/v1/models/animals/predict", {"rows": [{"legs": 6}]}).json["labels"] == [3]
        bad = server.post("/v1/models/animals/learn", {"rows": [{"legs": "six"}], "labels": [3]})
        assert bad.status == 422
        assert "six" in bad.json["detail"]
        rows = [dict(reversed(row.items())) for row in rows]
        assert server.post("/v1/models/animals/forget", {"rows": rows, "labels": [3, 3]}).status == 200
        assert server.get("/v1/models/animals/export").body == b""


def test_requests_that_are_being_answered_are_answered_at_a_stop(file: Path, journal: Path) -> None:
    with Serving(file, "--journal", journal) as server:
        answers = list[Any]()

        def learn(number: int) -> None:
            with suppress(OSError, HTTPException):  # a request that had not begun is not answered any more
                answers.append(server.post(LEARN, example("positive", *[f"text {number} {n}" for n in range(500)])))

        clients = [threading.Thread(target=learn, args=(number,)) for number in range(8)]
        for client in clients:
            client.start()
        wait_for(lambda: len(answers) > 0)
        server.stop()
        for client in clients:
            client.join()
    assert {answer.status for answer in answers} <= {200, 503}
    with Serving(file, "--journal", journal) as server:
        learned = sum(answer.json["learned"] for answer in answers if answer.status == 200)
        assert server.get("/v1/models/mood").json["sequence"] >= learned > 0
