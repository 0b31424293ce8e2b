"""A model of several labels a document, of more documents than fit into memory: the same as of all of them at once.

Counts are added batch by batch, and the sample that leave-one-out needs is kept up to date, as in `text/batches.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.errors import LabelError
from banbury.labels.choice import LabelChoice, choose_labels, fit_labels
from banbury.labels.counts import LabelCounts
from banbury.labels.sets import LabelSet, as_label_sets
from banbury.text import batches as text_batches
from banbury.text.batches import check_read_again, gathered, parts_of
from banbury.text.curves import MOST_FITTED_DOCUMENTS
from banbury.text.documents import check_kind, class_numbers, n_threads
from banbury.text.settings import Settings, analyzers_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from banbury.labels.thresholds import Threshold
    from banbury.text.analyzer import Analyzer
    from banbury.text.batches import Part


class FittedInBatches(NamedTuple):
    """What was counted and chosen, and the columns of the indicator matrix that the labels came as."""

    choice: LabelChoice
    columns: list[Any] | None


def fitted_in_batches(
    batches: Iterable[Any], *, analyzer: Analyzer | str | None, threshold: Threshold, threads: int | None
) -> FittedInBatches:
    """The counts of the documents of all batches, with everything chosen.

    A batch has `texts`, `labels` and maybe `sample_weight`, by these names or in this order. Few documents are kept,
    and nothing is different from a list of them.
    """
    checked = _Checked()
    parts = parts_of(batches, checked)
    part, is_all = gathered(parts, text_batches.HELD)
    if is_all:
        whole = (part.texts, part.labels, part.weights, threshold)
        return FittedInBatches(fit_labels(*whole, analyzer=analyzer, threads=threads), checked.columns)
    tally = _LabelTally(analyzer)
    tally.add(part, threads)
    while not is_all:
        del part  # it would wait in memory for the next one
        part, is_all = gathered(parts, text_batches.COUNTED)
        tally.add(part, threads)
    if tally.must_be_counted_again:
        check_read_again(batches)
        tally = _LabelTally(analyzer, is_for_short=True)
        for part in parts_of(batches, _Checked()):
            tally.add(part, threads)
    return FittedInBatches(tally.choice(threshold, threads), checked.columns)


class _Checked:
    """Labels of one batch after the other as label sets: all of one kind, in one form."""

    def __init__(self) -> None:
        self.columns: list[Any] | None = None
        self._is_first = True
        self._known: list[Any] = []

    def __call__(self, labels: Any) -> list[LabelSet]:
        given = as_label_sets(labels, self.columns)
        if not self._is_first and (given.columns is None) != (self.columns is None):
            raise LabelError("some batches have lists of labels and some an indicator matrix; all have the same")
        self._is_first, self.columns = False, given.columns
        flat = [label for labels_of_document in given.sets for label in labels_of_document]
        check_kind(flat, self._known)
        self._known = self._known or flat[:1]
        return given.sets


class _LabelTally:
    """Counts of documents that pass by, a sample of them, and how long they are."""

    def __init__(self, analyzer: Analyzer | str | None, *, is_for_short: bool = False) -> None:
        self._analyzer = analyzer
        self._is_for_short = is_for_short
        self._n_documents = self._n_characters = 0
        self._counts: LabelCounts | None = None
        self._sample = _kernel.Sample(MOST_FITTED_DOCUMENTS)
        self._sets: dict[LabelSet, int] = {}

    def add(self, part: Part, threads: int | None) -> None:
        """Count some documents. What kinds of features there are is guessed by the first of them."""
        n, n_characters = _kernel.measure(part.texts)
        if self._counts is None:
            measured = 0 if self._is_for_short else n_characters
            self._counts = LabelCounts(analyzers_for(self._analyzer, n, measured, Settings())[0])
        self._counts.add(part.texts, part.labels, weights=part.weights, threads=threads)
        for labels in sorted(set(part.labels).difference(self._sets)):
            self._sets[labels] = len(self._sets)
        numbers = class_numbers(part.labels, list(self._sets))
        self._sample.add(part.texts, numbers, part.weights, n_threads(threads))
        self._n_documents += n
        self._n_characters += n_characters

    def _analyzers(self) -> tuple[Analyzer, Analyzer | None]:
        return analyzers_for(self._analyzer, self._n_documents, self._n_characters, Settings())

    @property
    def must_be_counted_again(self) -> bool:
        """Whether the documents are short, but the first were long, so that characters are missing."""
        assert self._counts is not None
        analyzer = self._counts.analyzer
        return self._analyzers()[0] != analyzer and analyzer.characters is None

    def choice(self, threshold: Threshold, threads: int | None) -> LabelChoice:
        """What leave-one-out chooses; documents of its report have the rows that they have among all."""
        assert self._counts is not None
        counts, (wanted, narrower) = self._counts, self._analyzers()
        if counts.analyzer != wanted:
            counts = counts.narrowed(wanted)
        texts, numbers, weights, rows = self._sample.documents()
        known = list(self._sets)
        sets = [known[number] for number in numbers]
        choice = choose_labels(counts, texts, sets, weights, threshold, narrower=narrower, threads=threads)
        predictions = choice.report.predictions
        assert predictions is not None
        text_of = dict(zip(rows, texts, strict=True))
        placed = replace(predictions, rows=[rows[row] for row in predictions.rows], text=text_of.__getitem__)
        return choice._replace(report=replace(choice.report, predictions=placed))
