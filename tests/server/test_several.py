"""Models of several labels a document over HTTP: they say and learn what they say and learn in Python."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asgi import Asked, Said, talk
from banbury import Classifier, MultiLabelClassifier
from banbury.readers.mailboxes import row_of
from banbury.server import app
from label_sets import some_documents
from serving import Serving, bytes_of, entries, wait_for

GIVEN = some_documents()
TEXTS, SETS = GIVEN.texts, [list(labels) for labels in GIVEN.sets]
SHORT = ["a joke, funny", "tears and a quick joke", "the year of the play"]
PLAYS = "/v1/models/plays"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    MultiLabelClassifier().fit(TEXTS, SETS).save(folder / "plays.banbury")
    matrix = np.array([[name in labels for name in ("comic", "drama")] for labels in SETS]).astype(int)
    MultiLabelClassifier().fit(TEXTS, matrix).save(folder / "numbers.banbury")
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(folder / "mood.banbury")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Serving]:
    with Serving(folder) as server:
        yield server


@pytest.fixture(scope="module")
def plays(folder: Path) -> MultiLabelClassifier:
    return MultiLabelClassifier.load(folder / "plays.banbury")


def test_predict_gives_the_labels_of_each_document_with_their_probabilities(
    server: Serving, plays: MultiLabelClassifier
) -> None:
    answer = server.predict("plays", *SHORT)
    chances = plays.predict_proba(SHORT)
    assert answer["labels"] == plays.predict(SHORT)
    assert answer["labels"][0] == ["comic"]
    assert answer["labels"][2] == []
    assert answer["probabilities"] == [
        {label: row[plays.classes_.tolist().index(label)] for label in labels}
        for row, labels in zip(chances, answer["labels"], strict=True)
    ]
    assert server.predict("plays", SHORT[0])["labels"] == answer["labels"][:1]
    assert server.predict("plays") == {"labels": [], "probabilities": []}
    large = server.predict("plays", *TEXTS * 12)  # more than is answered at once
    assert large["labels"] == plays.predict(TEXTS * 12)


def test_top_gives_so_many_labels_whatever_the_thresholds(server: Serving, plays: MultiLabelClassifier) -> None:
    answer = server.predict("plays", *SHORT, top=2)
    assert [[one["label"] for one in row] for row in answer["top"]] == plays.predict(SHORT, top=2)
    assert answer["labels"] == plays.predict(SHORT)
    assert [one["probability"] for one in server.predict("plays", SHORT[0], top=9)["top"][0]] == list(
        plays.probabilities(SHORT[0]).values()
    )


@pytest.mark.parametrize("threshold", [0.0, 0.2, 1.0, "f1", "micro_f1", {"comic": None}, {"drama": 0.001}])
def test_a_threshold_stands_in_for_the_models_own(folder: Path, server: Serving, threshold: Any) -> None:
    own = MultiLabelClassifier.load(folder / "plays.banbury").set_params(threshold=threshold)
    assert server.predict("plays", *SHORT, threshold=threshold)["labels"] == own.predict(SHORT)


def test_a_model_of_an_indicator_matrix_names_its_labels(server: Serving) -> None:
    answer = server.predict("numbers", "tears and a joke")
    assert set(answer["labels"][0]) == {0, 1}
    assert set(answer["probabilities"][0]) == {"0", "1"}
    assert server.predict("numbers", "a joke", threshold={"0": None, "1": 0.0})["labels"] == [[1]]


def test_the_model_tells_what_it_is(server: Serving, plays: MultiLabelClassifier) -> None:
    told = server.get(PLAYS).json
    assert (told["kind"], told["several"]) == ("texts", True)
    assert told["documents"] == [
        {"label": label, "documents": plays.documents_[label], "threshold": plays.thresholds_[label]}
        for label in plays.classes_.tolist()
    ]
    mood = server.get("/v1/models/mood").json
    assert mood["several"] is False
    assert mood["documents"][0] == {"label": "glad", "documents": 1}


def test_explain_is_for_a_label_and_words_are_of_one(server: Serving, plays: MultiLabelClassifier) -> None:
    answer = server.post(f"{PLAYS}/explain", {"text": "a quick joke", "label": "short", "unit": "decibans"}).json
    expected = plays.explain("a quick joke", label="short", unit="decibans")
    assert (answer["label"], answer["against"], answer["score"]) == ("short", "not short", expected.score)
    assert [one["word"] for one in answer["evidence"]] == [one.word for one in expected.evidence]
    assert server.post(f"{PLAYS}/explain", {"text": "a funny joke"}).json["label"] == "comic"
    words = server.get(f"{PLAYS}/words?label=drama&top=3").json["words"]
    assert [row["word"] for row in words] == [row["word"] for row in plays.words("drama", top=3).rows()]


def test_evaluate_and_both_reports(server: Serving, plays: MultiLabelClassifier) -> None:
    asked = {"texts": TEXTS, "labels": SETS}
    figures = server.post(f"{PLAYS}/evaluate", asked).json["evaluation"]
    expected = plays.evaluate(TEXTS, SETS)
    assert figures == json.loads(json.dumps(expected.to_dict()))
    assert server.get(f"{PLAYS}/report").json["report"]["micro_f1"] == plays.report_.micro_f1
    page = server.post(f"{PLAYS}/report", asked | {"title": "Plays & more", "labels": [["comic"]] * 60})
    assert page.headers["content-type"].startswith("text/html")
    assert b"<h1>" in page.body
    assert b"Plays &amp; more" in page.body
    assert b"Missing labels" in page.body


def test_lines_and_mails_get_all_their_labels(server: Serving, plays: MultiLabelClassifier) -> None:
    lines = b'{"text": "a quick joke"}\n{"text": 7}\n{"text": "x", "predicted": 1}\n{"text": "the play"}\n'
    answers = [json.loads(line) for line in server.post("/v1/batch?model=plays", lines).body.splitlines()]
    [chances] = plays.labels_and_probabilities(["a quick joke"])
    assert answers[0] == {"text": "a quick joke", "predicted": list(chances), "probabilities": chances}
    assert "no text" in answers[1]["error"]
    assert "'predicted' already" in answers[2]["error"]
    assert answers[3]["predicted"] == []
    message = b"Subject: a joke\n\nfunny, quick\n"
    [chances] = plays.labels_and_probabilities([row_of(message)["text"]])
    assert server.post("/v1/mail?model=plays", message).json == {"labels": list(chances), "probabilities": chances}


def test_the_open_inference_protocol_has_a_column_for_each_label(server: Serving, plays: MultiLabelClassifier) -> None:
    about = server.get("/v2/models/plays").json
    assert about["labels"] == ["comic", "drama", "short"]
    assert [(one["name"], one["datatype"], one["shape"]) for one in about["outputs"]] == [
        ("labels", "BOOL", [-1, 3]),
        ("probabilities", "FP64", [-1, 3]),
    ]
    texts = {"name": "text", "shape": [3], "datatype": "BYTES", "data": SHORT}
    outputs = [{"name": "probabilities"}, {"name": "labels"}]
    answer = server.post("/v2/models/plays/infer", {"inputs": [texts], "outputs": outputs}).json["outputs"]
    assert answer[0]["data"] == pytest.approx(plays.predict_proba(SHORT).ravel().tolist(), abs=0)
    names = plays.classes_.tolist()
    assert answer[1]["data"] == [name in labels for labels in plays.predict(SHORT) for name in names]
    assert server.post("/v2/models/plays/infer", {"inputs": [texts], "outputs": [{"name": "label"}]}).status == 422


@pytest.mark.parametrize(
    "act, body, detail",
    [
        ("predict", {"texts": ["a"], "prior": "uniform"}, "prior is for models of one label a document"),
        ("predict", {"texts": ["a"], "unsure": 0.1}, "unsure is for models of one label"),
        ("predict", {"texts": ["a"], "costs": []}, "costs is for models of one label"),
        ("predict", {"texts": ["a"], "threshold": 1.5}, "threshold is 1.5"),
        ("predict", {"texts": ["a"], "threshold": "f2"}, "threshold is 'f2'"),
        ("predict", {"texts": ["a"], "threshold": {"comics": 0.5}}, "did you mean 'comic'"),
        ("predict", {"rows": [{"a": 1}]}, "is a model of texts"),
        ("explain", {"text": "a", "against": "drama"}, "against is for models of one label"),
        ("explain", {"text": "a", "label": "comedy"}, "comedy"),
        ("evaluate", {"texts": ["a"], "labels": ["comic"]}, r"document 0 has 'comic', one label and no list"),
        ("evaluate", {"texts": ["a", "b"], "labels": [["comic"]]}, "2 documents but 1 lists of labels"),
        ("learn", {"texts": ["a"], "labels": ["comic"]}, r"document 0 has 'comic', one label and no list"),
        ("learn", {"texts": ["a"], "labels": [["comic"], []]}, "1 documents but 2 lists of labels"),
        ("learn", {"texts": ["a"], "labels": [["comic", 1]]}, "of one type"),
        ("learn", {"texts": ["a"], "labels": [[1]]}, "the labels known so far are of type str"),
        ("learn", {"texts": ["a"], "labels": [[["comic"]]]}, "got `array`"),
        ("learn", {"texts": ["a"], "labels": [None]}, "got `null`"),
        ("forget", {"texts": ["a"]}, "give labels"),
    ],
)
def test_wrong_bodies_are_problems_that_say_what_is_wrong(
    server: Serving, act: str, body: dict[str, Any], detail: str
) -> None:
    answer = server.post(f"{PLAYS}/{act}", body)
    assert answer.status == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert detail in answer.json["detail"]


def test_lists_and_thresholds_are_nothing_for_a_model_of_one_label(server: Serving) -> None:
    answer = server.post("/v1/models/mood/learn", {"texts": ["a"], "labels": [["glad"]]})
    assert (answer.status, "['glad'], of type list" in answer.json["detail"]) == (422, True)
    answer = server.post("/v1/models/mood/predict", {"texts": ["a"], "threshold": 0.5})
    assert (answer.status, "models of several labels" in answer.json["detail"]) == (422, True)


def test_words_need_a_label_and_no_other(server: Serving) -> None:
    assert "?label=" in server.get(f"{PLAYS}/words").json["detail"]
    assert "against is for" in server.get(f"{PLAYS}/words?label=drama&against=comic").json["detail"]


@pytest.mark.parametrize("room", ["try", "words", "mistakes", "teach", "report"])
def test_a_room_of_the_page_says_that_it_cannot_show_such_a_model(server: Serving, room: str) -> None:
    answer = server.get(f"/page/{room}?model=plays")
    assert answer.status == 422
    assert "&#x27;plays&#x27; is a model of several labels a document" in answer.body.decode()


def test_the_page_begins_with_a_model_that_it_can_show_and_counts_them_all(server: Serving) -> None:
    page = server.get("/page/try").body.decode()
    assert "is a model of several labels" not in page
    health = server.get("/page/health")
    assert health.status == 200
    assert "60 documents, 3 labels." in health.body.decode()
    assert server.get("/page/download?model=plays").status == 200


def test_where_all_models_have_several_labels_the_page_begins_with_its_health(folder: Path, tmp_path: Path) -> None:
    only = tmp_path / "plays.banbury"
    only.write_bytes((folder / "plays.banbury").read_bytes())
    root, health, empty = talk(app(only), Asked("GET", "/"), Asked("GET", "/page/health"), Asked("GET", "/page/try"))
    assert (root.status, root.headers["location"]) == (303, "page/health")
    assert (health.status, "several labels each, or none" in health.body.decode()) == (200, True)
    assert (empty.status, "is a model of several labels" in empty.body.decode()) == (422, True)


# Learning


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    MultiLabelClassifier(analyzer="words").fit(TEXTS, SETS).save(tmp_path / "plays.banbury")
    return tmp_path


def tell(folder: Path, *requests: Asked) -> list[Said]:
    return talk(app(folder, journal=str(folder / "learned.journal")), *requests)


def test_documents_are_learned_with_lists_and_forgotten_by_number_or_by_content(changing: Path) -> None:
    sets = [["short", "comic", "short"], [], ["new"]]
    said = tell(
        changing,
        Asked("POST", f"{PLAYS}/learn", {"texts": ["owl", "elk", "fox"], "labels": sets}),
        Asked("GET", PLAYS),
        Asked("POST", f"{PLAYS}/forget", {"texts": ["owl"], "labels": [["comic", "short"]]}),
        Asked("POST", f"{PLAYS}/forget", {"texts": ["owl"], "labels": [["comic", "short"]]}),
        Asked("GET", f"{PLAYS}/export"),
        Asked("POST", f"{PLAYS}/forget", {"ids": [2, 3]}),
        Asked("GET", PLAYS),
    )
    assert [one.status for one in said] == [200, 200, 200, 409, 200, 200, 200]
    assert said[0].json == {"learned": 3, "sequence": 3}
    assert [one["label"] for one in said[1].json["documents"]] == ["comic", "drama", "new", "short"]
    assert [json.loads(line) for line in said[4].body.splitlines()] == [
        {"id": 2, "text": "elk", "label": []},
        {"id": 3, "text": "fox", "label": ["new"]},
    ]
    assert [one["label"] for one in said[6].json["documents"]] == ["comic", "drama", "short"]
    [shown] = tell(changing, Asked("POST", f"{PLAYS}/predict", {"texts": SHORT}))  # all of it read again
    assert shown.json["labels"] == MultiLabelClassifier.load(changing / "plays.banbury").predict(SHORT)


def test_a_mail_is_learned_with_all_labels_that_are_named(changing: Path) -> None:
    learned, forgotten, both = tell(
        changing,
        Asked("POST", "/v1/mail?model=plays&train=short&train=comic", b"Subject: a\n\nb\n"),
        Asked("POST", "/v1/mail?model=plays&forget=comic&forget=short", b"Subject: a\n\nb\n"),
        Asked("POST", "/v1/mail?model=plays&train=comic&forget=short", b"Subject: a\n\nb\n"),
    )
    assert (learned.status, forgotten.status, both.status) == (200, 200, 422)
    assert [row[3] for row in entries(changing / "learned.journal")] == ['["comic","short"]'] * 2


def test_the_model_is_what_its_file_and_the_journal_make_also_after_settings_are_chosen_again(changing: Path) -> None:
    """Sixty documents and a hundred more: the settings are chosen again in the background, by those of the journal."""
    journal = changing / "learned.journal"
    with Serving(changing, "--journal", journal) as server:
        for start in range(0, 100, 20):
            some = slice(start % 60, start % 60 + 20)
            body = {"texts": TEXTS[some], "labels": SETS[some]}
            assert server.post(f"{PLAYS}/learn", body).status == 200
        snapshot = Path(f"{journal}-snapshots") / "plays.banbury"

        def is_chosen() -> bool:
            assert server.post("/v1/compact", b"").status == 200
            rows = entries(journal)
            return (
                any(row[1] == "refit" for row in rows)
                and snapshot.exists()
                and server.get("/metrics").body.decode().count("banbury_settings_chosen_total 1.0") == 1
            )

        wait_for(is_chosen)
        assert server.post("/v1/compact", b"").status == 200
        predicted = server.predict("plays", *SHORT)
    expected, alive = MultiLabelClassifier.load(changing / "plays.banbury"), list[tuple[str, list[str]]]()
    for _, act, document, label, _ in entries(journal):
        if act == "learn":
            alive.append((json.loads(document), json.loads(label)))
            expected.learn([alive[-1][0]], [alive[-1][1]])
        elif act == "refit":
            expected.refit_settings([text for text, _ in alive], [labels for _, labels in alive])
    assert expected.n_documents_ == 160
    assert bytes_of(MultiLabelClassifier.load(snapshot), changing) == bytes_of(expected, changing)
    assert predicted["labels"] == expected.predict(SHORT)
    with Serving(changing, "--journal", journal) as server:
        assert server.predict("plays", *SHORT) == predicted
