"""Format detection: the format of a file by its name or first bytes, its delimiter, header, text and label columns."""

from __future__ import annotations

import json
import re
from io import StringIO

from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import FileFormatError, InputError, Option, OptionError
from banbury.readers.formats import format_by_name
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TypeGuard

    from banbury.readers.options import Column, ReadOptions

FOREIGN = {
    b"PK\x03\x04": "a zip archive, or a file of an office program: unpack it, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "a file of an office program: save it as CSV",
    b"%PDF-": "a PDF: make text of it first",
    b"SQLite format 3\0": "a database of SQLite: write the rows to a CSV first",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"\x7fELF": "a program",
    b"MZ": "a program of Windows",
    b"\x93NUMPY": "an array of NumPy: give it to Classifier.fit in Python",
    b"\x89HDF": "a file of HDF5: write the rows to a CSV first",
    b"ARROW1": "a file of Arrow or Feather: save it as Parquet",
    b"7z\xbc\xaf": "an archive of 7-Zip: unpack it",
    b"Rar!": "an archive of RAR: unpack it",
    b"\x80\x04\x95": "a pickle of Python: write its rows to a CSV first",
    b"\x80\x05\x95": "a pickle of Python: write its rows to a CSV first",
    b"ID3": "sound (MP3)",
    b"OggS": "sound or film (Ogg)",
}
SNIFFED_BYTES = 4096  # bytes, by which a binary file is known
CONTROLS = bytes(set(range(32)).difference(b"\t\n\r\x0c\x1b"))
FEWEST_CONTROLS = 0.05  # the share of its bytes that are control characters; text has none but a stray one
SAMPLE = 256 << 10  # bytes that are looked at
SAMPLE_ROWS = 200  # rows that are looked at
DELIMITERS = ",;\t|"
TEXT_NAMES = (
    "text", "document", "message", "body", "content", "sentence", "review", "comment", "tweet", "question", "sms",
    "abstract", "description", "summary", "title", "headline", "subject", "v2", "tokens",
)  # fmt: skip
LABEL_NAMES = (
    "label", "class", "category", "target", "labels", "sentiment", "topic", "tag", "intent", "polarity", "language",
    "author", "type", "spam", "y", "v1",
)  # fmt: skip


class Layout(Record):
    """The format of a file and the roles of its columns."""

    format: str
    columns: tuple[str, ...] = ()
    """All columns, in order; those of a file that does not name them are called 1, 2, …"""
    text: str | None = None
    label: str | None = None
    delimiter: str = ","
    quotes: bool = True
    header: bool = False
    guessed: tuple[str, ...] = ()
    """The roles that were guessed."""

    def __str__(self) -> str:
        names = {
            "jsonl": "JSON Lines", "lines": "lines", "fasttext": "fastText", "folder": "a folder of texts",
            "mbox": "an mbox", "maildir": "a maildir", "mail": "messages", "parquet": "Parquet",
        }  # fmt: skip
        parts = [names.get(self.format, self.format.upper())]
        if self.format == "csv" and self.delimiter != ",":
            parts.append("with tabs" if self.delimiter == "\t" else f"with {self.delimiter!r}")
        if self.format in ("csv", "tsv") and not self.header:
            parts.append("without a header")
        where = [f"{what} from {name!r}" for what, name in (("text", self.text), ("label", self.label)) if name]
        return " ".join(parts) + (f": {', '.join(where)}" if self.columns else "")


def check_readable(name: str, head: bytes) -> None:
    """That a file that is read as text looks like text; else a `FileFormatError` that says what it looks like.

    >>> check_readable("rows.dat", bytes(16))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    banbury.errors.FileFormatError: rows.dat: it looks like binary data, not text: 16 of its first 16 bytes are ...
    """
    start = head[:SNIFFED_BYTES]
    # Some begin with letters, as a text may; but no text has a NUL.
    known = (
        what for magic, what in FOREIGN.items() if start.startswith(magic) and (not magic.isalnum() or b"\0" in start)
    )
    if foreign := next(known, None):
        raise FileFormatError(f"{name}: it is {foreign}")
    if start[257:262] == b"ustar":
        raise FileFormatError(f"{name}: it is a tar archive: unpack it")
    if start[8:9] == b"{" and b'"banbury' in start:
        raise FileFormatError(f"{name}: it is a model of banbury, not rows")
    # Text in UTF-16 that has no mark in front; zeros at every other place only.
    odd, even = start[1::2].count(0), start[::2].count(0)
    if len(start) > 8 and max(odd, even) > 0.4 * len(start) / 2 and min(odd, even) == 0:
        raise OptionError(f"{name}: it looks like text in UTF-16: say ", Option("encoding", "utf-16"))
    n_controls = len(start) - len(start.translate(None, CONTROLS))
    if n_controls > FEWEST_CONTROLS * len(start):
        raise FileFormatError(
            f"{name}: it looks like binary data, not text: "
            f"{n_controls} of its first {len(start)} bytes are control characters"
        )


def format_of(name: str, head: bytes) -> str:
    """The format of a file, by its extension, else by its first bytes: a `.txt` can be anything.

    >>> format_of("sms.jsonl.gz", b""), format_of("-", b'{"text": "so happy"}'), format_of("-", b"so happy")
    ('jsonl', 'jsonl', 'lines')
    """
    known = format_by_name(name)
    if not head.startswith(b"PAR1") and known not in ("parquet", "mbox", "mail"):
        check_readable(name, head)
    if known is not None:
        return "json" if known == "jsonl" and head.lstrip()[:1] == b"[" else known
    if head.startswith(b"PAR1"):
        return "parquet"
    if re.match(rb"From \S+ .*\d\d:\d\d", head):
        return "mbox"
    text = head[:SAMPLE].decode("utf-8", "replace").lstrip()
    if text.startswith("["):
        return "json" if re.match(r"\[\s*[{\]]", text) else "lines"
    if re.match(r'\{\s*(\}|")', text):
        return "jsonl"
    if text.startswith("__label__"):
        return "fasttext"
    lines = [line for line in text.split("\n") if line.strip()][:SAMPLE_ROWS]
    if not lines:
        return "lines"
    tabs = {line.count("\t") for line in (lines[:-1] or lines)}
    if len(tabs) == 1 and tabs != {0}:
        return "tsv"
    if any(_names(line.strip("\r").split(delimiter)) for line in lines[:1] for delimiter in DELIMITERS):
        return "csv"
    return "lines"


def _names(cells: Sequence[str]) -> bool:
    """Whether these look like the names of columns: several, and one of them is known."""
    known = [cell.strip(' "').lower() in (*TEXT_NAMES, *LABEL_NAMES) for cell in cells]
    return len(cells) > 1 and any(known)


def layout_of(format: str, head: bytes, name: str, options: ReadOptions) -> Layout:
    """The layout of a file of text that starts with `head`."""
    text, label, delimiter, quotes = options.text, options.label, options.delimiter, options.quotes
    if len(head) > SAMPLE:
        head = head[: head.rfind(b"\n", 0, max(SAMPLE, head.find(b"\n") + 1)) + 1] or head
    sample = head.decode("utf-8", "replace")
    match format:
        case "lines" | "fasttext" if text is False:
            raise InputError(f"{name}: it has no columns but a text")
        case "lines":
            return Layout("lines", ("text",), "text")
        case "fasttext":
            return Layout("fasttext", ("text", "label"), "text", None if label is False else "label")
        case "jsonl":
            return of_rows(format, _objects(sample, name), name, text, label)
    if delimiter is None:
        delimiter = "\t" if format == "tsv" else _delimiter(sample)
    if len(delimiter) != 1 or not delimiter.isascii():
        raise InputError(f"{name}: the delimiter is {delimiter!r}; it must be one ASCII character")
    if quotes is None:
        quotes = format == "csv" or _are_quotes(sample, delimiter)
    cells = _cells(sample, delimiter, quotes)
    if not cells:
        return Layout(format, ("text",), None if text is False else "text", None, delimiter, quotes, False)
    has_header = _has_header(cells) if options.header is None else options.header
    names = unique(cells[0]) if has_header else [str(number + 1) for number in range(len(cells[0]))]
    rows = [dict(zip(names, row, strict=False)) for row in cells[has_header:]]
    columns = of_rows(format, rows, name, text, label, names)
    return Layout(format, tuple(names), columns.text, columns.label, delimiter, quotes, has_header, columns.guessed)


def of_rows(
    format: str,
    rows: list[dict[str, Any]],
    name: str,
    text: Column,
    label: Column,
    names: Sequence[str] = (),
) -> Layout:
    """The layout of rows that are dictionaries."""
    names = list(names) or list(dict.fromkeys(key for row in rows for key in row))
    guessed = [what for what, given in (("text", text), ("label", label)) if given is None]
    text_name: str | None = None
    if text is None or text is True:
        text_name = _text(names, rows, label, name)
    elif text is not False:
        text_name = _given(text, names, "text", name)
    label_name: str | None
    if label is False:
        label_name = None
    elif label is None or label is True:
        label_name = _label(names, rows, text_name)
    else:
        label_name = _given(label, names, "label", name)
    return Layout(format, tuple(names), text_name, label_name, guessed=tuple(guessed))


def unique(names: Sequence[str]) -> list[str]:
    """Column names made unique: an empty or repeated name becomes the column's number.

    >>> unique(["text", "", "text"])
    ['text', '2', '3']
    """
    made: list[str] = []
    for number, cell in enumerate(names, 1):
        made.append(cell if cell and cell not in made else str(number))
    return made


def _given(column: str | int, names: list[str], what: str, name: str) -> str:
    if str(column) in names or not names:
        return str(column)
    folded = [known for known in names if known.lower() == str(column).lower()]
    if len(folded) == 1:
        return folded[0]
    raise InputError(f"{name}: there is no column {str(column)!r} for the {what}; there are {_list(names)}")


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:20]))
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _text(names: list[str], rows: list[dict[str, Any]], label: Any, name: str) -> str:
    folded = {known.lower(): known for known in reversed(names)}
    for known in TEXT_NAMES:
        if known in folded and folded[known] != label:
            return folded[known]
    candidates = {
        column: length
        for column in names
        if column != label and column.lower() not in LABEL_NAMES and (length := _mean_length(column, rows)) > 0
    }
    longest = sorted(candidates, key=lambda column: -candidates[column])
    if len(longest) == 1 or (len(longest) > 1 and candidates[longest[0]] > 2 * candidates[longest[1]]):
        return longest[0]
    if not names:
        return "text"
    raise OptionError(f"{name}: which column is the text? Say ", Option("text"), f"; there are {_list(names)}")


def are_tokens(value: object) -> TypeGuard[list[str]]:
    """Whether this is a document that is already tokens, as JSON has it.

    >>> are_tokens(["free", "money"]), are_tokens("free"), are_tokens([1])
    (True, False, False)
    """
    return isinstance(value, list) and all(isinstance(token, str) for token in value)


def _mean_length(column: str, rows: list[dict[str, Any]]) -> float:
    """The mean length of a column's texts; 0 if some value is no text."""
    values = [" ".join(value) if are_tokens(value) else value for value in (row.get(column) for row in rows)]
    lengths = [len(value) for value in values if isinstance(value, str)]
    return sum(lengths) / len(lengths) if values and len(lengths) == len(values) else 0


def _label(names: list[str], rows: list[dict[str, Any]], text: str | None) -> str | None:
    folded = {known.lower(): known for known in reversed(names)}
    for known in LABEL_NAMES:
        if known in folded and folded[known] != text:
            return folded[known]
    others = [column for column in names if column != text]
    if len(others) != 1:
        return None
    values = [row.get(others[0]) for row in rows]
    is_repeated = len({str(value) for value in values}) <= max(len(values) / 2, 1)
    return others[0] if is_repeated and all(isinstance(value, str | int) for value in values) else None


def _objects(sample: str, name: str) -> list[dict[str, Any]]:
    """The first rows of JSON Lines, as far as they are objects."""
    rows, wrong = [], ""
    for number, line in enumerate(sample.split("\n")[:SAMPLE_ROWS], 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            wrong = wrong or f"line {number} is not JSON: {error}"
            continue
        if isinstance(row, dict):
            rows.append(row)
        else:
            wrong = wrong or f"line {number} is not a JSON object, but {line[:40]!r}"
    if wrong and not rows:
        raise InputError(f"{name}: {wrong}")
    return rows


def _delimiter(sample: str) -> str:
    """The delimiter that gives most rows the same number of cells."""

    def merit(delimiter: str) -> tuple[bool, int, int]:
        rows = _cells(sample, delimiter, True)
        widths = [len(row) for row in rows]
        usual = max(set(widths), key=widths.count, default=0)
        return usual > 1, sum(width == usual for width in widths), -DELIMITERS.index(delimiter)

    return max(DELIMITERS, key=merit)


def _are_quotes(sample: str, delimiter: str) -> bool:
    """Whether every cell that starts with a quote is one that ends with it: else they are just characters."""
    start = re.compile(rf'(?:^|(?<=[\n{re.escape(delimiter)}]))"')
    whole = re.compile(rf'"(?:[^"]|"")*+"(?=[\r\n{re.escape(delimiter)}]|\Z)')
    position = 0
    while quote := start.search(sample, position):
        cell = whole.match(sample, quote.start())
        if cell is None:
            return False
        position = cell.end()
    return True


def _cells(sample: str, delimiter: str, quotes: bool) -> list[list[str]]:
    import csv  # JSON Lines need none

    csv.field_size_limit(max(csv.field_size_limit(), SAMPLE * 2))
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    rows: list[list[str]] = []
    try:
        for row in csv.reader(StringIO(sample, newline=""), delimiter=delimiter, quoting=quoting):
            if row:
                rows.append(row)
            if len(rows) == SAMPLE_ROWS:
                break
    except csv.Error:
        pass  # the kernel says what is wrong, and where
    return rows


def _has_header(cells: list[list[str]]) -> bool:
    """Whether the first row names the columns: by a name that is known, else because it is like no other row."""
    first, rest = cells[0], cells[1:]
    if len(first) == 1:
        return first[0].strip().lower() in (*TEXT_NAMES, *LABEL_NAMES)
    if _names(first):
        return True
    if len(set(first)) < len(first) or not all(first) or any(_is_number(cell) for cell in first):
        return False
    # Labels come again and again; the name of their column does not.
    for column in range(len(first)):
        values = [row[column] for row in rest if column < len(row)]
        if len(values) > 3 and len(set(values)) <= len(values) / 2:
            return first[column] not in values
    return False


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
