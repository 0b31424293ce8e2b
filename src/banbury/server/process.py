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


class _Head:
    """The beginning of an answer up to its length: the same for all answers of a second, which have the same date."""

    _of: list[tuple[bytes, bytes]] | None = None
    _bytes = b""

    def get(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        """The status line and the headers, these among them."""
        if headers is not self._of:
            self._of = headers
            lines = [b"HTTP/1.1 200 OK", *(b"%s: %s" % header for header in headers)]
            lines += [b"content-type: application/json", b"x-content-type-options: nosniff", b"content-length: "]
            self._bytes = b"\r\n".join(lines)
        return self._bytes


class Protocol(HttpToolsProtocol):
    """A connection whose requests have to begin, and to be said, within a time and a size.

    A `predict` that is small and whole is answered where it is read: without a task, an event and a dozen calls
    (`benchmarks/serve.py` measures both ways). Whatever is not that simple goes the usual way.
    """

    _head = _Head()
    _application: Application
    _unsent: list[bytes]
    """Answers that were made at once and are not written yet."""
    _timer: TimerHandle | None = None
    _header_bytes = 0
    _is_in_headers = False
    _is_in_body = False
    _held: bytes | None = None
    """The body so far of a request that may be answered at once."""
    _idle_timer: TimerHandle | None = None
    _answered_at = 0.0
    """When a request was last answered, by the clock of the loop."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, not for ever."""
        assert isinstance(self.config.app, Application)
        self._application, self._unsent = self.config.app, []
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed: nothing is waited for any more."""
        self._stop_waiting()
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Hand on what has come; too many bytes of headers end the connection.

        Time is only taken for a request of which a part is still to come: most come whole.
        """
        super().data_received(data)
        if self._is_in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > HEADERS:
                self.transport.abort()
            else:
                self._wait(HEADER_SECONDS)
        elif self._is_in_body and self._is_stream():
            self._stop_waiting()  # it may go on for as long as something comes
            self._wait(SEND_SECONDS)
        elif self._is_in_body:
            self._wait(BODY_SECONDS)

    def on_message_begin(self) -> None:
        """A request begins; what ASGI wants to know of it is put together for one that goes the usual way."""
        self._is_in_headers, self._header_bytes = True, 0
        self.url, self.headers, self.expect_100_continue = b"", [], False

    def on_headers_complete(self) -> None:
        """The headers of a request are there."""
        self._is_in_headers, self._is_in_body = False, True
        self._stop_waiting()
        if self._may_be_answered_at_once():
            self._held = b""
        else:
            self._go_the_usual_way(b"")

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        if self._held is None:
            super().on_body(body)
            return
        self._held += body
        if len(self._held) > INLINE:
            self._go_the_usual_way(self._held)

    def on_message_complete(self) -> None:
        """A request is there, whole."""
        self._is_in_body = False
        self._stop_waiting()
        if self._held is not None:
            if self._answer_at_once(self._held):
                self._held = None
                return
            self._go_the_usual_way(self._held)
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What has come is no HTTP."""
        self._send()
        super().send_400_response(msg)

    def eof_received(self) -> None:
        """The client has said all that it wants to say; it may still listen."""
        self._send()

    def shutdown(self) -> None:
        """The server stops."""
        self._send()
        super().shutdown()

    def on_response_complete(self) -> None:
        """A request is answered."""
        self._answered_at = self.loop.time()
        super().on_response_complete()

    # Answers at once

    def _may_be_answered_at_once(self) -> bool:
        url = self.url
        return (
            url.endswith(b"/predict")
            and url.startswith(b"/v1/models/")
            and b"%" not in url
            and (self.cycle is None or self.cycle.response_complete)
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
        answer = self._application.at_once(self.url, headers, body)
        if answer is None:
            return False
        if not self._unsent:
            # Not at once: what others have sent is read first. Answers that go out together take a third less time.
            self.loop.call_soon(self._send)
        head = self._head.get(self.server_state.default_headers)
        self._unsent.append(b"%s%d\r\n\r\n%s" % (head, len(answer), answer))
        self.server_state.total_requests += 1
        self._answered_at = self.loop.time()
        if self._idle_timer is None:
            self._idle_timer = self.loop.call_later(KEEP_ALIVE_SECONDS, self._close_if_idle)
        return True

    def _send(self) -> None:
        """Write the answers that were made at once; whatever else is written comes after them."""
        if self._unsent and not self.transport.is_closing():
            self.transport.write(b"".join(self._unsent))
        self._unsent.clear()

    def _close_if_idle(self) -> None:
        """One timer for many requests: where there was one since it was set, it is set again."""
        self._idle_timer = None
        left = self._answered_at + KEEP_ALIVE_SECONDS - self.loop.time()
        if left > 0:
            self._idle_timer = self.loop.call_later(left, self._close_if_idle)
        elif not (self._is_in_headers or self._is_in_body) and (self.cycle is None or self.cycle.response_complete):
            self.timeout_keep_alive_handler()

    def _go_the_usual_way(self, body: bytes) -> None:
        """Have a request answered by a task of its own, after the headers and a part of the body, if not all of it."""
        self._held = None
        url, headers, expects_continue = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects_continue
        self.headers.extend(headers)
        super().on_headers_complete()
        if body:
            super().on_body(body)

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
        self._send()
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
