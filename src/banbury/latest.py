"""Latest: a value that is kept as long as what it was made of stays the same."""

from __future__ import annotations

from collections.abc import Callable

from banbury.annotations import Generic, TypeVar

Value = TypeVar("Value")


class Latest(Generic[Value]):
    """The latest value, and the key that it was made for; a new key makes a new value.

    >>> squares = Latest[int]()
    >>> squares.get(3, lambda: 3 * 3), squares.get(3, lambda: 0)
    (9, 9)
    """

    def __init__(self) -> None:
        self._kept: tuple[object, Value] | None = None

    def get(self, key: object, make: Callable[[], Value]) -> Value:
        """The value for this key: the kept one, or a new one."""
        kept = self._kept  # read once: another thread may replace it
        if kept is None or kept[0] != key:
            kept = self._kept = (key, make())
        return kept[1]
