"""Report: how good a model is on some documents, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from banbury import atomic
from banbury.diagnosis.duplicates import n_repeats
from banbury.display import diagrams
from banbury.errors import InputError
from banbury.report.class_words import keywords
from banbury.report.page import Contents, Source, report_page
from banbury.results.evaluation import Evaluation, Predictions, evaluate
from banbury.results.mistakes import Confused, Mistake, WordAtFault, confused_groups, surest, words_at_fault
from banbury.stats.softmax import log_softmax
from banbury.text.documents import Column, Label, as_weights

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from banbury.results.explanation import Explanation
    from banbury.results.nomogram import Nomogram
    from banbury.text.counts import Counts


class Model(Protocol):
    """What a report asks of a model."""

    def explain(self, text: Any, *, label: Label | None = None, against: Label | None = None) -> Explanation:
        """Why a document is of one class rather than of another."""

    def joint_log_likelihood(self, texts: Any) -> NDArray[Any]:
        """log P(class) + log P(document | class), by document and class."""

    def nomogram(self) -> Nomogram:
        """What the columns of a table say; of texts an `AttributeError`."""

    @property
    def log_prior_(self) -> NDArray[Any]:
        """log P(class) of each class."""

    @property
    def counts_(self) -> Counts:
        """What the model has counted."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Evaluation):
    """An evaluation that has its model and documents at hand, so that it can also say why.

    What it says of the model's reasons is computed when it is asked for, by the model as it is then.
    """

    model: Model = field(compare=False, repr=False)
    document: Callable[[int], Any] = field(compare=False, repr=False)
    """A function from a row to its document."""
    look: Callable[[], Any] = field(compare=False, repr=False)
    """A function that diagnoses the documents, which takes longer than the rest."""
    predictions: Predictions = field(compare=False, repr=False)

    @classmethod
    def of(
        cls, evaluation: Evaluation, model: Model, document: Callable[[int], Any], look: Callable[[], Any]
    ) -> Report:
        """A report from an evaluation, its model and its documents."""
        return cls(**_figures(evaluation), model=model, document=document, look=look)

    @classmethod
    def of_scores(
        cls,
        model: Model,
        document: Callable[[int], Any],
        look: Callable[[], Any],
        *,
        documents: Any,
        scores: NDArray[Any],
        classes: list[Any],
        labels: list[Any],
        sample_weight: Column = None,
    ) -> Report:
        """A report on documents with these labels, by the scores that a model gives them."""
        weights = None if sample_weight is None else np.array(as_weights(sample_weight, len(labels)), dtype=float)
        # A score decides, not its probability: two that differ can round to the same one.
        predicted = [classes[class_id] for class_id in scores.argmax(axis=1).tolist()]
        logs = log_softmax(scores)
        figures = evaluate(labels, predicted, log_probabilities=logs, classes=classes, weights=weights)
        return cls.of(replace(figures, n_repeats=n_repeats(documents)), model, document, look)

    def __reduce__(self) -> tuple[Any, ...]:
        # What is sent elsewhere are the figures; the documents and the model stay where they are.
        return _evaluation, (_figures(self),)

    def mistakes(self, top: int = 10) -> list[Mistake]:
        """The mistakes of which the model was surest, with their explanations.

        >>> from banbury import Classifier
        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> report = Classifier().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
        >>> worst = report.mistakes(top=1)[0]
        >>> (worst.label, worst.predicted), worst.explanation.score > 0
        (('positive', 'negative'), True)
        """
        return surest(self.predictions, self._explain, top)

    def words_at_fault(self, top: int = 20) -> list[WordAtFault]:
        """The words that speak for the wrong class most, in all documents that were predicted wrong."""
        return words_at_fault(self.predictions, self._explain, top)

    def confused_groups(self) -> list[Confused]:
        """Classes that are taken for each other more often than for others."""
        return confused_groups(self.classes, self.confusion)

    def plot_plane(self, first: Any = None, second: Any = None, ax: Axes | None = None) -> Axes:
        """Draw documents by log P(document | class) of two classes, with ellipses, and return the axes.

        The probabilities are those of the plain likelihood, without the prior. Of two classes the second is drawn to
        the right, as the positive one.

        >>> from banbury import Classifier
        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> ax = Classifier.textbook().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2]).plot_plane()
        """
        classes = self.predictions.classes
        if (first is None or second is None) and len(classes) != 2:
            raise InputError(f"the plane of which two classes? plot_plane({classes[0]!r}, {classes[-1]!r})")
        names = (classes[1] if first is None else first, classes[0] if second is None else second)
        if unknown := [label for label in names if label not in classes]:
            raise InputError(f"there is no class {unknown[0]!r}; there is {', '.join(map(repr, classes))}")
        documents = [self.document(row) for row in self.predictions.rows]
        logs = self.model.joint_log_likelihood(documents) - self.model.log_prior_
        right, up = (logs[:, classes.index(label)] for label in names)
        return diagrams.class_plane(right, up, self.predictions.truth, names=names, ax=ax)

    @cached_property
    def diagnosis(self) -> Any:
        """What `model.diagnose` says of the documents."""
        return self.look()

    def html(
        self,
        *,
        title: str = "Report on a model",
        mistakes: int = 10,
        diagnose: bool = True,
        source: Source | None = None,
    ) -> str:
        """The report as one page of HTML, with so many mistakes explained; `diagnose=False` leaves the diagnosis out.

        `source` names the files that the documents are from, and where in them each one stands.
        """
        decides = len(self.predictions.classes) > 1  # a model of one class has no reasons
        counts = getattr(self.model, "counts_", None)  # a model of a table has none, and no words to look at
        return report_page(
            self,
            Contents(
                title=title,
                model=repr(self.model),
                words=None if counts is None else keywords(counts),
                groups=self.confused_groups(),
                mistakes=self.mistakes(mistakes) if decides else None,
                at_fault=self.words_at_fault() if decides else None,
                diagnosis=self.diagnosis if diagnose and counts is not None else None,
                rows=self.diagnosis if diagnose and counts is None else None,
                source=source,
                columns=self._nomogram() if counts is None and decides else None,
            ),
        )

    def _nomogram(self) -> Nomogram | None:
        """What the columns of a table say; None for a model that has none."""
        try:
            return self.model.nomogram()
        except (AttributeError, InputError):
            return None

    def save(
        self,
        path: str | PathLike[str],
        *,
        title: str = "Report on a model",
        mistakes: int = 10,
        diagnose: bool = True,
        source: Source | None = None,
    ) -> None:
        """Write the page to a file, which needs nothing besides itself to be read; `html` says what can be chosen.

        >>> import tempfile, pathlib
        >>> from banbury import Classifier
        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> report = Classifier().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(f"{folder}/report.html", title="Moods")
        ...     "<h1><bdi>Moods</bdi></h1>" in pathlib.Path(folder, "report.html").read_text("utf-8")
        True
        """
        page = self.html(title=title, mistakes=mistakes, diagnose=diagnose, source=source)
        atomic.write(path, [page.encode("utf-8")])

    def _explain(self, row: int, label: Label | None, against: Label | None) -> Explanation:
        return self.model.explain(self.document(row), label=label, against=against)


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    return {field_.name: getattr(evaluation, field_.name) for field_ in fields(Evaluation)}


def _evaluation(figures: dict[str, Any]) -> Evaluation:
    return Evaluation(**figures)
