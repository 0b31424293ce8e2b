"""The process of `banbury serve`: uvicorn, with time-outs for clients that say too little, too slowly."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio import TimerHandle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from banbury.server.application import Application
from banbury.server.limits import (
    BODY_SECONDS,
    HEADER_SECONDS,
    HEADERS,
    INLINE,
    KEEP_ALIVE_SECONDS,
    SEND_SECONDS,
    STOP_SECONDS,
)
from banbury.server.problems import MEDIA_TYPE, Problem


class Protocol(HttpToolsProtocol):
    """A connection whose requests have to begin, and to be said, within a time and a size.

    A `predict` that is small and whole is answered where it is read: without a task, an event and a dozen calls
    (`benchmarks/serve.py` measures both ways). Whatever is not that simple goes the usual way.
    """

    _timer: TimerHandle | None = None
    _header_bytes = 0
    _is_in_headers = False
    _is_in_body = False
    _held: bytes | None = None
    """The body so far of a request that may be answered at once."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, not for ever."""
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Hand on what has come; too many bytes of headers end the connection."""
        super().data_received(data)
        if self._is_in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > HEADERS:
                self.transport.abort()
        elif self._is_in_body and self._is_stream():
            self._stop_waiting()  # it may go on for as long as something comes
            self._wait(SEND_SECONDS)
        elif self._is_in_body and self._timer is None:
            self._wait(BODY_SECONDS)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_in_headers, self._header_bytes = True, 0
        self._wait(HEADER_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The headers of a request are there."""
        self._is_in_headers, self._is_in_body = False, True
        self._stop_waiting()
        if self._may_be_answered_at_once():
            self._held = b""
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        if self._held is None:
            super().on_body(body)
            return
        self._held += body
        if len(self._held) > INLINE:
            self._go_the_usual_way()

    def on_message_complete(self) -> None:
        """A request is there, whole."""
        self._is_in_body = False
        self._stop_waiting()
        if self._held is not None:
            if self._answer_at_once(self._held):
                self._held = None
                return
            self._go_the_usual_way()
        super().on_message_complete()

    # Answers at once

    def _may_be_answered_at_once(self) -> bool:
        is_free = self.cycle is None or self.cycle.response_complete
        return (
            is_free
            and self.url.endswith(b"/predict")
            and self.url.startswith(b"/v1/models/")
            and b"%" not in self.url
            and self.parser.get_method() == b"POST"
            and self.parser.should_keep_alive()
            and self.parser.get_http_version() == "1.1"
            and not self.expect_100_continue
            and not self.flow.write_paused
        )

    def _answer_at_once(self, body: bytes) -> bool:
        headers = dict(self.headers)
        if b"origin" in headers:
            return False
        found = self._application.at_once(self.url, headers, body)
        if found is None:
            return False
        parts = [b"HTTP/1.1 200 OK\r\n"]
        parts += [b"%s: %s\r\n" % header for header in self.server_state.default_headers]
        parts.append(b"content-type: application/json\r\nx-content-type-options: nosniff\r\n")
        parts.append(b"content-length: %d\r\n\r\n" % len(found))
        parts.append(found)
        # Not at once: what has come from other clients is read first, so that answers go out together.
        self.loop.call_soon(self.transport.write, b"".join(parts))
        self.on_response_complete()
        return True

    def _go_the_usual_way(self) -> None:
        body, self._held = self._held, None
        super().on_headers_complete()
        if body:
            super().on_body(body)

    @property
    def _application(self) -> Application:
        application = self.config.app
        assert isinstance(application, Application)
        return application

    # Waiting

    def _is_stream(self) -> bool:
        return self.url.startswith((b"/v1/batch", b"/page/files"))

    def _wait(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        is_unanswered = self._held is not None or (self.cycle is not None and not self.cycle.response_started)
        if self._is_in_body and is_unanswered:
            problem = Problem(408, f"the body was not there after {BODY_SECONDS:.0f} seconds")
            body = problem.body()
            head = (
                b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"
            )
            self.transport.write(head % (MEDIA_TYPE, len(body)) + body)
            self.transport.close()
        else:
            self.transport.abort()


def run(application: Application, host: str, port: int, ready: Callable[[str], None] | None = None) -> None:
    """Serve until a signal comes; what is being answered then is answered. `ready` is told the address."""
    _allow_many_connections()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s: %(message)s", stream=sys.stderr)
    config = uvicorn.Config(
        application,
        host=host,
        port=port,
        http=Protocol,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = _Server(config)
    server.ready = ready or _tell
    server.run()


def _tell(address: str) -> None:
    print(f"banbury serves at {address}", file=sys.stderr, flush=True)


class _Server(uvicorn.Server):
    """Says where it listens, once it does: with port 0 nobody else knows."""

    ready: Callable[[str], None]

    async def startup(self, sockets: Any = None) -> None:
        """Listen."""
        await super().startup(sockets)
        for server in getattr(self, "servers", ()):
            for socket in server.sockets:
                address, port = socket.getsockname()[:2]
                host = f"[{address}]" if ":" in address else address
                self.ready(f"http://{host}:{port}")


def _allow_many_connections() -> None:
    """As many open files as the system allows: each connection is one."""
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
