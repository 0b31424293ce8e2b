"""What there is and how it is: the models, health, metrics."""

from __future__ import annotations

from msgspec import UNSET
from starlette.responses import Response

from banbury.labels.classifier import MultiLabelClassifier
from banbury.server.messages import LabelCount, LiveAnswer, ModelAnswer, ModelsAnswer, ReadyAnswer
from banbury.server.models import ServedModel, documents_of, labels_of
from banbury.server.requests import Call, answer


async def models(call: Call) -> Response:
    """All models, by name."""
    call.check_parameters()
    served = call.server.models
    return answer(ModelsAnswer([await described(call, served[name]) for name in sorted(served)]))


async def model(call: Call) -> Response:
    """What there is to know of one model."""
    call.check_parameters()
    return answer(await described(call, call.model))


async def described(call: Call, served: ServedModel) -> ModelAnswer:
    """A model in plain data."""
    await served.turns.whole()
    learned = served.learned
    counted = zip(labels_of(learned), documents_of(learned), strict=True)
    thresholds = learned.thresholds_ if isinstance(learned, MultiLabelClassifier) and learned.documents_ else {}
    return ModelAnswer(
        served.name,
        [LabelCount(label, n, thresholds.get(label, UNSET)) for label, n in counted],
        "texts" if served.columns is None else "rows",
        served.is_several,
        None if served.columns is None else {name: type(kind).__name__ for name, kind in served.columns.items()},
        served.file,
        call.server.sequence,
        served.refused,
    )


async def live(call: Call) -> Response:
    """Whether the process answers."""
    return answer(LiveAnswer(True))


async def ready(call: Call) -> Response:
    """Whether questions can be answered; the state of the journal beside it."""
    server = call.server
    is_ready = bool(server.models)
    return answer(ReadyAnswer(is_ready, len(server.models), server.journal_state), 200 if is_ready else 503)


async def metrics(call: Call) -> Response:
    """Counters for Prometheus."""
    server = call.server
    server.metrics.models.set(len(server.models))
    server.metrics.sequence.set(server.sequence)
    return Response(server.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
