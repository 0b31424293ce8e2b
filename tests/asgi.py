"""Asks an ASGI application inside this process: quicker than a server, and without a socket."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from banbury.server.application import Application


class Asked(NamedTuple):
    method: str
    path: str
    body: Any = b""
    headers: Sequence[tuple[bytes, bytes]] = ()


class Said(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def ask(application: Application, asked: Asked) -> Said:
    """One request; a body that is not bytes is sent as JSON."""
    body = asked.body if isinstance(asked.body, bytes) else json.dumps(asked.body).encode()
    path, _, query = asked.path.partition("?")
    headers = [(b"content-length", str(len(body)).encode()), *asked.headers]
    scope = {"type": "http", "method": asked.method, "path": path, "query_string": query.encode(), "headers": headers}
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await application(scope, receive, send)
    start, *parts = sent
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return Said(start["status"], found, b"".join(part.get("body", b"") for part in parts))


def talk(application: Application, *requests: Asked) -> list[Said]:
    """The answers to requests, one after the other, from the start of an application to its end."""

    async def all_of_them() -> list[Said]:
        await application.start()
        try:
            return [await ask(application, asked) for asked in requests]
        finally:
            await application.stop()

    return asyncio.run(all_of_them())
