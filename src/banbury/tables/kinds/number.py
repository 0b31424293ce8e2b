"""Number: columns of numbers of which nobody has said how they are distributed.

Three forms are learned side by side: Gaussian, Gaussian on a logarithmic scale, histogram. For each column that form is
used which, without a row, best tells the row's class from its value. The first rows that are learned decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from banbury.errors import FileFormatError
from banbury.stats.intervals import Summary
from banbury.tables.kinds.gaussian import Gaussian, GaussianStatistics
from banbury.tables.kinds.histogram import Histogram
from banbury.tables.kinds.statistics import CELLS, Array, Kind, Numbers, Statistics, Sums, class_sums, is_sparse, slices
from banbury.tables.row_hash import row_hashes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from banbury.tables.kinds.statistics import Truths, Values

FORMS = ("gaussian", "log", "histogram")
MOST_CHOICE_ROWS = 8_000  # of the leave-one-out that chooses
MOST_CHOICE_CELLS = 2**18  # rows × classes × columns of it


class NumberStatistics(Statistics):
    """The statistics of each form, and how well each does; and the negative numbers, which have no logarithm."""

    kind: Number
    wants: ClassVar[str] = "a Number column has finite numbers"

    def __init__(self, kind: Number, n_features: int, n_classes: int) -> None:
        self.forms: dict[str, Any] = {
            "gaussian": Gaussian(predictive=kind.predictive).statistics(n_features, n_classes),
            "log": Gaussian(scale="log", predictive=kind.predictive).statistics(n_features, n_classes),
            "histogram": Histogram(bins=kind.bins).statistics(n_features, n_classes),
        }
        self.losses = np.zeros((len(FORMS), n_features))
        """How many nats a row's class costs by leave-one-out, by form and feature."""
        self.is_chosen = False
        super().__init__(kind, n_features, n_classes)

    def _is_valid(self, values: Array) -> Truths:
        return np.isfinite(values)

    @property
    def choice(self) -> NDArray[np.intp]:
        """The number of each feature's form, among `FORMS`."""
        possible = np.ones(self.losses.shape, dtype=bool)
        possible[FORMS.index("log")] = ~self.sums["negatives"].any(axis=0)
        return np.asarray(np.where(possible, self.losses, np.inf).argmin(axis=0))

    def add(
        self, values: Values, numbers: ArrayLike, weights: ArrayLike | None = None, copies: Array | None = None
    ) -> NumberStatistics:
        """Learn from these rows; bad input changes nothing. The first ones choose the form of each column."""
        values, numbers, weights = self._rows(values, numbers, weights)
        values = values.toarray() if is_sparse(values) else values
        forms = {name: form.copy().add(_possible(name, values), numbers, weights) for name, form in self.forms.items()}
        sums = self._joined(self.sums, self._counted(values, numbers, weights, self.n_classes))
        self.forms, self.sums = forms, sums
        if not self.is_chosen and len(values):
            self.choose(values, numbers, weights, copies)
        return self

    def remove(self, values: Values, numbers: ArrayLike, weights: ArrayLike | None = None) -> NumberStatistics:
        """Unlearn these rows; what was never added is a `CountError`, and nothing changes."""
        values, numbers, weights = self._rows(values, numbers, weights)
        values = values.toarray() if is_sparse(values) else values
        forms = {
            name: form.copy().remove(_possible(name, values), numbers, weights) for name, form in self.forms.items()
        }
        sums = self._parted(self.sums, self._counted(values, numbers, weights, self.n_classes))
        self.forms, self.sums = forms, sums
        return self

    def choose(
        self, values: Values, numbers: Numbers, weights: Array | None = None, copies: Array | None = None
    ) -> NumberStatistics:
        """Choose the form of each column by leave-one-out on these rows, which were added.

        `copies` says by row and class how many rows leave with each; without it those with the same values do.
        """
        values, numbers, weights = self._rows(values, numbers, weights)
        weights = np.ones(len(numbers)) if weights is None else weights
        copies = _equal_rows(values, numbers, weights, self.n_classes) if copies is None else copies
        rows = _some_rows(values, min(MOST_CHOICE_ROWS, MOST_CHOICE_CELLS // max(1, self.n_classes * self.n_features)))
        values, numbers, weights, copies = values[rows], numbers[rows], weights[rows], copies[rows]
        class_rows = np.bincount(numbers, weights, minlength=self.n_classes).astype(float)
        self.losses = np.array(
            [
                _losses(form, _possible(name, values), numbers, weights, copies, class_rows)
                for name, form in self.forms.items()
            ]
        )
        self.is_chosen = True
        return self

    def merge(self, other: Statistics) -> NumberStatistics:
        """Learn all that another has learned of the same features and classes; the choice stays.

        The bins of the histograms are fixed by the first rows. To learn in parts, let each start with the `empty()` of
        one that has them.
        """
        self._check_same(other)
        assert isinstance(other, NumberStatistics)
        forms = {name: form.copy().merge(other.forms[name]) for name, form in self.forms.items()}
        sums = self._joined(self.sums, other.sums)
        if not self.is_chosen:
            self.losses, self.is_chosen = other.losses, other.is_chosen
        self.forms, self.sums = forms, sums
        return self

    def copy(self) -> NumberStatistics:
        """Statistics that change on their own from now on."""
        copy = super().copy()
        copy.forms = {name: form.copy() for name, form in self.forms.items()}
        return copy

    def empty(self) -> NumberStatistics:
        """Empty statistics that can be merged with these: what was fixed at the first fit stays."""
        copy = super().empty()
        copy.forms = {name: form.empty() for name, form in self.forms.items()}
        return copy

    def renumber(self, numbers: Sequence[int | None], n_classes: int) -> NumberStatistics:
        """Class c becomes class numbers[c]; None for one that has nothing left."""
        self.forms = {name: form.copy().renumber(numbers, n_classes) for name, form in self.forms.items()}
        return super().renumber(numbers, n_classes)

    def columns(self, which: Any) -> NumberStatistics:
        """The statistics of some of the features: their places, or a mask."""
        copy = super().columns(which)
        copy.forms = {name: form.columns(which) for name, form in self.forms.items()}
        copy.losses = self.losses[:, which]
        return copy

    def _counted(self, values: Values, numbers: Numbers, weights: Array | None, n_classes: int) -> Sums:
        return {"negatives": class_sums((values < 0).astype(float), numbers, weights, n_classes)}

    def _used(self) -> list[tuple[Any, NDArray[np.intp]]]:
        """Each form that is used, with the statistics and the places of its features."""
        sources = [self.losses, self.sums, *(form.sums for form in self.forms.values())]
        if self._latest is None or any(old is not new for old, new in zip(self._latest[0], sources, strict=True)):
            choice = self.choice
            places = [np.flatnonzero(choice == number) for number in range(len(FORMS))]
            used = [(form.columns(at), at) for form, at in zip(self.forms.values(), places, strict=True) if at.size]
            self._latest = sources, used
        return self._latest[1]

    _latest: tuple[list[Any], list[tuple[Any, NDArray[np.intp]]]] | None = None
    """The forms that were used last, and of which losses and sums they are."""

    def log_probabilities(self, values: Values) -> Array:
        """log P(value | class), by row, class and feature; 0 for a missing value."""
        values = self._dense(values)
        logs = np.empty((len(values), self.n_classes, self.n_features))
        for form, places in self._used():
            logs[:, :, places] = form.log_probabilities(_possible(form, values[:, places]))
        return logs

    def scores(self, values: Values, feature_weights: ArrayLike | None = None) -> Array:
        """Σ weight · log P(value | class) over the features, by row and class."""
        values, share = self._dense(values), self._share(feature_weights)
        scores = np.zeros((len(values), self.n_classes))
        for form, places in self._used():
            scores += form.scores_of(_possible(form, values[:, places]), share[places])
        return scores

    def leave_one_out(self, values: Values, numbers: ArrayLike, weights: ArrayLike | None = None) -> Array:
        """The log-probabilities of rows that were added, each by the statistics without it; the forms stay."""
        values, numbers, weights = self._rows(values, numbers, weights)
        values = self._dense(values)
        logs = np.empty((len(values), self.n_classes, self.n_features))
        for form, places in self._used():
            logs[:, :, places] = form.leave_one_out(_possible(form, values[:, places]), numbers, weights)
        return logs

    def leave_copies_out(self, values: Values, copies: ArrayLike) -> Array:
        """The log-probabilities of rows, each by the statistics without all rows that have its values."""
        values = self._dense(values)
        logs = np.empty((len(values), self.n_classes, self.n_features))
        for form, places in self._used():
            logs[:, :, places] = form.leave_copies_out(_possible(form, values[:, places]), copies)
        return logs

    def sample(self, rng: np.random.Generator, class_number: int, n: int) -> Array:
        """New rows of a class."""
        drawn = np.empty((n, self.n_features))
        for form, places in self._used():
            drawn[:, places] = form.sample(rng, class_number, n)
        return drawn

    def drawn(self, rng: np.random.Generator) -> NumberStatistics:
        """Statistics whose plug-in parameters are one draw from the posterior."""
        copy = self.copy()
        copy.forms = {name: form.drawn(rng) for name, form in self.forms.items()}
        return copy

    def posterior(self, level: float = 0.95) -> dict[str, Summary]:
        """The parameters of all forms, NaN for the columns that have another one.

        `mean` and `variance`, for the logarithmic form those of the logarithms; `zero`, its share of zeros; for
        histograms the `probability` of each bin, by class, feature and bin.
        """
        summaries: dict[str, Summary] = {}
        for form, places in self._used():
            for name, summary in form.posterior(level).items():
                shape = (self.n_classes, self.n_features, *summary.value.shape[2:])
                old = summaries.get(name) or Summary(
                    np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan), level
                )
                for whole, part in zip(
                    (old.value, old.low, old.high), (summary.value, summary.low, summary.high), strict=True
                ):
                    whole[:, places] = part
                summaries[name] = old
        return summaries

    def _dense(self, values: Values) -> Array:
        values = self._checked(values)
        return np.asarray(values.toarray() if is_sparse(values) else values)

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for `storage.write`."""
        settings, arrays = super().parts()
        arrays = {**arrays, "losses": np.ascontiguousarray(self.losses)}
        settings["is_chosen"], settings["forms"] = self.is_chosen, {}
        for name, form in self.forms.items():
            settings["forms"][name], form_arrays = form.parts()
            arrays |= {f"{name}.{key}": array for key, array in form_arrays.items()}
        return settings, arrays

    def take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Take over the sums of `parts`, once they are checked."""
        super().take(settings, arrays)
        losses = np.array(arrays["losses"], dtype=float)
        if losses.size != self.losses.size or np.isnan(losses).any():
            raise FileFormatError("its losses are not those of its columns")
        self.losses, self.is_chosen = losses.reshape(self.losses.shape), bool(settings["is_chosen"])
        for name, form in self.forms.items():
            of_form = {key: array for key, array in arrays.items() if key.startswith(f"{name}.")}
            without_name = {key.removeprefix(f"{name}."): array for key, array in of_form.items()}
            form.take(settings["forms"][name], without_name)


def _possible(form: Any, values: Array) -> Array:
    """What a form can be asked: the logarithm knows no negative numbers, and says nothing about them."""
    is_log = (
        form == "log" if isinstance(form, str) else isinstance(form, GaussianStatistics) and form.kind.scale == "log"
    )
    return np.where(values < 0, np.nan, values) if is_log else values


def _some_rows(values: Values, most: int) -> Any:
    """All rows, or so many; which depends on what is in them, not on their order."""
    if values.shape[0] <= max(1, most):
        return slice(None)
    return np.sort(np.argsort(_hashes(values), kind="stable")[: max(1, most)])


def _equal_rows(values: Array, numbers: Numbers, weights: Array, n_classes: int) -> Array:
    """The weight of all rows with the same values, by row and class: a weight of 3 is as good as three equal rows."""
    _, groups = np.unique(_hashes(values), return_inverse=True)
    sums = np.zeros((len(values), n_classes))
    np.add.at(sums, (groups, numbers), weights)
    equal: Array = sums[groups]
    return equal


def _hashes(values: Array) -> NDArray[Any]:
    bits = np.ascontiguousarray(values, dtype=float).view(np.uint64)
    return row_hashes(bits.T, len(bits))


def _losses(form: Any, values: Array, numbers: Numbers, weights: Array, copies: Array, class_rows: Array) -> Array:
    """Log loss of each feature alone, in nats; missing values cost nothing."""
    total = np.zeros(form.n_features)
    shares = weights / np.maximum(copies.sum(axis=1), 1e-300)  # what leaves together is one observation
    for rows in slices(len(values), max(1, CELLS // max(1, form.n_classes * form.n_features))):
        logs = form.leave_copies_out(values[rows], copies[rows])
        prior = np.maximum(class_rows - copies[rows], 0)
        logs = logs + np.log(prior + 0.5)[:, :, None]
        top = logs.max(axis=1)
        entries = np.arange(len(logs)), numbers[rows]
        losses = top + np.log(np.exp(logs - top[:, None]).sum(axis=1)) - logs[entries]
        total += (np.where(np.isnan(values[rows]), 0.0, losses) * shares[rows][:, None]).sum(axis=0)
    return total


@dataclass(frozen=True, kw_only=True)
class Number(Kind):
    """Numbers of any distribution: Gaussian, log-Gaussian or a histogram, chosen by leave-one-out for each column.

    `bins` is about how many bins the histogram has.

    >>> rows = [[1.0], [1.2], [0.9], [50.0], [75.0], [61.0]]
    >>> statistics = Number().statistics(1, 2).add(rows, [0, 0, 0, 1, 1, 1])
    >>> FORMS[statistics.choice[0]]
    'log'
    """

    bins: int = 20
    predictive: bool = False

    statistics_class: ClassVar[type[Statistics]] = NumberStatistics

    def __post_init__(self) -> None:
        Histogram(bins=self.bins)
