"""The body and the parameters of a request: read within limits, checked, typed."""

from __future__ import annotations

from asyncio import timeout
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from banbury.server.limits import BODY, BODY_SECONDS
from banbury.server.messages import Document, Documents
from banbury.server.models import ServedModel
from banbury.server.problems import Problem
from banbury.text.tokens import Tokens

if TYPE_CHECKING:
    from banbury.server.application import Application

T = TypeVar("T")
Headers = dict[bytes, bytes]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HungUp(Exception):
    """The client has gone before its request was there: nobody waits for an answer."""


def declared_size(headers: Headers) -> int:
    """How long a body says that it is; as long as may be where it comes in chunks, 0 where there is none."""
    length = headers.get(b"content-length")
    if length is None:
        return BODY if b"transfer-encoding" in headers else 0
    if not length.isdigit() or len(length) > 18 or int(length) > BODY:
        raise too_long()
    return int(length)


def too_long() -> Problem:
    """The 413 of a body beyond the limit."""
    return Problem(413, f"the body is longer than {BODY} bytes; send less at a time, or stream lines to /v1/batch")


async def read_body(receive: Receive) -> bytes:
    """The whole body, or a problem where it is too long or takes too long. Most come in one piece."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        whole: bytes = message.get("body", b"")
        return whole
    parts, size = [], 0
    try:
        async with timeout(BODY_SECONDS):
            while message["type"] == "http.request":
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > BODY:
                    raise too_long()
                if not message.get("more_body"):
                    return b"".join(parts)
                message = await receive()
    except TimeoutError:
        raise Problem(408, f"the body was not there after {BODY_SECONDS:.0f} seconds") from None
    raise HungUp


def decoded(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """The body as a message, or a problem that says what is wrong with it."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Problem(422, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem(400, f"the body is not JSON: {error}") from None
    except RecursionError:
        raise Problem(400, "the body is nested too deep") from None


def documents_in(message: Documents, model: ServedModel) -> list[Any]:
    """The documents of a request, which are of the kind that the model has learned."""
    texts, rows = message.texts, message.rows
    if model.columns is None:
        if texts is not msgspec.UNSET and rows is msgspec.UNSET:
            return [text if isinstance(text, str) else Tokens(text) for text in texts]
        raise Problem(422, f"{model.name!r} is a model of texts: give texts, a list of strings, or of lists of tokens")
    if rows is not msgspec.UNSET and texts is msgspec.UNSET:
        return rows
    raise Problem(422, f"{model.name!r} is a model of tables: give rows, a list of objects")


def document_in(message: Document, model: ServedModel) -> Any:
    """The one document of a request."""
    text, row = message.text, message.row
    if model.columns is None:
        if text is not msgspec.UNSET and row is msgspec.UNSET:
            return text if isinstance(text, str) else Tokens(text)
        raise Problem(422, f"{model.name!r} is a model of texts: give text, a string or a list of tokens")
    if row is not msgspec.UNSET and text is msgspec.UNSET:
        return row
    raise Problem(422, f"{model.name!r} is a model of tables: give row, an object")


def prior_in(prior: str | dict[str, float] | None, model: ServedModel) -> Any:
    """A prior by label; the names of an object are strings, whatever the labels are."""
    if not isinstance(prior, dict):
        return prior
    return {label_of(name, model.labels): share for name, share in prior.items()}


def label_of(name: str, labels: list[Any]) -> Any:
    """The label that is written like this; one that nobody knows stays as it is, for an error that names it."""
    for label in labels:
        if name_of(label) == name:
            return label
    return name


def name_of(label: Any) -> str:
    """A label as the name of a JSON object's member.

    >>> name_of(True), name_of(7), name_of("ham")
    ('true', '7', 'ham')
    """
    return str(label).lower() if isinstance(label, bool) else str(label)


class Call:
    """A request as the routes see it: its model, its message, its parameters."""

    def __init__(self, server: Application, request: Request) -> None:
        self.server = server
        self.request = request

    @property
    def model(self) -> ServedModel:
        """The model that the path names; without a name in the path the parameter `model`, or the only one there is."""
        name = self.request.path_params.get("name") or self.parameter("model")
        if name is None:
            if len(self.server.models) != 1:
                raise Problem(422, "say which model: ?model=NAME")
            name = next(iter(self.server.models))
        return self.server.models.named(name)

    async def message(self, decoder: msgspec.json.Decoder[T]) -> tuple[T, int]:
        """The body as a message, and how many bytes it has."""
        body = await self.body()
        return decoded(decoder, body), len(body)

    async def body(self) -> bytes:
        """The whole body."""
        return await read_body(self.request.receive)

    def parameter(self, name: str) -> str | None:
        """A parameter of the address."""
        return self.request.query_params.get(name)

    def number(self, name: str, default: int, *, least: int = 1, most: int = 100_000) -> int:
        """A parameter of the address that is a whole number."""
        text = self.parameter(name)
        if text is None:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 18 or not least <= int(text) <= most:
            raise Problem(422, f"{name} is {text[:40]!r}; it must be a number from {least} to {most}")
        return int(text)

    def label(self, name: str) -> Any:
        """A parameter of the address that is a label of the model."""
        text = self.parameter(name)
        return None if text is None else label_of(text, self.model.labels)

    def check_parameters(self, *names: str) -> None:
        """A 422 where the address has a parameter that means nothing here."""
        for name in self.request.query_params:
            if name not in names:
                known = ", ".join(names) or "none"
                raise Problem(422, f"there is no parameter {name[:100]!r} here; there is {known}")


def answer(message: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A message as JSON; infinite numbers are null."""
    return Response(msgspec.json.encode(message), status, headers, "application/json")


class Stream(Response):
    """An answer that is sent while it is made. Unlike Starlette's, it leaves the body of the request to its maker."""

    def __init__(self, parts: AsyncIterator[bytes], media_type: str) -> None:
        super().__init__(media_type=media_type)
        del self.headers["content-length"]
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts, as they come."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for part in self._parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
