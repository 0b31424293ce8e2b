"""What changes a model: learn and forget; and the journal that keeps it: export and compact."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from hashlib import blake2b
from typing import Any

from msgspec import UNSET, json
from starlette.responses import Response

from banbury.errors import InputError
from banbury.server.journal.entries import FORGET, LEARN, Change, Entry, Written, tokens_as_list
from banbury.server.learner import Learner
from banbury.server.messages import CompactAnswer, ForgetAnswer, ForgetRequest, LearnAnswer, LearnRequest
from banbury.server.models import ServedModel
from banbury.server.problems import Problem
from banbury.server.requests import Call, Stream, answer, decoded, documents_in
from banbury.server.several import label_sets
from banbury.text.documents import as_labels, check_kind

LEARN_DECODER = json.Decoder(LearnRequest)
FORGET_DECODER = json.Decoder(ForgetRequest)
LONGEST_KEY = 255


async def learn(call: Call) -> Response:
    """Learn documents; the answer says that they are on disk."""
    model, body = call.model, await call.body()
    message = decoded(LEARN_DECODER, body)
    documents = documents_in(message, model)
    change = Change(
        model.name, LEARN, documents, checked_labels(message.labels, len(documents), model), **idempotency(call, body)
    )
    written = await submitted(call, change, len(body))
    return answer(LearnAnswer(change.n_documents, written.last), headers=repeated(written))


async def forget(call: Call) -> Response:
    """Forget documents, by the numbers that they were learned under or by content."""
    model, body = call.model, await call.body()
    message = decoded(FORGET_DECODER, body)
    if message.ids is not UNSET:
        if message.texts is not UNSET or message.rows is not UNSET or message.labels is not UNSET:
            raise Problem(422, "give ids, or documents with their labels, not both")
        change = Change(model.name, FORGET, ids=message.ids, **idempotency(call, body))
    else:
        documents = documents_in(message, model)
        if message.labels is UNSET:
            raise Problem(422, "give labels: those that the documents were learned with; or give ids")
        labels = checked_labels(message.labels, len(documents), model)
        change = Change(model.name, FORGET, documents, labels, **idempotency(call, body))
    written = await submitted(call, change, len(body))
    return answer(ForgetAnswer(change.n_documents, written.last), headers=repeated(written))


async def submitted(call: Call, change: Change, size: int) -> Written:
    """A change that was written and applied; one without documents changes nothing."""
    learner = needed(call)
    if not change.n_documents:
        return Written(learner.sequence + 1, learner.sequence)
    return await learner.submit(change, size)


def needed(call: Call) -> Learner:
    """The learner; a server without a journal has none."""
    learner = call.server.learner
    if learner is None:
        raise Problem(409, "this server has no journal, so nothing can be learned: start it with --journal FILE")
    return learner


def checked_labels(labels: list[Any], n: int, model: ServedModel) -> list[Any]:
    """Labels that the model can take: as many as documents, of the kind that it knows."""
    if len(labels) != n:
        raise InputError(f"{n} documents but {len(labels)} {'lists of labels' if model.is_several else 'labels'}")
    if model.is_several:
        return label_sets(labels, model)
    labels = as_labels(labels)
    check_kind(labels, model.labels)
    return labels


def idempotency(call: Call, body: bytes) -> dict[str, Any]:
    """The Idempotency-Key of a request, and what it stands for; nothing where there is none."""
    key = call.request.headers.get("idempotency-key")
    if key is None:
        return {}
    if not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise Problem(422, f"an Idempotency-Key has 1 to {LONGEST_KEY} printable characters")
    asked = f"{call.request.url.path}?{call.request.url.query}\n".encode() + body
    return {"key": key, "fingerprint": blake2b(asked, digest_size=16).hexdigest()}


def repeated(written: Written) -> dict[str, str]:
    """The header by which a client sees that its request was answered before."""
    return {"idempotent-replayed": "true"} if written.is_repeat else {}


async def export(call: Call) -> Response:
    """The documents that were learned here and not forgotten, as JSON Lines that `banbury train` reads."""
    call.check_parameters()
    model, learner = call.model, needed(call)
    first = await asyncio.to_thread(learner.examples, model.name, 0)

    async def lines() -> AsyncIterator[bytes]:
        page = first
        while page:
            yield b"".join(_line(entry) for entry in page)
            page = await asyncio.to_thread(learner.examples, model.name, page[-1].sequence)

    return Stream(lines(), "application/jsonl")


def _line(entry: Entry) -> bytes:
    document = entry.document if isinstance(entry.document, dict) else {"text": entry.document}
    row = {"id": entry.sequence, **document, "label": entry.label}
    return json.encode(row, enc_hook=tokens_as_list) + b"\n"


async def compact(call: Call) -> Response:
    """Take snapshots, and remove from the journal what no longer matters."""
    call.check_parameters()
    sequence, removed = await needed(call).compact()
    return answer(CompactAnswer(sequence, removed))
