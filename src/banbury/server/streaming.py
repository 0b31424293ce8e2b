"""What is not one JSON message: lines that stream through, and raw e-mails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.labels.classifier import MultiLabelClassifier
from banbury.readers.guessing import are_tokens
from banbury.readers.mailboxes import row_of
from banbury.server import several
from banbury.server.changing import checked_labels, idempotency, repeated, submitted
from banbury.server.journal.entries import FORGET, LEARN, Change
from banbury.server.keys import check_scope
from banbury.server.limits import JSON_DEPTH, LINE, TEXT
from banbury.server.messages import ForgetAnswer, LearnAnswer, MailAnswer, SeveralMailAnswer
from banbury.server.models import ServedModel
from banbury.server.problems import Problem
from banbury.server.reading import best, probabilities
from banbury.server.requests import Call, Stream, answer, label_of
from banbury.text.tokens import Tokens

TOGETHER = 500  # lines that are predicted at once
NEW = ("predicted", "probability")
NEW_OF_SEVERAL = ("predicted", "probabilities")
Line = dict[str, Any]


async def batch(call: Call) -> Response:
    """JSON Lines in, the same lines with a label and its probability out, as they come.

    A line that cannot be read becomes one that says why; the others are answered.
    """
    call.check_parameters("model", "text")
    model, column = call.model, call.parameter("text") or "text"

    async def lines() -> AsyncIterator[bytes]:
        number = 0
        async for some in _gathered(call):
            documents, places, answers = list[Any](), list[int](), list[Line]()
            for raw in some:
                number += 1
                if not raw.strip():
                    continue
                try:
                    row, document = read_line(raw, model, column)
                except Problem as problem:
                    answers.append({"error": f"line {number}: {problem.detail}"})
                    continue
                places.append(len(answers))
                answers.append(row)
                documents.append(document)
            size = sum(map(len, some))
            await _predict(call, model, documents, [answers[at] for at in places], size)
            yield b"".join(msgspec.json.encode(one) + b"\n" for one in answers)

    return Stream(lines(), "application/jsonl")


async def _gathered(call: Call) -> AsyncIterator[list[bytes]]:
    """The lines of the body, as many together as have come."""
    rest = b""
    try:
        async for part in call.request.stream():
            *whole, rest = (rest + part).split(b"\n")
            for start in range(0, len(whole), TOGETHER):
                yield whole[start : start + TOGETHER]
            if len(rest) > LINE:
                yield [rest]  # it is refused, and whatever follows is of no use
                return
    except ClientDisconnect:
        return
    if rest:
        yield [rest]


def read_line(raw: bytes, model: ServedModel, column: str) -> tuple[Line, Any]:
    """A line as an object, and the document in it."""
    if len(raw) > LINE:
        raise Problem(413, f"it is longer than {LINE} bytes")
    try:
        row = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(400, f"it is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise Problem(422, "it is not an object")
    if is_deep(row, JSON_DEPTH):
        raise Problem(422, f"it is nested deeper than {JSON_DEPTH}")
    for name in NEW_OF_SEVERAL if model.is_several else NEW:
        if name in row:
            raise Problem(422, f"it has {name!r} already")
    if model.columns is not None:
        return row, {name: row.get(name) for name in model.columns}
    text = row.get(column)
    if are_tokens(text):
        text = Tokens(text)
    if not isinstance(text, str):
        raise Problem(422, f"it has no text under {column[:100]!r}")
    if len(text) > TEXT:
        raise Problem(413, f"its text is longer than {TEXT} characters")
    return row, text


def is_deep(value: Any, depth: int) -> bool:
    """Whether plain data is nested deeper than this.

    >>> is_deep([[1]], 2), is_deep([[[1]]], 2)
    (False, True)
    """
    if not isinstance(value, dict | list):
        return False
    if not depth:
        return True
    return any(is_deep(one, depth - 1) for one in (value.values() if isinstance(value, dict) else value))


async def _predict(call: Call, model: ServedModel, documents: list[Any], rows: list[Line], size: int) -> None:
    """Write labels and probabilities into rows; where one of them is bad, each is asked for alone."""

    def look(classifier: Classifier) -> list[Line]:
        try:
            predicted = best(*probabilities(classifier, documents, None), None)
            return [
                {"predicted": label, "probability": chance}
                for label, chance in zip(predicted.labels, predicted.probabilities, strict=True)
            ]
        except ValueError:
            return [_alone(classifier, document) for document in documents]

    def look_at_several(classifier: MultiLabelClassifier) -> list[Line]:
        try:
            return several.lines(classifier, documents)
        except ValueError:
            return [_alone_of_several(classifier, document) for document in documents]

    answers = await model.read(size, look, call.server.workers, look_at_several)
    for row, new in zip(rows, answers, strict=True):
        row.update(new)


def _alone(classifier: Classifier, document: Any) -> Line:
    try:
        predicted = best(*probabilities(classifier, [document], None), None)
    except ValueError as error:
        return {"error": str(error)}
    return {"predicted": predicted.labels[0], "probability": predicted.probabilities[0]}


def _alone_of_several(classifier: MultiLabelClassifier, document: Any) -> Line:
    try:
        return several.lines(classifier, [document])[0]
    except ValueError as error:
        return {"error": str(error)}


async def mail(call: Call) -> Response:
    """The label of a raw message. With `train` or `forget`, it is learned or forgotten under that label instead.

    For a model of several labels, each of them has a `train` or a `forget` of its own.
    """
    call.check_parameters("model", "train", "forget")
    model, body = call.model, await call.body()
    row = row_of(body)
    document = row["text"][:TEXT] if model.columns is None else {name: row.get(name) for name in model.columns}
    train, forget = call.request.query_params.getlist("train"), call.request.query_params.getlist("forget")
    if train and forget:
        raise Problem(422, "say train or forget, not both")
    if train or forget:
        check_scope(call.request.scope["banbury.scopes"], "learn")
        act, given = (LEARN, train) if train else (FORGET, forget)
        named = [label_of(name, model.labels) for name in given]
        labels = checked_labels([named] if model.is_several else named, 1, model)
        change = Change(model.name, act, [document], labels, **idempotency(call, body))
        written = await submitted(call, change, len(body))
        done = LearnAnswer(1, written.last) if act == LEARN else ForgetAnswer(1, written.last)
        return answer(done, headers=repeated(written))

    def look(classifier: Classifier) -> MailAnswer | SeveralMailAnswer:
        predicted = best(*probabilities(classifier, [document], None), None)
        [label], [chance] = predicted.labels, predicted.probabilities
        assert label is not None
        assert chance is not None
        return MailAnswer(label, chance)

    def look_at_several(classifier: MultiLabelClassifier) -> MailAnswer | SeveralMailAnswer:
        return several.mail(classifier, document)

    return answer(await model.read(len(body), look, call.server.workers, look_at_several))
