"""Atomic file replacement: a reader finds the old content or the new, never a part of it.

The new content goes to a temporary file in the same folder, is flushed to the disk, and takes the name of the old file
in one step. An error or an interrupt on the way leaves the old file as it was. Where the system has files without a
name (Linux: O_TMPFILE), the temporary file has none, and is gone with the process that wrote it; elsewhere one that
a killed process has left is removed by the next write to the folder.
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
LEFT_BEHIND = 3600  # seconds: a temporary file that nobody has locked and that is older was left by a killed process
OPEN_FILES = "/proc/self/fd"  # here a file without a name has a path


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
    """Context manager that gives the path of a temporary file, which becomes the file at `path` when the block ends.

    A block that raises leaves `path` as it was. A symbolic link is followed, and the file that it leads to is replaced;
    other hard links to that file keep the old content. An existing file keeps its permissions, its extended attributes
    and, where this process may give files away, its owner; until then only this user can open the temporary file. What
    is no regular file (a pipe, a terminal, `/dev/stdout`) has no content to replace: the path given out is then `path`
    itself.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(folder + "/mood.txt") as temporary:
    ...         _ = pathlib.Path(temporary).write_text("so happy")
    ...     [file.name for file in pathlib.Path(folder).iterdir()]
    ['mood.txt']
    """

    def __init__(self, path: Path) -> None:
        self._path = os.path.realpath(path)
        self._given = os.fspath(path)
        self._is_replaced = not os.path.exists(path) or os.path.isfile(path)
        self._folder = os.path.dirname(self._path)
        self._name: str | None = None  # the path of the temporary file, as long as it has one
        self._file = -1

    def __enter__(self) -> str:
        if not self._is_replaced:
            return self._given
        _remove_left_behind(self._folder)
        # A new file has the permissions that the system gives to new files; one that replaces another gets its.
        mode = 0o600 if os.path.exists(self._path) else 0o666
        self._file = _nameless(self._folder, mode)
        if self._file >= 0:
            return f"{OPEN_FILES}/{self._file}"
        self._name = _temporary_name(self._folder)
        self._file = os.open(self._name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        _lock(self._file)
        return self._name

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if not self._is_replaced:
            return
        try:
            if kind is None:
                self._replace()
        finally:
            self._close()
            if self._name is not None and os.path.exists(self._name):
                os.unlink(self._name)

    def _replace(self) -> None:
        try:
            old = os.stat(self._path)
        except FileNotFoundError:
            pass
        else:
            self._become_like(old)
        os.fsync(self._file)
        if os.name != "posix":  # Windows renames no file that is open, and flushes no folder
            self._close()
            os.replace(f"{self._name}", self._path)
            return
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            if self._name is None:
                self._name = _temporary_name(self._folder)
                # Python follows the link to the open file only where a folder is given.
                os.link(f"{OPEN_FILES}/{self._file}", os.path.basename(self._name), dst_dir_fd=folder)
            os.replace(self._name, self._path)
            os.fsync(folder)  # the new name is on the disk when its folder is
        finally:
            os.close(folder)

    def _become_like(self, old: os.stat_result) -> None:
        """Owner, permissions and attributes of the old file, in an order in which nobody can read more than before."""
        mode = S_IMODE(old.st_mode)
        if os.name != "posix":
            os.chmod(f"{self._name}", mode)
            return
        ours = os.fstat(self._file)
        try:
            if (ours.st_uid, ours.st_gid) != (old.st_uid, old.st_gid):
                os.fchown(self._file, old.st_uid, old.st_gid)
        except PermissionError:  # another group than before: it gets what everybody gets
            if ours.st_gid != old.st_gid:
                mode = mode & 0o7707 | (mode & 0o007) << 3
        if hasattr(os, "listxattr"):
            _copy_attributes(self._path, self._file)
        os.fchmod(self._file, mode)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def is_temporary(name: str) -> bool:
    """Whether a file of this name is a temporary one of `replacing`."""
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX)


def _temporary_name(folder: str) -> str:
    return os.path.join(folder, f"{TEMPORARY_PREFIX}{os.urandom(6).hex()}{TEMPORARY_SUFFIX}")


def _nameless(folder: str, mode: int) -> int:
    """An open file without a name in a folder; -1 where system or file system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir(OPEN_FILES):
        return -1
    try:
        return os.open(folder, os.O_RDWR | os.O_TMPFILE, mode)
    except FileNotFoundError:
        raise
    except OSError:
        return -1  # the named file will tell what is wrong, where it is not just that


def _copy_attributes(path: str, file: int) -> None:
    """Access control lists and other extended attributes, as far as this process may read and set them."""
    try:
        names = os.listxattr(path)
    except OSError:
        return
    for name in names:
        try:
            os.setxattr(file, name, os.getxattr(path, name))
        except OSError:
            continue


def _lock(file: int, *, waits: bool = True) -> bool:
    """Lock an open file as long as it is open; whether that could be done."""
    if os.name != "posix":
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _remove_left_behind(folder: str) -> None:
    """Remove temporary files that are old and that no living process has locked."""
    from time import time

    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if is_temporary(entry.name)]
    except OSError:
        return
    for name in names:
        try:
            file = os.open(name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            continue
        try:
            if os.fstat(file).st_mtime < time() - LEFT_BEHIND and _lock(file, waits=False):
                os.unlink(name)
        except OSError:
            continue
        finally:
            os.close(file)
