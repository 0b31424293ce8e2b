"""CSV and TSV for spreadsheets: every cell comes back, and none is run as a formula."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

# How a formula starts, in narrow and in full-width characters; tabs and line ends in front of it are skipped.
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
NUMBER_PATTERN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def escaped(text: str) -> str:
    """The text of a cell, with an apostrophe in front if a spreadsheet would take it for a formula.

    A number such as `-5` is no formula and stays a number. A text that starts with an apostrophe is left alone, unless
    a formula follows: it gets one more, so that taking one away always gives the text back.

    >>> [escaped(text) for text in ("=1+1", "'=1+1", "＝1+1", "-5", "-5+A1", "'tis")]
    ["'=1+1", "''=1+1", "'＝1+1", '-5', "'-5+A1", "'tis"]
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER_PATTERN.fullmatch(text) else text


def has_formulas(table: bytes, delimiter: str) -> bool:
    """Whether some cell of a table in CSV or TSV starts like a formula. A number that starts with a sign counts too.

    >>> has_formulas(b"ham,so happy\\nham,=1+1\\n", ","), has_formulas(b"ham,so = so\\n", ",")
    (True, False)
    """
    blank = "" if delimiter == "\t" else "\t"
    start = f"(?:^|[\n\"{re.escape(delimiter)}])'*(?:[=+\\-@\r{blank}]|＝|＋|－|＠)"
    return re.search(start.encode(), table) is not None


def csv_text(rows: Iterable[Iterable[Any]], delimiter: str = ",", *, escape: bool = True) -> str:
    """Rows of cells as CSV, or with a tab as delimiter as TSV. With `escape`, texts are escaped, numbers are not.

    >>> csv_text([["word", "weight"], ["=1+1", -1.5], ["a, b", 2]]).splitlines()
    ['word,weight', "'=1+1,-1.5", '"a, b",2']
    """
    lines = _Lines()
    # The module csv puts a lone \r in quotes only where lines end with it; `_Lines` makes that a \n.
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\r\n")
    for row in rows:
        writer.writerow([escaped(cell) if escape and isinstance(cell, str) else cell for cell in row])
    return "".join(lines.lines)


class _Lines:
    """Takes lines as a file does; each ends with a line feed alone."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line.removesuffix("\r\n") + "\n")
