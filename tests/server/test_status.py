"""What there is and how it is: models, health, metrics."""

from pathlib import Path

from asgi import Asked, talk
from banbury import Classifier
from banbury.server import app


def test_models_of_texts_and_of_tables_are_described(tmp_path: Path) -> None:
    Classifier.textbook().fit(["so happy", "so sad", "sad"], ["glad", "sad", "sad"]).save(tmp_path / "mood.banbury")
    Classifier().fit({"legs": [2, 4]}, ["bird", "cat"]).save(tmp_path / "animal.banbury")
    everything, mood, animal, ready, live, metrics = talk(
        app(tmp_path),
        Asked("GET", "/v1/models"),
        Asked("GET", "/v1/models/mood"),
        Asked("GET", "/v1/models/animal"),
        Asked("GET", "/health/ready"),
        Asked("GET", "/health/live"),
        Asked("GET", "/metrics"),
    )
    assert [one["name"] for one in everything.json["models"]] == ["animal", "mood"]
    assert mood.json["documents"] == [{"label": "glad", "documents": 1}, {"label": "sad", "documents": 2}]
    assert (mood.json["columns"], list(animal.json["columns"])) == (None, ["legs"])
    assert (ready.status, ready.json["ready"], ready.json["models"]) == (200, True, 2)
    assert (live.status, live.json["live"]) == (200, True)
    assert "banbury_models 2.0" in metrics.body.decode()


def test_without_a_model_the_server_lives_and_is_not_ready(tmp_path: Path) -> None:
    ready, live = talk(app(tmp_path), Asked("GET", "/health/ready"), Asked("GET", "/health/live"))
    assert (ready.status, live.status) == (503, 200)
