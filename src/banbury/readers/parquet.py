"""Parquet files, decoded in a process of their own: nothing in a file can end the process that reads it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from weakref import finalize

from banbury import _kernel
from banbury.errors import FileFormatError, MissingExtra
from banbury.readers import parquet_process
from banbury.readers.batch import BadRow, Batch
from banbury.readers.guessing import of_rows
from banbury.readers.sources import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.readers.options import ReadOptions

PARQUET_ROWS = 10_000  # of a batch


class Parquet:
    """Row groups of a Parquet file, some thousand rows at a time."""

    def __init__(self, source: Any, name: str, options: ReadOptions) -> None:
        if find_spec("arro3") is None or find_spec("arro3.io") is None:
            raise MissingExtra("Parquet files need arro3: pip install 'banbury[parquet]'")
        self.files: list[str] = []
        self._name, self._weight = name, options.weight
        self.decoder = _Decoder(source, name, options.limits.parquet)
        self._names = list(self.decoder.schema.names)
        self._first = self.decoder.batch()
        sample = [] if self._first is None else _dictionaries(self._first, self._names)[:200]
        self.layout = of_rows("parquet", sample, name, options.text, options.label, self._names)

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """Batches as they come."""
        line, batch = 1, self._first
        while batch is not None:
            yield self._read(batch, line)
            line += batch.num_rows
            batch = self.decoder.batch()

    def _read(self, batch: Any, line: int) -> tuple[Batch, list[BadRow]]:
        """The texts where they lie, if all rows can be used."""
        layout = self.layout
        texts = None if layout.text is None else batch.column(layout.text)
        labels = None if layout.label is None else batch.column(layout.label).to_pylist()
        kinds = set(map(type, labels or []))
        is_text = texts is None or (not texts.null_count and _is_text(texts))
        if not is_text or not (kinds <= {str} or kinds == {int} or kinds == {bool}):
            return checked(_dictionaries(batch, self._names), line, self._name, layout, self._weight)
        weights = None if self._weight is None else batch.column(str(self._weight)).to_pylist()
        lines = list(range(line, line + batch.num_rows))
        held = None if texts is None else _kernel.hold(texts)
        return Batch(held, labels, lines, weights, None, lambda: _dictionaries(batch, self._names)), []


class _Decoder:
    """The process that decodes a file, and what it says."""

    def __init__(self, source: Any, name: str, memory: int) -> None:
        self._name, self._memory = name, memory
        path = self._copied(source) if hasattr(source, "read") else os.fspath(source)
        if not _has_footer(path):
            raise FileFormatError(f"{name}: it is no Parquet file, or not all of one")
        arguments = [json.dumps(sys.path), path, str(PARQUET_ROWS), str(memory)]
        self.process = subprocess.Popen(
            [sys.executable, "-I", parquet_process.__file__, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # where a panic is described, before it ends the process
        )
        self._end = finalize(self, _end, self.process)
        self.schema = self._message().schema

    def batch(self) -> Any:
        """The next rows, as an Arrow record batch; None at the end."""
        message = self._message()
        if message is None:
            self._end()
            return None
        return message.read_all().to_batches()[0]

    def _copied(self, source: Any) -> str:
        """The path of a copy of a stream: a process of its own cannot read an object of this one."""
        copy = tempfile.NamedTemporaryFile(prefix="banbury-", suffix=".parquet", delete=False)  # noqa: SIM115
        finalize(self, os.unlink, copy.name)
        with copy:
            source.seek(0)
            shutil.copyfileobj(source, copy)
        return copy.name

    def _message(self) -> Any:
        """An Arrow stream; None at the end of the file."""
        from arro3.io import read_ipc_stream

        pipe = self.process.stdout
        assert pipe is not None
        head = pipe.read(9)
        kind, size = head[:1], int.from_bytes(head[1:], "little")
        content = pipe.read(size) if size <= self._memory else b""
        if len(head) < 9 or len(content) < size:
            self._end()
            raise FileFormatError(f"{self._name}: it cannot be read as Parquet: its reader has come to an end")
        if kind == b"E":
            self._end()
            reason = content.decode("utf-8", "replace")
            raise FileFormatError(f"{self._name}: it cannot be read as Parquet: {reason}")
        return None if kind == b"." else read_ipc_stream(io.BytesIO(content))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process, if it still runs, and what there is between it and this one."""
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _has_footer(path: str) -> bool:
    """Whether the file ends as a Parquet file does."""
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 8, 0))
        tail = file.read(8)
    return tail[4:] == b"PAR1" and int.from_bytes(tail[:4], "little") <= end - 12


def _is_text(column: Any) -> bool:
    """Whether the kernel takes it: strings, also as a dictionary of them."""
    return "utf8" in str(column.type).lower() or "string" in str(column.type).lower()


def _dictionaries(batch: Any, names: list[str]) -> list[dict[str, Any]]:
    columns = [batch.column(name).to_pylist() for name in names]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]
