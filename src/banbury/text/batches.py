"""A model of more documents than fit into memory: the same, to the bit, as of all of them at once.

Counts are added batch by batch. Of the documents themselves leave-one-out needs a sample, and which documents are in
it depends on their texts alone, so it can be kept up to date while they pass by.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.errors import InputError
from banbury.text import correcting
from banbury.text.counts import Counts
from banbury.text.documents import as_labels, as_weights, check_kind, class_numbers, n_threads
from banbury.text.leave_one_out import MOST_DOCUMENTS
from banbury.text.model import TextModel
from banbury.text.settings import Settings, analyzers_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from banbury.results.training_report import TrainingReport
    from banbury.text.analyzer import Analyzer
    from banbury.text.documents import Column, Texts

HELD = 64 << 20  # bytes of text that are simply kept in memory
COUNTED = 24 << 20  # bytes that are counted at a time beyond that: few enough to be small, many enough to be quick


class _Part(NamedTuple):
    """Some documents, checked."""

    texts: Texts
    labels: list[Any]
    weights: Column
    size: int
    """Bytes of the texts."""


def fitted_in_batches(
    batches: Iterable[Any], settings: Settings, *, analyzer: Analyzer | str | None, effort: str, threads: int | None
) -> tuple[TextModel, TrainingReport | None]:
    """A model of the documents of all batches, with everything chosen, and how well it does.

    A batch has `texts`, `labels` and maybe `sample_weight`, by these names or in this order. Where there are few
    documents, all are kept and nothing is different from a list of them.
    """
    parts = _parts(batches)
    first, is_all = _gathered(parts, HELD)
    if is_all:
        whole = (first.texts, first.labels, first.weights)
        return TextModel.fitted(*whole, settings, analyzer=analyzer, effort=effort, threads=threads)
    guess, _ = analyzers_for(analyzer, *_kernel.measure(first.texts), settings)
    stream = _Stream(guess, effort, threads)
    stream.add(first)
    del first  # it would wait in memory for all that follows
    while not is_all:
        part, is_all = _gathered(parts, COUNTED)
        stream.add(part)
        del part
    # Only now it is known how long the documents are.
    wanted, narrower = analyzers_for(analyzer, stream.n_documents, stream.n_characters, settings)
    if wanted != guess:
        if guess.characters is None:
            return _again(batches, settings, analyzer, wanted, effort, threads)
        stream.counts = stream.counts.narrowed(wanted)
    return stream.model(settings, narrower)


def _again(
    batches: Iterable[Any], settings: Settings, analyzer: Any, wanted: Analyzer, effort: str, threads: int | None
) -> tuple[TextModel, TrainingReport | None]:
    """The documents are shorter than they were at the start, so characters have to be counted too."""
    if not getattr(batches, "can_be_read_again", iter(batches) is not batches):
        raise InputError(
            "the documents are short, but those at the start of the stream were long: what kinds of features there are "
            "was guessed wrong; give an analyzer, or batches that can be read twice, such as banbury.read(path)"
        )
    stream = _Stream(wanted, effort, threads)
    for part in _parts(batches):
        stream.add(part)
    return stream.model(settings, analyzers_for(analyzer, stream.n_documents, stream.n_characters, settings)[1])


def _parts(batches: Iterable[Any]) -> Iterator[_Part]:
    known: list[Any] = []
    for batch in batches:
        texts, labels, weights = unpacked(batch)
        labels = as_labels(labels)
        check_kind(labels, known)
        known = known or labels[:1]
        texts = _kernel.hold(texts)
        if len(texts) != len(labels):
            raise InputError(f"{len(texts)} documents but {len(labels)} labels")
        yield _Part(texts, labels, None if weights is None else as_weights(weights, len(labels)), _kernel.size(texts))


def unpacked(batch: Any) -> tuple[Any, Any, Any]:
    """The texts, labels and weights of a batch."""
    if hasattr(batch, "texts"):
        if batch.labels is None:
            raise InputError("the documents have no labels")
        return batch.texts, batch.labels, batch.sample_weight
    if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
        raise InputError(
            f"a batch is (texts, labels) or (texts, labels, sample_weight), not of type {type(batch).__name__}"
        )
    return batch[0], batch[1], batch[2] if len(batch) == 3 else None


def _gathered(parts: Iterator[_Part], enough: int) -> tuple[_Part, bool]:
    """Several parts in one, and whether these were all that there are."""
    gathered: list[_Part] = []
    while sum(part.size + len(part.labels) for part in gathered) < enough:
        if (part := next(parts, None)) is None:
            return _joined(gathered), True
        gathered.append(part)
    return _joined(gathered), False


def _joined(parts: list[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    labels = [label for part in parts for label in part.labels]
    weights = None
    if any(part.weights is not None for part in parts):
        weights = [weight for part in parts for weight in part.weights or [1] * len(part.labels)]
    if any(isinstance(part.texts, list) for part in parts) or not parts:
        texts: Texts = [text for part in parts for text in part.texts]
    else:
        texts = _kernel.join([part.texts for part in parts])
    return _Part(texts, labels, weights, sum(part.size for part in parts))


class _Stream:
    """What is kept of the documents that have passed by."""

    def __init__(self, analyzer: Analyzer, effort: str, threads: int | None) -> None:
        self.counts = Counts(analyzer)
        self.n_documents = self.n_characters = 0
        self._sample = _kernel.Sample(correcting.MOST_CORRECTED_DOCUMENTS if effort == "best" else MOST_DOCUMENTS)
        self._effort = effort
        self._labels: dict[Any, int] = {}
        self._threads = threads

    def add(self, part: _Part) -> None:
        if not part.labels:
            return
        weights = None if part.weights is None else as_weights(part.weights, len(part.labels))
        self.counts.add(part.texts, part.labels, weights=weights, threads=self._threads)
        for label in set(part.labels).difference(self._labels):
            self._labels[label] = len(self._labels)
        numbers = class_numbers(part.labels, list(self._labels))
        self._sample.add(part.texts, numbers, weights, n_threads(self._threads))
        self.n_documents += len(part.labels)
        self.n_characters += _kernel.measure(part.texts)[1]

    def model(self, settings: Settings, narrower: Analyzer | None) -> tuple[TextModel, TrainingReport | None]:
        texts, class_ids, weights, places = self._sample.documents()
        known = list(self._labels)
        labels = [known[class_id] for class_id in class_ids]
        how: dict[str, Any] = {"effort": self._effort, "narrower": narrower, "threads": self._threads}
        model, report = TextModel.chosen(self.counts, texts, labels, weights, settings, **how)
        return model, None if report is None else _placed(report, places)


def _placed(report: TrainingReport, places: list[int]) -> TrainingReport:
    """The documents of a report where they were among all, not among the sample."""
    predictions = report.predictions
    if predictions is not None:
        predictions = replace(predictions, rows=[places[row] for row in predictions.rows])
    doubtful = [replace(document, index=places[document.index]) for document in report.doubtful]
    return replace(report, doubtful=doubtful, predictions=predictions)
