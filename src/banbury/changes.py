"""Changes: one change of a model at a time, and readers that see all of it or nothing of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import RLock
from types import TracebackType

from banbury import _kernel
from banbury.annotations import TypeVar
from banbury.errors import ChangedError

Found = TypeVar("Found")

TRIES = 3  # readings that a change got ahead of, before changes have to wait for a reader

# One lock for all models: whoever forks holds it, so a child never begins in the middle of another thread's change.
CHANGING = RLock()


class Changes:
    """The changes of one model: `with changes:` makes one, `whole` and `read` look at the model between two.

    >>> changes, pair = Changes(), [1, 1]
    >>> with changes:
    ...     pair[0] = 2  # another thread that looks at the pair with `whole` waits for the second number
    ...     pair[1] = 2
    >>> changes.whole(lambda: tuple(pair))
    (2, 2)
    """

    def __init__(self) -> None:
        self._depth = 0
        self._number = 0  # odd while a change is under way

    def __enter__(self) -> None:
        CHANGING.acquire()
        self._depth += 1
        if self._depth == 1:
            self._number += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._depth == 1:
            self._number += 1
        self._depth -= 1
        CHANGING.release()

    def whole(self, look: Callable[[], Found]) -> Found:
        """What `look` finds at a moment when no change is under way; it should be quick, and may be called again."""
        number = self._number
        if not number % 2:
            seen = look()
            if number == self._number:
                return seen
        with CHANGING:
            return look()

    def read(self, use: Callable[[], Found]) -> Found:
        """What `use` finds, which is called again where a change got in between: then it raises a `ChangedError`."""
        for _ in range(TRIES):
            try:
                return use()
            except ChangedError:
                pass
        with CHANGING:
            return use()


def _start_child() -> None:
    CHANGING.release()
    _kernel.forked()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=CHANGING.acquire, after_in_parent=CHANGING.release, after_in_child=_start_child)
