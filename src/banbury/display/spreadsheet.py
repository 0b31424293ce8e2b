"""Cells of CSV and TSV that a spreadsheet shows as text and never runs as a formula."""

from __future__ import annotations

import re

# How a formula starts, in narrow and in full-width characters; tabs and line ends in front of it are skipped.
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def escaped(text: str) -> str:
    """The text of a cell, with an apostrophe in front if a spreadsheet would take it for a formula.

    A number such as `-5` is no formula and stays a number. A text that starts with an apostrophe is left alone, unless
    a formula follows: it gets one more, so that taking one away always gives the text back.

    >>> [escaped(text) for text in ("=1+1", "'=1+1", "＝1+1", "-5", "-5+A1", "'tis")]
    ["'=1+1", "''=1+1", "'＝1+1", '-5', "'-5+A1", "'tis"]
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def has_formulas(table: bytes, delimiter: str) -> bool:
    """Whether some cell of a table in CSV or TSV starts like a formula. A number that starts with a sign counts too.

    >>> has_formulas(b"ham,so happy\\nham,=1+1\\n", ","), has_formulas(b"ham,so = so\\n", ",")
    (True, False)
    """
    blank = "" if delimiter == "\t" else "\t"
    start = f"(?:^|[\n\"{re.escape(delimiter)}])'*(?:[=+\\-@\r{blank}]|＝|＋|－|＠)"
    return re.search(start.encode(), table) is not None
