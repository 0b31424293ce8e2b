"""Which path is answered by whom, and who may ask. The OpenAPI document is made from the same table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from banbury.server import changing, inference, messages, reading, status, streaming
from banbury.server.keys import check_scope
from banbury.server.requests import Call

if TYPE_CHECKING:
    from banbury.server.application import Application

Handler = Callable[[Call], Awaitable[Response]]
MODEL = "/v1/models/{name}"


class Parameter(NamedTuple):
    """A parameter of the address."""

    name: str
    schema: dict[str, Any]
    description: str


class Route(NamedTuple):
    """A path, what it does, and what goes in and out."""

    method: str
    path: str
    handler: Handler
    scope: str
    """That a key needs; nothing where no key is needed."""
    summary: str
    request: Any = None
    """A type of `messages`, or a media type."""
    answer: Any = None
    """A type or a media type, or several of them."""
    parameters: tuple[Parameter, ...] = ()
    ready_is_503: bool = False
    """Whether the answer may come with a 503 as well."""


async def _predict(call: Call) -> Response:
    """`predict` as a route like any other; the application answers it before it comes to that."""
    body = await reading.predict(call.server, call.request.path_params["name"], await call.body())
    return Response(body, media_type="application/json")


async def _openapi(call: Call) -> Response:
    """This table, and the messages, as an OpenAPI document."""
    from banbury.server.openapi import document  # it is made of this table

    return Response(document(), media_type="application/json")


STRING, NUMBER = {"type": "string"}, {"type": "integer", "minimum": 1}
WORDS_PARAMETERS = (
    Parameter("label", STRING, "Of which label; without it, the strongest words of all."),
    Parameter("against", STRING, "Rather than which one."),
    Parameter("top", NUMBER | {"maximum": 100_000, "default": 20}, "How many."),
    Parameter("min_count", NUMBER | {"maximum": 2**31, "default": 1}, "Only words that were seen so often."),
    Parameter("sort", STRING, "`for`, `against`, `strength`, `count` or `word`."),
    Parameter("column", STRING, "Of a model of tables: which of its columns of texts."),
)
WHICH = Parameter("model", STRING, "Which model; needed where there is more than one.")
MAIL_PARAMETERS = (
    WHICH,
    Parameter("train", STRING, "Learn the message under this label."),
    Parameter("forget", STRING, "Forget the message, which was learned under this label."),
)

ROUTES = [
    Route("GET", "/v1/models", status.models, "read", "All models.", None, messages.ModelsAnswer),
    Route("GET", MODEL, status.model, "read", "One model.", None, messages.ModelAnswer),
    Route("POST", f"{MODEL}/predict", _predict, "read", "The label of each document, and its probability.",
          messages.PredictRequest, (messages.PredictAnswer, messages.SeveralPredictAnswer)),
    Route("POST", f"{MODEL}/explain", reading.explain, "read", "Why a document is of its label.",
          messages.ExplainRequest, messages.ExplainAnswer),
    Route("GET", f"{MODEL}/words", reading.words, "read", "The words that speak for a label.",
          None, messages.WordsAnswer, WORDS_PARAMETERS),
    Route("POST", f"{MODEL}/evaluate", reading.evaluate, "read", "How well the labels of documents are predicted.",
          messages.EvaluateRequest, messages.EvaluateAnswer),
    Route("GET", f"{MODEL}/report", reading.training_report, "read", "What leave-one-out said of training.",
          None, messages.TrainingAnswer),
    Route("POST", f"{MODEL}/report", reading.report, "read", "An evaluation as a page of HTML.",
          messages.ReportRequest, "text/html"),
    Route("POST", f"{MODEL}/learn", changing.learn, "learn", "Learn documents.",
          messages.LearnRequest, messages.LearnAnswer),
    Route("POST", f"{MODEL}/forget", changing.forget, "learn", "Forget documents, by number or by content.",
          messages.ForgetRequest, messages.ForgetAnswer),
    Route("GET", f"{MODEL}/export", changing.export, "admin", "The documents that were learned, as JSON Lines.",
          None, "application/jsonl"),
    Route("POST", "/v1/compact", changing.compact, "admin", "Take snapshots, and make the journal smaller.",
          None, messages.CompactAnswer),
    Route("POST", "/v1/batch", streaming.batch, "read", "Predict JSON Lines, line by line, as they come.",
          "application/jsonl", "application/jsonl", (WHICH, Parameter("text", STRING, "Where the texts are; `text`."))),
    Route("POST", "/v1/mail", streaming.mail, "read", "The label of a raw e-mail; or learn or forget it.",
          "message/rfc822",
          (messages.MailAnswer, messages.SeveralMailAnswer, messages.LearnAnswer, messages.ForgetAnswer),
          MAIL_PARAMETERS),
    Route("GET", "/v2", inference.server, "read", "Open Inference Protocol: what server this is.",
          None, inference.ServerMetadata),
    Route("GET", "/v2/health/live", status.live, "", "Open Inference Protocol: the process answers.",
          None, messages.LiveAnswer),
    Route("GET", "/v2/health/ready", status.ready, "", "Open Inference Protocol: questions can be answered.",
          None, messages.ReadyAnswer, (), True),
    Route("GET", "/v2/models/{name}", inference.metadata, "read", "Open Inference Protocol: inputs and outputs.",
          None, inference.ModelMetadata),
    Route("GET", "/v2/models/{name}/ready", inference.ready, "read", "Open Inference Protocol: the model answers.",
          None, inference.ModelReady),
    Route("POST", "/v2/models/{name}/infer", inference.infer, "read", "Open Inference Protocol: the labels.",
          inference.InferRequest, inference.InferAnswer),
    Route("GET", "/openapi.json", _openapi, "", "This document.", None, "application/json"),
    Route("GET", "/health/live", status.live, "", "Whether the process answers.", None, messages.LiveAnswer),
    Route("GET", "/health/ready", status.ready, "", "Whether questions can be answered.", None, messages.ReadyAnswer,
          (), True),
    Route("GET", "/metrics", status.metrics, "read", "Counters for Prometheus.", None, "text/plain"),
]  # fmt: skip


def starlette_routes(server: Application) -> list[StarletteRoute]:
    """The table as Starlette has it: one route for each path, whatever its methods."""
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = route
    return [StarletteRoute(path, _endpoint(server, routes), methods=list(routes)) for path, routes in by_path.items()]


def model_routes(server: Application) -> dict[tuple[str, str], Callable[[Request], Awaitable[Response]]]:
    """What can be asked of a model: by the method, and by what comes after the name of the model in the path."""
    under = f"{MODEL}/"
    return {
        (route.method, route.path.removeprefix(under)): _endpoint(server, {route.method: route})
        for route in ROUTES
        if route.path.startswith(under)
    }


def _endpoint(server: Application, routes: dict[str, Route]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        route = routes["GET" if request.method == "HEAD" else request.method]
        request.scope["banbury.route"] = route.path
        check_scope(request.scope["banbury.scopes"], route.scope)
        return await route.handler(Call(server, request))

    return endpoint
