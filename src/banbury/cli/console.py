"""Terminal output: messages, results, progress. Colours and bars only on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from itertools import groupby
from math import isfinite

from banbury.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.readers import Batch, Reader


SHORT_INPUT = 8 << 20  # bytes that are read before a bar could be looked at


def clean(text: str) -> str:
    """The text with its control characters made visible, but for tabs and line ends."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text  # most are, and the import takes longer than the look
    from banbury.display.characters import visible

    return visible(text, lines=True)


def quoted(path: str) -> str:
    """A path as a shell takes it.

    >>> quoted("spam.banbury"), quoted("my spam.banbury")
    ('spam.banbury', "'my spam.banbury'")
    """
    if path.isascii() and path.replace(".", "a").replace("/", "a").replace("-", "a").replace("_", "a").isalnum():
        return path
    from shlex import quote

    return quote(path)


def note(message: str) -> None:
    """A message beside the result, on stderr; on a terminal its lines are broken between words."""
    text = clean(message)
    if sys.stderr.isatty():
        from shutil import get_terminal_size
        from textwrap import fill

        width = get_terminal_size().columns
        lines = [fill(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n")]
        text = "\n".join(lines)
    print(text, file=sys.stderr, flush=True)


def show(result: object) -> None:
    """A result for people: with colours on a terminal, else as plain text. No control character of a text gets out."""
    if sys.stdout.isatty() and hasattr(result, "__rich_console__") | hasattr(result, "__rich__"):
        from rich.console import Console

        Console(highlight=False).print(result)
    else:
        put(f"{clean(str(result))}\n")


def show_table(text: str) -> None:
    """Lines whose cells stand in columns; on a narrow terminal columns stand closer, and nothing is lost."""
    if not sys.stdout.isatty():
        show(text)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(fitted(clean(text), console.width)), no_wrap=True, overflow="ellipsis")


def fitted(text: str, width: int) -> str:
    """Lines of this width: where some are longer, gaps between columns are made smaller, then the last cells go below.

    A line without columns is a sentence, and is broken between words.

    >>> print(fitted("accuracy    0.9912  0.9867 to 0.9942\\nlog loss    0.0257  0.0177 to 0.0337", 34))
    accuracy 0.9912 0.9867 to 0.9942
    log loss 0.0257 0.0177 to 0.0337
    """
    from textwrap import wrap

    lines: list[str] = []
    for is_table, block in groupby(text.split("\n"), key=lambda line: bool(line.strip()) and "  " in line.strip()):
        rows = list(block)
        if not is_table:
            lines += [part for row in rows for part in (wrap(row, width, subsequent_indent="  ") or [""])]
        elif max(map(len, rows)) <= width:
            lines += rows
        else:
            lines += _broken(*_closer(rows), width)
    return "\n".join(lines)


def _closer(rows: list[str]) -> tuple[list[str], list[int]]:
    """Rows with one space wherever all of them have several, and where these are."""
    is_gap = [*_gaps(rows), False]
    kept = [place for place in range(len(is_gap) - 1) if not (is_gap[place] and place and is_gap[place - 1])]
    between = [number for number, place in enumerate(kept) if is_gap[place] and is_gap[place + 1]]
    whole = [row.ljust(len(is_gap)) for row in rows]
    return ["".join(row[place] for place in kept).rstrip() for row in whole], between


def _broken(rows: list[str], between: list[int], width: int) -> list[str]:
    """Rows that are still too long, each with its last cells on a line of their own."""
    from textwrap import wrap

    if max(map(len, rows)) <= width:
        return rows
    place = max((place for place in between if place <= width), default=0)
    parts = [part for row in rows for part in (row[:place].rstrip(), f"  {row[place:].strip()}") if part.strip()]
    return [line for part in parts for line in ([part] if len(part) <= width else wrap(part, width))]


def _gaps(rows: list[str]) -> list[bool]:
    """Which places of the lines are blank in all rows."""
    longest = max(map(len, rows))
    return [all(row[place : place + 1] in ("", " ") for row in rows) for place in range(longest)]


def show_json(result: object) -> None:
    """A result for programs."""
    import json

    text = json.dumps(_finite(result), ensure_ascii=False, indent=2, default=str, allow_nan=False)
    put(f"{text}\n")


def put(text: str) -> None:
    """Text to standard output; on a terminal without control characters, and with ? for what it cannot show."""
    if sys.stdout.isatty():
        encoding = sys.stdout.encoding
        print(clean(text).encode(encoding, "replace").decode(encoding), end="", flush=True)
    else:
        sys.stdout.flush()
        put_bytes(text.encode("utf-8", "replace"))


def put_bytes(data: bytes) -> None:
    """Write all bytes to standard output; unbuffered, a single write to a pipe may take only a part of them."""
    left = memoryview(data)
    while left:
        left = left[sys.stdout.buffer.write(left) :]


def _finite(value: object) -> object:
    """JSON has no infinity: it becomes text."""
    if isinstance(value, dict):
        return {str(name): _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def with_progress(reader: Reader, doing: str) -> Iterator[Batch]:
    """The batches of a reader, with a bar on stderr if that is a terminal; at the end what was left out is told."""
    is_short = 0 < reader.size < SHORT_INPUT
    batches = _barred(reader, doing) if sys.stderr.isatty() and not is_short else iter(reader)
    yield from batches
    tell_skipped(reader)


@contextmanager
def at_work(reader: Reader, doing: str) -> Iterator[None]:
    """A spinner on stderr, if that is a terminal, for work after all rows are read."""
    if not sys.stderr.isatty() or 0 < reader.size < SHORT_INPUT:
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(doing, total=None)
        yield


def tell_skipped(reader: Reader) -> None:
    """How many rows were left out, and why the first of them."""
    if reader.skipped:
        rows = "row" if reader.skipped == 1 else "rows"
        note(f"{reader.skipped} bad {rows} skipped, {reader.n_rows} read; the first: {reader.bad_rows[0]}")


def _barred(reader: Reader, doing: str) -> Iterator[Batch]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=reader.size or None)
        for batch in reader:
            progress.update(task, completed=reader.position)
            yield batch
