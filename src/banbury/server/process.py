"""The process of `banbury serve`: uvicorn, with time-outs for clients that say too little, too slowly."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio import TimerHandle
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from banbury.server.application import Application
from banbury.server.limits import (
    BODY_SECONDS,
    HEADER_SECONDS,
    HEADERS,
    KEEP_ALIVE_SECONDS,
    SEND_SECONDS,
    STOP_SECONDS,
)
from banbury.server.problems import MEDIA_TYPE, Problem


class Protocol(HttpToolsProtocol):
    """A connection whose requests have to begin, and to be said, within a time and a size."""

    _timer: TimerHandle | None = None
    _header_bytes = 0
    _is_in_headers = False
    _is_in_body = False

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
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is there, whole."""
        self._is_in_body = False
        self._stop_waiting()
        super().on_message_complete()

    def _is_stream(self) -> bool:
        return str(self.scope["path"]).endswith("/v1/batch")

    def _wait(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self.cycle is not None and self._is_in_body and not self.cycle.response_started:
            problem = Problem(408, f"the body was not there after {BODY_SECONDS:.0f} seconds")
            body = problem.body()
            head = (
                b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"
            )
            self.transport.write(head % (MEDIA_TYPE, len(body)) + body)
            self.transport.close()
        else:
            self.transport.abort()


def run(application: Application, host: str, port: int) -> None:
    """Serve until a signal comes; what is being answered then is answered."""
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
    _Server(config).run()


class _Server(uvicorn.Server):
    """Says where it listens, once it does: with port 0 nobody else knows."""

    async def startup(self, sockets: Any = None) -> None:
        """Listen."""
        await super().startup(sockets)
        for server in getattr(self, "servers", ()):
            for socket in server.sockets:
                address, port = socket.getsockname()[:2]
                host = f"[{address}]" if ":" in address else address
                print(f"banbury serves at http://{host}:{port}", file=sys.stderr, flush=True)


def _allow_many_connections() -> None:
    """As many open files as the system allows: each connection is one."""
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
