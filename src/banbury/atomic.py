"""Atomic file replacement: a reader finds the old content or the new, never a part of it.

The new content goes to a temporary file in the same folder, is flushed to the disk, and takes the name of the old file
in one step. An error or an interrupt on the way leaves the old file as it was.
"""

from __future__ import annotations

import os
from stat import S_IMODE

TYPE_CHECKING = False  # importing `typing` costs milliseconds, and a command starts in some ten of them
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Any

    Buffer = Any  # numpy says that its arrays are buffers only from Python 3.12
    Path = str | os.PathLike[str]

TEMPORARY_PREFIX, TEMPORARY_SUFFIX = ".banbury-", ".tmp"  # of temporary files


def write(path: Path, parts: Iterable[Buffer]) -> None:
    """Make these bytes, one part after another, the content of a file.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(folder + "/mood.txt", [b"so ", b"happy"])
    ...     pathlib.Path(folder, "mood.txt").read_bytes()
    b'so happy'
    """
    with replacing(path) as temporary, open(temporary, "wb") as file:
        for part in parts:
            file.write(part)


class replacing:
    """Context manager that gives the path of a temporary file, and renames it to `path` when the block ends.

    A block that raises leaves `path` as it was. A link is followed, and the file that it leads to is replaced. An
    existing file keeps its permissions. What is no regular file (a pipe, a terminal, `/dev/stdout`) has no content to
    replace: the path given out is then `path` itself.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(folder + "/mood.txt") as temporary:
    ...         _ = pathlib.Path(temporary).write_text("so happy")
    ...     [file.name for file in pathlib.Path(folder).iterdir()]
    ['mood.txt']
    """

    def __init__(self, path: Path) -> None:
        self._path = os.path.realpath(path)
        self._is_replaced = not os.path.exists(path) or os.path.isfile(path)
        self._temporary = os.fspath(path)
        if self._is_replaced:
            name = f"{TEMPORARY_PREFIX}{os.urandom(6).hex()}{TEMPORARY_SUFFIX}"
            self._temporary = os.path.join(os.path.dirname(self._path), name)

    def __enter__(self) -> str:
        return self._temporary

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if not self._is_replaced:
            return
        try:
            if kind is None:
                self._replace()
        finally:
            if os.path.exists(self._temporary):
                os.unlink(self._temporary)

    def _replace(self) -> None:
        with open(self._temporary, "rb+") as file:
            os.fsync(file.fileno())
        if os.path.exists(self._path):
            os.chmod(self._temporary, S_IMODE(os.stat(self._path).st_mode))
        os.replace(self._temporary, self._path)
        if os.name == "posix":  # the new name is on the disk when its folder is
            folder = os.open(os.path.dirname(self._path), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def is_temporary(name: str) -> bool:
    """Whether a file of this name is a temporary one of `replacing`."""
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX)
