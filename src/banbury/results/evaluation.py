"""Evaluation of predictions: true labels and probabilities in, figures with intervals out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display import matplotlib as pictures
from banbury.display.characters import NAME_WIDTH, shorten
from banbury.display.html import piece
from banbury.display.html_tables import classes_table, confusion_table, figures_table
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results import metrics
from banbury.results.metrics import Bin, Kept
from banbury.results.ranking_curves import RankingCurve, ranking_curves
from banbury.stats.intervals import Interval, mean_interval, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from banbury.display.html import Markup

WIDEST_CONFUSION = 30  # classes; more are not printed
MOST_CURVES = 3  # of classes, in one picture


class Figure(NamedTuple):
    """A figure of merit, such as accuracy, with its interval."""

    name: str
    value: float
    interval: Interval | None
    """95 % confidence interval."""


FIGURES = ("accuracy", "macro_f1", "matthews", "roc_auc", "log_loss", "brier", "calibration_error")


@dataclass(frozen=True, eq=False)
class Predictions:
    """What was predicted for each document, beside the truth."""

    classes: list[Any]
    """The model's classes: the columns of `log_probabilities`."""
    truth: list[Any]
    predicted: list[Any]
    log_probabilities: NDArray[Any] | None
    weights: NDArray[Any]
    rows: list[int]
    """The row of each document among those given."""

    @cached_property
    def is_right(self) -> NDArray[Any]:
        """Whether the prediction is the truth."""
        return np.array([true == guess for true, guess in zip(self.truth, self.predicted, strict=True)])

    @cached_property
    def confidence(self) -> NDArray[Any]:
        """The probability of the predicted class."""
        assert self.log_probabilities is not None
        chances: NDArray[Any] = np.exp(self.log_probabilities.max(axis=1))
        return chances


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation:
    """Predictions against the truth.

    Without probabilities there are only the figures that need none. Documents with a label that the model does not know
    are mistakes. Log loss, Brier score and ROC AUC leave them out, since they have no probability.
    """

    classes: list[Any]
    """Every label that was true or predicted, in order."""
    confusion: list[list[int]]
    """`confusion[i][j]`: documents of class i for which class j was predicted."""
    unknown_labels: list[tuple[Any, int]] = field(default_factory=list)
    """Labels that the model does not know, and how many documents have them."""
    n_repeats: int = 0
    """How many documents repeat an earlier one, where that was looked for."""
    log_loss: float | None = None
    """The mean of −log P(true class), in nats."""
    log_loss_interval: Interval | None = None
    brier: float | None = None
    """Brier score: the mean squared error of the probabilities, from 0 to 1 for two classes, to 2 for more."""
    brier_interval: Interval | None = None
    roc_auc: float | None = None
    """ROC AUC of the second of two classes; for more classes the mean of one-vs-rest."""
    roc_aucs: list[float | None] = field(default_factory=list)
    """One-vs-rest ROC AUC per class; None where it is not defined."""
    calibration_error: float | None = None
    """Expected calibration error (ECE) of the best class, in 15 bins of equal width."""
    reliability: list[Bin] = field(default_factory=list)
    coverage: list[Kept] = field(default_factory=list)
    predictions: Predictions | None = field(default=None, compare=False, repr=False)
    """Document by document; files and copies do not keep them."""

    # Figures of the confusion

    @property
    def n_documents(self) -> int:
        """How many documents were looked at."""
        return sum(map(sum, self.confusion))

    @property
    def n_right(self) -> int:
        """How many of them were predicted right."""
        return sum(row[number] for number, row in enumerate(self.confusion))

    @property
    def accuracy(self) -> float:
        """The share that was predicted right."""
        return self.n_right / self.n_documents

    @property
    def accuracy_interval(self) -> Interval:
        """95 % confidence interval of the accuracy (Wilson)."""
        return wilson(self.n_right, self.n_documents)

    @cached_property
    def _matrix(self) -> NDArray[Any]:
        return np.array(self.confusion)

    @property
    def macro_precision(self) -> float:
        """The mean precision of the classes."""
        return metrics.macro(metrics.precision(self._matrix), self._matrix)

    @property
    def macro_recall(self) -> float:
        """The mean recall of the classes."""
        return metrics.macro(metrics.recall(self._matrix), self._matrix)

    @property
    def macro_f1(self) -> float:
        """Macro-F1: the mean F1 of the classes."""
        return metrics.macro(metrics.f1(self._matrix), self._matrix)

    @property
    def micro_f1(self) -> float:
        """Micro-averaged F1; with one label per document it equals the accuracy."""
        return self.accuracy

    @property
    def matthews(self) -> float:
        """Matthews correlation coefficient (MCC): 0 by chance, 1 if everything is right."""
        return metrics.matthews(self._matrix)

    @cached_property
    def _drawn_again(self) -> tuple[Interval, Interval]:
        return metrics.drawn_again(self._matrix)

    @property
    def macro_f1_interval(self) -> Interval:
        """95 % bootstrap interval of macro-F1."""
        return self._drawn_again[0]

    @property
    def matthews_interval(self) -> Interval:
        """95 % bootstrap interval of the MCC."""
        return self._drawn_again[1]

    # Showing

    def figures(self) -> list[Figure]:
        """The figures that there are, with their intervals."""
        figures = [
            Figure("accuracy", self.accuracy, self.accuracy_interval),
            Figure("macro-F1", self.macro_f1, self.macro_f1_interval),
            Figure("MCC", self.matthews, self.matthews_interval),
        ]
        others = [
            ("ROC AUC", self.roc_auc, None),
            ("log loss", self.log_loss, self.log_loss_interval),
            ("Brier score", self.brier, self.brier_interval),
            ("calibration error", self.calibration_error, None),
        ]
        return figures + [Figure(name, value, interval) for name, value, interval in others if value is not None]

    def rows(self) -> list[dict[str, Any]]:
        """Each class as a dictionary, for a data frame."""
        matrix = self._matrix
        aucs = self.roc_aucs or [None] * len(self.classes)
        columns = (metrics.precision(matrix), metrics.recall(matrix), metrics.f1(matrix))
        table = zip(
            self.classes,
            *(column.tolist() for column in columns),
            aucs,
            matrix.sum(axis=1).tolist(),
            matrix.sum(axis=0).tolist(),
            matrix.diagonal().tolist(),
            strict=True,
        )
        names = ("label", "precision", "recall", "f1", "roc_auc", "documents", "predicted", "right")
        return [dict(zip(names, row, strict=True)) for row in table]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, but for the single documents.

        The keys are the names of the attributes: `accuracy`, `accuracy_interval`, `macro_f1`, `log_loss` and so on;
        `n_documents`, `n_right`; `classes` are the `rows()`. A figure that could not be computed is left out.

        >>> sorted(evaluate(["ham", "spam"], ["ham", "spam"]).to_dict())[:3]
        ['accuracy', 'accuracy_interval', 'classes']
        """
        figures = {name: getattr(self, name) for name in FIGURES}
        intervals = {f"{name}_interval": getattr(self, f"{name}_interval", None) for name in FIGURES}
        return {
            "n_documents": self.n_documents,
            "n_right": self.n_right,
            **{name: value for name, value in figures.items() if value is not None},
            **{name: list(interval) for name, interval in intervals.items() if interval is not None},
            "macro_precision": self.macro_precision,
            "macro_recall": self.macro_recall,
            "micro_f1": self.micro_f1,
            "classes": self.rows(),
            "confusion": self.confusion,
            "n_repeats": self.n_repeats,
            "unknown_labels": [list(entry) for entry in self.unknown_labels],
            "reliability": [asdict(bin_) for bin_ in self.reliability],
            "coverage": [asdict(point) for point in self.coverage],
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n_right} of {self.n_documents} right, accuracy {self.accuracy:.4f}>"

    # What only showing needs is imported by it: fitting waits for none of it.

    def __str__(self) -> str:
        return self.scorecard()

    def scorecard(self) -> str:
        """All figures, those of each class, and the confusion matrix, as text."""
        lines = [f"{f'{self.n_right} of {self.n_documents} right':26}    95 % interval"]
        lines += [f"{name:17}  {value:7.4f}  {interval or ''}".rstrip() for name, value, interval in self.figures()]
        lines += self.notes()
        names = [shorten(str(label), NAME_WIDTH) for label in self.classes]
        width = max(len(name) for name in [*names, "class"])
        lines += ["", f"{'class':{width}}  precision  recall      F1  documents"]
        lines += [
            f"{name:{width}}  {row['precision']:9.4f}  {row['recall']:6.4f}  {row['f1']:6.4f}  {row['documents']:9}"
            for name, row in zip(names, self.rows(), strict=True)
        ]
        if len(names) <= WIDEST_CONFUSION:
            columns = [max(len(name), 4) for name in names]
            head = "  ".join(name.rjust(column) for name, column in zip(names, columns, strict=True))
            lines += ["", f"{'true':{width}}  {head}  (predicted)"]
            for name, row in zip(names, self.confusion, strict=True):
                cells = "  ".join(str(n).rjust(column) for n, column in zip(row, columns, strict=True))
                lines.append(f"{name:{width}}  {cells}")
        return "\n".join(lines)

    def notes(self) -> list[str]:
        """What has to be known to read the figures: labels that the model does not know, repeated documents."""
        return [
            *([self.unknown_note()] if self.unknown_labels else []),
            *([self.repeats_note()] if self.n_repeats else []),
        ]

    def repeats_note(self) -> str:
        """How many documents repeat others, and what that means for the figures."""
        return f"{self.n_repeats} of {self.n_documents} documents repeat earlier ones; each of them counts"

    def unknown_note(self) -> str:
        """Which labels the model does not know, and how many documents have them."""
        named = ", ".join(f"{shorten(str(label), NAME_WIDTH)} ({n})" for label, n in self.unknown_labels[:10])
        more = f" and {len(self.unknown_labels) - 10} more" if len(self.unknown_labels) > 10 else ""
        return f"labels that the model does not know, all mistakes: {named}{more}"

    # With matplotlib

    def plot_confusion(self, ax: Axes | None = None, *, shares: bool = False) -> Axes:
        """Confusion matrix, with matplotlib; returns the axes."""
        return pictures.confusion_matrix(self.classes, self.confusion, shares=shares, ax=ax)

    def plot_reliability(self, ax: Axes | None = None) -> Axes:
        """Reliability diagram, with matplotlib; returns the axes."""
        bins = self._of_probabilities(self.reliability)
        intervals = [bin_.interval for bin_ in bins]
        return pictures.reliability(
            [bin_.probability for bin_ in bins],
            [bin_.accuracy for bin_ in bins],
            [bin_.documents for bin_ in bins],
            low=[interval.low for interval in intervals],
            high=[interval.high for interval in intervals],
            ax=ax,
        )

    def plot_coverage(self, ax: Axes | None = None) -> Axes:
        """Accuracy against coverage, with matplotlib; returns the axes."""
        kept = self._of_probabilities(self.coverage)
        return pictures.coverage([point.coverage for point in kept], [point.accuracy for point in kept], ax=ax)

    def curves(self) -> list[RankingCurve]:
        """ROC and precision–recall curves: of the second of two classes, of more of each against all others."""
        return ranking_curves(self.predictions)

    def plot_roc(self, ax: Axes | None = None) -> Axes:
        """ROC curves, with matplotlib; returns the axes."""
        lines = [
            (f"{one.label}: {one.area:.4f}", one.false_positive_rates, one.recalls) for one in self._largest_curves()
        ]
        names = ("false positive rate", "true positive rate (recall)")
        return pictures.ranking_curves(lines, names=names, title="ROC", legend="area", diagonal=True, ax=ax)

    def plot_precision_recall(self, ax: Axes | None = None) -> Axes:
        """Precision–recall curves, with matplotlib; returns the axes."""
        lines = [
            (f"{one.label}: {one.average_precision:.4f}", one.recalls, one.precisions) for one in self._largest_curves()
        ]
        return pictures.ranking_curves(
            lines, names=("recall", "precision"), title="Precision and recall", legend="average precision", ax=ax
        )

    def _largest_curves(self) -> list[RankingCurve]:
        """The curves of the largest classes, as many as can be told apart in a picture."""
        return sorted(self.curves(), key=lambda one: -one.share)[:MOST_CURVES]

    def _of_probabilities(self, values: list[Any]) -> list[Any]:
        if not values:
            raise InputError("this evaluation has no probabilities: evaluate(truth, predicted, log_probabilities=…)")
        return values

    # In a notebook

    def _repr_html_(self) -> str:
        return piece(self._tables())

    def _tables(self) -> list[Markup]:
        notes = self.notes()
        caption = f"{self.n_right} of {self.n_documents} documents right"
        return [
            figures_table(self.figures(), caption, notes),
            classes_table(self.rows()),
            confusion_table(self.classes, self.confusion),
        ]


def evaluate(
    truth: Sequence[Any],
    predicted: Sequence[Any] | None = None,
    *,
    log_probabilities: NDArray[Any] | None = None,
    classes: Sequence[Any] | None = None,
    weights: NDArray[Any] | None = None,
    rows: list[int] | None = None,
) -> Evaluation:
    """Evaluation of predictions; `log_probabilities`, whose columns are `classes`, add the figures that need them.

    Without `predicted` the most probable class is what is predicted.

    >>> evaluation = evaluate(["ham", "ham", "spam"], ["ham", "spam", "spam"])
    >>> round(evaluation.accuracy, 2), evaluation.confusion
    (0.67, [[1, 1], [0, 1]])
    >>> import numpy as np
    >>> logs = np.log([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> round(evaluate(["ham", "ham", "spam"], log_probabilities=logs, classes=["ham", "spam"]).log_loss, 4)
    0.4149
    """
    known = list(classes) if classes is not None else []
    if predicted is None:
        if log_probabilities is None:
            raise InputError("there is nothing to evaluate: give predicted labels, or log_probabilities and classes")
        predicted = [known[class_id] for class_id in log_probabilities.argmax(axis=1).tolist()]
    truth, predicted = list(truth), list(predicted)
    if len(truth) != len(predicted):
        raise InputError(f"{len(truth)} labels but {len(predicted)} predictions")
    if not truth:
        raise InputError("no documents to evaluate")
    if log_probabilities is not None and log_probabilities.shape != (len(truth), len(known)):
        raise InputError(
            f"the probabilities have shape {log_probabilities.shape}; "
            f"{len(truth)} documents and {len(known)} classes need {(len(truth), len(known))}"
        )
    weights = np.ones(len(truth)) if weights is None else weights
    names = sorted({*truth, *predicted})
    numbers = {label: number for number, label in enumerate(names)}
    true = np.array([numbers[label] for label in truth])
    guess = np.array([numbers[label] for label in predicted])
    confusion = metrics.confusion_matrix(true, guess, weights, len(names))
    strangers = sorted({*truth}.difference(known)) if classes is not None else []
    seen = confusion.sum(axis=1)
    predictions = Predictions(
        known or names, truth, predicted, log_probabilities, weights, rows or [*range(len(truth))]
    )
    return Evaluation(
        classes=names,
        confusion=confusion.astype(int).tolist(),
        unknown_labels=[(label, int(seen[numbers[label]])) for label in strangers],
        predictions=predictions,
        **({} if log_probabilities is None else _probable(predictions, names)),
    )


def accuracy(truth: Sequence[Any], predicted: Sequence[Any], weights: NDArray[Any] | None = None) -> float:
    """The share of documents whose label is predicted.

    >>> accuracy(["ham", "ham", "spam", "spam"], ["ham", "spam", "spam", "spam"])
    0.75
    """
    if len(truth) != len(predicted):
        raise InputError(f"{len(truth)} labels but {len(predicted)} predictions")
    if not truth:
        raise InputError("no documents to evaluate")
    return float(np.average([label == other for label, other in zip(truth, predicted, strict=True)], weights=weights))


def _probable(predictions: Predictions, names: list[Any]) -> dict[str, Any]:
    """The figures that need probabilities."""
    logs, weights = predictions.log_probabilities, predictions.weights
    assert logs is not None
    bins = metrics.reliability(predictions.confidence, predictions.is_right, weights)
    figures = {
        "calibration_error": metrics.calibration_error(bins),
        "reliability": bins,
        "coverage": metrics.coverage(predictions.confidence, predictions.is_right, weights),
    }
    numbers = {label: number for number, label in enumerate(predictions.classes)}
    class_ids = np.array([numbers.get(label, -1) for label in predictions.truth])
    is_known = class_ids >= 0
    if not is_known.any():
        return figures
    class_ids, logs, weights = class_ids[is_known], logs[is_known], weights[is_known]
    losses, squares = metrics.losses(class_ids, logs), metrics.brier_losses(class_ids, logs)
    aucs = metrics.roc_aucs(class_ids, logs, weights)
    there = [auc for auc in aucs if auc is not None]
    by_name = dict(zip(predictions.classes, aucs, strict=True))
    whole = weights.sum()
    return figures | {
        "log_loss": float((weights * losses).sum() / whole),
        "log_loss_interval": mean_interval(losses, weights),
        "brier": float((weights * squares).sum() / whole),
        "brier_interval": mean_interval(squares, weights),
        "roc_auc": sum(there) / len(there) if there else None,
        "roc_aucs": [by_name.get(name) for name in names],
    }
