"""How much is too much: sizes, times and lengths of queues; and who waits when it is."""

from __future__ import annotations

from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from banbury.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

BODY = 10 << 20  # bytes of a request
JSON_DEPTH = 32  # of JSON: no message is deeper, and arrays and objects that no message has are refused unread
TEXT = 1_000_000  # characters of a document
TEXT_TOKENS = 200_000  # of a document that comes as tokens
DOCUMENTS = 10_000  # of a request
LABEL = 10_000  # characters of a label
DOCUMENT_LABELS = 10_000  # of a document
LINE = 4 << 20  # bytes of a line of JSON Lines
HEADERS = 64 << 10  # bytes of the headers of a request

BODY_SECONDS = 30.0  # until a body is there
SEND_SECONDS = 60.0  # until a client takes the next part of an answer
HEADER_SECONDS = 10.0  # until a request has begun and its headers are there
KEEP_ALIVE_SECONDS = 75
STOP_SECONDS = 20  # for requests that are being answered when the server is stopped

BUFFERED = 256 << 20  # bytes of all bodies that are being read or answered
WAITING = 64  # requests that wait for a thread
LEARNING = 10_000  # documents that wait to be learned …
LEARNING_BYTES = 64 << 20  # … and their bytes
INLINE = 32 << 10  # bytes that are worked on at once: a millisecond or so; more goes to a thread


class Budget:
    """Bytes that may be in use at the same time."""

    def __init__(self, size: int) -> None:
        self.left = size

    @contextmanager
    def of(self, size: int) -> Iterator[None]:
        """Use so many for a while; where they are not there, a 503."""
        if size > self.left:
            raise Problem(503, "the requests that are being answered use all the memory there is for them", retry=1)
        self.left -= size
        try:
            yield
        finally:
            self.left += size


class Workers:
    """Threads for what takes longer than the others should wait."""

    def __init__(self, threads: int = 2) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="banbury-worker")
        self.n_waiting = 0

    async def run(self, work: Callable[[], T]) -> T:
        """What the work gives; a 503 where too many are waiting already."""
        if self.n_waiting >= WAITING:
            raise Problem(503, f"{self.n_waiting} requests are waiting already", retry=1)
        loop: AbstractEventLoop = get_running_loop()
        self.n_waiting += 1
        try:
            return await loop.run_in_executor(self._pool, work)
        finally:
            self.n_waiting -= 1

    def stop(self) -> None:
        """End the threads, once what they are at is done."""
        self._pool.shutdown(wait=True, cancel_futures=True)
