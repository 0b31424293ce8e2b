"""Trust curves fitted by exact leave-one-out: every training document scored by the model that has not seen it.

Penalised softmax regression on leave-one-out scores gives the curves, so that probabilities come out calibrated. Their
prior means are universal curves: where there is little to learn from, these are used. Besides each document there is a
window of it, any number of its words, so that short texts come out calibrated too. A document is left out together
with all its copies, or with all of its group: they know its label.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.results.trials import ByLength, Seen, Tried, figures
from banbury.stats.softmax import log_softmax
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import (
    SHIFT_PRECISION,
    WINDOW_WEIGHT,
    alike_note,
    left_out_weights,
    sample_note,
    together_note,
)
from banbury.text.trust import CHANNELS, KNOTS, NO_CAP, Trust, centred_log_prior, universal_curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from banbury.text.analyzer import Analyzer
    from banbury.text.counts import Counts

MOST_BASIS_NUMBERS = 12_000_000  # of the basis: beyond, the regression takes longer than counting
MOST_FITTED_DOCUMENTS = 5_000  # more make the curves hardly better
FEWEST_DOCUMENTS = 50
MOST_LISTED_SCORES = 300_000_000  # documents times classes, from which classes are listed
MOST_REPORTED_SCORES = 300_000  # documents times classes, each left out once more for the report
# With more classes none has a shift, and the report is of those that documents list: the true one, and the likeliest.
MANY_CLASSES, MOST_REPORTED_LISTS = 1_000, 500

# With more classes than all of these together a row lists its own, the best others by a first score, and random ones.
BEST_LISTED, RANDOM_LISTED = 5, 4

CAP_SHARE = 0.99  # of the documents are no longer than the cap
MULTIPLIER_SD = 0.25  # of a block's one multiplier, around 1
LEVEL_SD = 0.3  # of what the multipliers of all blocks have in common: how hard the texts are
SMALLEST_MULTIPLIER = 0.05
NEIGHBOUR_SD = 0.25  # of the difference of neighbouring knots, in units of the curve's scale
DISTANCE_SD = 1.0  # of a knot's distance from its prior mean, in the same units
# Documents that leave each other out share the chances of one corpus, so a few say less than as many independent ones
# would. With this many documents their word counts half. Found on draws of 60 to 2,000 documents from eight sets.
SHARED_DOCUMENTS = 600
# Where a class has few, the curves could learn to tell it by what leaving one of them out has taken from it. From fewer
# than this for each class on they learn less and less.
FEW_OF_A_CLASS = 60
# The universal curves are those of hundreds of documents: from so many they count half before anything is fitted.
CAUTION = 16.0
CURVE_FOLDS = 10  # of the documents, each reported by curves that were not fitted to it
LENGTH_BANDS = (1, 2, 3, 5, 10, 25, 50, 100, 250)  # words from which on figures are given
FEW_TEXTS = 30  # of some length: figures of fewer say nothing
WORTH = 0.99  # of the log loss: a block that makes the counts several times as large has to save more


def fit_curves(
    counts: Counts,
    texts: Any,
    class_ids: Any,
    weights: Any,
    *,
    groups: Sequence[str] | None = None,
    narrower: Analyzer | None = None,
    most_numbers: int = MOST_BASIS_NUMBERS,
    threads: int | None = None,
) -> tuple[Trust, Analyzer, Seen]:
    """The trust curves for counts of at least two classes.

    `texts` are documents that were counted, `class_ids` their classes as a buffer, `groups` the names of what belongs
    together. With `narrower`, an analyzer that lacks the last block, that block is left out unless leave-one-out says
    that it helps. `most_numbers` of the basis are looked at: with many classes, more of them are more documents.
    """
    n_classes = len(counts.classes)
    width = _n_listed(n_classes)
    n_numbers = len(curve_columns(universal_curves(counts.analyzer)[0], n_classes))
    most = min(most_numbers // (2 * width * n_numbers), MOST_FITTED_DOCUMENTS, MOST_LISTED_SCORES // n_classes)
    most = max(most, FEWEST_DOCUMENTS)
    documents = _kernel.Documents(
        counts.kernel, texts, class_ids, weights, most, n_threads(threads), groups=groups, windows=True
    )
    fit = CurveFit(documents, counts, n_threads(threads), most_numbers)
    analyzer = counts.analyzer
    tried, trust, logs = fit.tried(analyzer)
    chosen = tried[-1].name
    if narrower is not None:
        fewer, other, other_logs = fit.tried(narrower)
        if tried[-1].log_loss > WORTH * fewer[-1].log_loss:
            trust, logs, analyzer, chosen = other, other_logs, narrower, fewer[-1].name
        tried = fewer + tried
    n, document_weights = fit.n_reported, fit.weights[: fit.n_reported]
    notes = [
        sample_note(counts.documents, document_weights),
        together_note(documents, counts, groups is not None),
        alike_note(documents, logs.is_right()[:n], threads),
        f"of {n_classes} classes, each document was told from the likeliest" if fit.is_many else "",
    ]
    lengths = np.concatenate([fit.lengths[:n, 0], fit.lengths[len(fit.class_ids) :][:n, 0]])
    note = "; ".join(note for note in notes if note)
    class_ids, table, columns = logs.table(n)
    of_documents = (documents.rows[:n], class_ids, document_weights, table)
    seen = Seen(tried, chosen, note, *of_documents, logs.by_length(lengths), columns)
    return trust, analyzer, seen


def _n_listed(n_classes: int) -> int:
    """How many classes a row of the regression has numbers for."""
    most = 1 + BEST_LISTED + RANDOM_LISTED
    return 1 if n_classes == 2 else min(n_classes, most)


class _Lists(NamedTuple):
    """Some classes for each row, its own first, and what the scores of each get."""

    classes: NDArray[np.uint32]
    offsets: NDArray[np.float64]
    numbers: NDArray[np.uint32]
    """The numbers that the regression knows the listed classes by."""
    shifted: NDArray[np.uint32]
    """By such a number the class that has a shift of its own; none where no class has."""


class _Logs(NamedTuple):
    """Logarithms of probabilities of documents, then of their windows: of all classes, or of those that a row lists."""

    logs: NDArray[np.float64]
    own: NDArray[np.intp]
    """The column of each row's own class."""
    classes: NDArray[np.intp] | None = None
    """By row the classes of the columns; None where they are all."""

    def is_right(self) -> NDArray[np.bool_]:
        """Whether no other class of a row has more than its own."""
        right: NDArray[np.bool_] = self.logs.argmax(axis=1) == self.own
        return right

    def figures(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """Log loss and accuracy of the documents that these are the weights of."""
        n = len(weights)
        return figures(self.logs[:n], self.own[:n], weights)

    def by_length(self, lengths: NDArray[np.float64]) -> list[ByLength]:
        """The same by the number of known words of rows."""
        return figures_by_length(lengths, self.own, self.logs)

    def table(self, n: int) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp] | None]:
        """Of the first rows: the column of each one's class, log probabilities by column, the classes of the columns.

        Columns are the classes that are in any of their lists; None where they are all.
        """
        if self.classes is None:
            return self.own[:n], self.logs[:n], None
        columns, places = np.unique(self.classes[:n], return_inverse=True)
        places = places.reshape(n, -1)
        table = np.full((n, len(columns)), -np.inf)
        np.put_along_axis(table, places, self.logs[:n], axis=1)
        return places[:, 0], table, columns


class CurveFit:
    """Curves fitted on the basis values of some documents."""

    def __init__(
        self, documents: _kernel.Documents, counts: Counts, threads: int, most_numbers: int = MOST_BASIS_NUMBERS
    ) -> None:
        self.documents, self.counts, self.threads = documents, counts, threads
        self.class_ids = np.array(documents.classes, np.intp)
        self.weights = np.array(documents.weights, float)
        self.n_classes = len(counts.classes)
        self.log_prior = np.array(centred_log_prior(counts.documents))
        self.is_many = self.n_classes > MANY_CLASSES
        is_listed = _n_listed(self.n_classes) < self.n_classes - (self.n_classes == 2)
        # A basis of all classes has their scores, too: those that lists are made by, and those of the report.
        n_numbers = sum(map(len, universal_curves(counts.analyzer)[0])) // CHANNELS
        fits = 2 * len(self.class_ids) * self.n_classes * n_numbers <= most_numbers
        self.is_whole = not is_listed or (fits and not self.is_many)
        if self.is_whole:
            self.basis = documents.basis(threads)
            self.lists = self._lists_of_scores(*self._first_scores()) if is_listed else None
        else:
            self.lists = self._listed()
            self.basis = documents.basis(threads, self.lists.classes.ravel())
        # Scores of all classes take long where the basis is of some.
        most = MOST_REPORTED_LISTS if self.is_many else MOST_REPORTED_SCORES // self.n_classes
        self.n_reported = len(self.class_ids) if self.is_whole else min(len(self.class_ids), most)
        self.lengths = np.asarray(self.basis.lengths).astype(float)  # by row and block: documents, then their windows
        row_weights, self.n_effective = left_out_weights(documents, counts.documents)
        self.row_weights = np.concatenate([row_weights, WINDOW_WEIGHT * row_weights])
        whole = self.lengths[: len(self.class_ids)]
        none = np.ones(self.lengths.shape[1])
        self.caps = np.maximum(np.quantile(whole, CAP_SHARE, axis=0), 1) if len(whole) else none
        self.typical = np.maximum(np.median(whole, axis=0), 1) if len(whole) else none

    def _first_scores(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores of rows by the universal curves, by a basis of all classes, and how many words each row has."""
        trust = Trust.universal(self.counts.analyzer)
        turns = np.zeros(2 * len(self.class_ids), np.uint32)
        scores = self.basis.scores([trust.curves], [NO_CAP] * len(trust.caps), turns, self.threads)
        return np.asarray(scores), np.asarray(self.basis.lengths)[:, 0]

    def _lists_of_scores(self, scores: NDArray[np.float64], lengths: NDArray[np.float64]) -> _Lists:
        """The classes that rows are told apart from: an unbiased sample of all, with the likeliest certainly in it."""
        _, prior = universal_curves(self.counts.analyzer)
        scores = scores + self.log_prior * (1 + (prior - 1) * _growth_share(lengths)[:, None])
        rows, class_ids = np.arange(len(scores)), np.tile(self.class_ids, 2)
        scores[rows, class_ids] = -np.inf
        best = np.argpartition(-scores, BEST_LISTED, axis=1)[:, :BEST_LISTED]
        draws = np.random.default_rng(0).random(scores.shape)
        draws[rows, class_ids] = 2
        np.put_along_axis(draws, best, 2, axis=1)
        drawn = np.argpartition(draws, RANDOM_LISTED, axis=1)[:, :RANDOM_LISTED]
        classes = np.column_stack([class_ids, best, drawn]).astype(np.uint32)
        return _Lists(classes, self._offsets(), classes, np.arange(self.n_classes, dtype=np.uint32))

    def _listed(self) -> _Lists:
        """The same with the first score made by the kernel, which keeps none of it."""
        trust = Trust.universal(self.counts.analyzer)
        starts = (self.log_prior, (trust.prior - 1) * self.log_prior)
        wanted = (1, 1 + BEST_LISTED, 1 + BEST_LISTED + RANDOM_LISTED)
        lists = self.documents.listed(trust.curves, [NO_CAP] * len(trust.caps), *starts, wanted, self.threads)
        classes = np.asarray(lists)
        if self.is_many:
            # Most classes are in no list, and the others in few: shifts would be chance. Without them the regression
            # need not know which classes they are.
            numbers = np.tile(np.arange(classes.shape[1], dtype=np.uint32), (len(classes), 1))
            return _Lists(classes, self._offsets(), numbers, classes[:0, 0])
        known, places = np.unique(classes, return_inverse=True)
        return _Lists(classes, self._offsets(), places.reshape(classes.shape).astype(np.uint32), known)

    def _offsets(self) -> NDArray[np.float64]:
        """What makes the classes at random of a list stand for all that were not drawn."""
        offsets = np.zeros(1 + BEST_LISTED + RANDOM_LISTED)
        offsets[1 + BEST_LISTED :] = np.log((self.n_classes - 1 - BEST_LISTED) / RANDOM_LISTED)
        return offsets

    def tried(self, analyzer: Analyzer) -> tuple[list[Tried], Trust, _Logs]:
        """What the curves of this analyzer's blocks give; the fitted ones with the logarithms of probabilities."""
        blocks, prior = universal_curves(analyzer)
        regression = self.regression(prior)
        fitted, by_fold = self.fitted(regression, blocks)
        n_blocks, name = len(blocks), block_names(analyzer)
        how = {"caps": tuple(self.caps[:n_blocks].tolist()), "typical": tuple(self.typical[:n_blocks].tolist())}
        classes = self.counts.classes
        sizes = tuple(self.counts.documents)

        def trust(curves: Sequence[float], shifts: Sequence[float]) -> Trust:
            by_class = tuple(zip(classes, self._of_all(shifts), strict=True))
            return Trust(tuple(curves), prior, by_class, sizes=sizes, **how)

        folds, weights = self._folds(), self.weights[: self.n_reported]
        own = np.tile(self.class_ids[: self.n_reported], 2)
        if self.is_many:
            logs = self._listed_logs(regression, by_fold, folds)
        elif self.lists is not None:
            logs = _Logs(self._log_probabilities([trust(*fold) for fold in by_fold], analyzer), own)
        else:
            logs = _Logs(np.asarray(regression.log_probabilities(by_fold, folds, self.threads)), own)
        tried = [Tried(f"{name}, fitted curves", *logs.figures(weights))]
        if self.lists is None:
            universal = (curve_columns(blocks, self.n_classes), [0.0] * self.n_classes)
            untouched = _Logs(np.asarray(regression.log_probabilities([universal], 0 * folds, self.threads)), own)
            tried.insert(0, Tried(f"{name}, universal curves", *untouched.figures(weights)))
        return tried, trust(*fitted), logs

    def _of_all(self, shifts: Sequence[float]) -> Sequence[float]:
        """The shifts of all classes from those of the regression: a class that no document lists has none."""
        if self.lists is None:
            return shifts
        whole = np.zeros(self.n_classes)
        whole[self.lists.shifted] = shifts[: len(self.lists.shifted)]
        by_class: list[float] = whole.tolist()
        return by_class

    def _listed_logs(self, regression: _kernel.Regression, by_fold: Any, folds: NDArray[np.uint32]) -> _Logs:
        """Log probabilities of the certain classes of each row of the report; those at random stand for all others."""
        assert self.lists is not None
        n, n_documents = self.n_reported, len(self.class_ids)
        logs = np.asarray(regression.log_probabilities(by_fold, folds, self.threads))[:, : 1 + BEST_LISTED]
        rows = np.r_[:n, n_documents : n_documents + n]
        classes = self.lists.classes[rows, : 1 + BEST_LISTED].astype(np.intp)
        return _Logs(logs[rows], np.zeros(2 * n, np.intp), classes)

    def _folds(self) -> NDArray[np.uint32]:
        """The fold of each document and each window: those of a group are in the same one."""
        return np.tile(np.asarray(self.documents.groups) % CURVE_FOLDS, 2).astype(np.uint32)

    def regression(self, prior: float) -> _kernel.Regression:
        """The regression of the documents' classes on their basis values."""
        share = _growth_share(self.lengths[:, 0])
        log_prior, numbers = self.log_prior, None
        class_ids = np.tile(self.class_ids, 2).astype(np.uint32)
        if self.lists is not None:
            log_prior, numbers = self.log_prior[self.lists.classes], self.lists.numbers
            class_ids = np.ascontiguousarray(numbers[:, 0])
        starts = log_prior * (1 + (prior - 1) * share[:, None])
        if self.lists is not None:
            starts = starts + self.lists.offsets
        return self.basis.regression(
            self.caps.tolist(),
            class_ids,
            self.row_weights,
            self.n_biases,
            np.ascontiguousarray(starts).ravel(),
            0 * share if self.is_many else share,
            None if numbers is None else numbers.ravel(),
            self.threads,
        )

    @property
    def n_biases(self) -> int:
        """How many classes the regression knows."""
        if self.lists is None:
            return self.n_classes
        return self.lists.numbers.shape[1] if self.is_many else len(self.lists.shifted)

    def fitted(
        self, regression: _kernel.Regression, blocks: list[list[float]]
    ) -> tuple[tuple[list[float], list[float]], list[tuple[list[float], list[float]]]]:
        """Curves and shifts; and the coefficients of the regression and shifts without each fold of the documents."""
        means = [curve_columns([block], self.n_classes) for block in blocks]
        mean = [number for block in means for number in block]
        no_shift = [0.0] * self.n_biases
        ends = list(accumulate(map(len, means)))
        ranges = [(end - len(block), end) for block, end in zip(means, ends, strict=True)]
        # One multiplier for each block first, then every knot.
        levels = regression.grouped(ranges, mean, self.threads)
        n = len(blocks)
        level = self.n_effective / (self.n_effective + CAUTION)
        multipliers, _, _ = levels.fit([level] * n, level_precision(n), no_shift, SHIFT_PRECISION, self.threads)
        multipliers = [max(multiplier, SMALLEST_MULTIPLIER) for multiplier in multipliers]
        scaled = [m * number for block, m in zip(means, multipliers, strict=True) for number in block]
        around = [m * number for block, m in zip(blocks, multipliers, strict=True) for number in block]
        prior = (scaled, self._precision(regression, scaled, mean), no_shift, SHIFT_PRECISION)
        curves, shifts, _ = regression.fit(*prior, self.threads)
        each = regression.without(*prior, (curves, shifts), self._folds(), CURVE_FOLDS, self.threads)
        return (unified(curves, around, blocks) if self.n_classes == 2 else curves, shifts), each

    def _log_probabilities(self, trusts: list[Trust], analyzer: Analyzer) -> NDArray[np.float64]:
        """Of each document of the report, then of each window, of all classes where the regression has some.

        Each fold of the documents has one of `trusts` to read it.
        """
        n, n_folds = self.n_reported, len(trusts)
        is_same = analyzer == self.counts.analyzer
        curves = [list(trust.curves) if is_same else self._padded(trust.curves) for trust in trusts]
        turns = np.tile(np.asarray(self.documents.groups)[:n] % n_folds, 2).astype(np.uint32)
        if self.is_whole:
            scores = np.asarray(self.basis.scores(curves, self.caps.tolist(), turns, self.threads))
            lengths = self.lengths[:, 0]
        else:
            left_out = self.documents.scores(curves, self.caps.tolist(), self.threads, n)
            scores, lengths = np.asarray(left_out.scores), np.asarray(left_out.lengths)
        growths = np.array([trust.growth(self.counts.classes, self.counts.documents) for trust in trusts])
        return log_softmax(self.log_prior + _growth_share(lengths)[:, None] * growths[turns] + scores)

    def _padded(self, curves: Sequence[float]) -> list[float]:
        """Curves of fewer blocks as curves of all: the last ones weigh nothing."""
        whole, _ = universal_curves(self.counts.analyzer)
        return [*curves, *[0.0] * (sum(map(len, whole)) - len(curves))]

    def _precision(self, regression: _kernel.Regression, curves: list[float], mean: list[float]) -> list[float]:
        """The penalty on the curves: the fewer documents there are in all, and of a class, the larger."""
        n_documents = max(self.n_effective, 1e-9)
        times = 1 + SHARED_DOCUMENTS / n_documents + (FEW_OF_A_CLASS * self.n_classes / n_documents) ** 2
        return knot_precision(regression, curves, mean, times, self.threads)


def knot_precision(
    regression: _kernel.Regression, curves: list[float], mean: list[float], times: float, threads: int
) -> list[float]:
    """The penalty on the knots of curves, so many times as large as that of very many documents.

    Its units are those in which each curve alone would give scores of the size that all together give.
    """
    n = len(curves)
    whole, largest = regression.size(curves, threads), max(map(abs, mean))
    differences = np.diff(np.eye(KNOTS), axis=0)
    shape = np.einsum("ki,kj->ij", differences, differences) / NEIGHBOUR_SD**2 + np.eye(KNOTS) / DISTANCE_SD**2
    alone = regression.grouped([(start, start + KNOTS) for start in range(0, n, KNOTS)], [1.0] * n, threads)
    precision = np.zeros((n, n))
    for at, start in enumerate(range(0, n, KNOTS)):
        size = alone.size([0.0] * at + [1.0], threads)
        scale = min(whole / size, 10 * largest) if size > 0 and whole > 0 else largest
        precision[start : start + KNOTS, start : start + KNOTS] = shape / max(scale, 1e-6) ** 2
    flat: list[float] = (precision * times).ravel().tolist()
    return flat


def figures_by_length(
    lengths: NDArray[np.float64], class_ids: NDArray[np.intp], logs: NDArray[np.float64]
) -> list[ByLength]:
    """How well texts are predicted, by the number of their words."""
    by_length = []
    for least, after in zip(LENGTH_BANDS, (*LENGTH_BANDS[1:], np.inf), strict=True):
        rows = np.flatnonzero((lengths >= least) & (lengths < after))
        if len(rows) >= FEW_TEXTS:
            log_loss, accuracy = figures(logs[rows], class_ids[rows], np.ones(len(rows)))
            most = None if after == np.inf else int(after) - 1
            by_length.append(ByLength(least, most, len(rows), accuracy, log_loss))
    return by_length


def _growth_share(lengths: NDArray[Any]) -> NDArray[np.float64]:
    """How much of the growth of starts documents of so many words have."""
    share: NDArray[np.float64] = lengths / (lengths + 16.0)
    return share


def of_all_classes(scores: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """The scores of all classes: with two, the kernel gives the second's, and the first's is its negative."""
    return np.outer(scores, [-1.0, 1.0]) if n_classes == 2 else scores


def curve_columns(blocks: list[list[float]], n_classes: int) -> list[float]:
    """Curves as the regression has them: with two classes only the mean of those inside and outside matters."""
    if n_classes != 2:
        return [number for block in blocks for number in block]
    columns: list[float] = []
    for block in blocks:
        width = len(block) // CHANNELS
        for start in range(0, len(block), width):
            z, inside, outside, rest = _cut(block[start : start + width])
            columns += [*z, *((a + b) / 2 for a, b in zip(inside, outside, strict=True)), *rest]
    return columns


def unified(columns: list[float], around: list[float], blocks: list[list[float]]) -> list[float]:
    """The curves for any number of classes from those for two.

    What differs from the mean of `around`, its own curves inside and outside, is given to both alike.
    """
    curves: list[float] = []
    place = start = 0
    for block in blocks:
        width = len(block) // CHANNELS
        for _ in range(CHANNELS):
            _, inside, outside, rest = _cut(around[start : start + width])
            here = columns[place : place + width - KNOTS]
            mean = [(a + b) / 2 for a, b in zip(inside, outside, strict=True)]
            more = [new - old for new, old in zip(here[KNOTS : 2 * KNOTS], mean, strict=True)]
            curves += here[:KNOTS]
            curves += [a + b for a, b in zip(inside, more, strict=True)]
            curves += [a + b for a, b in zip(outside, more, strict=True)]
            curves += here[2 * KNOTS :]
            start, place = start + width, place + width - KNOTS
            assert len(rest) == len(here) - 2 * KNOTS
    return curves


def _cut(numbers: list[float]) -> tuple[list[float], list[float], list[float], list[float]]:
    """The curves of one block and channel: over the ratio, inside, outside, and what pairs take back."""
    return numbers[:KNOTS], numbers[KNOTS : 2 * KNOTS], numbers[2 * KNOTS : 3 * KNOTS], numbers[3 * KNOTS :]


def level_precision(n: int) -> list[float]:
    """Of the multipliers of `n` blocks: each has a deviation of its own, and all have one in common."""
    single, common = MULTIPLIER_SD**2, LEVEL_SD**2
    shared = common / (single * (single + n * common))
    return [(at % (n + 1) == 0) / single - shared for at in range(n * n)]


def block_names(analyzer: Analyzer) -> str:
    """What an analyzer counts, in words."""
    low, high = analyzer.ngrams
    names = []
    if analyzer.words is not None:
        names = [{1: "words", 2: "pairs"}.get(n, f"runs of {n} words") for n in range(low, high + 1)]
    names += ["characters"] if analyzer.characters is not None else []
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
