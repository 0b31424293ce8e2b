"""Streams: the bytes of a file in blocks, decompressed and converted to UTF-8."""

from __future__ import annotations

import codecs
import os
import sys
import threading
from itertools import islice
from stat import S_ISREG

from banbury._kernel import ZstdDecoder
from banbury.annotations import TYPE_CHECKING, Any, Generic, TypeVar
from banbury.errors import FileFormatError, InputError
from banbury.readers.formats import compression_by_content
from banbury.storage import check_path

try:
    from _queue import SimpleQueue  # that of `queue`, which imports more for its other queues
except ImportError:
    from queue import SimpleQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from banbury.readers.options import Limits

T = TypeVar("T")

BLOCK = 4 << 20  # so few that the memory of one serves the next, so many that threads can share them
PIECE = 1 << 20  # that compressed bytes are expanded to at a time
XZ_MEMORY = 256 << 20  # more than the largest preset of xz needs


class Stream:
    """A file, an open one, or standard input: its name, and how much of it was read."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.position = 0
        self.name = "standard input" if is_standard_input(source) else _name(source)
        self.size = 0
        """Bytes of the file; 0 where nobody knows."""
        if isinstance(source, (str, os.PathLike)) and not is_standard_input(source):
            check_path(source)
            self.size = os.stat(source).st_size

    def blocks(self, encoding: str | None, limits: Limits) -> Iterator[bytes]:
        """Its content as UTF-8, expanded where it is compressed."""
        raw = self._raw()
        head = next(raw, b"")
        kind = compression_by_content(head)
        blocks = _again(head, raw)
        if kind is not None:
            blocks = ahead(_gathered(_expanded(blocks, kind, limits, self.name)))
        return _as_utf8(blocks, encoding, self.name)

    def _raw(self) -> Iterator[bytes]:
        if is_standard_input(self.source):
            yield from self._of(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer))
        elif hasattr(self.source, "read"):
            yield from self._of(self.source)
        else:
            with open(self.source, "rb", buffering=0) as file:
                yield from self._of(file)

    def _of(self, file: Any) -> Iterator[bytes]:
        while block := _available(file):
            if isinstance(block, str):
                raise InputError(f"{self.name}: open it in binary mode; the reader finds the encoding")
            self.position += len(block)
            yield bytes(block)  # the kernel keeps it: it must not change


def is_standard_input(source: object) -> bool:
    """`-` is standard input, as for other commands."""
    return isinstance(source, str) and source == "-"


def _name(source: object) -> str:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    return str(getattr(source, "name", type(source).__name__))


def _available(file: Any) -> Any:
    """A block; of a pipe what is there, so that nobody waits for rows that have already come."""
    block = file.read(BLOCK)
    if not 0 < len(block) < BLOCK or isinstance(block, str):
        return block
    try:
        is_ready = _is_ready(file)
        while len(block) < BLOCK and is_ready():
            if not (more := file.read(BLOCK - len(block))):
                break
            block += more
    except (OSError, ValueError, TypeError):  # not a file of the system; Windows can only ask sockets
        pass
    return block


class ahead(Generic[T]):
    """Prefetch: the same items, each made by another thread while the one before it is in use, the first from now on.

    One thread makes all of them, so that each can have the memory of one that is no longer in use.

    >>> list(ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """

    def __init__(self, items: Iterator[T]) -> None:
        made: SimpleQueue[tuple[list[T], BaseException | None]] = SimpleQueue()
        wanted: SimpleQueue[bool] = SimpleQueue()
        self._made, self._wanted, self._is_over = made, wanted, False

        def make() -> None:  # it knows nothing of this object, which ends it when nobody has it any more
            while wanted.get():
                try:
                    item = list(islice(items, 1))
                except BaseException as error:  # whatever it is, it belongs to whoever asks for the item
                    made.put(([], error))
                    return
                is_last = not item  # asked before it is given away: whoever gets the list empties it
                made.put((item, None))
                if is_last:
                    return
                del item  # it would wait in memory for the next one

        threading.Thread(target=make, daemon=True).start()  # nobody waits for a pipe that has nothing to say
        wanted.put(True)

    def __iter__(self) -> ahead[T]:
        return self

    def __next__(self) -> T:
        if self._is_over:
            raise StopIteration
        item, error = self._made.get()
        if not item:
            self._is_over = True
            raise error or StopIteration
        self._wanted.put(True)
        return item.pop()

    def close(self) -> None:
        """Make no more of them."""
        self._wanted.put(False)

    __del__ = close


def _is_ready(file: Any) -> Callable[[], bool]:
    """A function that says whether a read would not wait."""
    if S_ISREG(os.fstat(file.fileno()).st_mode):
        return lambda: True
    import select  # only pipes and the like need it

    return lambda: bool(select.select([file], [], [], 0)[0])


def _again(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks of the usual size from small ones."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


# Expanding


def _expanded(blocks: Iterable[bytes], kind: str, limits: Limits, name: str) -> Iterator[bytes]:
    """The bytes of all members of a compressed file, with the limits kept while they are made."""
    packed = expanded = 0
    decoder: Any = None
    for block in blocks:
        packed += len(block)
        data = block
        while data or (decoder is not None and not decoder.needs_input):
            if decoder is None:
                data = data.lstrip(b"\0") if kind == "gzip" else data  # padding of tapes between two members
                if not data:
                    break
                decoder = _decoder(kind)
            try:
                piece = decoder.decompress(data, PIECE)
            except _damages() as error:
                raise FileFormatError(f"{name}: the {kind} data are damaged: {error}") from error
            data = b""
            expanded += len(piece)
            limits.check(packed, expanded, name)
            yield piece
            if decoder.eof:
                data, decoder = decoder.unused_data, None
    if decoder is not None and not getattr(decoder, "is_complete", False):
        raise FileFormatError(f"{name}: the {kind} data end too early; the file is not complete")


def _decoder(kind: str) -> Any:
    if kind == "gzip":
        return _Gzip()
    if kind == "zstd":
        return _Zstd()
    if kind == "bz2":
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return lzma.LZMADecompressor(memlimit=XZ_MEMORY)


def _damages() -> tuple[type[Exception], ...]:
    """What the decoders raise."""
    own = [("zlib", "error"), ("lzma", "LZMAError")]
    return (
        OSError,
        ValueError,
        EOFError,
        *(getattr(sys.modules[name], error) for name, error in own if name in sys.modules),
    )


class _Gzip:
    """One member of a gzip file, in the manner of the other decoders."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)
        self.needs_input = True

    def decompress(self, data: bytes, most: int) -> bytes:
        piece = self._inner.decompress(self._inner.unconsumed_tail + data, most)
        self.needs_input = len(piece) < most and not self._inner.unconsumed_tail
        return piece

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data


class _Zstd:
    """All frames of a zstd file, in the manner of the other decoders."""

    eof = False
    unused_data = b""

    def __init__(self) -> None:
        self._inner = ZstdDecoder()
        self.needs_input = True

    def decompress(self, data: bytes, most: int) -> bytes:
        piece = self._inner.decompress(data, most)
        self.needs_input = len(piece) < most
        return piece

    @property
    def is_complete(self) -> bool:
        return self._inner.is_complete


# Encodings


def _as_utf8(blocks: Iterator[bytes], encoding: str | None, name: str) -> Iterator[bytes]:
    """The blocks as UTF-8, without a byte order mark."""
    head = next(blocks, b"")
    if encoding is None:
        encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    decode = _decoding(encoding, name)
    if decode is None:
        yield head.removeprefix(b"\xef\xbb\xbf")
        yield from blocks
        return
    before = 0
    try:
        for block in _again(head, blocks):
            yield decode(block, False).encode().removeprefix(b"" if before else b"\xef\xbb\xbf")
            before += len(block)
        yield decode(b"", True).encode()
    except UnicodeError as error:
        raise InputError(f"{name}: it is not {encoding}, near byte {before}: {error}") from error


def _decoding(encoding: str, name: str) -> Callable[[bytes, bool], str] | None:
    """A function from bytes to text; None for UTF-8, which the kernel reads by itself, row by row."""
    try:
        codec = codecs.lookup(encoding)
        if not getattr(codec, "_is_text_encoding", True) or codec.incrementaldecoder is None:
            raise LookupError
    except (LookupError, ValueError):  # a name with half a character, or with a NUL, is none
        raise InputError(f"{name}: there is no encoding {encoding!r}; try utf-8, latin-1, cp1252, utf-16") from None
    if codec.name in ("utf-8", "utf-8-sig"):
        return None
    return codec.incrementaldecoder().decode
