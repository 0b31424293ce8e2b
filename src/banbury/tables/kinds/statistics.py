"""Statistics: what is learned of columns of one kind. Sums over rows, by class; everything else is computed from them.

Values are 64-bit floats, by row and feature. NaN is a missing value: it adds 0, in learning and in predicting. Classes
are numbers. A row of weight 3 counts as three. Every kind has its own file, with its formulas; here is what they share:
arithmetic on the sums, checks of the values, and work in blocks of rows, so that nothing large is ever in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from banbury.errors import CountError, FileFormatError, InputError
from banbury.stats.intervals import Summary
from banbury.stats.softmax import IMPOSSIBLE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]
Sums = dict[str, Array]
Truths = NDArray[np.bool_]
Values = Any
"""Numbers by row and feature: what NumPy takes for an array, or a sparse array of SciPy."""

MOST_PSEUDO_COUNTS = 1e100  # times the number of all categories it is still a number
LARGEST_DRAWN_RATE = 1e18  # of a Poisson distribution: NumPy draws whole numbers of 64 bits
CELLS = 2**18  # of a block: rows × classes × features that are in memory at once
EXACT = 1e-12  # what is left of a float sum after a subtraction, relative to what it was, is this much rounding


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What the values of a column look like within one class; settings that can be compared, hashed and stored."""

    statistics_class: ClassVar[type[Statistics]]
    by_feature: ClassVar[tuple[str, ...]] = ()
    """Settings that can be one number for all features, or a tuple with one for each."""
    one_number_hint: ClassVar[str] = ""
    """What to write instead, where somebody gives two numbers for one column."""

    def _by_feature(self) -> dict[str, tuple[Any, ...]]:
        given = {name: getattr(self, name) for name in self.by_feature}
        return {name: value for name, value in given.items() if isinstance(value, tuple)}

    def of_features(self, places: Any) -> Self:
        """The same kind for some of the features."""
        given = self._by_feature()
        return replace(self, **{name: tuple(np.array(value)[places].tolist()) for name, value in given.items()})

    def statistics(self, n_features: int, n_classes: int) -> Any:
        """Statistics of so many features of this kind that have seen nothing yet."""
        for name, values in self._by_feature().items():
            if len(values) != n_features:
                raise InputError(
                    f"{name} of {type(self).__name__} has {len(values)} numbers, one for each column, but there are "
                    f"{n_features} columns{self.one_number_hint}"
                )
        return self.statistics_class(self, n_features, n_classes)

    def statistics_from_parts(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Any:
        """The statistics that `parts` were taken from."""
        return self.statistics_class.from_parts(self, settings, arrays)

    def settings(self) -> dict[str, Any]:
        """The kind as plain data; `kind_from_settings` is the way back."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {"kind": type(self).__name__.lower(), **plain}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """What `settings` came from."""
        names = {field.name for field in fields(cls)}
        given = {name: value for name, value in settings.items() if name != "kind"}
        switches = [field.name for field in fields(cls) if isinstance(field.default, bool)]
        if odd := [name for name in switches if not isinstance(given.get(name, False), bool)]:
            raise FileFormatError(f"a column of kind {cls.__name__} has {odd[0]} {given[odd[0]]!r}")
        if unknown := sorted(given.keys() - names):
            raise FileFormatError(f"a column of kind {cls.__name__} has no setting {unknown[0]!r}")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


class Block(NamedTuple):
    """Some rows, with 0 for what is missing; and what is left out with each."""

    values: Array
    known: NDArray[np.bool_]
    numbers: Numbers | None = None
    weights: Array | None = None
    """So much of each row's own class is left out."""
    copies: Array | None = None
    """By row and class, where more than one class loses something: so many rows with the same values are left out."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.numbers is None and self.copies is None

    @property
    def gone(self) -> Array:
        """How much leaves with each row, of all classes together."""
        gone = self.weights if self.copies is None else self.copies.sum(axis=1)
        assert gone is not None
        return gone


NOTHING = Block(np.empty((0, 0)), np.empty((0, 0), dtype=bool))  # no rows, so that nothing is left out


class Statistics:
    """Sufficient statistics of some features of one kind, by class."""

    sums: Sums

    def __init__(self, kind: Any, n_features: int, n_classes: int) -> None:
        self.kind = kind
        self.n_features = n_features
        self.names: Sequence[str] | None = None
        """What the features are called, for messages."""
        nothing = np.empty((0, n_features))
        self.sums = self._counted(nothing, np.empty(0, np.intp), None, n_classes)

    @property
    def n_classes(self) -> int:
        """How many classes there are; some may be empty."""
        return len(next(iter(self.sums.values())))

    # Learning

    def add(self, values: Values, numbers: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Learn from these rows; bad input changes nothing."""
        values, numbers, weights = self._rows(values, numbers, weights)
        self._prepare(values, weights)
        self.sums = self._joined(self.sums, self._counted(values, numbers, weights, self.n_classes))
        return self

    def remove(self, values: Values, numbers: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Unlearn these rows; what was never added is a `CountError`, and nothing changes."""
        values, numbers, weights = self._rows(values, numbers, weights)
        self.sums = self._parted(self.sums, self._counted(values, numbers, weights, self.n_classes))
        return self

    def merge(self, other: Statistics) -> Self:
        """Learn all that another has learned of the same features and classes."""
        self._check_same(other)
        self.sums = self._joined(self.sums, other.sums)
        return self

    def copy(self) -> Self:
        """Statistics that change on their own from now on."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)  # sums are replaced, never changed
        return copy

    def empty(self) -> Self:
        """Empty statistics that can be merged with these: what was fixed at the first fit stays."""
        copy = self.copy()
        copy.sums = {name: np.zeros_like(array) for name, array in self.sums.items()}
        return copy

    def renumber(self, numbers: Sequence[int | None], n_classes: int) -> Self:
        """Class c becomes class numbers[c]; None for one that has nothing left."""
        old = [number for number, new in enumerate(numbers) if new is not None]
        new = [number for number in numbers if number is not None]
        sums = {}
        for name, array in self.sums.items():
            sums[name] = np.zeros((n_classes, *array.shape[1:]))
            sums[name][new] = array[old]
        self.sums = sums
        return self

    def columns(self, which: Any) -> Self:
        """The statistics of some of the features: their places, or a mask."""
        copy = self.copy()
        copy.sums = {name: array[:, which] for name, array in self.sums.items()}
        copy.n_features = next(iter(copy.sums.values())).shape[1]
        copy.kind = self.kind.of_features(which)
        if self.names is not None:
            copy.names = np.asarray(self.names, dtype=object)[which].tolist()
        return copy

    # Reading

    def log_probabilities(self, values: Values) -> Array:
        """log P(value | class), by row, class and feature; 0 for a missing value."""
        values = self._checked(values)
        logs = np.empty((values.shape[0], self.n_classes, self.n_features))
        for rows, block in self._blocks(values):
            logs[rows] = self._known_logs(block)
        return logs

    def scores(self, values: Values, feature_weights: ArrayLike | None = None) -> Array:
        """Σ weight · log P(value | class) over the features, by row and class."""
        return self.scores_of(self._checked(values), self._share(feature_weights))

    def scores_of(self, values: Any, share: Array) -> Array:
        """`scores` of values that were checked, by weights of all features."""
        scores = np.empty((values.shape[0], self.n_classes))
        for rows, block in self._blocks(values):
            scores[rows] = self._block_scores(block, share)
        return scores

    def _block_scores(self, block: Block, share: Array) -> Array:
        return np.asarray((self._known_logs(block) * share).sum(axis=2))

    def leave_one_out(self, values: Values, numbers: ArrayLike, weights: ArrayLike | None = None) -> Array:
        """The log-probabilities of rows that were added, each by the statistics without it: its whole weight leaves."""
        values, numbers, weights = self._rows(values, numbers, weights)
        weights = np.ones(len(numbers)) if weights is None else weights
        logs = np.empty((values.shape[0], self.n_classes, self.n_features))
        for rows, block in self._blocks(values, numbers, weights):
            logs[rows] = self._known_logs(block)
        return logs

    def leave_copies_out(self, values: Values, copies: ArrayLike) -> Array:
        """The log-probabilities of rows, each by the statistics without all rows that have its values.

        `copies` says by row and class how many these are, the row itself among them.
        """
        values, copies = self._checked(values), np.asarray(copies, dtype=float)
        values = values.toarray() if is_sparse(values) else values
        logs = np.empty((len(values), self.n_classes, self.n_features))
        several = np.count_nonzero(copies, axis=1) > 1
        numbers = copies.argmax(axis=1)
        alone = np.flatnonzero(~several)
        logs[alone] = self.leave_one_out(values[alone], numbers[alone], copies[alone, numbers[alone]])
        for some in slices(int(several.sum()), max(1, CELLS // max(1, self.n_classes * self.n_features))):
            rows = np.flatnonzero(several)[some]
            known = ~np.isnan(values[rows])
            block = Block(np.where(known, values[rows], 0.0), known, copies=copies[rows])
            logs[rows] = self._known_logs(block)
        return logs

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class."""
        raise NotImplementedError

    def drawn(self, rng: np.random.Generator) -> Statistics:
        """Statistics whose plug-in parameters are one draw from the posterior: one possible truth."""
        raise NotImplementedError

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """What is known of each parameter, by its name."""
        raise NotImplementedError

    # Keeping

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for `storage.write`."""
        settings = {"kind": self.kind.settings(), "n_features": self.n_features, "n_classes": self.n_classes}
        # An array without elements loses its shape in a file.
        settings["shapes"] = {name: list(array.shape) for name, array in self.sums.items()}
        return settings, {name: np.ascontiguousarray(array) for name, array in self.sums.items()}

    @classmethod
    def from_parts(cls, kind: Any, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """The statistics that `parts` were taken from."""
        n_features, n_classes = int(settings["n_features"]), int(settings["n_classes"])
        if min(n_features, n_classes) < 0 or n_features * n_classes > sum(np.size(array) for array in arrays.values()):
            raise FileFormatError(f"it has no sums of {n_features} columns and {n_classes} classes")
        statistics = cls(kind, n_features, n_classes)
        statistics.take(settings, arrays)
        return statistics

    def take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Take over the sums of `parts`, once they are checked."""
        sums = {}
        for name, empty in self.sums.items():
            shape = tuple(settings["shapes"][name])
            array = np.asarray(arrays[name], dtype=float)
            if array.size != np.prod(shape) or shape[:2] != empty.shape[:2] or len(shape) != empty.ndim:
                raise FileFormatError(f"its {name!r} have shape {shape}, which does not fit {empty.shape}")
            if not np.isfinite(array).all() or (name not in self._signed and (array < 0).any()):
                raise FileFormatError(f"its {name!r} are no sums: one is negative or not finite")
            sums[name] = array.reshape(shape)
        self.sums = sums

    _signed: ClassVar[frozenset[str]] = frozenset()
    """Sums that may be negative."""

    # What each kind has of its own

    wants: ClassVar[str]
    """What a value has to be, in words."""

    def _is_valid(self, values: Array) -> NDArray[np.bool_]:
        """Which finite values are of this kind."""
        raise NotImplementedError

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        """The sums of these rows alone."""
        raise NotImplementedError

    def _logs(self, block: Block) -> Array:
        """log P(value | class), by row, class and feature; where the block has classes, without each row itself."""
        raise NotImplementedError

    def _prepare(self, values: Values, weights: Array | None) -> None:
        """Fix what is fixed by the first rows."""

    def _joined(self, sums: Sums, more: Sums) -> Sums:
        return {name: array + more[name] for name, array in sums.items()}

    def _parted(self, sums: Sums, gone: Sums) -> Sums:
        return {name: left(array, gone[name]) for name, array in sums.items()}

    def _check_same(self, other: Statistics) -> None:
        mine, theirs = (self.kind, self.n_features, self.n_classes), (other.kind, other.n_features, other.n_classes)
        if type(self) is not type(other) or mine != theirs:
            raise InputError(f"these statistics are of different kinds, features or classes: {mine} and {theirs}")

    # Inside

    def _known_logs(self, block: Block) -> Array:
        logs = self._logs(block)
        if not block.known.all():
            logs = np.where(block.known[:, None, :], logs, 0.0)
        return logs

    def _rows(self, values: Values, numbers: ArrayLike, weights: Any) -> tuple[Any, Numbers, Array | None]:
        values = self._checked(values)
        numbers = np.asarray(numbers, dtype=np.intp)
        if numbers.shape != (values.shape[0],):
            raise InputError(f"{values.shape[0]} rows, but {numbers.size} classes")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < self.n_classes:
            raise InputError(f"a row has class {numbers.max()}; these statistics have {self.n_classes} classes")
        return values, numbers, None if weights is None else checked_weights(weights, values.shape[0])

    def _share(self, feature_weights: Any) -> Array:
        if feature_weights is None:
            return np.ones(self.n_features)
        share = np.asarray(feature_weights, dtype=float)
        if share.shape != (self.n_features,) or not np.isfinite(share).all():
            raise InputError(f"feature_weights need a finite number for each of {self.n_features} columns")
        return share

    def _checked(self, values: Values) -> Any:
        """Values as an array, or as SciPy's CSR; a bad one is an error that names its place."""
        try:
            if is_sparse(values):
                values = values.tocsr().astype(np.float64)
                stored = values.data
            else:
                values = stored = np.ascontiguousarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"values must be numbers, by row and column: {error}") from None
        if values.ndim != 2 or values.shape[1] != self.n_features:
            raise InputError(f"values have shape {values.shape}; they need {self.n_features} columns")
        bad = np.isinf(stored) if stored is values else ~np.isfinite(stored)
        with np.errstate(invalid="ignore"):
            bad |= ~self._is_valid(stored) & ~np.isnan(stored)
        if bad.any():
            first = int(bad.argmax())
            row, column = divmod(first, self.n_features)
            if stored is not values:
                row, column = int(np.searchsorted(values.indptr, first, "right")) - 1, int(values.indices[first])
            name = str(column) if self.names is None else repr(self.names[column])
            raise InputError(f"row {row}, column {name} has {stored.flat[first]:g}; {self.wants}")
        return values

    def _blocks(
        self, values: Values, numbers: Numbers | None = None, weights: Array | None = None
    ) -> Iterator[tuple[slice, Block]]:
        size = max(1, CELLS // max(1, self.n_classes * self.n_features))
        for rows in slices(values.shape[0], size):
            some = values[rows]
            some = some.toarray() if is_sparse(some) else some
            known = ~np.isnan(some)
            filled = some if known.all() else np.where(known, some, 0.0)
            left_out = (None, None) if numbers is None or weights is None else (numbers[rows], weights[rows])
            yield rows, Block(filled, known, *left_out)


# What the kinds share


def is_sparse(values: Values) -> bool:
    """Whether these are a sparse matrix or array of SciPy's, which does not have to be installed."""
    return hasattr(values, "tocsr")


def slices(n: int, size: int) -> Iterator[slice]:
    """Rows 0 to n in pieces."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def checked_weights(weights: Any, n: int) -> Array:
    """Weights as an array; a bad one is an error that names its row."""
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n,):
        raise InputError(f"{n} rows, but weights of shape {checked.shape}")
    bad = ~((checked >= 0) & (checked < inf))
    if bad.any():
        row = int(bad.argmax())
        raise InputError(f"row {row} has weight {checked[row]:g}; a weight is a finite number, 0 or more")
    return checked


def checked_pseudo_counts(value: Any, name: str = "smoothing") -> None:
    """That a setting is a number, 0 or more, or several of them."""
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, bool) or not isinstance(one, (int, float, np.number)) or not 0 <= one < inf:
            raise InputError(f"{name} is {value!r}; it can be a finite number, 0 or more")
        if one > MOST_PSEUDO_COUNTS:
            raise InputError(f"{name} is {value!r}; it can be at most {MOST_PSEUDO_COUNTS:g}")


def left(total: Array, gone: Array) -> Array:
    """What is left when something is taken away that was there; less than nothing is a `CountError`."""
    rest: Array = total - gone
    rounding = EXACT * np.abs(total)
    rest[np.abs(rest) <= rounding] = 0.0
    if (rest < 0).any():
        place = np.argwhere(rest < 0)[0].tolist()
        raise CountError(f"what is taken away from column {place[-1]} was never added; nothing was changed", place[0])
    return rest


def class_sums(values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Array:
    """Σ weight · value, by class and feature; values have nothing missing."""
    sums = np.zeros((n_classes, values.shape[1]))
    if is_sparse(values):
        for rows in slices(values.shape[0], max(1, 2**22 // max(1, n_classes))):
            shares = np.zeros((rows.stop - rows.start, n_classes))
            shares[np.arange(len(shares)), numbers[rows]] = 1.0 if weights is None else weights[rows]
            sums += (values[rows].T @ shares).T
        return sums
    for number, members in by_class(numbers):
        some = values[members]
        sums[number] = some.sum(axis=0) if weights is None else (some * weights[members][:, None]).sum(axis=0)
    return sums


def by_class(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Each class that there is, with its rows."""
    order = np.argsort(numbers, kind="stable")
    present, starts = np.unique(numbers[order], return_index=True)
    yield from zip(present.tolist(), np.split(order, starts[1:]), strict=False)


def filled(values: Values) -> Any:
    """Values with 0 for what is missing."""
    return values if is_sparse(values) else np.where(np.isnan(values), 0.0, values)


def known_sums(values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Array:
    """Σ weight of the values that are known, by class and feature."""
    if is_sparse(values) or not np.isnan(values).any():
        rows = np.bincount(numbers, weights, minlength=n_classes).astype(float)
        return np.repeat(rows[:, None], values.shape[1], axis=1)
    return class_sums((~np.isnan(values)).astype(float), numbers, weights, n_classes)


def by_row(sums: Array, block: Block, amount: Callable[[], NDArray[Any]]) -> Array:
    """Sums of all classes as [row, class, feature], without what leaves with each row: `amount` for each copy of it."""
    if block.is_whole:
        return sums[None]
    return without(np.repeat(sums[None], len(block.values), axis=0), block, amount())


def without(rows: Array, block: Block, amount: NDArray[Any]) -> Array:
    """Sums by [row, class, feature] without what leaves with each row: `amount`, by row and feature, for each copy."""
    if block.copies is not None:
        return left(rows, block.copies[:, :, None] * amount[:, None, :])
    assert block.numbers is not None
    assert block.weights is not None
    entries = np.arange(len(block.numbers)), block.numbers
    rows[entries] = left(rows[entries], block.weights[:, None] * amount)
    return rows


def overall(sums: Array, block: Block, amount: Callable[[], NDArray[Any]]) -> Array:
    """Sums of all classes together as [row, 1, feature], in the same way."""
    total = sums.sum(axis=0)[None]
    if not block.is_whole:
        total = left(np.repeat(total, len(block.values), axis=0), block.gone[:, None] * amount())
    return cast(Array, total[:, None, :])


def log_share(part: Any, whole: Any) -> Array:
    """log(part / whole): `IMPOSSIBLE` where the part is 0, and 0 where there is no whole."""
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    logs = np.log(np.where(part > 0, part, 1.0)) - np.log(np.where(whole > 0, whole, 1.0))
    return np.where(whole > 0, np.where(part > 0, logs, IMPOSSIBLE), 0.0)
