"""Files that the kernel does not read: folders of texts, arrays of JSON objects."""

from __future__ import annotations

import json
import os

from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import FileFormatError, InputError
from banbury.readers.batch import BadRow, Batch, batch_of
from banbury.readers.guessing import Layout, are_tokens, of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from banbury.readers.options import ReadOptions

ENOUGH = 8 << 20  # bytes of text in a batch
ARRAY = 256 << 20  # bytes of a JSON array


class Folder:
    """A text in each file; the label is the folder that it lies in, below the one that is read."""

    def __init__(self, path: str, options: ReadOptions) -> None:
        self._path = path
        self._encoding = options.encoding or "utf-8"
        self._longest = options.limits.row
        self.files = sorted(files_below(path))
        has_labels = options.label is not False and any(os.path.dirname(file) for file in self.files)
        label = "label" if has_labels else None
        self.layout = Layout("folder", ("file", "text", *filter(None, [label])), "text", label)

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """Some files at a time."""
        rows: list[dict[str, Any]] = []
        numbers: list[int] = []
        bad: list[BadRow] = []
        size = 0
        for number, file in enumerate(self.files, 1):
            row, reason = self._row(file)
            if reason:
                bad.append(BadRow(os.path.join(self._path, file), 1, reason))
            else:
                rows.append(row)
                numbers.append(number)
                size += len(row["text"])
            if size > ENOUGH:
                yield batch_of(rows, numbers, self.layout), bad
                rows, numbers, bad, size = [], [], [], 0
        yield batch_of(rows, numbers, self.layout), bad

    def _row(self, file: str) -> tuple[dict[str, Any], str]:
        path = os.path.join(self._path, file)
        label = os.path.dirname(file).replace(os.sep, "/")
        if self.layout.label and not label:
            return {}, "it has no label: it lies beside the folders"
        try:
            if os.path.getsize(path) > self._longest:
                return {}, f"it has more than {self._longest:,} bytes"
            with open(path, encoding=self._encoding, newline="") as content:
                text = content.read().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            return {}, f"byte {error.start + 1} of it (0x{byte:02x}) is not {self._encoding.upper()}"
        except UnicodeError as error:
            return {}, f"it is not {self._encoding.upper()}: {error}"
        except LookupError:
            raise InputError(f"there is no encoding {self._encoding!r}; try utf-8, latin-1, cp1252") from None
        return {"file": file, "text": text, **({"label": label} if self.layout.label else {})}, ""


def files_below(path: str) -> Iterator[str]:
    """The files below a folder, without those that hide."""
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.relpath(os.path.join(folder, name), path) for name in files if not name.startswith("."))


class Array:
    """One JSON array of objects, which has to be read whole."""

    def __init__(self, blocks: Iterable[bytes], name: str, options: ReadOptions) -> None:
        content, limit = bytearray(), max(ARRAY, options.limits.row)
        for block in blocks:
            content += block
            if len(content) > limit:
                raise InputError(
                    f"{name}: a JSON array of more than {limit:,} bytes; JSON Lines can be of any size: jq -c '.[]'"
                )
        try:
            rows = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"{name}: it is not JSON: {error}") from error
        if not isinstance(rows, list):
            raise FileFormatError(f"{name}: it is a JSON {type(rows).__name__}; rows are an array of objects")
        self._rows, self._name = rows, name
        sample = [row for row in rows[:200] if isinstance(row, dict)]
        self.files: list[str] = []
        self.layout = of_rows("json", sample, name, options.text, options.label)
        self._weight = options.weight

    def batches(self) -> Iterator[tuple[Batch, list[BadRow]]]:
        """All rows of the array, in one batch."""
        yield checked(self._rows, 1, self._name, self.layout, self._weight)


def checked(
    rows: list[Any], line: int, name: str, layout: Layout, weight: str | int | None
) -> tuple[Batch, list[BadRow]]:
    """The rows that can be used, and the others; they are numbered from `line` on."""
    good: list[dict[str, Any]] = []
    lines: list[int] = []
    bad: list[BadRow] = []
    kind: type | None = None
    for number, row in enumerate(rows, line):
        reason = _fault(row, layout)
        if not reason and layout.label is not None:
            label = row[layout.label]
            kind = kind or type(label)
            if type(label) is not kind:
                reason = (
                    f"the label {label!r} is of type {type(label).__name__}, but those before it are {kind.__name__}"
                )
        if reason:
            bad.append(BadRow(name, number, reason))
        else:
            good.append(row)
            lines.append(number)
    return batch_of(good, lines, layout, weight), bad


def _fault(row: Any, layout: Layout) -> str:
    if not isinstance(row, dict):
        return f"it is of type {type(row).__name__}, not an object"
    text = "" if layout.text is None else row.get(layout.text)
    if not isinstance(text, str) and not are_tokens(text):
        return "it has no text" if text is None else f"its text is of type {type(text).__name__}"
    if layout.label is None:
        return ""
    label = row.get(layout.label)
    if label is None:
        return "it has no label"
    return "" if isinstance(label, str | int) else f"its label is {label!r}; a label is text, a whole number or a truth"
