"""How good predictions are: labels or probabilities in, a report out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.selection import Seen, Tried

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

BINS = 15
MOST_DOUBTFUL = 20
WIDEST_CONFUSION = 30  # classes; more are not printed


@dataclass(frozen=True)
class Report:
    """Predictions against the truth."""

    classes: list[Any]
    """Every label that was true or predicted, in order."""
    confusion: list[list[int]]
    """`confusion[i][j]`: documents of class i for which class j was predicted."""

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

    def __str__(self) -> str:
        names = [str(label) for label in self.classes]
        width = max(len(name) for name in [*names, "true"])
        columns = [max(len(name), 6) for name in names]
        head = "  ".join(name.rjust(column) for name, column in zip(names, columns, strict=True))
        lines = [f"accuracy {self.accuracy:.4f}  ({self.n_right} of {self.n_documents})", f"{'true':{width}}  {head}"]
        for name, row in zip(names, self.confusion, strict=True):
            cells = "  ".join(str(n).rjust(column) for n, column in zip(row, columns, strict=True))
            lines.append(f"{name:{width}}  {cells}")
        return "\n".join(lines)


def evaluate(truth: Sequence[Any], predicted: Sequence[Any]) -> Report:
    """The report on predictions.

    >>> report = evaluate(["ham", "ham", "spam"], ["ham", "spam", "spam"])
    >>> round(report.accuracy, 2), report.confusion
    (0.67, [[1, 1], [0, 1]])
    """
    if len(truth) != len(predicted):
        raise InputError(f"{len(truth)} labels but {len(predicted)} predictions")
    if not len(truth):
        raise InputError("no documents to evaluate")
    classes = sorted({*truth, *predicted})
    numbers = {label: number for number, label in enumerate(classes)}
    confusion = [[0] * len(classes) for _ in classes]
    for true, guess in zip(truth, predicted, strict=True):
        confusion[numbers[true]][numbers[guess]] += 1
    return Report(classes, confusion)


@dataclass(frozen=True)
class Doubtful:
    """A training document whose own label got little probability from all others."""

    index: int
    text: str
    label: Any
    probability: float


@dataclass(frozen=True)
class TrainingReport(Report):
    """How well each training document is predicted by the model that has not seen it, and what was chosen by that."""

    macro_f1: float
    log_loss: float
    calibration_error: float
    """The mean distance, over 15 bins, of how often the best class is right from its probability."""
    chosen: str
    tried: list[Tried]
    note: str
    doubtful: list[Doubtful] = field(default_factory=list)
    """The documents that look mislabelled, the most doubtful first; files and copies do not keep them."""

    def __str__(self) -> str:
        head, *matrix = super().__str__().split("\n")
        lines = [
            "each document predicted by a model that has not seen it",
            f"  {head}, macro-F1 {self.macro_f1:.4f}",
            f"  log loss {self.log_loss:.4f}, calibration error {self.calibration_error:.4f}",
            f"  chosen: {self.chosen}",
        ]
        lines += [f"  note: {self.note}"] if self.note else []
        if len(self.tried) > 1:
            width = max(len(tried.name) for tried in self.tried)
            lines.append(f"  {'tried':{width}}  log loss  accuracy")
            lines += [f"  {tried.name:{width}}  {tried.log_loss:8.4f}  {tried.accuracy:8.4f}" for tried in self.tried]
        if len(self.classes) <= WIDEST_CONFUSION:
            lines += [f"  {row}" for row in matrix]
        if self.doubtful:
            lines.append("  doubtful labels")
            lines += [
                f"  {one.index:>8}  {one.label} ({one.probability:.2%})  {_short(one.text)}" for one in self.doubtful
            ]
        return "\n".join(lines)

    def settings(self) -> dict[str, Any]:
        """The report as plain data, for a file: all but the documents."""
        settings = asdict(self)
        del settings["doubtful"]
        return settings

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> TrainingReport:
        """The report that `settings` came from."""
        values: dict[str, Any] = {**settings, "tried": [Tried(**tried) for tried in settings["tried"]]}
        return cls(**values)


def training_report(
    classes: list[Any], seen: Seen, text: Callable[[int], str], *, doubts: Seen | None = None
) -> TrainingReport:
    """The report on what was seen; `text` gives the text of a document by its number.

    Doubtful labels are looked for in `doubts` where more documents were seen there.
    """
    import numpy as np

    own, weights, logs = seen.own, seen.weights, seen.log_probabilities
    best = logs.argmax(axis=1)
    confusion = np.zeros((len(classes), len(classes)))
    np.add.at(confusion, (own, best), weights)
    own_logs = logs[np.arange(len(own)), own]
    return TrainingReport(
        classes=classes,
        confusion=confusion.astype(int).tolist(),
        macro_f1=macro_f1(confusion),
        log_loss=-float((weights * np.maximum(own_logs, -700)).sum() / weights.sum()),
        calibration_error=calibration_error(np.exp(logs.max(axis=1)), best == own, weights),
        chosen=seen.chosen,
        tried=[tried for tried in seen.tried if isfinite(tried.log_loss)],
        note=seen.note,
        doubtful=_doubtful(classes, doubts or seen, text),
    )


def _doubtful(classes: list[Any], seen: Seen, text: Callable[[int], str]) -> list[Doubtful]:
    import numpy as np

    own, logs = seen.own, seen.log_probabilities
    own_logs = logs[np.arange(len(own)), own]
    return [
        Doubtful(seen.rows[at], text(seen.rows[at]), classes[own[at]], float(np.exp(own_logs[at])))
        for at in np.argsort(own_logs, kind="stable")[:MOST_DOUBTFUL].tolist()
        if logs[at].argmax() != own[at]
    ]


def macro_f1(confusion: NDArray[Any]) -> float:
    """The mean over the classes of the harmonic mean of precision and recall; a class of which nothing is right has 0.

    >>> import numpy as np
    >>> round(macro_f1(np.array([[1, 1], [0, 1]])), 4)
    0.6667
    """
    import numpy as np

    right = np.diag(confusion)
    either = confusion.sum(axis=0) + confusion.sum(axis=1)
    return float(np.mean(2 * right / np.maximum(either, 1)))


def calibration_error(chances: NDArray[Any], right: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """The mean distance of how often predictions are right from the probabilities they had, in 15 bins of equal width.

    >>> import numpy as np
    >>> round(calibration_error(np.array([0.9, 0.9]), np.array([True, False])), 2)
    0.4
    """
    import numpy as np

    weights = np.ones(len(chances)) if weights is None else weights
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, weights * (right - chances), minlength=BINS)
    return float(np.abs(gaps).sum() / weights.sum())


def _short(text: str, width: int = 72) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
