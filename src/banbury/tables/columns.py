"""What the columns of a table are: their kinds, given or found in the values, and what is learned of those of a kind.

Columns of the same kind share their statistics, so that hundreds of them are as quick as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.errors import FileFormatError, InputError
from banbury.tables.dates import are_dates, part_name
from banbury.tables.frame import Table, names_of
from banbury.tables.kinds import (
    Bernoulli,
    Categorical,
    Date,
    Gaussian,
    Histogram,
    Id,
    Kind,
    Multinomial,
    Number,
    Poisson,
    Text,
    statistics_from_parts,
)
from banbury.tables.kinds.number import FORMS
from banbury.tables.values import Column, are_truths
from banbury.text.analyzer import Analyzer
from banbury.text.tokens import Tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.likelihoods import Smoothing

KINDS: dict[str, type] = {
    kind.__name__.lower(): kind
    for kind in (Bernoulli, Categorical, Date, Gaussian, Histogram, Id, Multinomial, Number, Poisson, Text)
}

# A column of strings is text where most of its values are different, or where they have several words each.
FEW_STRINGS = 20
WORDS = 3
# Whole numbers are categories where there are few, and enough rows for each of them.
FEW_NUMBERS = 10
ROWS_FOR_EACH = 10
# What never comes twice in so many rows names them.
FEWEST_IDS = 50
ID_NAME = re.compile(r"(^|[^A-Za-z])[iI][dD]$|[a-z]I[dD]$|^index$")
CATEGORICAL_COLUMNS = 8  # in one group
# Of kinds that are found, and of the three that leave-one-out on public tables at many sizes was asked about, 1, ½ and
# 0.1, the one that is never far from the best. Column weights by leave-one-out do more than a smoothing for each table.
SMOOTHING = 0.5


def kinds_of(
    columns: Mapping[Any, Any] | Sequence[str] | None, table: Table, *, smoothing: Smoothing = "auto"
) -> dict[str, Any]:
    """The kind of each column that is used, in the order in which they are named.

    `columns` names them: a kind, its class or its name, or `"auto"` for one that is found in the values. Several names
    in a tuple share it. A list of names has all of them found, and without `columns` all columns are. A `smoothing`
    that is a number is that of the kinds found.

    >>> from banbury.tables.frame import read
    >>> kinds_of({"age": "gaussian", "member": "auto"}, read({"age": [31, 45], "member": [True, None]}))
    {'age': Gaussian(...), 'member': Bernoulli(...)}
    """
    if columns is None:
        if not table.columns:
            raise InputError("the table has no columns to learn from")
        columns = dict.fromkeys(table.columns, "auto")
    if isinstance(columns, list | tuple):
        columns = dict.fromkeys(columns, "auto")
    if not isinstance(columns, Mapping) or not columns:
        raise InputError(
            f"columns is {columns!r}; it can be a list of names, a kind for each name, or None for all columns"
        )
    kinds: dict[str, Any] = {}
    for names, kind in columns.items():
        for name in names if isinstance(names, tuple) else (names,):
            if name in kinds:
                raise InputError(f"columns names {name!r} twice")
            column = table.column(name)
            kinds[name] = _found(column, smoothing) if isinstance(kind, str) and kind == "auto" else _kind(name, kind)
    return kinds


def _kind(name: str, kind: Any) -> Any:
    if isinstance(kind, str) and kind in KINDS:
        kind = KINDS[kind]
    if isinstance(kind, type) and kind in KINDS.values():
        kind = kind()
    if isinstance(kind, Bernoulli) and (isinstance(kind.smoothing, tuple) or isinstance(kind.absent_smoothing, tuple)):
        raise InputError(
            f"column {name!r} is to be {kind!r}; a column has one number for each{Bernoulli.one_number_hint}"
        )
    if not isinstance(kind, tuple(KINDS.values())):
        raise InputError(f"column {name!r} is to be {kind!r}; it can be 'auto', {', '.join(map(repr, KINDS))}")
    return kind


def _found(column: Column, smoothing: Smoothing) -> Any:
    kind = found(column)
    if isinstance(smoothing, str) or not isinstance(kind, Bernoulli | Categorical):
        return kind
    return replace(kind, smoothing=float(smoothing or 0.0))


def found(column: Column) -> Any:
    """The kind of a column, by its values.

    Truth values are Bernoulli, dates are dates. Whole numbers of which there are few are categories, all others
    numbers, whose distribution leave-one-out chooses. Strings are dates or truth values where all of them are, text
    where most of them are different or where they have several words, else categories. Running numbers and single words
    that never come twice only name their rows. Whatever is found takes any later value of the same type.

    >>> from banbury.tables.values import column
    >>> [type(found(column("x", values))).__name__ for values in ([True, None], [1.5, 2.25], ["red", "blue", "red"])]
    ['Bernoulli', 'Number', 'Categorical']
    """
    if column.is_bool:
        return Bernoulli(smoothing=SMOOTHING)
    if column.is_date:
        return Date()
    if column.numbers is not None:
        return _found_in_numbers(column.name, column.numbers[~column.missing])
    values = [value for value in column.as_objects() if value is not None]
    if any(isinstance(value, Tokens) for value in values):
        return Text()
    if are_truths(values):
        return Bernoulli(smoothing=SMOOTHING)
    distinct = set(values)
    different = len(distinct)
    if values and all(isinstance(value, str) for value in distinct) and are_dates(distinct):
        return Date()
    if different == len(values) >= FEWEST_IDS and all(isinstance(value, str) and " " not in value for value in values):
        return Id()
    if different <= FEW_STRINGS or any(not isinstance(value, str) for value in values):
        return Categorical(smoothing=SMOOTHING)
    n_words = sum(value.count(" ") + 1 for value in values)
    return Text() if 2 * different > len(values) or n_words > WORDS * len(values) else Categorical(smoothing=SMOOTHING)


def _found_in_numbers(name: str, numbers: NDArray[Any]) -> Any:
    different, counts = np.unique(numbers, return_counts=True)
    are_few = len(different) <= min(FEW_NUMBERS, len(numbers) // ROWS_FOR_EACH)
    # Where one comes only once there are more to come.
    is_category = are_few and (different == np.floor(different)).all() and (counts > 1).all()
    if is_category or not len(different):
        return Categorical(smoothing=SMOOTHING)
    n = len(numbers)
    # Running numbers, in any order; or whole numbers that never come twice, under the name of an id.
    is_whole = len(different) == n >= FEWEST_IDS and bool((different == np.floor(different)).all())
    is_running = is_whole and different[-1] - different[0] == n - 1
    return Id() if is_running or (is_whole and ID_NAME.search(name)) else Number()


def described(kind: Any) -> str:
    """A kind with the settings that are not the usual ones.

    >>> described(Text()), described(Histogram(bins=5))
    ('Text', 'Histogram(bins=5)')
    """
    given = [
        f"{one.name}={getattr(kind, one.name)!r}" for one in fields(kind) if getattr(kind, one.name) != one.default
    ]
    return type(kind).__name__ + (f"({', '.join(given)})" if given else "")


def inner_kinds(kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The kinds of the columns that are learned: a date as its parts, and nothing of a column that only names rows."""
    inner: dict[str, Any] = {}
    for name, kind in kinds.items():
        if isinstance(kind, Date):
            is_number = {"year", "age"}
            inner |= {
                part_name(name, part): Number() if part in is_number else Categorical(smoothing=SMOOTHING)
                for part in kind.parts
            }
        elif not isinstance(kind, Id):
            inner[name] = kind
    if len(inner) < sum(
        len(kind.parts) if isinstance(kind, Date) else not isinstance(kind, Id) for kind in kinds.values()
    ):
        raise InputError("a column has the name of a part of a date; give one of the two another name")
    return inner


def kind_from_file(settings: Mapping[str, Any]) -> Any:
    """The kind of a column without statistics of its own, that `kind_settings` came from."""
    if settings["kind"] == "date":
        return Date(parts=tuple(settings["parts"]))
    return Id() if settings["kind"] == "id" else text_from_settings(settings)


def text_from_settings(settings: Mapping[str, Any]) -> Text:
    """The kind of a column of texts that `kind_settings` came from."""
    analyzer = settings["analyzer"]
    if isinstance(analyzer, Mapping):
        analyzer = Analyzer.from_settings(analyzer)
    return Text(analyzer=analyzer, likelihood=settings["likelihood"], smoothing=settings["smoothing"])


def kind_settings(kind: Any) -> dict[str, Any]:
    """A kind as plain data, for a file."""
    if not isinstance(kind, Text):
        settings: dict[str, Any] = kind.settings()
        return settings
    analyzer = kind.analyzer if kind.analyzer is None or isinstance(kind.analyzer, str) else kind.analyzer.settings()
    return {"kind": "text", "analyzer": analyzer, "likelihood": kind.likelihood, "smoothing": kind.smoothing}


@dataclass(frozen=True)
class Group:
    """Columns of one kind and what was learned of them. It is never changed, only replaced."""

    kind: Any
    names: tuple[str, ...]
    statistics: Any
    categories: tuple[dict[Any, int], ...] | None = None
    """For columns of categories: the number of each that has been seen."""

    @classmethod
    def empty(cls, kind: Kind, names: Sequence[str], n_classes: int) -> Group:
        """Columns of which nothing is known yet."""
        statistics = kind.statistics(len(names), n_classes)
        statistics.names = list(names)
        categories: Any = tuple({} for _ in names) if isinstance(kind, Categorical) else None
        return cls(kind, tuple(names), statistics, categories)

    @property
    def is_tied(self) -> bool:
        """Whether the columns are one thing, so that they count by one weight."""
        return isinstance(self.kind, Multinomial)

    def values(self, table: Table) -> NDArray[Any]:
        """The columns of a table as numbers, by row and column; a category that was never seen has one of its own."""
        values = np.empty((table.n_rows, len(self.names)))
        for at, name in enumerate(self.names):
            column = table.columns[name]
            if self.categories is None:
                values[:, at] = column.as_numbers(f"a column of kind {type(self.kind).__name__}")
            else:
                _check_no_tokens(column)
                values[:, at] = _codes(column, self.categories[at])
        return values

    def seeing(self, table: Table) -> Group:
        """The group with the categories of this table added."""
        if self.categories is None:
            return self
        for name in self.names:
            _check_no_tokens(table.columns[name])
        return self._knowing([_distinct(table.columns[name]) for name in self.names])

    def _knowing(self, more: Sequence[Sequence[Any]]) -> Group:
        assert self.categories is not None
        grown = []
        for known, new in zip(self.categories, more, strict=True):
            # Sorted, so that the same rows in another order give the same.
            names = sorted(
                (one for one in new if _known_as(one, known) not in known), key=lambda one: (isinstance(one, str), one)
            )
            grown.append({**known, **{name: len(known) + at for at, name in enumerate(names)}})
        return replace(self, categories=tuple(grown))

    def add(
        self,
        values: NDArray[Any],
        numbers: NDArray[np.intp],
        weights: NDArray[Any] | None,
        copies: NDArray[Any] | None = None,
    ) -> Group:
        """What is known with these rows too; `copies` are left out with each where something is chosen by them."""
        how = {"copies": copies} if isinstance(self.kind, Number) else {}
        return replace(self, statistics=self.statistics.copy().add(values, numbers, weights, **how))

    def remove(self, values: NDArray[Any], numbers: NDArray[np.intp], weights: NDArray[Any] | None) -> Group:
        """What is known without these rows: the last categories, too, if no row of theirs is left."""
        statistics = self.statistics.copy().remove(values, numbers, weights)
        if self.categories is None:
            return replace(self, statistics=statistics)
        counted = statistics.sums["counts"].sum(axis=0) > 0
        sizes = [int(np.flatnonzero(column)[-1]) + 1 if column.any() else 0 for column in counted]
        categories = tuple(
            {name: number for name, number in known.items() if number < size}
            for known, size in zip(self.categories, sizes, strict=True)
        )
        return replace(self, statistics=statistics, categories=categories)

    def renumbered(self, numbers: Sequence[int | None], n_classes: int) -> Group:
        """The group with class c as class numbers[c]."""
        return replace(self, statistics=self.statistics.copy().renumber(numbers, n_classes))

    def merged(self, other: Group) -> Group:
        """What both know of the same columns and classes."""
        if self.categories is None or other.categories is None:
            return replace(self, statistics=self.statistics.copy().merge(other.statistics))
        both = self._knowing([list(known) for known in other.categories])
        assert both.categories is not None
        places = [
            [ours[name] for name in theirs] for ours, theirs in zip(both.categories, other.categories, strict=True)
        ]
        return replace(both, statistics=self.statistics.copy().merge(_renamed(other.statistics, places)))

    def described(self, at: int) -> str:
        """What one of the columns was taken for."""
        if isinstance(self.kind, Number):
            return f"{described(self.kind)}, {FORMS[int(self.statistics.choice[at])]}"
        return described(self.kind)

    def chosen_again(
        self,
        values: NDArray[Any],
        numbers: NDArray[np.intp],
        weights: NDArray[Any] | None,
        copies: NDArray[Any],
    ) -> Group:
        """The group with what leave-one-out chooses for each column by these rows."""
        if not isinstance(self.kind, Number):
            return self
        return replace(self, statistics=self.statistics.copy().choose(values, numbers, weights, copies))

    def decoded(self, values: NDArray[Any]) -> dict[str, list[Any]]:
        """Columns of the values that these numbers stand for."""
        columns: dict[str, list[Any]] = {}
        for at, name in enumerate(self.names):
            names = None if self.categories is None else list(self.categories[at])
            is_whole = isinstance(self.kind, Bernoulli | Poisson | Multinomial)
            columns[name] = [
                None if value != value else names[int(value)] if names else int(value) if is_whole else value
                for value in values[:, at].tolist()
            ]
        return columns

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        settings, arrays = self.statistics.parts()
        categories = None if self.categories is None else [list(known) for known in self.categories]
        return {"names": list(self.names), "categories": categories, "statistics": settings}, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Group:
        """The group that `parts` were taken from."""
        statistics = statistics_from_parts(settings["statistics"], arrays)
        statistics.names = list(settings["names"])
        categories = settings["categories"]
        if categories is not None:
            categories = tuple({name: at for at, name in enumerate(names)} for names in categories)
        names = tuple(settings["names"])
        if len(names) != statistics.n_features or len(set(names)) != len(names):
            raise FileFormatError(
                f"it has {len(names)} names for {statistics.n_features} columns, or one of them twice"
            )
        if categories is not None and len(categories) != len(names):
            raise FileFormatError(f"it has {len(names)} columns of categories, but categories of {len(categories)}")
        if categories is not None and not _are_counted(settings["categories"], statistics.sums["counts"]):
            raise FileFormatError("its counts of categories do not fit their names")
        return cls(statistics.kind, names, statistics, categories)


def _are_counted(categories: list[list[Any]], counts: NDArray[Any]) -> bool:
    """Whether the categories of each column are distinct, and no others are counted."""
    are_distinct = all(len(set(names)) == len(names) for names in categories)
    return are_distinct and not any(counts[:, at, len(names) :].any() for at, names in enumerate(categories))


def _renamed(statistics: Any, places: Sequence[Sequence[int]]) -> Any:
    """The counts with renumbered categories: places[column][category]."""
    counts = statistics.sums["counts"]
    renamed = np.zeros((*counts.shape[:2], 1 + max((max(new_places, default=0) for new_places in places), default=0)))
    for column, new_places in enumerate(places):
        known = min(len(new_places), counts.shape[2])  # the last may have been forgotten
        renamed[:, column, new_places[:known]] = counts[:, column, :known]
    copy = statistics.copy()
    copy.sums = {"counts": renamed}
    return copy


def _check_no_tokens(column: Column) -> None:
    """That no value of a column of categories is a list of tokens, which only a text can be."""
    for row, value in enumerate(column.given or ()):
        if isinstance(value, Tokens):
            raise InputError(f"row {row}, column {column.name!r} is of type list; a category is one value")


def _distinct(column: Column) -> list[Any]:
    """The different values that are not missing."""
    if column.strings is not None:
        return [column.strings.different[place] for place in np.unique(column.strings.places[~column.missing]).tolist()]
    if column.numbers is None:
        return [value for value in dict.fromkeys(column.as_objects()) if value is not None]
    return Column("", np.unique(column.numbers[~column.missing]), None).as_objects()


def _known_as(value: Any, known: Mapping[Any, int]) -> Any:
    """The category that a value is: a code is the same as a number and as a text, from whatever file it comes.

    >>> _known_as("3", {3: 0}), _known_as(3, {"3": 0}), _known_as("x", {3: 0})
    (3.0, '3', 'x')
    """
    if value in known:
        return value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value
        return number if number in known else value
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return shown if shown in known else value


def _codes(column: Column, known: Mapping[Any, int]) -> NDArray[Any]:
    """The number of each value; one more than the last for one that is not known, NaN for a missing one."""
    return column.mapped(lambda value: float(known.get(_known_as(value, known), len(known))))


def groups_of(kinds: Mapping[str, Any], n_classes: int) -> tuple[Group, ...]:
    """The columns that are no texts, those of one kind together: the same groups for the same columns in any order."""
    names: dict[Any, list[str]] = {}
    for name in sorted(kinds):
        if not isinstance(kinds[name], Text):
            names.setdefault(kinds[name], []).append(name)
    groups = []
    for kind, members in names.items():
        # Each column of categories takes as much room as the one with most of them.
        size = CATEGORICAL_COLUMNS if isinstance(kind, Categorical) else len(members)
        groups += [
            Group.empty(kind, members[start : start + size], n_classes) for start in range(0, len(members), size)
        ]
    return tuple(groups)


def check_same_columns(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """That two models have the same columns of the same kinds, or an error that names one that is not."""
    if set(ours) != set(theirs):
        raise InputError(f"one model has the columns {names_of(ours)}, the other {names_of(theirs)}")
    for name, kind in ours.items():
        if theirs[name] != kind:
            raise InputError(f"column {name!r} is {kind!r} in one model and {theirs[name]!r} in the other")
