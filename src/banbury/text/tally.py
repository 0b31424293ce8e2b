"""Tally: what is kept of documents that pass by, or are counted in parts on several machines.

Counts are added. Of the documents themselves leave-one-out needs a sample, and which documents are in it depends on
their texts alone. So tallies of parts can be merged in any order, and give the model of the whole, to the bit.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import FileFormatError, InputError
from banbury.text import correcting
from banbury.text.counts import Counts
from banbury.text.documents import LABEL_TYPES, as_labels, as_weights, check_kind, class_numbers, n_threads
from banbury.text.leave_one_out import MOST_DOCUMENTS
from banbury.text.model import TextModel
from banbury.text.settings import analyzers_for

if TYPE_CHECKING:
    from banbury.results.training_report import TrainingReport
    from banbury.text.analyzer import Analyzer
    from banbury.text.documents import Column, Labels, Texts
    from banbury.text.settings import Settings


class Tally:
    """Counts of documents, a sample of them where leave-one-out has to choose something, and how long they are.

    >>> from banbury.text.settings import Settings
    >>> here, there = Tally(None, Settings()), Tally(None, Settings())
    >>> here.add(["free money"], ["spam"], first_row=0)
    >>> there.add(["lunch at noon?", "lunch?"], ["ham", "ham"], first_row=1)
    >>> here.merge(there)
    >>> here.n_documents, here.counts.classes
    (3, ['ham', 'spam'])
    """

    def __init__(self, analyzer: Analyzer | str | None, settings: Settings, *, effort: str = "counting") -> None:
        self.analyzer = analyzer
        self.settings = settings
        self.effort = effort
        self.n_documents = self.n_characters = 0
        self._counts: Counts | None = None
        self._sample = _kernel.Sample(sample_size(effort))
        self._labels: dict[Any, int] = {}
        self._is_for_short = False

    def for_short_documents(self) -> Tally:
        """An empty tally of the same parameters that takes its first documents for short ones."""
        tally = Tally(self.analyzer, self.settings, effort=self.effort)
        tally._is_for_short = True
        return tally

    @property
    def counts(self) -> Counts:
        """What was counted."""
        return self._counts or Counts(self._analyzers()[0])

    def _analyzers(self) -> tuple[Analyzer, Analyzer | None]:
        """The analyzer for documents as long as these, and the one without its last block."""
        return analyzers_for(self.analyzer, self.n_documents, self.n_characters, self.settings)

    def add(
        self,
        texts: Texts,
        labels: Labels,
        weights: Column = None,
        *,
        first_row: int | None = None,
        threads: int | None = None,
    ) -> None:
        """Count these documents; a bad one changes nothing.

        `first_row` is the number of the first of them among all documents, in whatever order they are counted; without
        it they follow on those counted so far. What kinds of features there are is guessed by the first documents.
        """
        labels = as_labels(labels)
        if not labels:
            return
        check_kind(labels, list(self._labels))
        weights = None if weights is None else as_weights(weights, len(labels))
        n_characters = _kernel.measure(texts)[1]
        if self._counts is None:
            measured = 0 if self._is_for_short else n_characters
            guess, _ = analyzers_for(self.analyzer, len(labels), measured, self.settings)
            self._counts = Counts(guess).add(texts, labels, weights=weights, threads=threads)
        else:
            self._counts.add(texts, labels, weights=weights, threads=threads)
        numbers = self._class_numbers(labels)
        if self.settings.is_open:
            rows = None if first_row is None else array("Q", range(first_row, first_row + len(labels)))
            self._sample.add(texts, numbers, weights, n_threads(threads), rows)
        self.n_documents += len(labels)
        self.n_characters += n_characters

    def _class_numbers(self, labels: list[Any]) -> Any:
        for label in sorted(set(labels).difference(self._labels)):
            self._labels[label] = len(self._labels)
        return class_numbers(labels, list(self._labels))

    def merge(self, other: Tally) -> None:
        """Add what another has counted of other documents, whose rows have other numbers.

        Where only one of the two has counted characters, they are left out: `model` says if they are needed.
        """
        if (self.analyzer, self.settings, self.effort) != (other.analyzer, other.settings, other.effort):
            raise InputError("these tallies were made with different parameters, so they cannot be merged")
        if other._counts is None:
            return
        ours, theirs = self._counts, other._counts.copy()
        check_kind(theirs.classes, list(self._labels))
        if ours is not None and ours.analyzer != theirs.analyzer:
            narrow = ours.analyzer if ours.analyzer.characters is None else theirs.analyzer
            ours, theirs = (counts.narrowed(narrow) for counts in (ours, theirs))
        self._counts = theirs if ours is None else ours.absorb(theirs)
        texts, class_ids, weights, rows = other._sample.documents()
        known = list(other._labels)
        self._class_numbers(known)  # the sample need not have all of them
        numbers = self._class_numbers([known[class_id] for class_id in class_ids])
        if texts:
            self._sample.add(texts, numbers, as_weights(weights, len(texts)), 1, array("Q", rows))
        self.n_documents += other.n_documents
        self.n_characters += other.n_characters

    @property
    def must_be_counted_again(self) -> bool:
        """Whether the documents are short, but some were taken for long ones, so that characters are missing."""
        wanted = self._analyzers()[0]
        return self._counts is not None and wanted != self._counts.analyzer and self._counts.analyzer.characters is None

    def model(
        self, *, place: Callable[[int], int] = int, threads: int | None = None
    ) -> tuple[TextModel, TrainingReport | None]:
        """A model of all documents, with everything chosen, and how well it does.

        `place` gives the place of a document, in the report, for its row.
        """
        assert not self.must_be_counted_again
        counts, (wanted, narrower) = self.counts, self._analyzers()
        if counts.analyzer != wanted:
            counts = counts.narrowed(wanted)
        texts, class_ids, weights, rows = self._sample.documents()
        known = list(self._labels)
        labels = [known[class_id] for class_id in class_ids]
        how: dict[str, Any] = {"effort": self.effort, "narrower": narrower, "threads": threads}
        model, report = TextModel.chosen(counts, texts, labels, weights, self.settings, **how)
        return model, None if report is None else _placed(report, [place(row) for row in rows])

    def prune(self, *, min_documents: int) -> None:
        """Forget the features that fewer documents have."""
        if self._counts is not None:
            self._counts.prune(min_documents=min_documents)

    def shards(self, n: int) -> list[Tally]:
        """So many tallies that merge to this one: which has a feature depends on its name alone.

        All that is not features is in the first one.
        """
        if self._counts is None:
            return [self]
        classes, kernel = self._counts.learned
        shards = []
        for number, shard in enumerate(kernel.shards(n)):
            tally = Tally(self.analyzer, self.settings, effort=self.effort)
            tally._counts = Counts.of_kernel(self._counts.analyzer, list(classes), shard)
            if number == 0:
                tally._sample, tally._labels = self._sample, dict(self._labels)
                tally.n_documents, tally.n_characters = self.n_documents, self.n_characters
            shards.append(tally)
        return shards

    # What travels

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage`: what was counted, not with which parameters.

        The same documents give the same, in whatever order they were counted and merged.
        """
        texts, class_ids, weights, rows = self._sample.documents()
        known, labels = list(self._labels), sorted(self._labels)
        numbers = {label: number for number, label in enumerate(labels)}
        class_ids = [numbers[known[class_id]] for class_id in class_ids]
        order = _with_classes_in_order(texts, class_ids)
        encoded = [texts[at].encode("utf-8", "surrogatepass") for at in order]
        settings: dict[str, Any] = {
            "n_documents": self.n_documents,
            "n_characters": self.n_characters,
            "sampled": labels,
            "sampled_labels": type(labels[0]).__name__ if labels else "str",
            "counts": None,
        }
        arrays: dict[str, Any] = {
            "sample.texts": b"".join(encoded),
            "sample.ends": array("Q", accumulate(map(len, encoded))),
            "sample.classes": array("I", (class_ids[at] for at in order)),
            "sample.weights": array("I", (weights[at] for at in order)),
            "sample.rows": array("Q", (rows[at] for at in order)),
        }
        if self._counts is not None:
            settings["counts"], of_counts = self._counts.parts()
            arrays |= {f"counts.{name}": values for name, values in of_counts.items()}
        return settings, arrays

    def with_parts(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Tally:
        """The tally, of the parameters of this one, whose `parts` these are."""
        tally = Tally(self.analyzer, self.settings, effort=self.effort)
        if settings["counts"] is not None:
            of_counts = {name.removeprefix("counts."): view for name, view in arrays.items() if name[:7] == "counts."}
            tally._counts = Counts.from_parts(settings["counts"], of_counts)
        tally.n_documents, tally.n_characters = settings["n_documents"], settings["n_characters"]
        if any(type(number) is not int or number < 0 for number in (tally.n_documents, tally.n_characters)):
            raise FileFormatError("how many documents and characters it has are not numbers")
        labels, kind = list(settings["sampled"]), LABEL_TYPES[settings["sampled_labels"]]
        tally._labels = {label: number for number, label in enumerate(labels)}
        if any(type(label) is not kind for label in labels) or len(tally._labels) != len(labels):
            raise FileFormatError("the labels of its sample are not of one kind, or repeat")
        texts = _texts(arrays["sample.texts"], arrays["sample.ends"].tolist())
        class_ids, weights, rows = (arrays[f"sample.{name}"].tolist() for name in ("classes", "weights", "rows"))
        if not len(texts) == len(class_ids) == len(weights) == len(rows) or max(class_ids, default=-1) >= len(labels):
            raise FileFormatError("the documents of its sample do not fit their labels")
        if texts:
            tally._sample.add(texts, array("I", class_ids), array("I", weights), 1, array("Q", rows))
        return tally


def sample_size(effort: str) -> int:
    """How many documents leave-one-out looks at."""
    return correcting.MOST_CORRECTED_DOCUMENTS if effort == "best" else MOST_DOCUMENTS


def _with_classes_in_order(texts: list[str], class_ids: list[int]) -> list[int]:
    """The order of documents where those of one text, which stand side by side, come by class."""
    starts = [0, *accumulate(int(text != before) for before, text in pairwise(texts))][: len(texts)]
    return sorted(range(len(texts)), key=lambda at: (starts[at], class_ids[at]))


def _texts(content: memoryview, ends: list[int]) -> list[str]:
    places = [0, *ends]
    if places != sorted(places) or places[-1] != len(content):
        raise FileFormatError("the texts of its sample have impossible places")
    try:
        return [str(content[start:end], "utf-8", "surrogatepass") for start, end in pairwise(places)]
    except UnicodeDecodeError as error:
        raise FileFormatError(f"a text of its sample is not UTF-8: {error}") from error


def _placed(report: TrainingReport, places: list[int]) -> TrainingReport:
    """The documents of a report where they were among all, not among the sample."""
    predictions = report.predictions
    if predictions is not None:
        predictions = replace(predictions, rows=[places[row] for row in predictions.rows])
    doubtful = [replace(document, index=places[document.index]) for document in report.doubtful]
    return replace(report, doubtful=doubtful, predictions=predictions)
