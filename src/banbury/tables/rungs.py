"""Rungs: models of a table that trust more and more of what its columns say together, all by counting.

`P` has the likelihood of each column's kind. `S` reads columns by their cells where these do better. `G` adds all pairs
of columns, `T` all triples; `K` has the best pairs only, `T+` and `KT` add the triples that help. What is fitted is not
a weight for each pair, which would learn the rows by heart, but two numbers more for each column: how far its pairs are
to be trusted, and its triples. A pair counts by the trust in both of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from banbury import _kernel
from banbury.tables.cells import NO_CELL
from banbury.tables.column_weights import BIAS_PRECISION, MEAN_WEIGHT_SD, WEIGHT_SD, Fitted, fit_weights, most_rows
from banbury.tables.columns import Group
from banbury.tables.fit import Array, Fit, scale, softmax
from banbury.tables.kinds import Bernoulli, Categorical, Number
from banbury.tables.learned import Learned, Rows
from banbury.tables.sample import Sample
from banbury.tables.screening import best_of_many
from banbury.tables.terms import MOST_COUNTED_CELLS, MOST_TRIPLE_CELLS, Pair, Terms, Triple
from banbury.text.trust import centred_log_prior

RUNG_NAMES = ("P", "S", "G", "K", "T", "T+", "KT")
SELECTED = ("K", "T+", "KT")
# κ and γ of columns, of which leave-one-out chooses for each.
CELL_SMOOTHINGS = ((2.0, 1.0), (5.0, 2.0), (5.0, 3.5), (30.0, 1.0))
MOST_TRIPLES = 600  # all of sixteen columns; some of more columns never helped on the design sets
LEAST_GAIN = {"T+": 0.0, "KT": 2.0}  # nats that a selected triple gains
MOST_PAIRS = 5_000  # that are counted together: all pairs of a hundred columns
PAIRS_KEPT = 2  # for each column, where the best are selected
MOST_CORRECTED = 300  # pairs whose cells get weights of their own
RIDGE_STEPS = 20
LEVEL_STEPS, MOST_STEPS_OF_FIT = 40, 80  # of the regressions
LARGEST_WEIGHT = 100.0  # nats: what is impossible counts as much as this when weights are fitted


@dataclass(eq=False)
class Part:
    """Rows that were learned, and what is fitted to a sample of them."""

    learned: Learned
    rows: Rows
    texts: Callable[[Array], Array]
    """By row at these places, class and text: what texts say without each row itself."""
    threads: int
    fitted: dict[str, Fit] = field(default_factory=dict)
    _last: tuple[Terms, Any, Any] | None = None

    def __post_init__(self) -> None:
        self.n_classes = len(self.learned.classes)
        self.groups = self.learned.groups
        self.values = [group.values(self.rows.table) for group in self.groups]
        self.class_ids = self.rows.numbers(self.learned.classes)
        self.terms = Terms.of(self.groups, self.values, self.rows.weights)
        self.codes = self.terms.codes(self.groups, self.values)
        if not self.values:  # a table of texts alone: no columns, but rows all the same
            self.codes = np.empty((0, len(self.class_ids)), np.uint8)
        units = [(name,) if not group.is_tied else group.names for group in self.groups for name in _heads(group)]
        self.units: list[tuple[str, ...]] = units
        places = {unit: place for place, unit in enumerate(units)}
        self.unit_of = [places[name,] for name in self.terms.names]
        n_texts = self.texts(np.empty(0, np.intp)).shape[2]
        n_weights = len(units) + n_texts + 2 * len(self.terms.names)
        self._most_rows = most_rows(self.n_classes, n_weights)
        self.sample = Sample.of(self.rows, self.class_ids, self.n_classes, self._most_rows)
        self.bias = np.array(centred_log_prior(self.learned.documents))

    # Evidence

    @cached_property
    def kernel_rows(self) -> Any:
        """The sample for the kernel, with what is left out."""
        return self.sample.for_kernel(self.codes)

    @cached_property
    def judges(self) -> Sample:
        """As many rows as the sample has, none of its rows where there are enough."""
        return Sample.of(self.rows, self.class_ids, self.n_classes, self._most_rows, from_end=True)

    def counts_of(self, pairs: Sequence[Pair], triples: Sequence[Triple] = ()) -> Terms:
        """The columns with these pairs and triples, counted."""
        terms = self.terms.with_terms(pairs, triples)
        counts = terms.counted(self.codes, self.class_ids, self.rows.weights, self.n_classes, self.threads)
        return terms.with_counts(counts)

    def evidence(self, terms: Terms, smoothing: Sequence[tuple[float, float]] | None = None) -> Any:
        """The terms' counts, ready to be read; those that were asked for last are at hand."""
        how = terms, tuple(smoothing or self.smoothing)
        if self._last is None or self._last[0] is not terms or self._last[1] != how[1]:
            rows = list(map(float, self.learned.documents))
            made = _kernel.CellEvidence(terms.layout, terms.counts.ravel(), rows, list(how[1]))
            self._last = *how, made
        return self._last[2]

    @cached_property
    def by_kinds(self) -> Array:
        """What the columns say by their kinds, and texts: by row of the sample, class and unit."""
        return self._kind_evidence(self.sample)

    def _kind_evidence(self, sample: Sample) -> Array:
        said = sample.kind_evidence(self.groups, self.values)
        return np.concatenate([said, self.texts(sample.places)], axis=2).clip(-LARGEST_WEIGHT, LARGEST_WEIGHT)

    @cached_property
    def weighed(self) -> Fitted:
        """The weights of what the columns say by their kinds."""
        return fit_weights(
            self.by_kinds,
            self.sample.row_classes,
            self.sample.observations,
            self.learned.documents,
            threads=self.threads,
        )

    @cached_property
    def smoothing(self) -> tuple[tuple[float, float], ...]:
        """κ and γ of each column: those with which the column alone tells most."""
        return tuple(CELL_SMOOTHINGS[at] for at in self._losses.argmin(axis=0)) if self.terms.names else ()

    @cached_property
    def _losses(self) -> Array:
        columns = self.counts_of([])
        n = len(self.terms.names)
        return np.array(
            [
                self.evidence(columns, [smoothing] * n).column_losses(self.kernel_rows, self.sample.trusted)
                for smoothing in CELL_SMOOTHINGS
            ]
        ).reshape(len(CELL_SMOOTHINGS), n)

    @cached_property
    def by_cells(self) -> tuple[bool, ...]:
        """Which columns cells tell more of than their kind does; a distribution that was asked for stays."""
        kinds = {name: group.kind for group in self.groups for name in group.names}
        class_ids = self.sample.row_classes
        prior = np.maximum(np.array(self.learned.documents, float) - self.sample.gone, 0) + 1
        better = []
        for at, name in enumerate(self.terms.names):
            if isinstance(kinds[name], Bernoulli | Categorical):
                better.append(True)
            elif not isinstance(kinds[name], Number):
                better.append(False)
            else:
                logs = self.by_kinds[:, :, self.unit_of[at]] + np.log(prior)
                logs = logs - logs.max(axis=1, keepdims=True)
                losses = np.log(np.exp(logs).sum(axis=1)) - logs[np.arange(len(class_ids)), class_ids]
                known = self.codes[at, self.sample.places] != NO_CELL
                better.append(bool(self._losses[:, at].min() <= (self.sample.trusted * losses)[known].sum()))
        return tuple(better)

    @cached_property
    def by_columns(self) -> Array:
        """What the units say, columns by their cells where these tell more."""
        return self._by_cells_where_better(self.by_kinds, self.kernel_rows)

    def column_evidence(self, sample: Sample, kernel_rows: Any) -> Array:
        """The same for another sample, which the kernel has as `kernel_rows`."""
        return self._by_cells_where_better(self._kind_evidence(sample), kernel_rows)

    def _by_cells_where_better(self, by_kinds: Array, kernel_rows: Any) -> Array:
        said = by_kinds.astype(np.float32, copy=True)
        columns = self.counts_of([])
        numbers = list(range(len(self.terms.names)))
        cells, _ = self.evidence(columns).sums(numbers, kernel_rows, self.threads)
        for at, (unit, is_cells) in enumerate(zip(self.unit_of, self.by_cells, strict=True)):
            if is_cells:
                said[:, :, unit] = np.asarray(cells)[:, :, at]
        return said

    # Fits

    def fit(self, name: str) -> Fit | None:
        """A rung; None where there is nothing to it: too few columns, or nothing that helps."""
        if name not in self.fitted:
            fitted = {"P": self._by_kinds, "S": self._by_columns}.get(name, lambda: self._by_terms(name))()
            if fitted is None:
                return None
            self.fitted[name] = fitted
        return self.fitted[name]

    def _by_kinds(self) -> Fit:
        fitted = self.weighed
        bias = self.bias + np.array(fitted.shifts)
        nothing = np.zeros(len(self.terms.names))
        scores = self.by_kinds @ np.array(fitted.weights) + bias
        is_cells = (False,) * len(self.terms.names)
        weights = np.array(fitted.weights)
        return Fit(
            "P",
            self.terms,
            self.smoothing,
            is_cells,
            np.zeros(len(nothing), bool),
            weights,
            nothing,
            nothing,
            bias,
            scores,
        )

    def _by_columns(self) -> Fit:
        mean, sd = self.level
        weights, bias, scores = self._regressed(self.by_columns, mean, sd)
        nothing = np.zeros(len(self.terms.names))
        votes = np.zeros(len(nothing), bool)
        return Fit(
            "S", self.counts_of([]), self.smoothing, self.by_cells, votes, weights, nothing, nothing, bias, scores
        )

    @cached_property
    def level(self) -> tuple[Array, Array]:
        """Mean and standard deviation of the units' weights before each is looked at."""
        n = self.by_columns.shape[2]
        unit = 1 / sqrt(max(n, 1))
        total = self.by_columns.sum(axis=2, keepdims=True) * np.float32(unit)
        (multiplier,), _, _ = self._regressed(total, np.ones(1), np.full(1, MEAN_WEIGHT_SD))
        return np.full(n, max(multiplier, 0.05) * unit), np.full(n, WEIGHT_SD * unit)

    def _regressed(
        self, evidence: Array, mean: Array, sd: Array, start: Array | None = None, steps: int = MOST_STEPS_OF_FIT
    ) -> tuple[Array, Array, Array]:
        """Weights, biases and scores of evidence by row, class and weight."""
        evidence = np.ascontiguousarray(evidence, np.float32)
        first = np.concatenate([mean, self.bias]) if start is None else start
        fitted = np.array(
            _kernel.weigh(
                evidence.ravel(), self.sample.row_classes.astype(np.uint32), self.sample.trusted, first.tolist(),
                mean.tolist(), sd.tolist(), self.bias.tolist(), BIAS_PRECISION, steps, self.threads,
            )
        )  # fmt: skip
        weights, bias = fitted[: len(mean)], fitted[len(mean) :]
        return weights, bias, evidence.astype(float) @ weights + bias

    # Pairs and triples

    def _by_terms(self, name: str) -> Fit | None:
        if len(self.terms.names) < 2:
            return None
        if name in ("G", "K"):
            return self._with_pairs(name)
        base = self.fit("K" if name == "KT" else "G")
        return None if base is None or not self._triples else self._with_triples(name, base)

    @cached_property
    def all_pairs(self) -> list[Pair]:
        """All pairs, where they can be counted together; else none."""
        sizes = [one.size or 16 for one in self.terms.cells]
        pairs = list(combinations(range(len(sizes)), 2))
        n_cells = sum(sizes[a] * sizes[b] for a, b in pairs) * self.n_classes
        return pairs if len(pairs) <= MOST_PAIRS and n_cells <= MOST_COUNTED_CELLS else []

    @cached_property
    def _chances(self) -> Array:
        """What the columns alone make of the sample: what pairs are judged by."""
        fitted = self.fit("S")
        assert fitted is not None
        return softmax(fitted.scores)

    @cached_property
    def _of_all_pairs(self) -> tuple[Terms, Array, list[float]]:
        """All pairs counted, the sums of their evidence by column, and what each would gain."""
        return self.summed(self.counts_of(self.all_pairs), 2, self._chances)

    @cached_property
    def best_pairs(self) -> list[Pair]:
        """Two for each column, those that would gain most; none where these are all."""
        n = len(self.terms.names)
        n_pairs, n_kept = n * (n - 1) // 2, PAIRS_KEPT * n
        sizes = sorted((one.size or 16 for one in self.terms.cells), reverse=True)
        n_kept = min(n_kept, MOST_COUNTED_CELLS // (self.n_classes * sizes[0] * sizes[1])) if n > 1 else 0
        if n_pairs <= n_kept:
            return []
        if not self.all_pairs:
            return best_of_many(self, n_kept)
        gains = [(-gain, pair) for gain, pair in zip(self._of_all_pairs[2], self.all_pairs, strict=True)]
        return sorted(pair for _, pair in sorted(gains)[:n_kept])

    def summed(self, terms: Terms, order: int, chances: Array | None = None) -> tuple[Terms, Array, list[float]]:
        """The sums by column of all pairs or all triples of some terms, and with `chances` what each would gain."""
        numbers = [at for at, columns in enumerate(terms.columns) if len(columns) == order]
        judged = {} if chances is None else {"probabilities": chances.ravel(), "row_weights": self.sample.trusted}
        sums, gains = self.evidence(terms).sums(numbers, self.kernel_rows, self.threads, **judged)
        share = scale([terms.columns[at] for at in numbers], len(self.terms.names))
        return terms, np.asarray(sums) * np.float32(share), gains

    def _with_pairs(self, name: str) -> Fit | None:
        pairs = self.all_pairs if name == "G" else self.best_pairs
        if not pairs:
            return None
        terms, sums, _ = self._of_all_pairs if name == "G" else self.summed(self.counts_of(pairs), 2)
        n = len(self.terms.names)
        mean, sd = self.level
        weights, trust, bias, scores = self._trusted([self.by_columns], sums, mean, sd)
        votes = np.arange(len(terms.columns)) >= n
        self._sums[name] = (sums, self._level_of)
        return Fit(name, terms, self.smoothing, self.by_cells, votes, weights, trust, np.zeros(n), bias, scores)

    @cached_property
    def _sums(self) -> dict[str, tuple[Array, float]]:
        return {}

    def _trusted(self, before: list[Array], sums: Array, mean: Array, sd: Array) -> tuple[Array, Array, Array, Array]:
        """Weights for evidence as before, and trust for sums by column: first one for all, then for each."""
        n = sums.shape[2]
        root = np.float32(sqrt(n))
        total = sums.sum(axis=2, keepdims=True) / root
        first_weights, bias, _ = self._regressed(
            np.concatenate([*before, total], axis=2), np.append(mean, 0.0), np.append(sd, 1.0), steps=LEVEL_STEPS
        )
        self._level_of = first_weights[-1] / sqrt(n)
        means = np.concatenate([mean, np.full(n, self._level_of)])
        sds = np.concatenate([sd, np.full(n, WEIGHT_SD / sqrt(n))])
        start = np.concatenate([first_weights[:-1], np.full(n, self._level_of), bias])
        weights, bias, scores = self._regressed(np.concatenate([*before, sums], axis=2), means, sds, start)
        return weights[: len(mean)], weights[len(mean) :], bias, scores

    @cached_property
    def _triples(self) -> list[Triple]:
        """All triples but the largest, where they are few."""
        n = len(self.terms.names)
        if n * (n - 1) * (n - 2) // 6 > MOST_TRIPLES:
            return []
        sizes = [one.size or 8 for one in self.terms.cells]
        return [
            (a, b, c) for a, b, c in combinations(range(n), 3) if sizes[a] * sizes[b] * sizes[c] <= MOST_TRIPLE_CELLS
        ]

    @cached_property
    def _of_all_triples(self) -> tuple[Terms, Array, list[float]]:
        """All triples counted, the sums of their evidence by column, and what each would gain beside all pairs."""
        base = self.fit("G")
        assert base is not None
        return self.summed(self._counted_with(base, self._triples), 3, softmax(base.scores))

    def _with_triples(self, name: str, base: Fit) -> Fit | None:
        n = len(self.terms.names)
        if name == "T":
            terms, sums, _ = self._of_all_triples
        else:
            gains = self._of_all_triples[2]
            if name == "KT":
                gains = self.summed(self._counted_with(base, self._triples), 3, softmax(base.scores))[2]
            least = LEAST_GAIN[name]
            triples = [triple for triple, gain in zip(self._triples, gains, strict=True) if gain > least]
            if not triples:
                return None
            terms, sums, _ = self.summed(self._counted_with(base, triples), 3)
        pair_sums, level = self._sums[base.name]
        mean, sd = self.level
        mean = np.concatenate([mean, np.full(n, level)])
        sd = np.concatenate([sd, np.full(n, WEIGHT_SD / sqrt(n))])
        weights, trust, bias, scores = self._trusted([self.by_columns, pair_sums], sums, mean, sd)
        kept = set(base.terms.pairs)
        votes = np.array([len(columns) == 3 or columns in kept for columns in terms.columns])
        units = len(mean) - n
        return Fit(
            name, terms, self.smoothing, self.by_cells, votes, weights[:units], weights[units:], trust, bias, scores
        )

    def _counted_with(self, base: Fit, triples: list[Triple]) -> Terms:
        """The pairs of a fit, those that the triples need besides, and the triples."""
        needed = {pair for a, b, c in triples for pair in ((a, b), (a, c), (b, c))}
        return self.counts_of(sorted({*base.terms.pairs, *needed}), triples)

    # Correction

    def corrections(self, fitted: Fit, penalties: Sequence[float]) -> tuple[list[int], list[Array]]:
        """The terms whose cells get weights of their own, and these weights for each penalty, which fall.

        They are fitted to what leave-one-out by counts cannot tell. None where there are too many pairs.
        """
        pairs = [at for at, columns in enumerate(fitted.terms.columns) if len(columns) == 2 and fitted.votes[at]]
        if not 0 < len(pairs) <= MOST_CORRECTED:
            return [], []
        terms = [*range(len(fitted.terms.names)), *pairs]
        evidence = self.evidence(fitted.terms, fitted.smoothing)
        offsets = np.ascontiguousarray(fitted.scores)
        fitted_weights = evidence.ridge(
            terms, self.kernel_rows, self.sample.trusted, offsets.ravel(), list(penalties), RIDGE_STEPS, self.threads
        )
        return terms, [np.asarray(weights) for weights in fitted_weights]

    # Other rows

    def scores_of(
        self, fitted: Fit, rows: Rows, said_by_texts: Array, corrected: Sequence[int] = (), weights_of: Any = None
    ) -> Array:
        """The scores that a fit gives rows that were not learned, with a correction if there is one."""
        values = [group.values(rows.table) for group in self.groups]
        said = [np.zeros((len(rows.labels), self.n_classes, 0))]
        for group, numbers in zip(self.groups, values, strict=True):
            logs = group.statistics.log_probabilities(numbers)
            logs = logs.sum(axis=2, keepdims=True) if group.is_tied else logs
            said.append(logs - logs.mean(axis=1, keepdims=True))
        evidence = np.concatenate([*said, said_by_texts], axis=2).clip(-LARGEST_WEIGHT, LARGEST_WEIGHT)
        weights = fitted.weights.copy()
        term_weights = fitted.term_weights.copy()
        for at, (unit, is_cells) in enumerate(zip(self.unit_of, fitted.by_cells, strict=True)):
            if is_cells:
                term_weights[at], weights[unit] = weights[unit], 0.0
        scores = evidence @ weights + fitted.bias
        if fitted.name != "P":
            codes = fitted.terms.codes(self.groups, values)
            evidence_of = self.evidence(fitted.terms, fitted.smoothing)
            correction = None if weights_of is None else np.ascontiguousarray(weights_of).ravel()
            reading = _kernel.CellReading(evidence_of, term_weights.tolist(), list(corrected), correction)
            given = _kernel.CellRows(codes.ravel(), codes.shape[1], self.n_classes)
            scores += np.asarray(reading.scores(given, self.threads))
        return scores


def _heads(group: Group) -> tuple[str, ...]:
    return group.names[:1] if group.is_tied else group.names
