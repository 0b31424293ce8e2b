"""Settings chosen by exact leave-one-out: every training document scored by the model that has not seen it.

What is chosen are the trust curves of the automatic model: how much evidence counts, by how sure it is (its
signal-to-noise ratio) and by the number of documents it comes from. `kernel/src/trust.rs` has the formulas. The curves
are fitted by penalised softmax regression on leave-one-out scores, so that the probabilities come out calibrated. Their
prior means are curves that were fitted on many sets of documents: where there is little to learn from, these are used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.counts import Counts, as_labels, class_numbers, n_threads
from banbury.likelihoods import VOCABULARIES, log_prior, pseudo_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from banbury.text import Analyzer

EVERY_ONE = 2**62  # more documents than there are
MOST_DOCUMENTS = 10_000  # more make the curves hardly better
MOST_NUMBERS = 6_000_000  # of the basis: beyond, the regression takes longer than counting
MOST_CLASSES = 1_000  # with more, what the classes would need of memory is better spent on documents
FEW_DOCUMENTS = 100

KNOTS = 7
MULTIPLIER_SD = 0.25  # of a block's one multiplier, around 1
NEIGHBOUR_SD = 0.25  # of the difference of neighbouring knots, in units of the curve's scale
DISTANCE_SD = 1.0  # of a knot's distance from its prior mean, in the same units
BIAS_PRECISION = 1.0


def leave_one_out(
    counts: Counts,
    texts: Any,
    labels: Any,
    *,
    likelihood: str = "multinomial",
    smoothing: Any = 1.0,
    vocabulary: str = "shared",
    prior: Any = "empirical",
    threads: int | None = None,
) -> NDArray[Any]:
    """log P(class) + log P(text | class), for each text and class, as if the text had never been counted.

    The texts are among those that `counts` has counted, with the same labels. The result equals, up to rounding, that
    of counting all others again: a word that only this document has leaves the vocabulary, a class may stay empty.

    >>> counts = Counts().add(["so happy", "so sad", "so happy"], ["yes", "no", "yes"])
    >>> leave_one_out(counts, ["so happy"], ["yes"]).argmax(axis=1)  # of ["no", "yes"]
    array([1])
    """
    import numpy as np

    numbers = class_numbers(as_labels(labels), counts.classes)
    documents = _kernel.Documents(counts.kernel, texts, numbers, None, EVERY_ONE, n_threads(threads))
    scores = plain_scores(documents, counts, likelihood, smoothing, vocabulary, prior, threads)
    return scores[np.frombuffer(documents.places, np.uint32)]


def plain_scores(
    documents: _kernel.Documents,
    counts: Counts,
    likelihood: str,
    smoothing: Any,
    vocabulary: str,
    prior: Any,
    threads: int | None,
) -> NDArray[Any]:
    """The leave-one-out scores of documents, in their own order."""
    import numpy as np

    assert vocabulary in VOCABULARIES
    present, absent = pseudo_counts(likelihood, smoothing)
    is_class = vocabulary == "class"
    logs = documents.log_likelihoods(likelihood, present, absent, is_class, n_threads(threads))
    scores: NDArray[Any] = np.frombuffer(logs).reshape(-1, len(counts.classes))
    if likelihood == "complement" and len(counts.classes) > 1:
        return scores
    if prior != "empirical":
        scores = scores + np.array(log_prior(counts.classes, counts.documents, prior, likelihood))
        return scores
    own = np.array(documents.classes, dtype=np.intp)
    left = np.tile(np.array(counts.documents, dtype=float), (len(own), 1))
    left[np.arange(len(own)), own] -= 1
    with np.errstate(divide="ignore"):
        scores = scores + np.log(left) - np.log(max(sum(counts.documents) - 1, 1))
    return scores


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
        biases = _centred_log_prior(documents)
        return [self.prior * bias + shifts.get(label, 0.0) for label, bias in zip(classes, biases, strict=True)]

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {"curves": list(self.curves), "prior": self.prior, "shifts": [list(shift) for shift in self.shifts]}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Trust:
        """What `settings` came from."""
        shifts = tuple((label, float(shift)) for label, shift in settings["shifts"])
        return cls(tuple(map(float, settings["curves"])), float(settings["prior"]), shifts)


@dataclass(frozen=True)
class Tried:
    """One way to read the counts, and how well it did by leave-one-out."""

    name: str
    log_loss: float
    accuracy: float


@dataclass(frozen=True)
class Choice:
    """What leave-one-out has chosen, and what it saw."""

    trust: Trust
    analyzer: Analyzer
    tried: list[Tried]
    chosen: str
    note: str
    rows: list[int]
    """Of the documents that were looked at: where they were among those given."""
    own: NDArray[Any]
    weights: NDArray[Any]
    log_probabilities: NDArray[Any]
    """Of these documents and each class, by leave-one-out."""


def choose(
    counts: Counts,
    texts: Any,
    numbers: Any,
    weights: Any,
    *,
    narrower: Analyzer | None = None,
    threads: int | None = None,
) -> Choice:
    """The trust curves for counts of at least two classes.

    `texts` are the documents that were counted, `numbers` their classes as a buffer. With `narrower`, an analyzer that
    lacks the last block, that block is left out unless leave-one-out says that it helps.
    """
    import numpy as np

    n_classes = len(counts.classes)
    n_scored = 1 if n_classes == 2 else n_classes
    means, prior = _means(counts.analyzer, n_classes)
    n_numbers = sum(map(len, means))
    most = min(MOST_DOCUMENTS, max(MOST_NUMBERS // (n_scored * n_numbers), 50))
    documents = _kernel.Documents(counts.kernel, texts, numbers, weights, most, n_threads(threads))
    basis = np.frombuffer(documents.basis(n_threads(threads))).reshape(-1, n_scored, n_numbers)
    own, of = np.array(documents.classes, dtype=np.intp), np.array(documents.weights, dtype=float)
    fit = _Fit(basis, own, of, counts)

    analyzer = counts.analyzer
    tried, (trust, logs) = fit.tried(analyzer, means, prior)
    chosen = tried[-1].name
    if narrower is not None:
        fewer, (other, other_logs) = fit.tried(narrower, *_means(narrower, n_classes))
        # A block that makes the counts several times as large has to be worth it.
        if tried[-1].log_loss > 0.99 * fewer[-1].log_loss:
            trust, logs, analyzer, chosen = other, other_logs, narrower, fewer[-1].name
        tried = fewer + tried
    n_documents, n_used = sum(counts.documents), int(of.sum())
    note = ""
    if n_documents < FEW_DOCUMENTS:
        note = (
            f"{n_documents} documents are few: the curves stay close to those that many other sets of documents gave, "
            "and these figures can be far off"
        )
    elif n_used < n_documents:
        note = f"a fixed sample of {n_used} of {n_documents} documents was looked at"
    return Choice(trust, analyzer, tried, chosen, note, documents.rows, own, of, logs)


class _Fit:
    """A regression on the basis values of some documents."""

    def __init__(self, basis: NDArray[Any], own: NDArray[Any], weights: NDArray[Any], counts: Counts) -> None:
        import numpy as np

        self.own, self.weights, self.counts = own, weights, counts
        # What all classes have in common does not change a probability.
        self.basis = basis if basis.shape[1] == 1 else basis - basis.mean(axis=1, keepdims=True)
        self.centred = np.array(_centred_log_prior(counts.documents))

    def tried(
        self, analyzer: Analyzer, means: list[list[float]], prior: float
    ) -> tuple[list[Tried], tuple[Trust, NDArray[Any]]]:
        """What the universal curves and the fitted ones give; the latter with their logarithms of probabilities."""
        import numpy as np

        n_classes = len(self.counts.classes)
        mean = np.concatenate([np.array(block) for block in means])
        basis = self.basis[:, :, : len(mean)]
        bias = prior * self.centred
        ends = np.cumsum([len(block) for block in means])
        levels = np.stack(
            [basis[:, :, end - len(block) : end] @ block for block, end in zip(means, ends, strict=True)], 2
        )
        problem = _Problem(self.own, self.weights, n_classes)
        untouched = problem.log_probabilities(levels.sum(axis=2), bias)

        # One multiplier for each block first, then every knot.
        multipliers, _ = problem.solve(levels, np.ones(len(means)), np.eye(len(means)) / MULTIPLIER_SD**2, bias)
        scaled = np.concatenate([np.array(block) * max(m, 0.05) for block, m in zip(means, multipliers, strict=True)])
        precision = self._precision(basis, scaled, mean, analyzer)
        curves, biases = problem.solve(basis, scaled, precision, bias)
        # Far above what the order of additions in a matrix product changes, and far below what matters.
        curves, shifts = curves.round(9), (biases - bias).round(9)
        logs = problem.log_probabilities(basis @ curves, bias + shifts)
        trust = Trust(tuple(curves.tolist()), prior, tuple(zip(self.counts.classes, shifts.tolist(), strict=True)))
        name = _block_names(analyzer)
        tried = [
            Tried(f"{name}, universal curves", *problem.figures(untouched)),
            Tried(f"{name}, fitted curves", *problem.figures(logs)),
        ]
        return tried, (trust, logs)

    def _precision(
        self, basis: NDArray[Any], curves: NDArray[Any], mean: NDArray[Any], analyzer: Analyzer
    ) -> NDArray[Any]:
        """The penalty, in units in which each curve alone would give scores of the size that all together give."""
        import numpy as np

        weights = self.weights[:, None] / self.weights.sum() / basis.shape[1]

        def size(scores: NDArray[Any]) -> float:
            return float(np.sqrt((weights * scores**2).sum()))

        whole, largest = size(basis @ curves), float(np.abs(mean).max())
        differences = np.diff(np.eye(KNOTS), axis=0)
        shape = differences.T @ differences / NEIGHBOUR_SD**2 + np.eye(KNOTS) / DISTANCE_SD**2
        precision = np.zeros((len(curves), len(curves)))
        for start in range(0, len(curves), KNOTS):
            curve = slice(start, start + KNOTS)
            alone = size(basis[:, :, curve].sum(axis=2))
            scale = min(whole / alone, 10 * largest) if alone > 0 and whole > 0 else largest
            precision[curve, curve] = shape / max(scale, 1e-6) ** 2
        return precision


class _Problem:
    """Penalised softmax regression with one vector of coefficients for all classes, and a bias for each."""

    def __init__(self, own: NDArray[Any], weights: NDArray[Any], n_classes: int) -> None:
        self.own, self.weights, self.n_classes = own, weights, n_classes

    def log_probabilities(self, scores: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
        """Of each class; with two classes `scores` has the second one's, and the first has its negative."""
        import numpy as np

        if self.n_classes == 2:
            scores = np.concatenate([-scores, scores], axis=1)
        logs: NDArray[Any] = scores + bias
        logs = logs - logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs

    def figures(self, logs: NDArray[Any]) -> tuple[float, float]:
        """Log loss and accuracy."""
        total = self.weights.sum()
        right = logs.argmax(axis=1) == self.own
        return -self._own(logs) / total, float((self.weights * right).sum() / total)

    def _own(self, logs: NDArray[Any]) -> float:
        import numpy as np

        return float((self.weights * logs[np.arange(len(self.own)), self.own]).sum())

    def solve(
        self, features: NDArray[Any], mean: NDArray[Any], precision: NDArray[Any], bias: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The coefficients and biases, by Newton's method."""
        import numpy as np

        n_features = len(mean)
        # With two classes the biases are each other's negatives, and so one number.
        biases = np.array([[-1.0], [1.0]]) if self.n_classes == 2 else np.eye(self.n_classes)
        around = np.concatenate([mean, bias[1:] if self.n_classes == 2 else bias])
        penalty = np.zeros((len(around), len(around)))
        penalty[:n_features, :n_features] = precision
        penalty[n_features:, n_features:] = BIAS_PRECISION * biases.T @ biases

        def loss(at: NDArray[Any]) -> tuple[float, NDArray[Any]]:
            logs = self.log_probabilities(features @ at[:n_features], biases @ at[n_features:])
            away = at - around
            return -self._own(logs) + 0.5 * float(away @ penalty @ away), logs

        at = around.copy()
        value, logs = loss(at)
        for _ in range(60):
            gradient, hessian = self._derivatives(features, logs, biases)
            gradient += penalty @ (at - around)
            hessian += penalty
            hessian[np.diag_indices_from(hessian)] += 1e-9 * max(1.0, hessian.diagonal().max())
            step = np.linalg.solve(hessian, gradient)
            length = 1.0
            while True:
                lower, its_logs = loss(at - length * step)
                if lower <= value - 1e-4 * length * float(gradient @ step) or length < 1e-5:
                    break
                length /= 2
            gain = value - lower
            if gain > 0:
                at, value, logs = at - length * step, lower, its_logs
            if gain < 1e-7 * self.weights.sum():
                break
        return at[:n_features], biases @ at[n_features:]

    def _derivatives(
        self, features: NDArray[Any], logs: NDArray[Any], biases: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        import numpy as np

        chances = np.exp(logs)
        if self.n_classes == 2:
            # The log-odds are twice the score of the second class.
            flat = 2 * np.concatenate([features[:, 0, :], np.ones((len(features), 1))], axis=1)
            second = chances[:, 1]
            gradient = flat.T @ (self.weights * (second - self.own))
            half = flat * np.sqrt(self.weights * second * chances[:, 0])[:, None]
            return gradient, half.T @ half
        n, n_classes, n_features = features.shape
        excess = chances * self.weights[:, None]
        half = features * np.sqrt(excess)[:, :, None]
        half = half.reshape(-1, n_features)
        means = np.matmul(chances[:, None, :], features)[:, 0, :]
        weighted = means * self.weights[:, None]
        hessian = np.empty((n_features + n_classes,) * 2)
        hessian[:n_features, :n_features] = half.T @ half - weighted.T @ means
        sums = np.stack([excess[:, place] @ features[:, place, :] for place in range(n_classes)])
        hessian[n_features:, :n_features] = sums - excess.T @ means
        hessian[:n_features, n_features:] = hessian[n_features:, :n_features].T
        hessian[n_features:, n_features:] = np.diag(excess.sum(axis=0)) - excess.T @ chances
        excess[np.arange(n), self.own] -= self.weights
        gradient = np.concatenate([excess.reshape(-1) @ features.reshape(-1, n_features), excess.sum(axis=0)])
        return gradient, hessian


def _centred_log_prior(documents: list[int]) -> list[float]:
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
    text = files("banbury").joinpath("data", "trust.json").read_text(encoding="utf-8")
    universal: dict[str, Any] = json.loads(text)
    return universal
