"""The Open Inference Protocol, version 2: for those whose mesh speaks it.

A model of texts has one input, `text`; a model of tables one for each column. The outputs are `label`, `probability`,
and on request `probabilities`, of every class in the order of the model's metadata. Those of a model of several labels
are `labels`, true for each label that a document gets, and on request `probabilities`.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, json
from starlette.responses import Response

import banbury
from banbury.classifier import Classifier
from banbury.labels.classifier import MultiLabelClassifier
from banbury.readers.typed import NUMBERS
from banbury.server.limits import DOCUMENTS
from banbury.server.messages import Message, Text, Whole
from banbury.server.models import ServedModel, labels_of
from banbury.server.problems import Problem
from banbury.server.reading import best, probabilities
from banbury.server.requests import Call, answer, name_of

Scalar = Text | Whole | float | bool
Parameters = dict[str, Scalar | None]
OUTPUTS = ("label", "probability", "probabilities")
OUTPUTS_OF_SEVERAL = ("labels", "probabilities")


class Input(Message):
    """The values of one input, one for each document."""

    name: str
    shape: Annotated[list[Annotated[int, Meta(ge=0, le=DOCUMENTS)]], Meta(min_length=1, max_length=2)]
    datatype: str
    data: Annotated[list[Scalar | None], Meta(max_length=DOCUMENTS)]
    parameters: Parameters | UnsetType = UNSET


class RequestedOutput(Message):
    """An output that is asked for."""

    name: str
    parameters: Parameters | UnsetType = UNSET


class InferRequest(Message):
    """Documents by inputs."""

    inputs: Annotated[list[Input], Meta(min_length=1, max_length=10_000)]
    id: str | UnsetType = UNSET
    outputs: Annotated[list[RequestedOutput], Meta(max_length=100)] | UnsetType = UNSET
    parameters: Parameters | UnsetType = UNSET


class Output(Struct):
    """The values of one output."""

    name: str
    shape: list[int]
    datatype: str
    data: list[str | int | float | bool]


class InferAnswer(Struct):
    """What is predicted for each document."""

    model_name: str
    model_version: str
    outputs: list[Output]
    id: str | UnsetType = UNSET


class Tensor(Struct):
    """An input or an output; −1 stands for any number of documents."""

    name: str
    datatype: str
    shape: list[int]


class ModelMetadata(Struct):
    """What goes in and what comes out."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[Tensor]
    outputs: list[Tensor]
    labels: list[str]


class ServerMetadata(Struct):
    """What server this is."""

    name: str
    version: str
    extensions: list[str]


class ModelReady(Struct):
    """The model answers."""

    name: str
    ready: bool


INFER = json.Decoder(InferRequest)


async def server(call: Call) -> Response:
    """What server this is."""
    return answer(ServerMetadata("banbury", banbury.__version__, []))


async def ready(call: Call) -> Response:
    """Whether a model answers."""
    return answer(ModelReady(call.model.name, True))


async def metadata(call: Call) -> Response:
    """The inputs and outputs of a model."""
    model = call.model
    columns = {"text": "BYTES"} if model.columns is None else {name: _kind(one) for name, one in model.columns.items()}
    outputs = [
        Tensor("label", _datatype(model.labels), [-1]),
        Tensor("probability", "FP64", [-1]),
    ]
    if model.is_several:
        outputs = [Tensor("labels", "BOOL", [-1, len(model.labels)])]
    outputs.append(Tensor("probabilities", "FP64", [-1, len(model.labels)]))
    inputs = [Tensor(name, datatype, [-1]) for name, datatype in columns.items()]
    names = [name_of(label) for label in model.labels]
    return answer(ModelMetadata(model.name, [model.file], "banbury", inputs, outputs, names))


async def infer(call: Call) -> Response:
    """The labels of documents."""
    message, size = await call.message(INFER)
    model = call.model
    documents = documents_in(message, model)
    known = OUTPUTS_OF_SEVERAL if model.is_several else OUTPUTS
    wanted = known[:-1] if message.outputs is UNSET or not message.outputs else [one.name for one in message.outputs]
    for name in wanted:
        if name not in known:
            raise Problem(422, f"there is no output {name[:100]!r}; there is {', '.join(known)}")

    def look(classifier: Classifier) -> list[Output]:
        labels, rows = probabilities(classifier, documents, None)
        predicted, n = best(labels, rows, None), len(documents)
        made: dict[str, Output] = {
            "label": Output("label", [n], _datatype(labels), predicted.labels),  # type: ignore[arg-type]
            "probability": Output("probability", [n], "FP64", predicted.probabilities),  # type: ignore[arg-type]
            "probabilities": Output("probabilities", [n, len(labels)], "FP64", [one for row in rows for one in row]),
        }
        return [made[name] for name in wanted]

    def look_at_several(classifier: MultiLabelClassifier) -> list[Output]:
        labels = labels_of(classifier)
        rows = classifier.labels_and_probabilities(documents, top=len(labels)) if documents else []
        given = classifier.labels_and_probabilities(documents) if documents else []
        shape = [len(documents), len(labels)]
        made = {
            "labels": Output("labels", shape, "BOOL", [label in row for row in given for label in labels]),
            "probabilities": Output(
                "probabilities", shape, "FP64", [row.get(label, 0.0) for row in rows for label in labels]
            ),
        }
        return [made[name] for name in wanted]

    outputs = await model.read(size, look, call.server.workers, look_at_several)
    return answer(InferAnswer(model.name, model.file, outputs, message.id))


def documents_in(message: InferRequest, model: ServedModel) -> list[Any]:
    """The documents of a request."""
    columns: dict[str, list[Any]] = {}
    for one in message.inputs:
        if one.name in columns:
            raise Problem(422, f"the input {one.name[:100]!r} comes twice")
        n = 1
        for length in one.shape:
            n *= length
        if len(one.shape) == 2 and one.shape[1] != 1:
            raise Problem(422, f"the input {one.name[:100]!r} has shape {one.shape}; one value a document is needed")
        if n != len(one.data):
            raise Problem(422, f"the input {one.name[:100]!r} has shape {one.shape} and {len(one.data)} values")
        columns[one.name] = one.data
    if model.columns is None:
        if list(columns) != ["text"] or not all(isinstance(value, str) for value in columns["text"]):
            raise Problem(422, "a model of texts has one input, text, of strings (BYTES)")
        return columns["text"]
    if len({len(values) for values in columns.values()}) > 1:
        raise Problem(422, "the inputs have different numbers of documents")
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _kind(column: Any) -> str:
    name = type(column).__name__
    return "BOOL" if name == "Bernoulli" else "FP64" if name in NUMBERS else "BYTES"


def _datatype(labels: list[Any]) -> str:
    if labels and isinstance(labels[0], bool):
        return "BOOL"
    return "INT64" if labels and isinstance(labels[0], int) else "BYTES"
