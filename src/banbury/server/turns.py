"""Readers and a writer take turns, so that no reader sees half a change.

What is done on the event loop's own thread cannot be interrupted: it needs only to know that no change is going on.
Work in other threads holds a turn for as long as it lasts.
"""

from __future__ import annotations

from asyncio import Condition
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Any number of readers at a time, or one writer; readers that come after a waiting writer wait for it."""

    def __init__(self) -> None:
        self.is_changing = False
        self._n_readers = 0
        self._n_writers_waiting = 0
        self._moved = Condition()

    @property
    def is_free(self) -> bool:
        """Whether a change can be made right now, by the event loop's own thread."""
        return not self.is_changing and not self._n_readers

    async def whole(self) -> None:
        """Return when no change is going on."""
        if self.is_changing:
            async with self._moved:
                await self._moved.wait_for(lambda: not self.is_changing)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """A turn of reading: nothing is changed meanwhile."""
        async with self._moved:
            await self._moved.wait_for(lambda: not self.is_changing and not self._n_writers_waiting)
            self._n_readers += 1
        try:
            yield
        finally:
            async with self._moved:
                self._n_readers -= 1
                self._moved.notify_all()

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """Nobody reads meanwhile, and nobody else changes anything."""
        async with self._moved:
            self._n_writers_waiting += 1
            try:
                await self._moved.wait_for(lambda: self.is_free)
            finally:
                self._n_writers_waiting -= 1
                self._moved.notify_all()
            self.is_changing = True
        try:
            yield
        finally:
            async with self._moved:
                self.is_changing = False
                self._moved.notify_all()
