"""How files come in: a form of the browser, written to the disk while it comes."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any, BinaryIO

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.responses import Response

from banbury.errors import BanburyError
from banbury.server.page.archives import expanded
from banbury.server.page.files import EXPANDED, Files
from banbury.server.page.visit import Visit, path_of, redirect
from banbury.server.problems import Problem

UPLOAD = 4 << 30  # bytes of a dropped file
SPARE = 64 << 20  # bytes that stay free on the disk
FIELD = 10_000  # bytes of any other field
PART = ".part"  # ending of a file that is not there whole yet
ROOMS_WITH_FILES = ("mistakes", "teach", "train")


async def take(visit: Visit) -> Response:
    """Keep a file, and go on to the room that asked for it."""
    files = visit.server.files
    size = int(visit.request.headers.get("content-length") or 0)
    _check_size(files, size)
    form = _Form(visit.request.headers.get("content-type", ""), files)
    try:
        async for part in visit.request.stream():
            if part:
                await asyncio.to_thread(form.write, part)
        path = await asyncio.to_thread(form.finish)
    except OSError as error:
        raise Problem(507, f"the file could not be kept: {error.strerror or error}; nothing else has changed") from None
    finally:
        form.close()
    if path.suffix.lower() == ".zip":
        path = await asyncio.to_thread(_unzipped, files, path)
    room = form.fields.get("room", "")
    fields = [("model", form.fields["model"])] if form.fields.get("model") else []
    return redirect(path_of(room if room in ROOMS_WITH_FILES else "train", [*fields, ("file", path.name)]))


async def remove(visit: Visit) -> Response:
    """Delete a dropped file."""
    await asyncio.to_thread(visit.server.files.remove, visit.field("file"))
    room = visit.field("room")
    return redirect(
        path_of(room if room in ROOMS_WITH_FILES else "train", [("said", f"{visit.field('file')} is removed.")])
    )


def _check_size(files: Files, size: int) -> None:
    if size > UPLOAD:
        raise Problem(413, f"a file has at most {UPLOAD >> 30} GiB; train with the command line, which has no limit")
    free = shutil.disk_usage(files.folder).free
    if size + SPARE > free:
        raise Problem(507, f"the disk has {free >> 20} MiB left, and the file needs {size >> 20} MiB")


def _unzipped(files: Files, path: Path) -> Path:
    try:
        return expanded(path, files.new(path.stem + EXPANDED))
    except (BanburyError, OSError) as error:
        raise Problem(422, f"{path.name}: {error}") from None
    finally:
        path.unlink(missing_ok=True)


class _Form:
    """A form with one file in it; the file is written as it comes, small fields are kept."""

    def __init__(self, content_type: str, files: Files) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise Problem(415, "a file comes as a form of the page: multipart/form-data")
        self.fields: dict[str, str] = {}
        self._files = files
        self._header, self._headers = b"", dict[bytes, bytes]()
        self._value = b""
        self._name = ""
        self._file: BinaryIO | None = None
        self._path: Path | None = None
        callbacks: Any = {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._note_header(data[start:end]),
            "on_header_value": lambda data, start, end: self._note_value(data[start:end]),
            "on_headers_finished": self._open,
            "on_part_data": lambda data, start, end: self._keep(data[start:end]),
            "on_part_end": self._end,
            "on_header_end": self._header_end,
        }
        self._parser = MultipartParser(options[b"boundary"], callbacks, max_size=UPLOAD)

    def write(self, part: bytes) -> None:
        """The next part of the body."""
        try:
            self._parser.write(part)
        except MultipartParseError as error:
            raise Problem(400, f"the form cannot be read: {error}") from None

    def finish(self) -> Path:
        """The file, under its name, whole; a problem where the form had none."""
        if self._file is None or self._path is None:
            raise Problem(422, "the form has no file; choose one first")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        final = self._files.new(self._path.name.removeprefix(".").removesuffix(PART))
        os.replace(self._path, final)
        self._path = None
        return final

    def close(self) -> None:
        """Remove what has not become a file."""
        if self._file is not None:
            self._file.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _begin(self) -> None:
        self._headers, self._header, self._value = {}, b"", b""

    def _note_header(self, data: bytes) -> None:
        self._header += data

    def _note_value(self, data: bytes) -> None:
        self._value += data

    def _header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header, self._value = b"", b""

    def _open(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        name = options.get(b"filename")
        if name and self._file is None:
            path = self._files.new(name.decode("utf-8", "replace"))
            self._path = path.with_name(f".{path.name}{PART}")
            self._file = open(self._path, "wb")  # noqa: SIM115  it is closed with the form
            self._name = ""

    def _keep(self, data: bytes) -> None:
        if not self._name and self._file is not None:
            self._file.write(data)
        elif len(self._value) + len(data) <= FIELD:
            self._value += data

    def _end(self) -> None:
        if self._name:
            self.fields[self._name] = self._value.decode("utf-8", "replace")
        self._name, self._value = "", b""
