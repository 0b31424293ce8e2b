"""Dropped files, on disk in a folder: what they are called, how they are read, what may be removed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from banbury.errors import BanburyError, InputError, OptionError
from banbury.readers import Batch, Reader, read
from banbury.readers.typed import documents
from banbury.server.models import ServedModel
from banbury.server.problems import Problem
from banbury.server.requests import name_of

LONGEST_FILE_NAME = 80
FILES_FOLDER = "files"
PROBED_ROWS = 100  # in which a column of labels is looked for
EXPANDED = ".folder"  # ending of a zip that was expanded


class File(NamedTuple):
    """A dropped file."""

    name: str
    size: int
    written: float


class Files:
    """The files of a folder; without one, of a temporary folder that goes with the server."""

    def __init__(self, folder: Path | None) -> None:
        self.home = folder
        """Where trained models go; None where nothing is to be kept."""
        self._temporary: TemporaryDirectory[str] | None = None

    @property
    def folder(self) -> Path:
        """The folder of dropped files, made when it is first needed."""
        if self.home is not None:
            folder = self.home / FILES_FOLDER
        else:
            self._temporary = self._temporary or TemporaryDirectory(prefix="banbury-")
            folder = Path(self._temporary.name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Problem(507, f"{folder}: {error.strerror or error}") from None
        return folder

    def list(self) -> list[File]:
        """All files, the newest first."""
        files = []
        for path in self.folder.iterdir():
            if not path.name.startswith("."):
                status = path.stat()
                files.append(File(path.name, status.st_size, status.st_mtime))
        return sorted(files, key=lambda one: (-one.written, one.name))

    def path(self, name: str) -> Path:
        """Where a file is; a 404 for one that there is not."""
        path = self.folder / name
        if name != safe_name(name) or not path.exists():
            raise Problem(404, f"there is no file {name[:100]!r} here; drop it again")
        return path

    def new(self, name: str) -> Path:
        """Where a new file of this name goes: nothing that is there is written over."""
        safe = safe_name(name)
        stem, ending = safe.partition(".")[0], "".join(safe.partition(".")[1:])
        path, number = self.folder / safe, 1
        while path.exists():
            number += 1
            path = self.folder / f"{stem}-{number}{ending}"
        return path

    def remove(self, name: str) -> None:
        """Delete a file, or a zip's folder."""
        path = self.path(name)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    def close(self) -> None:
        """Delete what was temporary."""
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


def safe_name(name: str) -> str:
    """A file name without folders, spaces and signs that a system could misread; its ending stays.

    >>> safe_name("../Mein Report (1).CSV.gz"), safe_name("<script>.jsonl"), safe_name("")
    ('Mein-Report-1-.CSV.gz', 'script-.jsonl', 'file')
    """
    base = re.split(r"[/\\]", name)[-1]
    clean = re.sub(r"[^\w.-]+", "-", base, flags=re.UNICODE).strip("-").lstrip(".-")
    clean = re.sub(r"\.{2,}", ".", clean).encode("utf-8", "ignore").decode()
    if len(clean.encode()) > LONGEST_FILE_NAME:
        ending = "".join(Path(clean).suffixes[-2:])[-16:]
        clean = clean.encode()[: LONGEST_FILE_NAME - len(ending.encode())].decode("utf-8", "ignore")
        clean = clean.rstrip("-.") + ending
    return clean.rstrip("-.") or "file"


class Rows(NamedTuple):
    """Rows of a file as a model takes them."""

    documents: Any
    labels: list[Any] | None
    n_rows: int
    is_cut: bool
    """Whether the file has more rows than were read."""


def opened(path: Path, **options: Any) -> Reader:
    """A reader of a dropped file; errors name the file without its folder."""
    try:
        return read(path, **{name: given for name, given in options.items() if given is not None})
    except OptionError as error:
        said = error.worded(lambda option: f"the {option.name} below")
        raise InputError(said.replace(str(path), path.name)) from None
    except (BanburyError, OSError) as error:
        raise InputError(str(error).replace(str(path), path.name)) from None


def rows_for(
    model: ServedModel, path: Path, *, most: int, with_labels: bool, text: str | None = None, label: str | None = None
) -> Rows:
    """The first rows of a file, as a model takes them."""
    is_table = model.columns is not None
    options: dict[str, Any] = {"text": False if is_table else text, "bad_rows": "skip"}
    reader = opened(path, **options, label=label if with_labels or label else False if not with_labels else None)
    if with_labels and reader.layout.label is None and (guess := _column_of_labels(reader, model)) is not None:
        reader = opened(path, **options, label=guess)
    if with_labels and reader.layout.label is None:
        known = ", ".join(map(repr, reader.layout.columns)) or "none"
        raise InputError(f"{path.name} has no column of labels that could be found; its columns: {known}")
    texts: list[Any] = []
    labels: list[Any] = []
    table: dict[str, list[Any]] = {}
    n_rows = 0
    is_cut = False
    for batch in _batches(reader, path):
        if n_rows >= most:
            is_cut = True
            break
        taken = min(len(batch), most - n_rows)
        if is_table:
            for name, cells in documents(batch, reader.layout, model.columns).items():
                table.setdefault(name, []).extend(cells[:taken])
        else:
            texts += list(batch.texts)[:taken]
        labels += (batch.labels or [])[:taken]
        n_rows += taken
        is_cut = taken < len(batch)
    if not n_rows:
        raise InputError(f"{path.name} has no rows that can be read")
    known_labels = {name_of(one): one for one in model.labels}
    given = [known_labels.get(name_of(one), one) for one in labels] if with_labels else None
    return Rows(table if is_table else texts, given, n_rows, is_cut)


def _column_of_labels(reader: Reader, model: ServedModel) -> str | None:
    """The only column that is none of the model's, and whose first cells are all labels that it knows."""
    rows = next((list(islice(batch.rows(), PROBED_ROWS)) for batch in reader), [])
    known = {name_of(label) for label in model.labels}
    others = [name for name in reader.layout.columns if name not in (model.columns or ())]
    fitting = [name for name in others if rows and all(name_of(row.get(name)) in known for row in rows)]
    return fitting[0] if len(fitting) == 1 else None


def _batches(reader: Reader, path: Path) -> Iterator[Batch]:
    try:
        yield from reader
    except (BanburyError, OSError) as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
