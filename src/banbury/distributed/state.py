"""States: what was counted of some parts of the data. Merged in any order, they give the model of one machine.

A part has a number, and a state knows the parts that it has counted. A state whose parts are all there already, of a
task that ran twice, is left out where it is merged.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.classifier import Classifier
from banbury.distributed.columns import arrow
from banbury.errors import MALFORMED, FileFormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from banbury.distributed.columns import Rows
    from banbury.text.tally import Tally

ROW_BITS = 40  # the number of a row is that of its part and its place there: a trillion rows of 16 million parts
MOST_NUMBERED_PARTS = 1 << (64 - ROW_BITS)


class TextState:
    """Counts and a sample of the texts of some parts; of one shard of the features, where counts are sharded."""

    def __init__(self, tally: Tally, parts: dict[int, int] | None = None, shard: int = 0) -> None:
        self.tally = tally
        self.parts = parts or {}
        """How many documents each part has."""
        self.shard = shard

    def add(self, part: int, rows: Rows, threads: int | None = 1) -> None:
        """Count documents that follow on those of the same part."""
        check_part(part)
        n_before = self.parts.get(part, 0)
        how: dict[str, Any] = {"first_row": (part << ROW_BITS) + n_before, "threads": threads}
        self.tally.add(rows.documents, rows.labels, rows.weights, **how)
        self.parts[part] = n_before + len(rows)

    def merge(self, other: TextState) -> None:
        """Add what another has counted of other parts."""
        if other.shard != self.shard:
            raise InputError(
                f"shard {self.shard} cannot be merged with shard {other.shard}: put them together at the end"
            )
        self.tally.merge(other.tally)
        self.parts |= other.parts

    def prune(self, *, min_documents: int) -> None:
        """Forget the features of fewer documents, once all parts are merged."""
        self.tally.prune(min_documents=min_documents)

    def shards(self, n: int) -> list[TextState]:
        """So many states of the same parts, each with the features whose names have its hash."""
        return [TextState(tally, dict(self.parts), number) for number, tally in enumerate(self.tally.shards(n))]

    @property
    def must_be_counted_again(self) -> bool:
        """Whether the documents are short, but some parts were taken for long ones."""
        return self.tally.must_be_counted_again

    def fit(self, classifier: Classifier) -> Classifier:
        """Fit the classifier to the documents, in the order of the parts' numbers."""
        if not self.tally.n_documents:
            raise InputError("no documents to learn from")
        numbers = sorted(self.parts)
        starts = dict(zip(numbers, accumulate([0, *(self.parts[part] for part in numbers)]), strict=False))
        place: Callable[[int], int] = lambda row: starts[row >> ROW_BITS] + (row & ((1 << ROW_BITS) - 1))  # noqa: E731
        return classifier.fit_tally(self.tally, place=place)

    def to_bytes(self) -> bytes:
        """The state in the checked format of model files; the same parts give the same bytes."""
        settings, arrays = self.tally.parts()
        return storage.to_bytes(
            {"kind": "state of texts", "shard": self.shard, **_known(self.parts), **settings}, arrays
        )

    def with_bytes(self, data: bytes, first_part: int = 0) -> TextState:
        """The state, of the parameters of this one, whose bytes these are; its parts are numbered from `first_part`."""
        settings, arrays = _opened(data, "state of texts")
        parts = _parts(settings, first_part)
        try:
            if first_part:
                shift = first_part << ROW_BITS
                rows = array("Q", (row + shift for row in arrays["sample.rows"]))
                arrays = {**arrays, "sample.rows": memoryview(rows)}
            tally, shard = self.tally.with_parts(settings, arrays), settings["shard"]
        except MALFORMED as error:
            raise FileFormatError(f"not a state of this version of banbury: {error}") from error
        if type(shard) is not int or tally.n_documents != (0 if shard else sum(parts.values())):  # the first has them
            raise FileFormatError("its shard is no number, or its parts do not have as many documents as it has")
        return TextState(tally, parts, shard)


class TableState:
    """The rows of some parts of a table: kinds, bins and pairs of columns are found in all rows together."""

    shard = 0
    must_be_counted_again = False

    def __init__(self, rows: dict[int, list[Rows]] | None = None) -> None:
        self._rows = rows or {}

    @property
    def parts(self) -> dict[int, int]:
        """How many rows each part has."""
        return {part: sum(map(len, several)) for part, several in self._rows.items()}

    def add(self, part: int, rows: Rows, threads: int | None = 1) -> None:
        """Keep rows that follow on those of the same part."""
        check_part(part)
        self._rows.setdefault(part, []).append(rows)

    def merge(self, other: TableState) -> None:
        """Add the rows of other parts."""
        self._rows |= other._rows

    def fit(self, classifier: Classifier) -> Classifier:
        """Fit the classifier to the rows, in the order of the parts' numbers."""
        several = [rows for part in sorted(self._rows) for rows in self._rows[part] if len(rows)]
        if not several:
            raise InputError("no rows to learn from")
        labels = [label for rows in several for label in rows.labels or []]
        weights = None
        if several[0].weights is not None:
            weights = [weight for rows in several for weight in rows.weights or []]
        pa = arrow()
        try:
            # Of two parts one may know that no value is missing, or have nothing but missing ones.
            table = pa.concat_tables([rows.documents for rows in several], promote_options="default")
        except pa.ArrowException as error:
            raise InputError(f"the parts of the data have different columns: {error}") from error
        return classifier.fit(table, labels, weights)

    def to_bytes(self) -> bytes:
        """The state in the checked format of model files, each part as an Arrow stream in it."""
        arrays = {f"part{part}": _stream(several) for part, several in self._rows.items() if several}
        return storage.to_bytes({"kind": "state of a table", **_known(self.parts)}, arrays)

    def read_bytes(self, data: bytes, read: Callable[[Any], Rows], first_part: int = 0) -> TableState:
        """The state whose bytes these are, its parts numbered from `first_part`; `read` finds the columns again."""
        settings, arrays = _opened(data, "state of a table")
        parts = _parts(settings, first_part)
        named = {part: f"part{part - first_part}" for part in parts}
        state = TableState({part: [read(_table(arrays[name], name))] for part, name in named.items() if name in arrays})
        if state.parts != {part: n for part, n in parts.items() if n}:
            raise FileFormatError("its parts do not have as many rows as it says")
        return state


State = TextState | TableState


def merge(first: State, *others: State) -> State:
    """A state of the parts of all of them; those given are used up.

    One whose parts another has, too, is of a task that ran twice, and is left out; parts that are partly in both are an
    error.
    """
    for other in others:
        if type(other) is not type(first):
            raise InputError("a state of texts cannot be merged with one of a table")
        known = other.parts.keys() & first.parts.keys()
        if not known:
            first.merge(other)  # type: ignore[arg-type]
        elif known == first.parts.keys():
            first = other
        elif known != other.parts.keys():
            raise InputError(f"part {min(known)} is in both states, others are not: it would be counted twice")
    return first


def together(shards: Iterable[TextState]) -> TextState:
    """The state that these shards were cut from."""
    in_order = sorted(shards, key=lambda shard: shard.shard)
    if [shard.shard for shard in in_order] != list(range(len(in_order))):
        raise InputError(f"shards {[shard.shard for shard in in_order]} are not all there, or some are there twice")
    if any(shard.parts != in_order[0].parts for shard in in_order):
        raise InputError("these shards are of different parts of the data")
    whole = TextState(in_order[0].tally, dict(in_order[0].parts))
    for shard in in_order[1:]:
        whole.tally.merge(shard.tally)
    return whole


def check_part(part: int) -> int:
    """The number of a part, where it can be one."""
    if not 0 <= part < MOST_NUMBERED_PARTS:
        raise InputError(f"part {part}: the parts of the data are numbered from 0 to {MOST_NUMBERED_PARTS - 1}")
    return part


def _known(parts: dict[int, int]) -> dict[str, Any]:
    return {"parts": sorted(parts.items())}


def _parts(settings: dict[str, Any], first_part: int) -> dict[int, int]:
    try:
        parts: dict[Any, Any] = dict(settings["parts"])
    except MALFORMED as error:
        raise FileFormatError(f"not a state of this version of banbury: {error}") from error
    if not all(type(number) is int and number >= 0 for pair in parts.items() for number in pair):
        raise FileFormatError("the numbers of its parts are not numbers")
    if len(parts) != len(settings["parts"]):
        raise FileFormatError("a part of it is there twice")
    return {check_part(part + first_part): n for part, n in parts.items()}


def _opened(data: bytes, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    file = storage.from_bytes(data)
    if file.settings.get("kind") != kind:
        raise FileFormatError(f"it holds a {file.settings.get('kind')!r}, not a {kind}")
    return file.settings, file.arrays


def _table(content: memoryview, name: str) -> Any:
    """The table of an Arrow stream; Arrow itself believes what a stream says, until it is asked to look."""
    pa = arrow()
    try:
        table = pa.ipc.open_stream(pa.py_buffer(content)).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, SystemError) as error:
        raise FileFormatError(f"{name} is no Arrow stream: {error}") from error
    return table


def _stream(several: list[Rows]) -> bytes:
    pa = arrow()
    tables = [
        rows.batch if isinstance(rows.batch, pa.Table) else pa.Table.from_batches([rows.batch]) for rows in several
    ]
    table = pa.concat_tables(tables)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content
