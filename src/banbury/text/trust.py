"""Trust: how the automatic model reads counts, by curves, starts and the lengths of documents.

Trust curves say how much evidence counts, by how sure it is (its signal-to-noise ratio) and by the number of documents
it comes from. `kernel/src/trust.rs` has the formulas; `text/curves.py` fits the curves. Where nothing was fitted, the
universal ones are used, which many sets of documents gave.
"""

from __future__ import annotations

import os
from functools import cache, cached_property
from math import exp, log

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, NamedTuple
from banbury.errors import FileFormatError
from banbury.lazy import json
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from banbury.text.analyzer import Analyzer

KNOTS = 7
CHANNELS = 2  # functions of a document's length, each with curves of its own
NO_CAP = 1e9  # features: more than any document has
ADDED_DOCUMENTS = 2.0  # to each class in its start: shares of few documents are chance for the most part
FEW_OF_A_LABEL = 6.0  # documents of a new label: with so many its evidence counts half
PROVING_DOCUMENTS = 30.0  # of a new label: with so many its evidence may count twice what that of the old ones does
NOT_FITTED = (0.0, 0)  # shift and documents of a label that came later
TYPICAL = 16.0  # features of a document where none has been seen
LARGEST_COEFFICIENT = 1e6  # of a curve in a file; fitted ones are below 100, and their sums are numbers


class Later(NamedTuple):
    """What the documents of a label that came after the fit have asked for so far."""

    label: Any
    shift: float = 0.0
    """Of its start, in long documents."""
    slope: float = 0.0
    """The logarithm of a factor of its evidence."""


class Trust(Record):
    """How counts are read by the automatic model: the curves, and where the score of each class starts."""

    curves: tuple[float, ...]
    """By block and channel: over the signal-to-noise ratio, inside and outside by number of documents, for pairs."""
    prior: float
    """How much the logarithm of a class's share of the documents counts in a long document; in an empty one, 1."""
    shifts: tuple[tuple[Any, float], ...]
    """What the score of each label gets besides in a long document; a label that came later has 0."""
    caps: tuple[float, ...]
    """By block: features of the longest documents. One with more counts as one with so many, of the same mean."""
    typical: tuple[float, ...]
    """By block: features of a document of median length."""
    later: tuple[Later, ...] = ()
    """Labels that came later, with what their documents have asked for so far."""
    sizes: tuple[int, ...] = ()
    """The documents that each label of `shifts` had when these were fitted; without them, shifts stay as they are."""

    @classmethod
    def universal(cls, analyzer: Analyzer) -> Trust:
        """The curves that nothing was fitted to."""
        means, prior = universal_curves(analyzer)
        curves = tuple(number for block in means for number in block)
        return cls(curves, prior, (), (NO_CAP,) * len(means), (TYPICAL,) * len(means))

    def knows(self, labels: Iterable[Any]) -> bool:
        """Whether all of these labels were fitted to."""
        return self._shifts.keys() >= set(labels)

    @cached_property
    def _shifts(self) -> dict[Any, float]:
        return dict(self.shifts)

    def growth(self, classes: list[Any], documents: list[int]) -> list[float]:
        """What the score of each class gets as a document grows longer, besides the prior, which it starts with."""
        return self.growth_by_prior(classes, documents, centred_log_prior(documents))

    def growth_by_prior(self, classes: list[Any], documents: list[int], log_priors: list[float]) -> list[float]:
        """The same by the centred log priors of the classes."""
        shifts = self._faded(classes, documents)
        if self.later:
            later = self._later(dict(zip(classes, log_priors, strict=True)))
            shifts = [later.get(label, shift) for label, shift in zip(classes, shifts, strict=True)]
        more = self.prior - 1
        return [more * value + shift for value, shift in zip(log_priors, shifts, strict=True)]

    def _faded(self, classes: list[Any], documents: list[int]) -> list[float]:
        """The shift of each class: the less of it, the further the class's share has moved since it was fitted.

        A shift makes up for what the sizes of classes do to their scores. It was fitted to the sizes of that time; of
        labels that came later nothing follows for those that were there.
        """
        known = [self._fitted.get(label, NOT_FITTED) for label in classes]
        # Of those that were fitted to and are still there: how many times as many documents there are.
        there = [(n, size) for n, (_, size) in zip(documents, known, strict=True) if n and size]
        times = sum([n for n, _ in there]) / (sum([size for _, size in there]) or 1)
        faded = []
        for n, (shift, size) in zip(documents, known, strict=True):
            moved = n / (size * times) if n and size else 1.0
            faded.append(shift * moved if moved < 1 else shift / moved)
        return faded

    @cached_property
    def _fitted(self) -> dict[Any, tuple[float, int]]:
        """The shift of each label that was fitted to, and its documents at that time; 0 where nobody knows."""
        sizes = self.sizes or (0,) * len(self.shifts)
        return {label: (shift, size) for (label, shift), size in zip(self.shifts, sizes, strict=True)}

    def _later(self, log_priors: Mapping[Any, float]) -> dict[Any, float]:
        """The shifts of labels that came later: no such label starts above an old one of average size."""
        old = [log_priors[label] for label, _ in self.shifts if label in log_priors]
        if not old:
            return {}
        mean = sum(old) / len(old)
        return {
            label: min(max(shift, 0.0), max(mean - log_priors[label], 0.0))
            for label, shift, _ in self.later
            if label in log_priors
        }

    def factors(self, classes: list[Any], documents: list[int]) -> list[float]:
        """What the evidence of each class is multiplied with; 1 but for labels that came later.

        A few documents of such a label say little. And how sure evidence is was fitted to the old labels: a new one may
        be told more easily, or less, as its documents show.
        """
        old = self._shifts
        if old.keys() >= set(classes):
            return []
        sizes = [n for label, n in zip(classes, documents, strict=True) if label in old]
        if not sizes:
            return []
        # Where the old labels have few documents themselves, a new one is not told worse than they are.
        few = min(FEW_OF_A_LABEL, sum(sizes) / len(sizes) / 10)
        slopes = {label: slope for label, _, slope in self.later}
        return [
            1.0 if label in old else n / (n + few) * min(exp(slopes.get(label, 0.0)), 1 + n / PROVING_DOCUMENTS)
            for label, n in zip(classes, documents, strict=True)
        ]

    def only(self, classes: list[Any]) -> Trust:
        """The curves without what labels have asked for that are no longer there."""
        later = tuple(asked for asked in self.later if asked.label in classes)
        return self if later == self.later else self.replace(later=later)

    def scaled(self, factor: float) -> Trust:
        """The curves with all scores times a factor."""
        shifts = tuple((label, factor * shift) for label, shift in self.shifts)
        curves = tuple(factor * number for number in self.curves)
        return self.replace(curves=curves, prior=factor * self.prior, shifts=shifts)

    def settings(self) -> dict[str, Any]:
        """The curves as plain data, for a file."""
        return {
            "curves": list(self.curves),
            "prior": self.prior,
            "shifts": [list(shift) for shift in self.shifts],
            "caps": list(self.caps),
            "typical": list(self.typical),
            "later": [list(asked) for asked in self.later],
            "sizes": list(self.sizes),
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Trust:
        """The curves that `settings` came from."""
        shifts = tuple((label, float(shift)) for label, shift in settings["shifts"])
        curves, caps, typical = (tuple(map(float, settings[name])) for name in ("curves", "caps", "typical"))
        if not all(abs(number) <= LARGEST_COEFFICIENT for number in (*curves, *(shift for _, shift in shifts))):
            raise FileFormatError("its trust curves have a number that no curve has")
        if len(caps) != len(typical) or not all(cap >= 1 for cap in (*caps, *typical)):
            raise FileFormatError("its trust curves have no lengths of documents")
        later = tuple(Later(label, *map(float, asked)) for label, *asked in settings["later"])
        if not all(isinstance(label, str | int | float) for label, *_ in (*settings["shifts"], *settings["later"])):
            raise FileFormatError("its trust curves speak of what is no label")
        sizes = tuple(map(int, settings.get("sizes", ())))
        if sizes and len(sizes) != len(shifts):
            raise FileFormatError("its trust curves have sizes of other labels than shifts")
        return cls(curves, float(settings["prior"]), shifts, caps, typical, later, sizes)


def centred_log_prior(documents: Sequence[float]) -> list[float]:
    """The logarithms of the classes' shares, two documents added to each, around their mean.

    >>> [round(value, 3) for value in centred_log_prior([4, 1])]
    [0.347, -0.347]
    """
    logs = [log(n + ADDED_DOCUMENTS) for n in documents]
    mean = sum(logs) / len(logs)
    return [value - mean for value in logs]


def counted_blocks(analyzer: Analyzer) -> Iterator[tuple[str, bool]]:
    """The counted blocks of an analyzer in the kernel's order, and whether their features are pairs of features."""
    low, high = analyzer.ngrams
    if analyzer.words is not None:
        for n in range(low, high + 1):
            yield ("words" if n == 1 else "runs"), n == 2 and low == 1
    if analyzer.characters is not None:
        yield "characters", False


def universal_curves(analyzer: Analyzer) -> tuple[list[list[float]], float]:
    """The universal curves of each block, and how much the prior counts."""
    kind = _universal()["words" if analyzer.characters is None else "characters"]
    curves = []
    for name, has_parents in counted_blocks(analyzer):
        numbers = kind[name]
        if name == "runs" and not has_parents:
            # Without the curve of what pairs take back from their words.
            numbers = [number for at, number in enumerate(numbers) if at % (4 * KNOTS) < 3 * KNOTS]
        curves.append(numbers)
    return curves, kind["prior"]


@cache
def _universal() -> dict[str, Any]:
    """Fitted once, on the training documents of nine public sets at several sizes, with equal weights."""
    # importlib.resources takes longer to import than all of this to compute.
    with open(os.path.join(os.path.dirname(_kernel.__file__), "data", "trust.json"), encoding="utf-8") as file:
        universal: dict[str, Any] = json.load(file)
    return universal
