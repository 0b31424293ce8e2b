"""The Open Inference Protocol."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier
from serving import Serving

TABLE = {"legs": [2, 2, 4, 4], "flies": [True, True, False, False]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder: Path = tmp_path_factory.mktemp("models")
    Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"]).save(folder / "mood.banbury")
    Classifier().fit(TABLE, [1, 1, 2, 2]).save(folder / "animals.banbury")
    with Serving(folder) as server:
        yield server


def tensor(name: str, *values: Any, shape: list[int] | None = None) -> dict[str, Any]:
    kind = "BYTES" if isinstance(values[0], str) else "BOOL" if isinstance(values[0], bool) else "FP64"
    return {"name": name, "shape": shape or [len(values)], "datatype": kind, "data": values}


def test_texts_have_labels_and_probabilities(server: Serving) -> None:
    body = {"id": "17", "inputs": [tensor("text", "happy", "sad", shape=[2, 1])]}
    answer = server.post("/v2/models/mood/infer", body).json
    assert (answer["model_name"], answer["id"]) == ("mood", "17")
    label, probability = answer["outputs"]
    assert label == {"name": "label", "shape": [2], "datatype": "BYTES", "data": ["glad", "sad"]}
    assert probability["data"] == server.predict("mood", "happy", "sad")["probabilities"]
    body["outputs"] = [{"name": "probabilities"}]
    [every] = server.post("/v2/models/mood/infer", body).json["outputs"]
    assert (every["shape"], every["datatype"]) == ([2, 2], "FP64")
    assert sum(every["data"]) == pytest.approx(2)


def test_a_table_has_an_input_for_each_column(server: Serving) -> None:
    body = {"inputs": [tensor("legs", 2, 4), tensor("flies", True, False)]}
    label = server.post("/v2/models/animals/infer", body).json["outputs"][0]
    assert label == {"name": "label", "shape": [2], "datatype": "INT64", "data": [1, 2]}


def test_metadata_say_what_goes_in_and_out(server: Serving) -> None:
    about = server.get("/v2/models/animals").json
    assert {one["name"]: one["datatype"] for one in about["inputs"]} == {"legs": "FP64", "flies": "BOOL"}
    assert about["labels"] == ["1", "2"]
    assert server.get("/v2").json["name"] == "banbury"
    assert server.get("/v2/models/mood/ready").json == {"name": "mood", "ready": True}
    assert server.get("/v2/health/ready").status == server.get("/v2/health/live").status == 200


@pytest.mark.parametrize(
    "body, detail",
    [
        ({"inputs": []}, "length"),
        ({"inputs": [tensor("text", "a", shape=[2])]}, "has shape [2] and 1 values"),
        ({"inputs": [tensor("text", "a", "b", shape=[1, 2])]}, "one value a document"),
        ({"inputs": [tensor("words", "a")]}, "has one input, text"),
        ({"inputs": [tensor("text", "a"), tensor("text", "a")]}, "comes twice"),
        ({"inputs": [tensor("text", "a")], "outputs": [{"name": "logits"}]}, "there is no output 'logits'"),
    ],
)
def test_an_error_is_where_the_protocol_has_it(server: Serving, body: Any, detail: str) -> None:
    answer = server.post("/v2/models/mood/infer", body)
    assert answer.status == 422
    assert detail in answer.json["error"]
