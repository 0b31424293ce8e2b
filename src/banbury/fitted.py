"""Fitted: what a classifier has once it is fitted, a model with its report and its latest reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, TypeVar
from banbury.changes import CHANGING
from banbury.errors import FORGOTTEN, MALFORMED, FileFormatError, InputError, NotAvailable, NotFittedError
from banbury.latest import Latest
from banbury.lazy import numpy as np
from banbury.model import Documents, Model, Reading, model_from_parts
from banbury.parameters import check_parameters
from banbury.tables.recognition import is_table
from banbury.text.documents import Column, Labels, as_labels
from banbury.text.likelihoods import Dirichlet, Prior
from banbury.text.model import TextModel
from banbury.text.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.learned_rows import LearnedRows
    from banbury.results.training_report import TrainingReport
    from banbury.text.analyzer import Analyzer
    from banbury.text.likelihoods import Smoothing
    from banbury.text.unlabelled import Unlabelled

Found = TypeVar("Found")


class Fitted:
    """A model, how well it does, and what became of documents without labels."""

    def __init__(
        self,
        settings: Settings,
        model: Model,
        report: TrainingReport | None = None,
        unlabelled: Unlabelled | None = None,
        rows: LearnedRows | None = None,
    ) -> None:
        self.model = model
        self.rows = rows  # which documents it has learned; None where it does not keep that
        self._reported, self._report = settings, report  # the report speaks of the model with these settings
        self._stored_report: Mapping[str, Any] | None = None  # as a file has it, until it is asked for
        self._unlabelled = unlabelled
        self._latest_check = Latest[None]()
        self._latest_reading = Latest[Reading]()
        self.latest_labeller: _kernel.Labeller | None = None  # of single texts; ask it what it was made from
        self._latest_labels: tuple[list[Any], NDArray[Any]] | None = None

    def copy(self) -> Fitted:
        """A copy whose model changes on its own from now on."""
        with CHANGING:
            model, rows = self.model.copy(), None if self.rows is None else self.rows.copy()
        copy = Fitted(self._reported, model, self._report, self._unlabelled, rows)
        copy._stored_report = self._stored_report
        return copy

    # Changes: of the model and of what it knows of its rows, together or not at all.

    def add(self, documents: Documents, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Learn these documents too."""
        if self.rows is None:
            self.model.add(documents, labels, weights, threads=threads)
            return
        from banbury.learned_rows import rows_of  # nothing that predicts needs it

        held = self.model.hold(documents)
        rows = list(rows_of(held, labels, weights))
        with self.model.changes:
            self.model.add(held[0], labels, weights, threads=threads)
            self.rows.add(rows)

    def remove(self, documents: Documents, labels: list[Any], weights: Column, *, threads: int | None) -> None:
        """Unlearn these documents; where rows are kept, one that was never learned is an error."""
        if self.rows is None:
            self.model.remove(documents, labels, weights, threads=threads)
            return
        from banbury.learned_rows import rows_of  # nothing that predicts needs it

        held = self.model.hold(documents)
        rows = list(rows_of(held, labels, weights))
        with self.model.changes:
            self.rows.remove(rows)
            try:
                self.model.remove(held[0], labels, weights, threads=threads)
            except BaseException:
                self.rows.add(rows)
                raise

    def merge(self, other: Fitted) -> None:
        """Learn all that another has learned."""
        with self.model.changes:
            rows = other.rows
            if self.rows is not None and rows is None:
                raise InputError(
                    "this model keeps which documents it has learned, and the other does not: fit both with "
                    "exact_forget=True, or neither"
                )
            self.model.merge(other.model)
            if self.rows is not None and rows is not None:
                self.rows.merge(rows)

    def empty_copy(self, settings: Settings) -> Fitted:
        """The same with a model that has learned nothing."""
        rows = None if self.rows is None else type(self.rows)()
        return Fitted(settings, self.model.empty_copy(), rows=rows)

    def know_rows(self, documents: Documents, labels: list[Any], weights: Column) -> None:
        """Keep which documents the model has learned, from these on."""
        from banbury.learned_rows import LearnedRows, rows_of  # nothing that predicts needs them

        self.rows = LearnedRows()
        self.rows.add(rows_of(self.model.hold(documents), labels, weights))

    def known(self) -> Model:
        """The model, where it knows a class."""
        if not self.model.classes:
            raise NotFittedError(FORGOTTEN)
        return self.model

    def reading(self, settings: Settings, prior: Prior | None) -> Reading:
        """How documents are scored; made again whenever the counts or a parameter have changed, by whatever way."""
        model = self.known()
        state, plain = model.state(), settings._replace(prior="")

        def make() -> Reading:
            self._latest_check.get(plain, settings.check)
            reading = model.reading(settings, prior, state)
            self._keep_labeller(state, settings, prior, reading)
            return reading

        if not all(isinstance(given, str | Mapping | Dirichlet | None) for given in (settings.prior, prior)):
            return make()  # which says what a prior can be
        # A dictionary can change without a trace, so the key has a copy.
        priors = [dict(given) if isinstance(given, Mapping) else given for given in (settings.prior, prior)]
        return self._latest_reading.get((plain, priors, state), make)

    def _keep_labeller(self, state: tuple[Any, ...], settings: Settings, prior: Prior | None, reading: Reading) -> None:
        self.latest_labeller = None
        model = self.model
        # A prior that is a dictionary can change without a trace.
        if prior is None and isinstance(settings.prior, str) and isinstance(model, TextModel):
            labeller = reading.labeller((model.counts.learned, model.choice, *settings))
            if model.is_in(state):  # asked after they were read: another thread may change them
                self.latest_labeller = labeller

    def labeller(
        self, likelihood: str, smoothing: Smoothing, vocabulary: str, prior: Prior | None, calibration: str | None
    ) -> _kernel.Labeller | None:
        """What labels single texts, where all that it was made from is still the same; else None.

        The labeller itself asks whether the counts have changed.
        """
        labeller, model = self.latest_labeller, self.model  # read once: another thread may replace it
        if labeller is None or not isinstance(model, TextModel):
            return None
        of = (model.counts.learned, model.choice, likelihood, smoothing, vocabulary, prior, calibration)
        return labeller if labeller.is_from(*of) else None

    def read(self, settings: Settings, prior: Prior | None, use: Callable[[Reading], Found]) -> Found:
        """What `use` makes of a reading: of the model before or after what another thread changes, never half of it."""
        return self.model.changes.read(lambda: use(self.reading(settings, prior)))

    def labels(self, classes: list[Any]) -> NDArray[Any]:
        """The classes as an array, which is made once."""
        latest = self._latest_labels
        if latest is None or latest[0] is not classes:
            latest = self._latest_labels = (classes, np.array(classes))
        return latest[1]

    def report(self, settings: Settings) -> TrainingReport:
        """The report, where it speaks of the model with these settings; else an `AttributeError` that says why not."""
        known = self._known_report()
        if known is None:
            raise NotAvailable(
                "there is no report_: leave-one-out had nothing to choose for this model; "
                "evaluate(texts, labels) tells how well it does"
            )
        if change := settings.change_from(self._reported):
            raise NotAvailable(
                f"there is no report_ for this model any more: {change}; "
                "refit_settings(texts, labels) makes one, evaluate(texts, labels) tells how well it does"
            )
        report = known.since(self.model.classes, self.model.documents)
        return report.with_prior(self._reported.prior, settings.prior)

    def set_report(self, settings: Settings, report: TrainingReport | None) -> None:
        """Take the report of what was chosen again with these settings."""
        self._reported, self._report, self._stored_report = settings, report, None

    def _known_report(self) -> TrainingReport | None:
        """The report. That of a file is read when it is first asked for: nothing that predicts needs it."""
        if self._stored_report is not None:
            from banbury.results.training_report import TrainingReport  # nothing that predicts needs it

            try:
                self._report = TrainingReport.from_settings(self._stored_report)
            except MALFORMED as error:
                raise FileFormatError(f"the report of this model is not one of this version: {error}") from error
            self._stored_report = None
        return self._report

    @property
    def unlabelled(self) -> Unlabelled:
        """What became of the documents without labels."""
        if self._unlabelled is None:
            raise NotAvailable(
                "there is no unlabelled_: this model was fitted without unlabelled documents, fit(…, unlabelled=texts)"
            )
        return self._unlabelled

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all but the documents."""
        with CHANGING:
            settings, arrays = self.model.parts()
            if self.rows is not None:
                settings, arrays = {"exact_forget": True, **settings}, {**arrays, **self.rows.arrays()}
        report = self._stored_report if self._report is None else self._report.settings()
        return {"report": report, "reported": self._reported.plain(), **settings}, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Fitted:
        """What `parts` were taken from; arrays are read where they lie."""
        reported = Settings.from_plain(settings["reported"])
        reported.check()
        if not isinstance(settings["report"], Mapping | None):
            raise FileFormatError("its report is no object")
        rows = None
        if settings.get("exact_forget", False) is True:
            from banbury.learned_rows import LearnedRows  # nothing that predicts needs it

            rows = LearnedRows.from_arrays(arrays)
        read = cls(reported, model_from_parts(settings, arrays), rows=rows)
        read._stored_report = settings["report"]
        return read


def fitted(
    documents: Documents,
    labels: Labels,
    weights: Column,
    settings: Settings,
    *,
    columns: Any,
    analyzer: Analyzer | str | None,
    effort: str,
    unlabelled: Documents | None = None,
    sure: float | str | None = None,
    groups: Column = None,
    exact_forget: bool = False,
    threads: int | None,
) -> Fitted:
    """A model of these documents, of the kind that they need, with all that leave-one-out chooses."""
    how: dict[str, Any] = {"columns": columns, "analyzer": analyzer, "effort": effort, "threads": threads}
    learned = _fitted(documents, labels, weights, settings, unlabelled=unlabelled, sure=sure, groups=groups, **how)
    if exact_forget:
        learned.know_rows(documents, as_labels(labels), weights)
    return learned


def _fitted(
    documents: Documents,
    labels: Labels,
    weights: Column,
    settings: Settings,
    *,
    columns: Any,
    analyzer: Analyzer | str | None,
    effort: str,
    unlabelled: Documents | None,
    sure: float | str | None,
    groups: Column,
    threads: int | None,
) -> Fitted:
    labels = as_labels(labels)
    how: dict[str, Any] = {"effort": effort, "threads": threads}
    if columns is not None or is_table(documents):
        from banbury.tables.model import TableModel  # it needs NumPy, which texts alone do not

        if unlabelled is not None:
            raise InputError("documents without labels help where documents are texts; this is a table")
        how |= {"columns": columns, "groups": groups}
        return Fitted(settings, *TableModel.fitted(documents, labels, weights, settings, **how))
    how["analyzer"] = analyzer
    if unlabelled is None:
        return Fitted(settings, *TextModel.fitted(documents, labels, weights, settings, groups=groups, **how))
    if groups is not None:
        raise InputError("groups and unlabelled cannot be given together: nobody knows the groups of the others")
    from banbury.text.unlabelled import fitted_with_unlabelled  # nothing that predicts needs it

    return Fitted(settings, *fitted_with_unlabelled(documents, labels, weights, unlabelled, settings, sure=sure, **how))


def parameters_and_fitted(
    settings: Mapping[str, Any], arrays: Mapping[str, Any], path: object = None
) -> tuple[dict[str, Any], Fitted]:
    """What `Classifier.parts` were taken from: its parameters, and what it has learned; errors name the `path`."""
    where = "" if path is None else f"{path}: "
    try:
        if settings["kind"] != "classifier":
            raise FileFormatError(f"it holds a {settings['kind']}, not a classifier")
        learned, plain = Fitted.from_parts(settings, arrays), dict(settings["model"])
        effort = plain.pop("effort")
        given = check_parameters(Settings.from_plain(plain), effort)
    except FileFormatError as error:
        raise FileFormatError(f"{where}{error}") from error
    except MALFORMED as error:
        raise FileFormatError(f"{where}not a model of this version of banbury: {error}") from error
    more = {"effort": effort, "exact_forget": learned.rows is not None}
    return {**learned.model.parameters(), **given._asdict(), **more}, learned
