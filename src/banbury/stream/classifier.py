"""StreamClassifier: the front door for documents that carry a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from banbury import storage
from banbury.changes import Changes
from banbury.classifier import Classifier
from banbury.errors import FORGOTTEN, MALFORMED, FileFormatError, InputError, NotFittedError, check_top
from banbury.latest import Latest
from banbury.lazy import numpy as np
from banbury.parameters import Estimator
from banbury.stream.ageing import PeriodCounts
from banbury.stream.record import HALF_LIVES, HalfLife, Record, as_loss, is_half_life
from banbury.stream.times import Calendar
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import Column, Labels, Texts, as_labels, as_texts, as_weights, check_kind, check_many

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury.report.report import Report
    from banbury.results.explanation import Explanation
    from banbury.results.word_table import WordTable
    from banbury.stream.drift import Drift


class Batch(NamedTuple):
    """Documents of one period."""

    period: int
    texts: list[str]
    labels: list[Any]
    weights: list[int] | None


class Predicted(NamedTuple):
    """How well the documents of a period are predicted from the periods before, by one half-life."""

    half_life: HalfLife
    losses: list[int]
    right: list[bool]


class StreamClassifier(Estimator):
    """Learns labels of texts that carry a time; old ones count less and less.

    Counts are kept by period. With a half-life of h periods, every h periods all earlier counts are halved: shifted by
    a bit, not multiplied by a fraction. The half-life is the one that has predicted each period best from those before
    it. No document has to be read again, their order inside a period does not matter, and what is forgotten was never
    there.

    Parameters
    ----------
    period
        `"hour"`, `"day"`, `"week"`, `"month"` or `"year"`, where times are dates; a number, where they are numbers.
    half_life
        `"auto"`: chosen. A whole number of periods. None: nothing ages.
    analyzer
        The features of a text, as of `Classifier`.
    threads
        The number of threads; by default one for each processor. The results do not depend on it.

    >>> texts = ["win money now", "lunch at noon"] * 3 + ["win coins now", "money for lunch"] * 3
    >>> times = ["2026-01-05"] * 6 + ["2026-02-03"] * 6
    >>> model = StreamClassifier(analyzer="words").fit(texts, ["spam", "ham"] * 6, times)
    >>> model.predict("win coins"), model.periods_
    ('spam', ['2026-01', '2026-02'])
    """

    parameter_names: ClassVar[tuple[str, ...]] = ("period", "half_life", "analyzer", "threads")

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        period: str | float = "month",
        half_life: int | str | None = "auto",
        analyzer: Analyzer | str | None = None,
        threads: int | None = None,
    ) -> None:
        self.period = period
        self.half_life = half_life
        self.analyzer = analyzer
        self.threads = threads

    # Learning

    def fit(self, texts: Texts, labels: Labels, times: Column, sample_weight: Column = None) -> Self:
        """Learn from these documents alone; what was learned before is gone.

        Curves are fitted to all of them together by leave-one-out, as by `Classifier`; `refit_settings` does so again.
        """
        self._check_half_life()
        calendar = Calendar(self.period)
        batches = self._batches(calendar, texts, labels, times, sample_weight)
        chosen = self._chosen(batches)
        self._calendar, self._counts, self._record = calendar, PeriodCounts(chosen.counts_.analyzer), Record()
        self._chosen_settings, self._changes, self._latest = chosen, Changes(), Latest[Classifier]()
        self._add(batches)
        return self

    def _chosen(self, batches: list[Batch]) -> Classifier:
        """A classifier with what leave-one-out chooses, which has learned nothing."""
        texts = [text for batch in batches for text in batch.texts]
        labels = [label for batch in batches for label in batch.labels]
        weights = [weight for batch in batches for weight in batch.weights or [1] * len(batch.texts)]
        return Classifier(analyzer=self.analyzer, threads=self.threads).fit(texts, labels, weights).empty()

    def refit_settings(self, texts: Texts, labels: Labels) -> Self:
        """Choose again what leave-one-out chooses, by documents that are kept elsewhere; counts and record stay."""
        self._require()
        how: dict[str, Any] = {"analyzer": self._counts.analyzer, "threads": self.threads}
        chosen = Classifier(**how).fit(texts, labels).empty()
        with self._changes:
            self._chosen_settings = chosen
            self._counts.version += 1
        return self

    def learn(self, texts: Texts, labels: Labels, times: Column, sample_weight: Column = None) -> Self:
        """Learn from these documents too, of the last period or of any; first note how well they are predicted.

        A document is predicted from the periods before its own, by each half-life.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, times, sample_weight)
        self._check_half_life()
        batches = self._batches(self._calendar, texts, labels, times, sample_weight)
        known = sorted({label for counts in self._counts.by_period.values() for label in counts.classes})
        for batch in batches:
            check_kind(batch.labels, known)
        self._add(batches)
        return self

    def _add(self, batches: list[Batch]) -> None:
        counted = [self._counted(batch) for batch in batches]  # an error comes before any change
        for batch, counts in zip(batches, counted, strict=True):
            predicted = self._predicted(batch)
            with self._changes:
                self._note(batch, predicted, 1)
                self._counts.add(batch.period, counts)

    def forget(self, texts: Texts, labels: Labels, times: Column, sample_weight: Column = None) -> Self:
        """Unlearn these documents: the model is as if it had never seen them in their periods."""
        self._require()
        batches = self._batches(self._calendar, texts, labels, times, sample_weight)
        how: dict[str, Any] = {"threads": self.threads}
        left = [self._counts.without(b.period, b.texts, b.labels, b.weights, **how) for b in batches]
        for batch, counts in zip(reversed(batches), reversed(left), strict=True):
            predicted = self._predicted(batch)
            with self._changes:
                self._note(batch, predicted, -1)
                self._counts.put(batch.period, counts)
        return self

    def forget_before(self, time: Any) -> Self:
        """Unlearn every period before the one of this time."""
        self._require()
        first = self._calendar.number(time, "forget_before")
        gone = [period for period in self._counts.by_period if period < first]
        with self._changes:
            self._counts.drop(gone)
            self._record.drop(gone)
        return self

    def merge(self, other: StreamClassifier) -> Self:
        """Learn everything that another model has learned; it stays as it is. Records of predictions are added up."""
        if not isinstance(other, StreamClassifier):
            raise InputError(f"merge needs another StreamClassifier, not one of type {type(other).__name__}")
        self._require()
        other._require()
        if self._calendar != other._calendar:
            raise InputError(
                f"these models have different periods, {self._calendar.period!r} and {other._calendar.period!r}"
            )
        if self._counts.analyzer != other._counts.analyzer:
            raise InputError("these models have different analyzers; parts of one stream are learned by an empty()")
        check_kind(*([label for counts in each.by_period.values() for label in counts.classes][:1] for each in (
            other._counts, self._counts,
        )))  # fmt: skip
        with self._changes:
            for period, counts in other._counts.by_period.items():
                self._counts.add(period, counts)
            self._record.merge(other._record)
        return self

    def empty(self) -> Self:
        """A model with all that was chosen for this one, which has learned nothing."""
        self._require()
        made = type(self)(**self.get_params())
        made._calendar, made._counts, made._record = self._calendar, PeriodCounts(self._counts.analyzer), Record()
        made._chosen_settings, made._changes, made._latest = self._chosen_settings, Changes(), Latest[Classifier]()
        return made

    # Predicting

    @property
    def current_(self) -> Classifier:
        """An ordinary classifier with the counts as they have aged by now: it predicts, decides, explains, evaluates.

        The present is the newest period that has been learned. What is learned later makes a new one.
        """
        self._known()

        def look() -> Classifier:
            half_life = self.half_life_
            key = (self._counts, self._counts.version, half_life, self._chosen_settings)
            return self._latest.get(key, lambda: self._reading(self._counts.newest, half_life))

        return self._changes.whole(look)

    def predict(self, texts: Texts) -> Any:
        """The label of each text, as an array; for one text its label."""
        return self.current_.predict(texts)

    def predict_proba(self, texts: Texts) -> NDArray[Any]:
        """The probability of each label for each text; columns follow `classes_`."""
        return self.current_.predict_proba(texts)

    def probabilities(self, text: str) -> dict[Any, float]:
        """The probability of each label for one text."""
        return self.current_.probabilities(text)

    def explain(self, text: str, *, label: Any = None, against: Any = None, unit: str = "nats") -> Explanation:
        """Why a text is of class `label` (the predicted one) rather than `against` (the next best one)."""
        return self.current_.explain(text, label=label, against=against, unit=unit)

    def words(self, label: Any = None, *, top: int | None = None, sort: str | None = None) -> WordTable:
        """The table of words, counted as they have aged by now."""
        return self.current_.words(label, top=top, sort=sort)

    def evaluate(self, texts: Texts, labels: Labels, sample_weight: Column = None) -> Report:
        """How well the labels of these documents are predicted now."""
        return self.current_.evaluate(texts, labels, sample_weight)

    def score(self, texts: Texts, labels: Labels) -> float:
        """The accuracy on these documents, by the name that scikit-learn has for it."""
        return self.current_.score(texts, labels)

    # What has been learned

    @property
    def half_life_(self) -> int | None:
        """The half-life that is used, in periods: the one given, or the one that has predicted best; None, none."""
        self._check_half_life()
        self._require()
        return self._record.best() if self.half_life == "auto" else self.half_life  # type: ignore[return-value]

    @property
    def half_lives_(self) -> dict[int | None, float]:
        """The log loss of all predictions with each half-life that was tried."""
        self._require()
        return {half_life: tally.log_loss for half_life, tally in self._record.by_half_life().items()}

    def drift(self, *, top: int = 10) -> Drift:
        """How well each period was predicted before it was learned; of those that have drifted, labels and words.

        The predictions are those of a model that forgets nothing, where there are any: one that forgets is less sure of
        everything, always, and a change shows less in it.
        """
        from banbury.stream.drift import changed_words, drift_of

        check_top(top)
        self._require()
        half_life = None if None in self._record.by_half_life() else self.half_life_
        drift = drift_of(self._record, half_life, self._calendar)
        numbers = {self._calendar.name(period): period for period in self._counts.by_period}
        rows = []
        for row in drift.periods:
            number = numbers.get(row.period)
            if row.has_drifted and number is not None:
                before = self._counts.aged(now=number, half_life=drift.half_life, before=number)
                words = changed_words(self._counts.by_period[number], before, top)
                rows.append(replace(row, words=words))
            else:
                rows.append(row)
        return replace(drift, periods=rows)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the classifier as it is now, sorted, as an array."""
        return self.current_.classes_

    @property
    def periods_(self) -> list[str]:
        """The periods that have documents, by the names of their starts."""
        self._require()
        return [self._calendar.name(period) for period in sorted(self._counts.by_period)]

    @property
    def documents_(self) -> dict[str, dict[Any, int]]:
        """The number of documents of each period and label."""
        self._require()
        return {self._calendar.name(period): by_label for period, by_label in self._counts.documents().items()}

    @property
    def n_documents_(self) -> int:
        """The number of documents that have been learned."""
        return sum(sum(by_label.values()) for by_label in self.documents_.values())

    # What scikit-learn expects of an estimator

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_counts")

    def __getstate__(self) -> dict[str, Any]:
        return self.get_params() | ({"parts": self.parts()} if self.__sklearn_is_fitted__() else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = state.pop("parts", None)
        self.__dict__.update(state)
        if parts is not None:
            self._take(*parts)

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, counts by period; the same counts and settings give the same bytes."""
        storage.write(path, *self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all that a file holds."""
        self._require()
        settings, arrays = self._chosen_settings.parts()
        all_arrays = {f"chosen.{name}": array for name, array in arrays.items()}
        periods = []
        for place, (number, counts) in enumerate(sorted(self._counts.by_period.items())):
            counts_settings, counts_arrays = counts.parts()
            periods.append({"number": number, "counts": counts_settings})
            all_arrays |= {f"period{place}.{name}": array for name, array in counts_arrays.items()}
        own = {"kind": "stream classifier", "period": self._calendar.period, "half_life": self.half_life}
        return {**own, "chosen": settings, "periods": periods, "record": self._record.settings()}, all_arrays

    @classmethod
    def load(cls, path: str | PathLike[str]) -> StreamClassifier:
        """The model in a file."""
        file = storage.read(path)
        return cls.from_parts(file.settings, file.arrays, path)

    @classmethod
    def from_parts(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, Any], path: str | PathLike[str] | None = None
    ) -> StreamClassifier:
        """The model that `parts` were taken from; arrays are read where they lie. Errors name the `path`."""
        where = "" if path is None else f"{path}: "
        try:
            if settings["kind"] != "stream classifier":
                raise FileFormatError(f"it holds a {settings['kind']}, not a stream classifier")
            model = cls(period=settings["period"], half_life=settings["half_life"])
            model._check_half_life()
            model._take(settings, arrays)
        except FileFormatError as error:
            raise FileFormatError(f"{where}{error}") from error
        except MALFORMED as error:
            raise FileFormatError(f"{where}not a model of this version of banbury: {error}") from error
        model.analyzer = model._counts.analyzer
        return model

    # Inside

    def _take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        chosen = Classifier.from_parts(settings["chosen"], _arrays_of("chosen.", arrays))
        counts = PeriodCounts(chosen.counts_.analyzer)
        for place, period in enumerate(settings["periods"]):
            made = Counts.from_parts(period["counts"], _arrays_of(f"period{place}.", arrays))
            number = period["number"]
            if type(number) is not int or abs(number) >= 2**62 or number in counts.by_period:
                raise FileFormatError("its periods have no numbers of their own")
            if made.analyzer != counts.analyzer or not made.classes:
                raise FileFormatError("its periods are not those of its analyzer")
            if counts.by_period and type(made.classes[0]) is not type(next(iter(counts.by_period.values())).classes[0]):
                raise FileFormatError("its periods have labels of different types")
            counts.put(number, made)
        self._calendar, self._counts, self._record = Calendar(settings["period"]), counts, Record.from_settings(
            settings["record"]
        )  # fmt: skip
        self._chosen_settings, self._changes, self._latest = chosen, Changes(), Latest[Classifier]()

    def _batches(self, calendar: Calendar, texts: Texts, labels: Labels, times: Column, weights: Column) -> list[Batch]:
        """The documents of each period, in the order of the periods."""
        check_many(texts)
        rows, given = as_texts(texts), as_labels(labels)
        if len(rows) != len(given):
            raise InputError(f"{len(rows)} documents but {len(given)} labels")
        numbers = calendar.numbers(times, len(rows))
        counted = None if weights is None else list(as_weights(weights, len(rows)))
        by_period: dict[int, list[int]] = {}
        for row, number in enumerate(numbers):
            by_period.setdefault(number, []).append(row)
        return [
            Batch(
                number,
                [rows[row] for row in members],
                [given[row] for row in members],
                None if counted is None else [counted[row] for row in members],
            )
            for number, members in sorted(by_period.items())
        ]

    def _counted(self, batch: Batch) -> Counts:
        how: dict[str, Any] = {"weights": batch.weights, "threads": self.threads}
        return Counts(self._counts.analyzer).add(batch.texts, batch.labels, **how)

    def _reading(self, now: int, half_life: HalfLife, before: int | None = None) -> Classifier:
        """A classifier with the counts as they have aged by the period `now`."""
        classifier = self._chosen_settings.empty()
        classifier.counts_.absorb(self._counts.aged(now=now, half_life=half_life, before=before))
        classifier.threads = self.threads
        return classifier

    def _predicted(self, batch: Batch) -> list[Predicted]:
        """How well documents are predicted from the periods before theirs, by each half-life."""
        now = batch.period
        if not any(period < now for period in self._counts.by_period):
            return []
        tried: list[HalfLife] = list(HALF_LIVES) if self.half_life == "auto" else [self.half_life]  # type: ignore[list-item]
        unaged: Predicted | None = None
        found = []
        for half_life in tried:
            has_aged = self._counts.has_aged(now=now, half_life=half_life, before=now)
            if not has_aged and unaged is not None:
                found.append(unaged._replace(half_life=half_life))
                continue
            classifier = self._reading(now, half_life, before=now)
            losses, right = _losses(classifier, batch) if classifier.counts_.classes else ([], [])
            if not losses:
                continue
            found.append(Predicted(half_life, losses, right))
            unaged = unaged if has_aged else found[-1]
        return found

    def _note(self, batch: Batch, predicted: list[Predicted], sign: int) -> None:
        times = [sign * weight for weight in batch.weights or [1] * len(batch.texts)]
        for half_life, losses, right in predicted:
            self._record.note(half_life, batch.period, batch.labels, losses, right, times)

    def _check_half_life(self) -> None:
        if self.half_life != "auto" and not is_half_life(self.half_life):
            raise InputError(f"half_life is {self.half_life!r}; it can be 'auto', a whole number of periods, or None")

    def _require(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels, times) first")

    def _known(self) -> None:
        self._require()
        if not self._counts.by_period:
            raise NotFittedError(FORGOTTEN)


def _losses(classifier: Classifier, batch: Batch) -> tuple[list[int], list[bool]]:
    """The loss of each document, and whether it is predicted right."""
    classes, logs = classifier.model_.classes, classifier.predict_log_proba(batch.texts)
    places = {label: place for place, label in enumerate(classes)}
    best = logs.argmax(axis=1).tolist()
    losses = [
        as_loss(float(row[places[label]]) if label in places else -np.inf)
        for row, label in zip(logs, batch.labels, strict=True)
    ]
    return losses, [classes[place] == label for place, label in zip(best, batch.labels, strict=True)]


def _arrays_of(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
