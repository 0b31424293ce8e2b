"""Settings chosen by exact leave-one-out: every training document scored by the model that has not seen it.

What is chosen are the trust curves of the automatic model: how much evidence counts, by how sure it is (its
signal-to-noise ratio) and by the number of documents it comes from. `kernel/src/trust.rs` has the formulas. The curves
are fitted by penalised softmax regression on leave-one-out scores, so that the probabilities come out calibrated. Their
prior means are curves that were fitted on many sets of documents: where there is little to learn from, these are used.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import log
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.results.trials import Seen, Tried, figures
from banbury.text.counts import Counts
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import MOST_DOCUMENTS, sample_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from banbury.text.analyzer import Analyzer

MOST_NUMBERS = 12_000_000  # of the basis: beyond, the regression takes longer than counting
MOST_CLASSES = 10_000  # with more, the basis of even a few documents would take too much memory

KNOTS = 7
MULTIPLIER_SD = 0.25  # of a block's one multiplier, around 1
LEVEL_SD = 0.3  # of what the multipliers of all blocks have in common: how hard the texts are
NEIGHBOUR_SD = 0.25  # of the difference of neighbouring knots, in units of the curve's scale
DISTANCE_SD = 1.0  # of a knot's distance from its prior mean, in the same units
BIAS_PRECISION = 1.0
# Documents that leave each other out share the chances of one corpus, so a few say less than as many independent ones
# would. With this many documents their word counts half. Found on draws of 60 to 2,000 documents from eight sets.
SHARED_DOCUMENTS = 600
# Where a class has few, the curves could learn to tell it by what leaving one of them out has taken from it. From fewer
# than this for each class on they learn less and less.
FEW_OF_A_CLASS = 60


@dataclass(frozen=True)
class Trust:
    """How counts are read by the automatic model: the curves, and where the score of each class starts."""

    curves: tuple[float, ...]
    prior: float
    """How much the logarithm of a class's share of the documents counts."""
    shifts: tuple[tuple[Any, float], ...]
    """What else the score of each label starts with; a label that came later has 0."""

    @classmethod
    def universal(cls, analyzer: Analyzer, n_classes: int) -> Trust:
        """The curves that nothing was fitted to."""
        means, prior = _means(analyzer, n_classes)
        return cls(tuple(number for block in means for number in block), prior, ())

    def start(self, classes: list[Any], documents: list[int]) -> list[float]:
        """Where the score of each class starts."""
        shifts = dict(self.shifts)
        biases = centred_log_prior(documents)
        return [self.prior * bias + shifts.get(label, 0.0) for label, bias in zip(classes, biases, strict=True)]

    def scaled(self, factor: float) -> Trust:
        """The same decisions, surer or less sure: every score times a factor."""
        shifts = tuple((label, factor * shift) for label, shift in self.shifts)
        return Trust(tuple(factor * number for number in self.curves), factor * self.prior, shifts)

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {"curves": list(self.curves), "prior": self.prior, "shifts": [list(shift) for shift in self.shifts]}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Trust:
        """What `settings` came from."""
        shifts = tuple((label, float(shift)) for label, shift in settings["shifts"])
        return cls(tuple(map(float, settings["curves"])), float(settings["prior"]), shifts)


def choose(
    counts: Counts,
    texts: Any,
    numbers: Any,
    weights: Any,
    *,
    narrower: Analyzer | None = None,
    most_numbers: int = MOST_NUMBERS,
    threads: int | None = None,
) -> tuple[Trust, Analyzer, Seen]:
    """The trust curves for counts of at least two classes.

    `texts` are the documents that were counted, `numbers` their classes as a buffer. With `narrower`, an analyzer that
    lacks the last block, that block is left out unless leave-one-out says that it helps. `most_numbers` of the basis
    are looked at: with many classes, more of them are more documents.
    """
    import numpy as np

    n_classes = len(counts.classes)
    n_scored = 1 if n_classes == 2 else n_classes
    means, prior = _means(counts.analyzer, n_classes)
    n_numbers = sum(map(len, means))
    most = min(MOST_DOCUMENTS, max(most_numbers // (n_scored * n_numbers), 50))
    documents = _kernel.Documents(counts.kernel, texts, numbers, weights, most, n_threads(threads))
    own, of = np.array(documents.classes, dtype=np.intp), np.array(documents.weights, dtype=float)
    fit = _Fit(documents.basis(n_threads(threads)), own, of, counts, n_threads(threads))

    analyzer = counts.analyzer
    tried, (trust, logs) = fit.tried(analyzer, means, prior)
    chosen = tried[-1].name
    if narrower is not None:
        fewer, (other, other_logs) = fit.tried(narrower, *_means(narrower, n_classes))
        # A block that makes the counts several times as large has to be worth it.
        if tried[-1].log_loss > 0.99 * fewer[-1].log_loss:
            trust, logs, analyzer, chosen = other, other_logs, narrower, fewer[-1].name
        tried = fewer + tried
    return trust, analyzer, Seen(tried, chosen, sample_note(counts.documents, of), documents.rows, own, of, logs)


class _Fit:
    """Curves fitted on the basis values of some documents."""

    def __init__(
        self, basis: _kernel.Array, own: NDArray[Any], weights: NDArray[Any], counts: Counts, threads: int
    ) -> None:
        import numpy as np

        n_classes = len(counts.classes)
        # What the others say of a document is worth the less, the larger a part of its class it is: of its only
        # document they can say nothing right.
        left = 1 - 1 / np.array(counts.documents, dtype=float)[own]
        self.regression = _kernel.Regression(basis, basis.shape[-1], own.astype(np.uint32), weights * left, n_classes)
        self.own, self.weights, self.counts, self.threads = own, weights, counts, threads
        self.centred = centred_log_prior(counts.documents)

    def tried(
        self, analyzer: Analyzer, means: list[list[float]], prior: float
    ) -> tuple[list[Tried], tuple[Trust, NDArray[Any]]]:
        """What the universal curves and the fitted ones give; the latter with their logarithms of probabilities."""
        mean = [number for block in means for number in block]
        bias = [prior * value for value in self.centred]
        ends = list(accumulate(map(len, means)))
        ranges = [(end - len(block), end) for block, end in zip(means, ends, strict=True)]
        untouched = self._logs(mean, bias)

        # One multiplier for each block first, then every knot.
        levels = self.regression.grouped(ranges, mean)
        n = len(means)
        multipliers, _ = levels.fit([1.0] * n, _level_precision(n), bias, BIAS_PRECISION, self.threads)
        scaled = [number * max(m, 0.05) for block, m in zip(means, multipliers, strict=True) for number in block]
        curves, biases = self.regression.fit(scaled, self._precision(scaled, mean), bias, BIAS_PRECISION, self.threads)
        logs = self._logs(curves, biases)
        shifts = [one - other for one, other in zip(biases, bias, strict=True)]
        trust = Trust(tuple(curves), prior, tuple(zip(self.counts.classes, shifts, strict=True)))
        name = _block_names(analyzer)
        tried = [
            Tried(f"{name}, universal curves", *figures(untouched, self.own, self.weights)),
            Tried(f"{name}, fitted curves", *figures(logs, self.own, self.weights)),
        ]
        return tried, (trust, logs)

    def _logs(self, curves: list[float], bias: list[float]) -> NDArray[Any]:
        import numpy as np

        return np.asarray(self.regression.log_probabilities(curves, bias, self.threads))

    def _precision(self, curves: list[float], mean: list[float]) -> list[float]:
        """The penalty, in units in which each curve alone would give scores of the size that all together give."""
        import numpy as np

        n = len(curves)
        whole, largest = self.regression.size(curves), max(map(abs, mean))
        differences = np.diff(np.eye(KNOTS), axis=0)
        shape = np.einsum("ki,kj->ij", differences, differences) / NEIGHBOUR_SD**2 + np.eye(KNOTS) / DISTANCE_SD**2
        alone = self.regression.grouped([(start, start + KNOTS) for start in range(0, n, KNOTS)], [1.0] * n)
        precision = np.zeros((n, n))
        for at, start in enumerate(range(0, n, KNOTS)):
            size = alone.size([0.0] * at + [1.0])
            scale = min(whole / size, 10 * largest) if size > 0 and whole > 0 else largest
            precision[start : start + KNOTS, start : start + KNOTS] = shape / max(scale, 1e-6) ** 2
        n_documents, n_classes = sum(self.counts.documents), len(self.counts.documents)
        times = 1 + SHARED_DOCUMENTS / n_documents + (FEW_OF_A_CLASS * n_classes / n_documents) ** 2
        flat: list[float] = (precision * times).ravel().tolist()
        return flat


def _level_precision(n: int) -> list[float]:
    """Of the multipliers of `n` blocks: each has a deviation of its own, and all have one in common."""
    own, common = MULTIPLIER_SD**2, LEVEL_SD**2
    shared = common / (own * (own + n * common))
    return [(at % (n + 1) == 0) / own - shared for at in range(n * n)]


def centred_log_prior(documents: list[int]) -> list[float]:
    """The logarithms of the classes' shares, half a document added to each, around their mean."""
    logs = [log(n + 0.5) for n in documents]
    return [value - sum(logs) / len(logs) for value in logs]


def _blocks(analyzer: Analyzer) -> Iterator[tuple[str, bool]]:
    """The counted blocks of an analyzer in the kernel's order, and whether their features are pairs of features."""
    low, high = analyzer.ngrams
    if analyzer.words is not None:
        for n in range(low, high + 1):
            yield ("words" if n == 1 else "runs"), n == 2 and low == 1
    if analyzer.characters is not None:
        yield "characters", False


def _block_names(analyzer: Analyzer) -> str:
    low, high = analyzer.ngrams
    names = []
    if analyzer.words is not None:
        names = [{1: "words", 2: "pairs"}.get(n, f"runs of {n} words") for n in range(low, high + 1)]
    names += ["characters"] if analyzer.characters is not None else []
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _means(analyzer: Analyzer, n_classes: int) -> tuple[list[list[float]], float]:
    """The universal curves of each block, and how much the prior counts."""
    kind = _universal()["two" if n_classes == 2 else "more"]["words" if analyzer.characters is None else "characters"]
    means = []
    for name, has_parents in _blocks(analyzer):
        numbers = kind[name]
        if name == "runs" and not has_parents:
            # Without the curve of what pairs take back from their words.
            width = 3 * KNOTS if n_classes == 2 else 4 * KNOTS
            numbers = [n for at, n in enumerate(numbers) if at % width < width - KNOTS]
        means.append(numbers)
    return means, kind["prior"]


@cache
def _universal() -> dict[str, Any]:
    """Fitted once, on the training documents of eight public sets at several sizes, with equal weights."""
    # importlib.resources takes longer to import than all of this to compute.
    with open(os.path.join(os.path.dirname(_kernel.__file__), "data", "trust.json"), encoding="utf-8") as file:
        universal: dict[str, Any] = json.load(file)
    return universal
