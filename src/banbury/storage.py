"""The model file: JSON settings and named arrays, no code.

The layout is that of safetensors (docs/reference/file-format.md has it in full), so other tools can look inside:

    8 bytes   length of the header, little-endian
    header    JSON, padded with spaces: banbury's metadata, then each array's dtype, shape and place
    data      the arrays one after another, each starting at a multiple of 64 bytes

A file is read whole or refused whole: sizes, places and checksums are compared before anything is handed out. What
comes out are views of a copy in memory: a mapped file that somebody overwrites in place (`cp new old`) would change
under its readers, and one that is cut off would end them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from math import prod
from threading import Thread

from banbury import atomic
from banbury._kernel import checksum
from banbury.errors import FileFormatError, InputError
from banbury.lazy import json

TYPE_CHECKING = False  # importing `typing` costs milliseconds, and a command starts in some ten of them
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from io import FileIO
    from typing import Any

    Buffer = Any  # numpy says that its arrays are buffers only from Python 3.12
    Path = str | os.PathLike[str]

ENDING = ".banbury"  # of a model file's name
VERSION = 3  # goes up when an older file would be read as something else than it was
READABLE = (2, VERSION)  # version 2 has other arrays of counts, which the kernel knows by their names

ALIGNMENT = 64  # a cache line; the kernel itself needs 16
LONGEST_HEADER = 100_000_000  # safetensors' own limit
LARGE_PAGE = 2 << 20  # what Linux gives to programs that ask for large pages
FEWEST_BYTES = 4 << 20  # that a thread of its own reads
MOST_READERS = 4

# How a dtype is called in a memoryview, and its bytes per element.
DTYPES: dict[str, tuple[Any, int]] = {"U8": ("B", 1), "U32": ("I", 4), "U64": ("Q", 8), "F64": ("d", 8)}

# Every header starts with these bytes, so version and checksum are found, and checked, before any JSON is parsed.
OPENING = b'{"__metadata__":{"format":"banbury","version":"'
CHECKSUM_OPENINGS = tuple(b'%d","checksum":"' % version for version in READABLE)  # all of one length
CHECKSUM_START = 8 + len(OPENING) + len(CHECKSUM_OPENINGS[0])
CHECKSUM_END = CHECKSUM_START + 8
BLANK = "00000000"  # stands where the header's own checksum goes while that is computed


class File:
    """What a file holds: `settings`, and `arrays` as read-only views of its content."""

    __slots__ = ("arrays", "settings")

    def __init__(self, settings: dict[str, Any], arrays: dict[str, memoryview[Any]]) -> None:
        self.settings = settings
        self.arrays = arrays


def write(path: Path, settings: Mapping[str, Any], arrays: Mapping[str, Buffer]) -> None:
    """Save settings and arrays; the same content gives the same bytes.

    Settings are what JSON can say. Arrays are C-contiguous buffers of unsigned 8-, 32- or 64-bit integers or of 64-bit
    floats. Whoever has the old file open keeps it, and an interrupted write leaves it in place.

    >>> import array, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(folder + "/mood.banbury", {"smoothing": 0.5}, {"counts": array.array("Q", [3, 1, 2])})
    ...     file = read(folder + "/mood.banbury")
    >>> file.settings, file.arrays["counts"].tolist()
    ({'smoothing': 0.5}, [3, 1, 2])
    """
    check_path(path)
    atomic.write(path, content(settings, arrays))


def content(settings: Mapping[str, Any], arrays: Mapping[str, Buffer]) -> list[Buffer]:
    """The bytes of the file that `write` makes, in parts."""
    layout = _with_padding({name: _checked(name, buffer) for name, buffer in arrays.items()})
    return [_header(settings, layout), *map(_bytes, layout.values())]


def read(path: Path) -> File:
    """The settings and arrays of a file that `write` made.

    An array without elements comes back flat, whatever its shape was: a memoryview has no other form for it. A file
    that is not exactly what was written is a `FileFormatError`.
    """
    check_path(path)
    with open(path, "rb", buffering=0) as file:
        try:
            return _parsed(_in_memory(file))
        except ValueError as error:
            raise FileFormatError(f"{os.fspath(path)}: {error}") from error


def check_path(path: Path) -> None:
    """Refuse what can be the name of no file: it holds a NUL, or half a character.

    >>> check_path("mood\\0.banbury")
    Traceback (most recent call last):
    banbury.errors.InputError: 'mood\\x00.banbury' can be the name of no file
    """
    try:
        is_possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise InputError(f"{os.fspath(path)!r} can be the name of no file")


def to_bytes(settings: Mapping[str, Any], arrays: Mapping[str, Buffer]) -> bytes:
    """The bytes of the file that `write` makes, for what travels between machines."""
    return b"".join(content(settings, arrays))


def from_bytes(data: bytes) -> File:
    """The settings and arrays of a file whose bytes these are; anything else is a `FileFormatError`.

    >>> import array
    >>> from_bytes(to_bytes({"part": 3}, {"counts": array.array("Q", [3, 1, 2])})).arrays["counts"].tolist()
    [3, 1, 2]
    """
    try:
        if len(data) < CHECKSUM_END:
            raise ValueError(f"not a banbury file ({len(data)} bytes are too few)")
        whole = _aligned_memory(len(data))
        whole[:] = data
        return _parsed(whole.toreadonly())
    except ValueError as error:
        raise FileFormatError(str(error)) from error


# Writing


def _checked(name: str, buffer: Buffer) -> memoryview[Any]:
    view = memoryview(buffer)
    if not name.isascii() or name.startswith("_"):
        raise InputError(f"array name {name!r}: use ASCII, and no underscore in front")
    if _dtype(view) not in DTYPES:
        raise InputError(f"array {name!r} has elements of kind {view.format!r}; a file holds {', '.join(DTYPES)}")
    if not view.ndim or not view.c_contiguous:
        raise InputError(f"array {name!r} is not a C-contiguous array of one or more dimensions")
    return view


def _dtype(view: memoryview[Any]) -> str:
    kind = view.format.lstrip("@=<")
    if kind in ("B", "I", "L", "Q"):  # "L" has 4 or 8 bytes depending on the system, so the size decides
        return f"U{8 * view.itemsize}"
    return "F64" if kind == "d" else "unknown"


def _bytes(view: memoryview[Any]) -> memoryview:
    return view.cast("B") if view.nbytes else memoryview(b"")  # an empty shape cannot be cast


def _with_padding(views: dict[str, memoryview[Any]]) -> dict[str, memoryview[Any]]:
    """The arrays in file order, with padding between them: the layout allows no holes, so padding is an array too."""
    layout: dict[str, memoryview[Any]] = {}
    end = 0
    for name, view in sorted(views.items()):
        if gap := -end % ALIGNMENT:
            layout[f"_{len(layout)}"] = memoryview(bytes(gap))
        layout[name] = view
        end += gap + view.nbytes
    return layout


def _header(settings: Mapping[str, Any], layout: dict[str, memoryview[Any]]) -> bytes:
    metadata = {"format": "banbury", "version": str(VERSION), "checksum": BLANK, "settings": _settings_text(settings)}
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, view in layout.items():
        start, end = end, end + view.nbytes
        metadata[f"checksum/{name}"] = _hex(_bytes(view))
        header[name] = {"dtype": _dtype(view), "shape": view.shape, "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > LONGEST_HEADER:
        raise InputError(f"the settings are too long: {len(text)} bytes of header, {LONGEST_HEADER} are allowed")
    whole = len(text).to_bytes(8, "little") + text
    return whole[:CHECKSUM_START] + _hex(whole).encode() + whole[CHECKSUM_END:]


def _settings_text(settings: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(settings, ensure_ascii=False, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"these settings cannot be saved as JSON: {error}") from error
    # UTF-8 has no lone surrogates, JSON has: they alone are written as \udXXX.
    return text.encode(errors="backslashreplace").decode()


def _hex(data: Buffer) -> str:
    return f"{checksum(data):08x}"


# Reading: every function takes what its predecessor has checked and raises ValueError with what is wrong.


def _in_memory(file: FileIO) -> memoryview:
    """The content of a file, in memory of its own, which starts at a multiple of `ALIGNMENT`."""
    size = os.fstat(file.fileno()).st_size
    if size < CHECKSUM_END:
        raise ValueError(f"not a banbury file ({size} bytes are too few)")
    if bytes(file.read(8 + len(OPENING)))[8:] != OPENING:  # a foreign file can be of any size
        raise ValueError("not a banbury file")
    file.seek(0)
    whole = _aligned_memory(size)
    n_read = _read_parts(file, whole)
    if n_read < size or file.read(1):
        raise ValueError(f"it has changed while it was read ({n_read} of {size} bytes)")
    return whole.toreadonly()


def _aligned_memory(size: int) -> memoryview:
    """Memory that starts at a multiple of `ALIGNMENT`."""
    import mmap  # what is only written needs none

    n_bytes = size
    if size >= LARGE_PAGE // 2:  # whole large pages begin where one begins, and have no small ones at their ends
        n_bytes += -size % LARGE_PAGE
    if os.name == "posix":
        memory = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    else:
        memory = mmap.mmap(-1, n_bytes)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without large pages; with them this takes a third of the time
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory)[:size]


def _read_parts(file: FileIO, whole: memoryview) -> int:
    """Fills a buffer from the start of a file, a large one by several threads; how many bytes there were."""
    size = len(whole)
    n_parts = max(min(MOST_READERS, size // FEWEST_BYTES, os.cpu_count() or 1), 1)
    if n_parts == 1 or not hasattr(os, "preadv"):
        return _filled(whole, lambda rest, _: file.readinto(rest) or 0)
    starts = [size * number // n_parts for number in range(n_parts)]
    results: list[int | OSError] = [0] * n_parts

    def read(number: int) -> None:
        start, end = starts[number], size * (number + 1) // n_parts
        try:
            results[number] = _filled(
                whole[start:end], lambda rest, n_read: os.preadv(file.fileno(), [rest], start + n_read)
            )
        except OSError as error:
            results[number] = error

    threads = [Thread(target=read, args=(number,)) for number in range(1, n_parts)]
    for thread in threads:
        thread.start()
    read(0)
    for thread in threads:
        thread.join()
    n_read = 0
    for result in results:
        if isinstance(result, OSError):
            raise result
        n_read += result
    file.seek(size)
    return n_read


def _filled(part: memoryview, read: Callable[[memoryview, int], int]) -> int:
    """How many bytes of a buffer `read` fills: it takes what is left, and how many there were before."""
    n_read = 0
    while n_read < len(part) and (n := read(part[n_read:], n_read)):
        n_read += n
    return n_read


def _parsed(whole: memoryview) -> File:
    data_start = _header_end(whole)
    header = _json(str(whole[8:data_start], "utf-8"), "header")
    metadata = header.pop("__metadata__")
    if not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("the metadata are not text")
    settings = _json(metadata.get("settings", ""), "settings")

    data = whole[data_start:]
    arrays: dict[str, memoryview[Any]] = {}
    end = 0
    for name, entry in header.items():
        dtype, shape, start, end = _place(name, entry, end, len(data))
        code, _ = DTYPES[dtype]
        content = data[start:end]
        if metadata.get(f"checksum/{name}") != (computed := _hex(content)):
            raise ValueError(f"array {name!r} is damaged (its checksum is {computed})")
        if not name.startswith("_"):
            if start % ALIGNMENT:
                raise ValueError(f"array {name!r} does not start at a multiple of {ALIGNMENT} bytes")
            arrays[name] = content.cast(code, shape) if content else content.cast(code)
    if end != len(data):
        raise ValueError(f"{len(data)} bytes of data where the header tells of {end}")
    return File(settings, arrays)


def _header_end(whole: memoryview) -> int:
    """Where the data start, once the version and the checksum of everything before are as they should be."""
    after_opening = 8 + len(OPENING)
    if whole[8:after_opening] != OPENING:
        raise ValueError("not a banbury file")
    if whole[after_opening:CHECKSUM_START] not in CHECKSUM_OPENINGS:
        version = bytes(whole[after_opening : after_opening + 8]).partition(b'"')[0]
        if version.isdigit() and int(version) > VERSION:
            raise ValueError(f"written in version {int(version)} of the format; this banbury reads up to {VERSION}")
        if version.isdigit() and int(version) > 0:
            raise ValueError(f"written by an earlier banbury, in version {int(version)} of the format: train it again")
        raise ValueError("the header is damaged")
    length = int.from_bytes(whole[:8], "little")
    if length > min(LONGEST_HEADER, len(whole) - 8) or 8 + length < CHECKSUM_END:
        raise ValueError(f"a header of {length} bytes in a file of {len(whole)}")
    header = bytearray(whole[: 8 + length])
    written = header[CHECKSUM_START:CHECKSUM_END]
    header[CHECKSUM_START:CHECKSUM_END] = BLANK.encode()
    if written != (computed := _hex(header)).encode():
        raise ValueError(f"the header is damaged (its checksum is {computed})")
    return 8 + length


def _json(text: str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the {what} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"the {what} are not a JSON object")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError("a name stands there twice")
    return names


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _place(name: str, entry: Any, previous_end: int, size: int) -> tuple[str, list[int], int, int]:
    """Dtype, shape, start and end of an array that lies inside the data, right behind the one before."""
    match entry:
        case {"dtype": str(dtype), "shape": [_, *_] as shape, "data_offsets": [start, end]} if len(entry) == 3:
            numbers = [*shape, start, end]
        case _:
            raise ValueError(f"array {name!r} is not described by dtype, shape and data_offsets")
    if dtype not in DTYPES:
        raise ValueError(f"array {name!r} has the unknown dtype {dtype!r}")
    # `type`, because True is an int; 64 dimensions are all a memoryview has.
    if len(shape) > 64 or any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError(f"array {name!r} has an impossible shape or place")
    if start != previous_end or not start <= end <= size:
        raise ValueError(f"array {name!r} does not follow the one before it, or leaves the file")
    if prod(shape) * DTYPES[dtype][1] != end - start:
        raise ValueError(f"array {name!r} has {end - start} bytes, which do not make its shape")
    return dtype, shape, start, end


# Changing


class locked:
    """A lock file beside a file: of two processes that read, change and write it, one waits for the other.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(folder + "/spam.banbury"):
    ...     pass  # read, change, write
    """

    def __init__(self, path: Path) -> None:
        folder, name = os.path.split(os.path.realpath(path))
        self._path = os.path.join(folder, f".{name}.lock")  # the file itself is replaced, so a lock on it would be lost

    def __enter__(self) -> None:
        self._file = open(self._path, "ab")
        if os.name == "posix":
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX)
        else:
            import msvcrt

            self._file.seek(0)
            msvcrt.locking(self._file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]

    def __exit__(self, *_: object) -> None:
        self._file.close()
