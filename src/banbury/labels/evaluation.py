"""Evaluation of predicted label sets: micro and macro F1, subset accuracy, Hamming loss, ranking, label by label."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from banbury import atomic
from banbury.display.characters import NAME_WIDTH, shorten
from banbury.display.html import Markup, element, isolated, page, piece
from banbury.display.html_tables import figures_table, table
from banbury.errors import InputError, check_top
from banbury.labels.odds import probabilities_of
from banbury.labels.sets import label_of_file
from banbury.lazy import numpy as np
from banbury.report.evaluation_sections import reliability_figure
from banbury.report.page import PAGE_STYLE
from banbury.results.metrics import Bin, calibration_error, reliability

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

LARGEST_LABEL_LOSS = 1e300
MOST_QUESTIONABLE = 20  # documents with doubtful or missing labels
FEW_RANKED = 64  # labels, up to which comparing all pairs of them is quicker than sorting


@dataclass(frozen=True)
class LabelRow:
    """One label: how many documents have it, get it, and both."""

    label: Any
    documents: float
    predicted: float
    right: float
    average_precision: float | None
    """How well its probability ranks the documents that have it before the others; None where none has it."""
    log_loss: float | None
    """None for a label that the model does not know."""

    @property
    def precision(self) -> float:
        """The share of the documents that get the label that have it; 0 where none gets it."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the documents that have the label that get it; 0 where none has it."""
        return self.right / self.documents if self.documents else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where no document has the label or gets it."""
        both = self.documents + self.predicted
        return 2 * self.right / both if both else 0.0


@dataclass(frozen=True)
class LabelPredictions:
    """Predictions document by document."""

    labels: list[Any]
    truth: NDArray[np.bool_]
    log_odds: NDArray[np.float64]
    decided: NDArray[np.bool_]
    weights: NDArray[np.float64]
    rows: list[int]
    """The row of each document among those given."""
    text: Callable[[int], str]
    """From a row to its text."""


@dataclass(frozen=True)
class QuestionableLabel:
    """A label that a document has and probably should not have, or has not and probably should."""

    index: int
    """The row of the document."""
    text: str
    label: Any
    probability: float
    """P(label) by a model that has not learned the document, where leave-one-out predicted it."""


@dataclass(frozen=True, kw_only=True)
class LabelEvaluation:
    """Predicted label sets against the true ones.

    A label that the model does not know is missed in every document that has it. Log loss, calibration and ranking
    measures leave it out: it has no probability.
    """

    n_documents: int
    labels: list[LabelRow]
    subset_accuracy: float
    """The share of the documents that get exactly their labels."""
    hamming_loss: float
    """The share of wrong ones among all decisions about a document and a label."""
    log_loss: float
    """The mean of −log P(yes or no) over documents and labels, in nats."""
    calibration_error: float
    """Expected calibration error (ECE) of the probabilities of labels, in 15 bins of equal width."""
    ranking_loss: float
    """The share of pairs of a true and another label that are ranked the wrong way round, averaged over documents."""
    ranking_precision: float
    """Label ranking average precision: for each true label the share of true ones among those ranked as high."""
    coverage_error: float
    """How many of the highest ranked labels it takes to have all true ones, averaged over documents."""
    unknown_labels: list[tuple[Any, int]] = field(default_factory=list)
    """Labels that the model does not know, and how many documents have them."""
    note: str = ""
    predictions: LabelPredictions | None = field(default=None, compare=False, repr=False)
    """Document by document; files and copies do not keep them."""

    # Figures of all labels

    def _sums(self) -> tuple[float, float, float]:
        rows = self.labels
        return sum(row.right for row in rows), sum(row.predicted for row in rows), sum(row.documents for row in rows)

    @property
    def micro_precision(self) -> float:
        """The share of all given labels that are right."""
        right, predicted, _ = self._sums()
        return right / predicted if predicted else 0.0

    @property
    def micro_recall(self) -> float:
        """The share of all true labels that are given."""
        right, _, documents = self._sums()
        return right / documents if documents else 0.0

    @property
    def micro_f1(self) -> float:
        """F1 of all decisions together."""
        right, predicted, documents = self._sums()
        return 2 * right / (predicted + documents) if predicted + documents else 0.0

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels."""
        return sum(row.f1 for row in self.labels) / len(self.labels) if self.labels else 0.0

    def figures(self) -> list[tuple[str, float, None]]:
        """Every figure of all labels together, by name."""
        names = ["micro F1", "macro F1", "micro precision", "micro recall", "subset accuracy", "Hamming loss"]
        names += ["log loss", "calibration error", "ranking loss", "ranking precision", "coverage error"]
        return [(name, getattr(self, name.lower().replace(" ", "_")), None) for name in names]

    def rows(self) -> list[dict[str, Any]]:
        """The figures of each label, for a data frame."""
        names = "label", "precision", "recall", "f1", "average_precision", "log_loss", "documents", "predicted", "right"
        return [{name: getattr(row, name) for name in names} for row in self.labels]

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain data; single documents are not among them."""
        return {name.lower().replace(" ", "_"): value for name, value, _ in self.figures()} | {
            "n_documents": self.n_documents,
            "note": self.note,
            "unknown_labels": [label for label, _ in self.unknown_labels],
            "labels": self.rows(),
        }

    def reliability(self) -> list[Bin]:
        """How many of the labels of each probability documents have, in 15 bins; none where files kept no documents.

        >>> truth, log_odds = np.array([[True, False], [True, True]]), np.array([[2.0, -1.0], [0.5, -0.5]])
        >>> one = LabelPredictions(["a", "b"], truth, log_odds, log_odds > 0, np.ones(2), [0, 1], str)
        >>> [(bin.documents, bin.accuracy) for bin in evaluate_labels(one).reliability()]
        [(1, 0.0), (1, 1.0), (1, 1.0), (1, 1.0)]
        """
        if self.predictions is None:
            return []
        unknown = {label for label, _ in self.unknown_labels}
        known = [place for place, label in enumerate(self.predictions.labels) if label not in unknown]
        return label_bins(self.predictions, known)

    # Documents

    def doubtful(self, top: int = MOST_QUESTIONABLE) -> list[QuestionableLabel]:
        """Labels that documents have and that are improbable, the least probable first."""
        return self._questionable(top, has=True)

    def missing(self, top: int = MOST_QUESTIONABLE) -> list[QuestionableLabel]:
        """Labels that documents do not have and that are probable, the most probable first."""
        return self._questionable(top, has=False)

    def _questionable(self, top: int, *, has: bool) -> list[QuestionableLabel]:
        check_top(top)
        predictions = self.predictions
        if predictions is None:
            raise InputError("single documents are not kept in files: evaluate(texts, labels) has them")
        is_wrong = (predictions.truth == has) & (predictions.decided != has) & np.isfinite(predictions.log_odds)
        rows, places = np.nonzero(is_wrong)
        odds = predictions.log_odds[rows, places]
        order = np.lexsort((places, np.array(predictions.rows)[rows], odds if has else -odds))[:top]
        return [
            QuestionableLabel(
                predictions.rows[row],
                predictions.text(predictions.rows[row]),
                predictions.labels[place],
                float(probabilities_of(predictions.log_odds[row, place])),
            )
            for row, place in zip(rows[order].tolist(), places[order].tolist(), strict=True)
        ]

    # Showing

    def __str__(self) -> str:
        lines = [f"note: {self.note}"] if self.note else []
        lines += [f"{name:18}{value:.4f}" for name, value, _ in self.figures()]
        lines += [f"the model does not know {label!r}, which {n} documents have" for label, n in self.unknown_labels]
        names = [shorten(str(row.label), NAME_WIDTH) for row in self.labels]
        width = max(map(len, [*names, "label"]))
        lines += ["", f"{'label':{width}}  precision  recall      F1  documents  predicted"]
        lines += [
            f"{name:{width}}  {row.precision:9.4f}  {row.recall:6.4f}  {row.f1:6.4f}"
            f"  {row.documents:9g}  {row.predicted:9g}"
            for name, row in zip(names, self.labels, strict=True)
        ]
        return "\n".join(lines)

    def markup(self) -> list[Markup]:
        """What a notebook and a page show."""
        notes = [self.note] if self.note else []
        notes += [f"the model does not know {label!r}, which {n} documents have" for label, n in self.unknown_labels]
        head = ("label", "precision", "recall", "F1", "average precision", "log loss", "documents", "predicted")
        rows = [
            (
                isolated(row.label, width=NAME_WIDTH),
                *(f"{value:.4f}" for value in (row.precision, row.recall, row.f1)),
                *("" if value is None else f"{value:.4f}" for value in (row.average_precision, row.log_loss)),
                f"{row.documents:g}",
                f"{row.predicted:g}",
            )
            for row in self.labels
        ]
        caption = f"{self.n_documents} documents, {len(self.labels)} labels"
        return [figures_table(self.figures(), caption, notes), table(head, rows, "Label by label")]

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def html(self, *, title: str = "Labels", documents: int = MOST_QUESTIONABLE) -> str:
        """A page of HTML: the figures, each label, how far probabilities can be believed, and so many documents with
        doubtful and with missing labels.

        What files do not keep is left out of the page of a model that was loaded: all but figures and labels.
        """
        sections: list[tuple[str, Any]] = [("Figures", self.markup())]
        if bins := self.reliability():
            titles = ("probability of a label", "share that has it", "documents × labels")
            sections.append(("Probabilities", element("div", reliability_figure(bins, *titles), class_="side")))
        if self.predictions is not None and documents:
            doubtful, missing = self.doubtful(documents), self.missing(documents)
            sections += [
                ("Doubtful labels", _documents(doubtful, "Labels that documents have and that are improbable")),
                ("Missing labels", _documents(missing, "Labels that documents lack and that are probable")),
            ]
        body = [element("section", element("h2", name), content) for name, content in sections]
        return page(title, element("h1", isolated(title)), element("main", body), style=PAGE_STYLE)

    def save(self, path: str | PathLike[str], *, title: str = "Labels") -> None:
        """Write the page of `html`."""
        atomic.write(path, [self.html(title=title).encode()])

    # Keeping

    def settings(self) -> dict[str, Any]:
        """The figures as plain data, for a file: all but the documents."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "predictions"}
        plain["labels"] = [asdict(row) for row in self.labels]
        plain["unknown_labels"] = [list(pair) for pair in self.unknown_labels]
        return plain

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> LabelEvaluation:
        """The figures that `settings` came from."""
        rows = [_row_of_file(row) for row in settings["labels"]]
        unknown = [(label_of_file(label), int(n)) for label, n in settings["unknown_labels"]]
        numbers: dict[str, Any] = {
            entry.name: float(settings[entry.name])
            for entry in fields(cls)
            if entry.name not in ("labels", "unknown_labels", "note", "predictions", "n_documents")
        }
        note, n_documents = str(settings["note"]), int(settings["n_documents"])
        return cls(labels=rows, unknown_labels=unknown, note=note, n_documents=n_documents, **numbers)


def _row_of_file(row: Mapping[str, Any]) -> LabelRow:
    documents, predicted, right = (float(row[name]) for name in ("documents", "predicted", "right"))
    precision, loss = (None if row[name] is None else float(row[name]) for name in ("average_precision", "log_loss"))
    return LabelRow(label_of_file(row["label"]), documents, predicted, right, precision, loss)


def evaluate_labels(predictions: LabelPredictions, *, n_known: int | None = None, note: str = "") -> LabelEvaluation:
    """The evaluation of predictions; of the labels the first `n_known` have probabilities, by default all.

    >>> truth, log_odds = np.array([[True, False], [True, True]]), np.array([[2.0, -1.0], [0.5, -0.5]])
    >>> one = LabelPredictions(["a", "b"], truth, log_odds, log_odds > 0, np.ones(2), [0, 1], str)
    >>> made = evaluate_labels(one)
    >>> round(made.micro_f1, 3), made.subset_accuracy, made.hamming_loss, made.ranking_loss
    (0.8, 0.5, 0.25, 0.0)
    """
    truth, decided, weights = predictions.truth, predictions.decided, predictions.weights
    if not len(truth):
        raise InputError("no documents to evaluate")
    if not weights.sum() > 0:
        raise InputError("no document counts: all weights are 0")
    n_known = len(predictions.labels) if n_known is None else n_known
    odds, known = predictions.log_odds[:, :n_known], truth[:, :n_known]
    losses = np.minimum(np.logaddexp(0, np.where(known, -odds, odds)), LARGEST_LABEL_LOSS)
    label_losses = np.average(losses, axis=0, weights=weights).tolist()
    rows = [
        LabelRow(
            label,
            float(weights[truth[:, place]].sum()),
            float(weights[decided[:, place]].sum()),
            float(weights[truth[:, place] & decided[:, place]].sum()),
            average_precision(truth[:, place], odds[:, place], weights) if place < n_known else None,
            label_losses[place] if place < n_known else None,
        )
        for place, label in enumerate(predictions.labels)
    ]
    bins = label_bins(predictions, list(range(n_known)))
    ranking = ranking_measures(known, odds, weights)
    unknown = [(row.label, int(truth[:, place].sum())) for place, row in enumerate(rows) if place >= n_known]
    return LabelEvaluation(
        n_documents=len(truth),
        labels=rows,
        subset_accuracy=float(np.average((truth == decided).all(axis=1), weights=weights)),
        hamming_loss=float(np.average((truth != decided).mean(axis=1), weights=weights)),
        log_loss=float(np.average(losses.mean(axis=1), weights=weights)),
        calibration_error=calibration_error(bins),
        unknown_labels=unknown,
        note=note,
        predictions=predictions,
        **ranking,
    )


def label_bins(predictions: LabelPredictions, places: list[int]) -> list[Bin]:
    """Reliability of the probabilities of labels, of these places, over documents and labels."""
    odds, truth = predictions.log_odds[:, places], predictions.truth[:, places]
    each = np.broadcast_to(predictions.weights[:, None], truth.shape)
    return reliability(probabilities_of(odds).ravel(), truth.ravel(), each.ravel())


def ranking_measures(truth: NDArray[Any], scores: NDArray[Any], weights: NDArray[Any]) -> dict[str, float]:
    """Ranking loss, label ranking average precision and coverage error, as they are usually defined.

    Labels with the same score are ranked as low as the last of them. A document that has none of the labels, or all, is
    ranked right, and covered by as many labels as it has.
    """
    n_labels = truth.shape[1]
    ranks, true_ranks = (_ranks if n_labels <= FEW_RANKED else _many_ranks)(truth, scores)
    n_true = truth.sum(axis=1)
    is_ranked = (n_true > 0) & (n_true < n_labels)
    coverage = np.where(truth, ranks, 0).max(axis=1, initial=0)
    pairs = np.maximum(n_true * (n_labels - n_true), 1)
    loss = np.where(is_ranked, np.where(truth, ranks - true_ranks, 0).sum(axis=1) / pairs, 0.0)
    shares = np.where(truth, true_ranks / np.maximum(ranks, 1), 0.0).sum(axis=1) / np.maximum(n_true, 1)
    precision = np.where(is_ranked, shares, 1.0)
    names = ("ranking_loss", "ranking_precision", "coverage_error")
    each = (loss, precision, coverage)
    return {name: float(np.average(values, weights=weights)) for name, values in zip(names, each, strict=True)}


def _ranks(truth: NDArray[Any], scores: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many labels score at least as high as each label of each document, and how many true ones do."""
    ranks, true_ranks = np.empty(truth.shape), np.empty(truth.shape)
    for place in range(truth.shape[1]):
        is_before = scores >= scores[:, place : place + 1]
        ranks[:, place] = is_before.sum(axis=1)
        true_ranks[:, place] = (is_before & truth).sum(axis=1)
    return ranks, true_ranks


def _many_ranks(truth: NDArray[Any], scores: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same for true labels alone, by sorting: of many labels few are true."""
    ranks, true_ranks = np.zeros(truth.shape), np.zeros(truth.shape)
    for row in range(len(truth)):
        true_scores = -scores[row, truth[row]]
        ranks[row, truth[row]] = np.searchsorted(np.sort(-scores[row]), true_scores, side="right")
        true_ranks[row, truth[row]] = np.searchsorted(np.sort(true_scores), true_scores, side="right")
    return ranks, true_ranks


def average_precision(truth: NDArray[Any], scores: NDArray[Any], weights: NDArray[Any]) -> float | None:
    """Σ precision · gain in recall over all thresholds; None where no document has the label.

    >>> round(average_precision(np.array([True, False, True]), np.array([3.0, 2.0, 1.0]), np.ones(3)), 4)
    0.8333
    """
    whole = float((weights * truth).sum())
    if not whole:
        return None
    order = np.argsort(-scores, kind="stable")
    is_last = np.append(np.diff(scores[order]) != 0, True)
    right, taken = np.cumsum((weights * truth)[order])[is_last], np.cumsum(weights[order])[is_last]
    precision = right / np.maximum(taken, 1e-300)
    return float((np.diff(right, prepend=0.0) * precision).sum() / whole)


def _documents(questionable: list[QuestionableLabel], caption: str) -> Markup:
    rows = [
        (
            str(one.index),
            element("span", isolated(one.label, width=NAME_WIDTH), f" ({one.probability:.2%})"),
            isolated(" ".join(one.text.split()), width=90),
        )
        for one in questionable
    ]
    return table(("document", "label", "text"), rows, caption, texts=3)
