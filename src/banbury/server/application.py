"""The ASGI application: checks a request, has it answered, and turns whatever goes wrong into a problem.

`predict` is plain ASGI, since it is asked most. What is asked of a model is found by the name of the act; Starlette's
routes are for everything else.
"""

from __future__ import annotations

import logging
import os
from asyncio import Lock, timeout
from collections.abc import Iterable
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Router

from banbury.errors import BanburyError
from banbury.server.access import Access
from banbury.server.keys import Keys, check_scope
from banbury.server.learner import Learner
from banbury.server.limits import BUFFERED, LINE, SEND_SECONDS, Budget, Workers
from banbury.server.metrics import Metrics
from banbury.server.models import Models, ServedModel
from banbury.server.page.files import Files
from banbury.server.page.jobs import Jobs
from banbury.server.page.queues import Queue
from banbury.server.page.routes import page_routes
from banbury.server.problems import Problem, problem_of
from banbury.server.reading import predict, predict_at_once
from banbury.server.requests import Headers, HungUp, Receive, Scope, Send, Stream, declared_size, read_body
from banbury.server.routes import MODEL, model_routes, starlette_routes
from banbury.server.watcher import Watcher

Path = str | os.PathLike[str]
BEFORE, AFTER = "/v1/models/", "/predict"
PREDICT_PATH = f"{MODEL}{AFTER}"
GONE = 499  # in the metrics: whoever asked has not waited for the answer
STREAMED = ("/v1/batch", "/page/files")  # whose bodies are never whole in memory
SMALL = 64 << 10  # bytes of a body that nobody has to account for
JSON = (b"content-type", b"application/json")
SAFE = [(b"x-content-type-options", b"nosniff")]
log = logging.getLogger("banbury.server")


class Application:
    """Models over HTTP; `banbury.server.app` makes one."""

    def __init__(
        self,
        models: Path | Iterable[Path],
        *,
        journal: str | None,
        snapshots: Path | None,
        keys: Path | None,
        hosts: Iterable[str] | None,
        origins: Iterable[str],
        folder: Path | None = None,
    ) -> None:
        self.models = Models([models] if isinstance(models, str | os.PathLike) else models)
        self.metrics = Metrics()
        self.workers = Workers()
        self.access = Access(None if keys is None else Keys(keys), hosts, origins)
        folder = None if snapshots is None else FilePath(snapshots)
        self.learner = None if journal is None else Learner(self, journal, folder)
        self.watcher = Watcher(self)
        self.files = Files(FilePath(folder) if folder is not None else self.models.folder)
        self.jobs = Jobs()
        self.queues: dict[tuple[str, str], Queue] = {}
        self._budget = Budget(BUFFERED)
        self._is_started = False
        self._starting = Lock()
        self._routes = Router([*starlette_routes(self), *page_routes(self)])
        self._of_models = model_routes(self)

    @property
    def sequence(self) -> int:
        """The last entry of the journal that the models have."""
        return 0 if self.learner is None else self.learner.sequence

    @property
    def journal_state(self) -> str:
        """`none`, `open`, or what is wrong with the journal."""
        return "none" if self.learner is None else self.learner.failure or "open"

    async def start(self) -> None:
        """Follow files and the journal. The first request does it, too; not every server tells of its start."""
        async with self._starting:
            if not self._is_started:
                if self.learner is not None:
                    await self.learner.start()
                self.watcher.start()
                self._is_started = True

    async def stop(self) -> None:
        """Let go of files and the journal; what was accepted is written before."""
        if self._is_started:
            self._is_started = False
            await self.watcher.stop()
            if self.learner is not None:
                await self.learner.stop()
            self.workers.stop()
            self.jobs.stop()
            self.files.close()

    async def exchange(self, fresh: ServedModel) -> None:
        """Serve this model in the place of the one that has its name."""
        if self.learner is None:
            self.models.add(fresh)
        else:
            await self.learner.exchange(fresh)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or follow the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            if not self._is_started:
                await self.start()
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})

    def at_once(self, target: bytes, headers: Headers, body: bytes) -> bytes | None:
        """The answer to a `predict` that needs no waiting and has no fault; None leaves it to the usual way."""
        started = perf_counter()
        model = self.models.get(target[len(BEFORE) : -len(AFTER)].decode("ascii", "replace"))
        if model is None or not self._is_started:
            return None
        try:
            check_scope(self.access.check(headers), "read")
            answered = predict_at_once(model, body)
        except (Problem, BanburyError):
            return None
        if answered is not None:
            self.metrics.count(PREDICT_PATH, 200, perf_counter() - started)
        return answered

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self.start()
        except BanburyError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        headers: Headers = dict(scope["headers"])
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        answer = _Answer(send, self.access.cors(headers))
        try:
            scopes = self.access.check(headers, by_cookie=path.startswith("/page"))
            size = LINE if path in STREAMED else declared_size(headers)
            if (allowed := self.access.preflight(scope["method"])) is not None:
                await answer.whole(204, allowed, b"")
            elif size <= SMALL:
                await self._route(scope, path, scopes, receive, answer)
            else:
                with self._budget.of(size):
                    await self._route(scope, path, scopes, receive, answer)
        except (HungUp, ClientDisconnect, TimeoutError):
            answer.status = GONE
        except (Problem, BanburyError) as error:
            await answer.problem(error if isinstance(error, Problem) else problem_of(error))
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            await answer.problem(Problem(500, "something went wrong here; the server's log says what"))
        self.metrics.count(scope.get("banbury.route", "none"), answer.status, perf_counter() - started)

    async def _route(self, scope: Scope, path: str, scopes: frozenset[str], receive: Receive, answer: _Answer) -> None:
        name, _, act = path[len(BEFORE) :].partition("/") if path.startswith(BEFORE) else ("", "", "")
        if act == "predict" and scope["method"] == "POST":
            scope["banbury.route"] = PREDICT_PATH
            check_scope(scopes, "read")
            await answer.whole(200, [JSON], await predict(self, name, await read_body(receive)))
            return
        scope["banbury.scopes"] = scopes
        if name and (handler := self._of_models.get((scope["method"], act))) is not None:
            scope["path_params"] = {"name": name}
            await answer.response(scope, receive, await handler(Request(scope, receive)))
            return
        # With an `app` and no handlers, Starlette raises what goes wrong instead of answering it.
        scope.update({"app": self, "starlette.exception_handlers": ({}, {})})
        try:
            await self._routes(scope, receive, answer.send)
        except HTTPException as error:
            raise _problem(scope, path, error) from None


class _Answer:
    """What goes out to the client: with headers that every answer has, within the time that a client may take."""

    def __init__(self, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._headers = SAFE + headers
        self.status = 0
        """0 until the answer has begun."""

    async def whole(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        """The whole answer at once."""
        self.status = status
        headers = [(b"content-length", b"%d" % len(body)), *headers, *self._headers]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def response(self, scope: Scope, receive: Receive, response: Response) -> None:
        """An answer of Starlette's."""
        if isinstance(response, Stream):
            await response(scope, receive, self.send)
        else:
            headers = [header for header in response.raw_headers if header[0] != b"content-length"]
            await self.whole(response.status_code, headers, bytes(response.body))

    async def send(self, message: Any) -> None:
        """A part of the answer, as ASGI has it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
        async with timeout(SEND_SECONDS):
            await self._send(message)

    async def problem(self, problem: Problem) -> None:
        """What went wrong; once the answer has begun, the client can only be left with a part of it."""
        if self.status:
            log.warning("an answer was cut short: %s", problem.detail)
            return
        await self.whole(problem.status, problem.response_headers(), problem.body())


def _problem(scope: Scope, path: str, error: HTTPException) -> Problem:
    """Starlette's own errors: a path or a method that there is not."""
    details = {404: f"there is nothing at {path[:200]}", 405: f"{scope['method']} is not for {path[:200]}"}
    return Problem(error.status_code, details.get(error.status_code, error.detail), headers=dict(error.headers or {}))
