"""What a model says over HTTP is what it says in Python."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import banbury
from banbury import Classifier
from commands import LABELS, TEXTS
from serving import Serving

SHORT = ["I am so happy today", "this is sad and bad", ""]
NUMBERS = {"legs": [2, 2, 4, 4, 6], "sound": ["tweet", "caw", "meow", "bark", None]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    Classifier().fit(TEXTS, LABELS).save(folder / "mood.banbury")
    Classifier().fit(NUMBERS, [1, 1, 2, 2, 3]).save(folder / "animals.banbury")
    Classifier.textbook(smoothing=None).fit(["a b", "c d"], [True, False]).save(folder / "hard.banbury")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Serving]:
    with Serving(folder) as server:
        yield server


@pytest.fixture(scope="module")
def mood(folder: Path) -> Classifier:
    return Classifier.load(folder / "mood.banbury")


def test_the_answer_to_predict_has_labels_and_probabilities_and_nothing_else(server: Serving, mood: Classifier) -> None:
    expected = mood.predict_proba(SHORT)
    assert server.predict("mood", *SHORT) == {
        "labels": mood.predict(SHORT).tolist(),
        "probabilities": expected.max(axis=1).tolist(),
    }


@pytest.mark.parametrize("text", SHORT)
def test_one_text_gets_what_it_gets_among_others(server: Serving, mood: Classifier, text: str) -> None:
    alone = server.predict("mood", text)
    assert alone["labels"] == [mood.predict(text)]
    assert alone["probabilities"] == [max(mood.probabilities(text).values())]
    assert alone["probabilities"] == pytest.approx(server.predict("mood", text, "other")["probabilities"][:1], 1e-12)


def test_no_texts_have_no_labels(server: Serving) -> None:
    assert server.predict("mood") == {"labels": [], "probabilities": []}


def test_top_gives_the_best_labels_first(server: Serving, mood: Classifier) -> None:
    answer = server.predict("mood", "so sad", "so happy", top=5)
    assert [[one["label"] for one in row] for row in answer["top"]] == [
        ["negative", "positive"],
        ["positive", "negative"],
    ]
    assert answer["top"][0][0] == {"label": answer["labels"][0], "probability": answer["probabilities"][0]}
    assert len(server.predict("mood", "so sad", top=1)["top"][0]) == 1


def test_a_prior_stands_in_for_the_models_own(server: Serving, mood: Classifier) -> None:
    prior = {"negative": 0.01, "positive": 0.99}
    expected = mood.predict_proba(SHORT, prior=prior).max(axis=1).tolist()
    assert server.predict("mood", *SHORT, prior=prior)["probabilities"] == expected
    assert server.predict("mood", *SHORT, prior="uniform")["labels"] == mood.predict(SHORT, prior="uniform").tolist()


def test_costs_decide_and_may_leave_undecided(server: Serving, mood: Classifier) -> None:
    costs = [{"true": "negative", "decided": "positive", "cost": 1000}]
    answer = server.predict("mood", *SHORT, costs=costs, unsure=0.001)
    assert answer["labels"] == mood.decide(SHORT, costs={("negative", "positive"): 1000}, unsure=0.001)
    assert [chance is None for chance in answer["probabilities"]] == [label is None for label in answer["labels"]]
    assert None in answer["labels"]


def test_a_large_batch_is_answered_like_a_small_one(server: Serving, mood: Classifier) -> None:
    texts = TEXTS * 10
    assert server.predict("mood", *texts)["labels"] == mood.predict(texts).tolist()


def test_rows_of_a_table_have_labels_that_are_numbers(server: Serving, folder: Path) -> None:
    rows = [{"legs": 2, "sound": "caw"}, {"legs": 4}, {"sound": "meow"}, {"legs": 6, "sound": None}]
    answer = server.post("/v1/models/animals/predict", {"rows": rows, "prior": {"1": 0.2, "2": 0.5, "3": 0.3}}).json
    model = banbury.load(folder / "animals.banbury")
    assert answer["labels"] == model.predict(rows, prior={1: 0.2, 2: 0.5, 3: 0.3}).tolist()
    alone = server.post("/v1/models/animals/predict", {"rows": rows[:1]}).json
    assert alone["labels"] == model.predict(rows[:1]).tolist()


def test_an_explanation_is_pythons(server: Serving, mood: Classifier) -> None:
    answer = server.post("/v1/models/mood/explain", {"text": "so sad", "against": "positive", "unit": "decibans"})
    assert answer.json == json.loads(json.dumps(mood.explain("so sad", against="positive", unit="decibans").to_dict()))


def test_a_row_is_explained_too(server: Serving, folder: Path) -> None:
    row = {"legs": 2, "sound": "caw"}
    answer = server.post("/v1/models/animals/explain", {"row": row}).json
    assert answer["row"] == row
    assert answer["label"] == banbury.load(folder / "animals.banbury").explain(row).label


def test_what_is_infinite_is_null(server: Serving) -> None:
    answer = server.post("/v1/models/hard/explain", {"text": "a", "label": True}).json
    assert answer["label"] is True
    assert answer["evidence"][0]["weight"] is None


def test_words_are_pythons(server: Serving, mood: Classifier) -> None:
    answer = server.get("/v1/models/mood/words?label=negative&top=3&min_count=5").json
    assert answer["words"] == json.loads(json.dumps(mood.words("negative", top=3, min_count=5).rows(level=0.95)))
    assert server.get("/v1/models/hard/words?label=true&top=1").json["words"][0]["label"] is True


def test_an_evaluation_is_pythons(server: Serving, mood: Classifier) -> None:
    body = {"texts": TEXTS[:50], "labels": LABELS[:50]}
    expected = mood.evaluate(TEXTS[:50], LABELS[:50])
    assert server.post("/v1/models/mood/evaluate", body).json == {
        "evaluation": json.loads(json.dumps(expected.to_dict()))
    }
    page = server.post("/v1/models/mood/report", {**body, "title": "<b>Mood</b>", "diagnose": False})
    assert page.status == 200
    assert b"&lt;b&gt;Mood" in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_the_report_of_training_is_pythons(server: Serving, mood: Classifier) -> None:
    report = server.get("/v1/models/mood/report").json["report"]
    assert report["log_loss"] == mood.report_.log_loss
    assert report["chosen"] == mood.report_.chosen


def test_models_say_what_they_are(server: Serving) -> None:
    models = server.get("/v1/models").json["models"]
    assert [model["name"] for model in models] == ["animals", "hard", "mood"]
    assert server.get("/v1/models/mood").json == models[2]
    assert models[0]["kind"] == "rows"
    assert set(models[0]["columns"]) == {"legs", "sound"}
    assert models[2]["documents"] == [
        {"label": "negative", "documents": 300},
        {"label": "positive", "documents": 300},
    ]


@pytest.mark.parametrize(
    "path, body, status, detail",
    [
        ("mood/predict", {"texts": "one"}, 422, "Expected `array`, got `str` - at `$.texts`"),
        ("mood/predict", {"rows": []}, 422, "'mood' is a model of texts: give texts"),
        ("animals/predict", {"texts": []}, 422, "'animals' is a model of tables: give rows"),
        ("mood/predict", {"texts": [], "rows": []}, 422, "give texts"),
        ("mood/predict", {"texts": ["a"], "topp": 3}, 422, "unknown field `topp`"),
        ("mood/predict", {"texts": ["a"], "prior": {"negative": 1}}, 422, "prior"),
        ("mood/predict", {"texts": ["a"], "prior": {"sad": 1, "positive": 0}}, 422, "label 'negative'"),
        ("mood/predict", {"texts": ["a"], "costs": [{"true": "x", "decided": "y", "cost": 1}]}, 422, "costs names 'x'"),
        ("animals/predict", {"rows": [{"wings": 2}, {"legs": 2}]}, 422, "wings"),
        ("animals/predict", {"rows": [{"legs": "four"}, {"legs": 2}]}, 422, "four"),
        ("mood/explain", {"text": "a", "label": "sad"}, 422, "there is no class 'sad'"),
        ("mood/explain", {"text": "a", "unit": "bans"}, 422, "unit is 'bans'"),
        ("mood/evaluate", {"texts": ["a"], "labels": []}, 422, "1"),
        ("mood/evaluate", {"texts": ["a"], "labels": [3]}, 422, "of type int"),
        ("nothing/predict", {"texts": ["a"]}, 404, "there is no model 'nothing'; there is 'animals', 'hard', 'mood'"),
        ("mood/nothing", {}, 404, "there is nothing at /v1/models/mood/nothing"),
        ("mood/words", {}, 405, "POST is not for /v1/models/mood/words"),
    ],
)  # fmt: skip
def test_a_problem_says_what_is_wrong(server: Serving, path: str, body: object, status: int, detail: str) -> None:
    answer = server.post(f"/v1/models/{path}", body)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status, answer.json["status"]) == (status, status)
    assert detail in answer.json["detail"]


def test_words_that_cannot_be_asked_for_are_problems(server: Serving) -> None:
    for query, detail in (
        ("top=0", "top is '0'"),
        ("label=sad", "there is no class 'sad'"),
        ("sort=up", "cannot sort by 'up'"),
        ("tops=1", "there is no parameter 'tops'"),
    ):
        answer = server.get(f"/v1/models/mood/words?{query}")
        assert answer.status == 422
        assert detail in answer.json["detail"]


def test_health_and_metrics_answer(server: Serving) -> None:
    assert server.get("/health/live").json == {"live": True}
    assert server.get("/health/ready").json == {"ready": True, "models": 3, "journal": "none"}
    before = server.get("/metrics").body.decode()
    server.predict("mood", "so sad")
    after = server.get("/metrics").body.decode()
    name = 'banbury_requests_total{route="/v1/models/{name}/predict",status="200"}'
    counted = [float(text.partition(name)[2].split("\n")[0] or 0) for text in (before, after)]
    assert counted[1] == counted[0] + 1
