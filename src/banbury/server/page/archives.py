"""Zips of folders: expanded within limits, and nowhere else than asked."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from banbury.errors import FileFormatError

MOST_FILES = 1_000_000
MOST_ZIP_BYTES = 8 << 30  # bytes of all files
LARGEST_RATIO = 300  # of a file to what it takes in the zip; text has less than 100

MAILBOX = ".mbox"


def expanded(archive: Path, folder: Path) -> Path:
    """The folder of texts that a zip holds; where it holds one file alone, that file, beside the zip.

    A zip that would take more than it should, or that names places outside of itself, is refused whole.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [one for one in opened.infolist() if not one.is_dir() and not _is_hidden(one.filename)]
            _check(members)
            for one in members:
                target = folder / PurePosixPath(one.filename)
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(one) as source, open(target, "wb") as sink:
                    _copy(source, sink, one.file_size)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise FileFormatError(f"it is no zip that can be read: {error}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    place = _single(folder)
    if place.is_dir():
        _split_mailboxes(place)
    return place


def _check(members: list[zipfile.ZipInfo]) -> None:
    if not members:
        raise FileFormatError("the zip has no files")
    if len(members) > MOST_FILES:
        raise FileFormatError(f"the zip has {len(members)} files; at most {MOST_FILES} are taken")
    total = sum(one.file_size for one in members)
    if total > MOST_ZIP_BYTES:
        raise FileFormatError(f"the zip holds {total >> 20} MiB; at most {MOST_ZIP_BYTES >> 20} are taken")
    for one in members:
        place = PurePosixPath(one.filename)
        if place.is_absolute() or ".." in place.parts or "\\" in one.filename or "\0" in one.filename:
            raise FileFormatError(f"the zip names a place outside of itself: {one.filename[:100]!r}")
        if one.file_size > LARGEST_RATIO * max(one.compress_size, 100):
            raise FileFormatError(f"{one.filename[:100]!r} would become {one.file_size >> 20} MiB: that is no text")


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part != ".." for part in PurePosixPath(name).parts)


def _copy(source: object, sink: object, size: int) -> None:
    """A file of the zip, which is as long as it says and no longer."""
    left = size
    while part := source.read(min(1 << 20, left + 1)):  # type: ignore[attr-defined]
        left -= len(part)
        if left < 0:
            raise FileFormatError("a file of the zip is longer than it says")
        sink.write(part)  # type: ignore[attr-defined]


def _single(folder: Path) -> Path:
    """The folder with the labels in it: a zip often has one folder around everything."""
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_file():
        target = folder.with_name(inside[0].name)
        if not target.exists():
            inside[0].replace(target)
            folder.rmdir()
            return target
    while len(inside) == 1 and inside[0].is_dir() and any(one.is_dir() for one in inside[0].iterdir()):
        [only] = inside
        moved = folder.with_name(f".{folder.name}")
        only.replace(moved)
        folder.rmdir()
        moved.replace(folder)
        inside = list(folder.iterdir())
    return folder


def _split_mailboxes(folder: Path) -> None:
    """Where a folder has nothing but mailboxes, each becomes a folder of messages: its name is their label."""
    boxes = sorted(folder.iterdir())
    while len(boxes) == 1 and boxes[0].is_dir():
        boxes = sorted(boxes[0].iterdir())
    if not boxes or not all(box.is_file() and box.suffix == MAILBOX for box in boxes):
        return
    for box in boxes:
        messages = folder / box.stem
        messages.mkdir(exist_ok=True)
        with open(box, "rb") as lines:
            _split(lines, messages)
        box.unlink()
        if box.parent != folder and not any(box.parent.iterdir()):
            box.parent.rmdir()


def _split(lines: Iterable[bytes], folder: Path) -> None:
    """Write each message of a mailbox into a file of its own, without the line `From ` before it."""
    message: BinaryIO | None = None
    is_blank, number = True, 0
    for line in lines:
        if is_blank and line.startswith(b"From "):
            if message is not None:
                message.close()
            number += 1
            message = open(folder / f"{number:06}.eml", "wb")  # noqa: SIM115  it is closed where the next begins
        elif message is not None:
            message.write(line)
        is_blank = line in (b"\n", b"\r\n")
    if message is not None:
        message.close()
