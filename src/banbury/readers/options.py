"""Options of reading: what the caller says of files, and how much a file may ask for."""

from __future__ import annotations

from banbury.errors import InputError, Option, OptionError
from banbury.readers.formats import FORMATS
from banbury.records import Record

NO_BOMB = 64 << 20  # bytes: whatever is no more is no bomb, however small it was before

Column = str | int | bool | None  # a name or a number; False for none, None for one to be guessed


class Limits(Record):
    """How much a file may ask for. Whoever trusts it can raise them: `read(path, limits=Limits(ratio=2000))`.

    >>> Limits().ratio
    250
    """

    row: int = 16 << 20
    """Bytes of one row. A model that counts characters takes some three hundred times as many to score it."""
    expanded: int = 256 << 30
    """Bytes of a compressed file when it is expanded."""
    ratio: int = 250
    """How many times as large a compressed file may become, once it is more than 64 MB."""
    parquet: int = 8 << 30
    """Bytes of memory for the process that decodes a Parquet file."""

    def check(self, packed: int, expanded: int, name: str) -> None:
        """Refuse a file of which `packed` bytes have become `expanded`, if that is too much."""
        if expanded > self.expanded:
            raise OptionError(
                f"{name}: it expands to more than {self.expanded:,} bytes; if that is right, say ",
                Option("limits", "expanded"),
            )
        if expanded > NO_BOMB and expanded > self.ratio * packed:
            raise OptionError(
                f"{name}: {packed:,} bytes expand to {expanded:,} and more, over {self.ratio} times as many; "
                "if that is right, say ",
                Option("limits", "ratio"),
            )

    def too_long(self, problem: str) -> OptionError:
        """The error of a row that is too long, which the caller has described."""
        return OptionError(f"{problem}; if that is right, say ", Option("limits", "row"))


class ReadOptions(Record):
    """The options of `read`, which explains them."""

    format: str | None = None
    text: Column = None
    label: Column = None
    weight: str | int | None = None
    header: bool | None = None
    delimiter: str | None = None
    quotes: bool | None = None
    encoding: str | None = None
    bad_rows: str = "fail"
    limits: Limits = Limits()
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.bad_rows not in ("fail", "skip"):
            raise InputError(f"bad_rows is {self.bad_rows!r}; it can be 'fail' or 'skip'")
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"format is {self.format!r}; it can be {', '.join(map(repr, FORMATS))}")
