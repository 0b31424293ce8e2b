"""What is wrong with the rows of a table: columns that depend on each other, repeats, leaks, drift, labels in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banbury.display.html import Markup, element, fragment, piece
from banbury.display.html_tables import table as html_table
from banbury.display.text_table import Grid
from banbury.results.doubtful import doubtful_labels
from banbury.stats.distributions import gamma_quantile
from banbury.tables.cells import DEPTH, NumberCells
from banbury.tables.learned import Learned, Rows
from banbury.tables.terms import Terms

if TYPE_CHECKING:
    from banbury.text.documents import Label


MOST_FINDINGS = 20
MOST_PAIRED_COLUMNS = 100  # whose pairs are looked at
COARSE = 3  # levels of a number: eight cells are enough to see a dependence
LEAK = 0.05  # of the uncertainty about the class that a column leaves: one with less gives the class away
DOUBTFUL = 0.05  # probability of a row's own label below which it is in doubt
LEVEL = 0.001  # of the tests, before it is shared by all of them


class DependentColumns(NamedTuple):
    """Two columns that depend on each other within the classes: Naive Bayes counts what they share twice."""

    columns: tuple[str, str]
    nats: float
    """Mutual information given the class, less what chance gives."""


class LeakingColumn(NamedTuple):
    """A column that alone nearly gives the class away."""

    column: str
    left: float
    """The share of the uncertainty about the class that is left when the column is known."""


class DriftingColumn(NamedTuple):
    """A column whose values are distributed otherwise than those that were learned."""

    column: str
    stability: float
    """The population stability index: above 0.1 small, above 0.25 large."""


class DoubtfulRow(NamedTuple):
    """A row whose label the model finds improbable."""

    row: int
    label: Label
    probability: float
    better: Any
    """The most probable label."""


@dataclass(frozen=True, repr=False)
class TableDiagnosis:
    """Where the assumptions fail on the rows of a table, and what is wrong with them."""

    n_rows: int
    dependent: list[DependentColumns]
    n_repeated: int
    """Rows that an earlier one has the same values as."""
    n_contradicting: int
    """Repeated rows whose label is not that of the first."""
    leaks: list[LeakingColumn]
    drift: list[DriftingColumn]
    doubtful: list[DoubtfulRow]

    def _sections(self) -> list[tuple[str, list[str], list[list[str]]]]:
        return [
            (
                "columns that depend on each other within the classes",
                ["columns", "nats"],
                [[" & ".join(pair.columns), f"{pair.nats:.3f}"] for pair in self.dependent[:MOST_FINDINGS]],
            ),
            (
                "columns that give the class away",
                ["column", "uncertainty left"],
                [[leak.column, f"{leak.left:.1%}"] for leak in self.leaks[:MOST_FINDINGS]],
            ),
            (
                "columns whose values have changed",
                ["column", "stability index"],
                [[column.column, f"{column.stability:.3f}"] for column in self.drift[:MOST_FINDINGS]],
            ),
            (
                "labels in doubt",
                ["row", "label", "its probability", "rather"],
                [
                    [str(doubt.row), str(doubt.label), f"{doubt.probability:.2%}", str(doubt.better)]
                    for doubt in self.doubtful[:MOST_FINDINGS]
                ],
            ),
        ]

    @property
    def _repeats(self) -> str:
        return f"{self.n_repeated} of {self.n_rows} rows are repeats; {self.n_contradicting} have another label"

    def __str__(self) -> str:
        lines = [self._repeats]
        for title, head, rows in self._sections():
            lines += ["", title, str(Grid(head, rows)) if rows else "none"]
        return "\n".join(lines)

    __repr__ = __str__

    def markup(self) -> Markup:
        """The diagnosis as HTML."""
        parts = [element("p", self._repeats)]
        for title, head, rows in self._sections():
            parts.append(html_table(head, rows, title) if rows else element("p", f"{title}: none"))
        return fragment(*parts)

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, in the form of JSON."""
        return {
            "rows": self.n_rows,
            "repeated": self.n_repeated,
            "contradicting": self.n_contradicting,
            "dependent": [{"columns": list(pair.columns), "nats": pair.nats} for pair in self.dependent],
            "leaks": [leak._asdict() for leak in self.leaks],
            "drift": [column._asdict() for column in self.drift],
            "doubtful": [doubt._asdict() for doubt in self.doubtful],
        }


def diagnose_table(
    learned: Learned, rows: Rows, labels: Sequence[Any] | None, probabilities: NDArray[Any]
) -> TableDiagnosis:
    """The diagnosis of rows, by what a model has learned and the probabilities that it gives them."""
    values = [group.values(rows.table) for group in learned.groups]
    terms = learned.terms or Terms.of(learned.groups, values, None)
    codes = terms.codes(learned.groups, values)
    coarse = np.array([_coarse(terms, place, codes[place]) for place in range(len(codes))]).reshape(codes.shape)
    class_ids = _class_ids(labels, learned.classes, probabilities)
    repeats, contradictions = _repeats(rows, labels)
    return TableDiagnosis(
        len(probabilities),
        _dependent(terms.names, coarse, class_ids, len(learned.classes)),
        repeats,
        contradictions,
        [] if labels is None else _leaks(terms.names, coarse, class_ids, len(learned.classes)),
        _drift(learned, codes),
        [] if labels is None else _doubtful(labels, learned.classes, probabilities),
    )


def _coarse(terms: Terms, place: int, codes: NDArray[Any]) -> NDArray[Any]:
    """Codes of few cells, −1 where a value says nothing."""
    coarse = codes.astype(np.intp)
    if isinstance(terms.cells[place], NumberCells):
        coarse = coarse >> (DEPTH - COARSE)
    return np.where(codes == 255, -1, coarse)


def _class_ids(labels: Sequence[Any] | None, classes: list[Any], probabilities: NDArray[Any]) -> NDArray[Any]:
    """The classes of rows, by their labels or as the model finds them; −1 for a label that is not known."""
    if labels is None:
        return np.asarray(probabilities.argmax(axis=1))
    places = {label: place for place, label in enumerate(classes)}
    return np.array([places.get(label, -1) for label in labels], np.intp)


def _repeats(rows: Rows, labels: Sequence[Any] | None) -> tuple[int, int]:
    first: dict[int, int] = {}
    n, contradicting = 0, 0
    for row, key in enumerate(rows.hashes().tolist()):
        if key in first:
            n += 1
            contradicting += labels is not None and labels[row] != labels[first[key]]
        first.setdefault(key, row)
    return n, contradicting


def _dependent(
    names: Sequence[str], codes: NDArray[Any], class_ids: NDArray[Any], n_classes: int
) -> list[DependentColumns]:
    dependent = []
    pairs = list(combinations(range(min(len(names), MOST_PAIRED_COLUMNS)), 2))
    for a, b in pairs:
        known = (codes[a] >= 0) & (codes[b] >= 0) & (class_ids >= 0)
        n = int(known.sum())
        if n < 2:
            continue
        nats, freedom = _given_class(codes[a][known], codes[b][known], class_ids[known], n_classes)
        chance = freedom / (2 * n)
        # Twice n times the information is a chi-square where the two are independent.
        if freedom and 2 * n * nats > 2 * gamma_quantile(1 - LEVEL / len(pairs), freedom / 2):
            dependent.append(DependentColumns((names[a], names[b]), nats - chance))
    return sorted(dependent, key=lambda pair: -pair.nats)


def _given_class(a: NDArray[Any], b: NDArray[Any], class_ids: NDArray[Any], n_classes: int) -> tuple[float, int]:
    """Mutual information of two columns given the class, and its degrees of freedom."""
    width_a, width_b = int(a.max()) + 1, int(b.max()) + 1
    cells = (class_ids * width_a + a) * width_b + b
    joint = np.bincount(cells, minlength=n_classes * width_a * width_b).reshape(n_classes, width_a, width_b)
    rows, columns, whole = joint.sum(axis=2), joint.sum(axis=1), joint.sum(axis=(1, 2))
    expected = rows[:, :, None] * columns[:, None, :] / np.maximum(whole, 1)[:, None, None]
    is_there = joint > 0
    nats = float((joint[is_there] * np.log(joint[is_there] / expected[is_there])).sum() / len(a))
    freedom = ((rows > 0).sum(axis=1) - 1).clip(0) * ((columns > 0).sum(axis=1) - 1).clip(0)
    return nats, int(freedom.sum())


def _leaks(names: Sequence[str], codes: NDArray[Any], class_ids: NDArray[Any], n_classes: int) -> list[LeakingColumn]:
    leaks = []
    for name, column_codes in zip(names, codes, strict=True):
        known = (column_codes >= 0) & (class_ids >= 0)
        if not known.any():
            continue
        counts = np.bincount(
            column_codes[known] * n_classes + class_ids[known], minlength=(column_codes.max() + 1) * n_classes
        )
        counts = counts.reshape(-1, n_classes)
        before = _entropy(counts.sum(axis=0)[None])
        left = _entropy(counts) / before if before > 0 else 1.0
        # A value that comes once tells its row's class and nothing else.
        if left < LEAK and counts.sum() > 10 * (counts.sum(axis=1) > 0).sum():
            leaks.append(LeakingColumn(name, left))
    return sorted(leaks, key=lambda leak: leak.left)


def _entropy(counts: NDArray[Any]) -> float:
    """Nats of uncertainty about the class in each row of counts, on average."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(totals, 1)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    return float(-(counts * logs).sum() / counts.sum())


def _drift(learned: Learned, codes: NDArray[Any]) -> list[DriftingColumn]:
    terms = learned.terms
    if terms is None:
        return []
    firsts = [*terms.layout.firsts(), terms.layout.n_cells]
    drifting = []
    for place, name in enumerate(terms.names):
        before = terms.counts[firsts[place] : firsts[place + 1]].sum(axis=1)
        shift = DEPTH - COARSE if isinstance(terms.cells[place], NumberCells) else 0
        before = np.add.reduceat(before, np.arange(0, len(before), 2**shift)) if shift else before
        now = np.bincount(codes[place][codes[place] != 255] >> shift, minlength=len(before))
        if not now.sum() or not before.sum():
            continue
        old, new = ((counts + 0.5) / (counts + 0.5).sum() for counts in (before, now))
        index = float(((new - old) * np.log(new / old)).sum())
        chance = (len(before) - 1) * (1 / now.sum() + 1 / before.sum())
        if index > max(0.1, 3 * chance):
            drifting.append(DriftingColumn(name, index))
    return sorted(drifting, key=lambda column: -column.stability)


def _doubtful(labels: Sequence[Any], classes: list[Any], probabilities: NDArray[Any]) -> list[DoubtfulRow]:
    class_ids = {label: class_id for class_id, label in enumerate(classes)}
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    doubtful = doubtful_labels(
        np.array([class_ids.get(label, len(classes)) for label in labels], np.intp),
        logs,
        label=labels.__getitem__,
        text=lambda row: "",
    )
    best = probabilities.argmax(axis=1)
    return [
        DoubtfulRow(doubt.index, doubt.label, doubt.probability, classes[int(best[doubt.index])])
        for doubt in doubtful
        if doubt.probability < DOUBTFUL
    ]
