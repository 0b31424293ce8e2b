"""Estimator: what a classifier holds: its parameters, the model that they read, and what scikit-learn expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from banbury.errors import InputError, NotFittedError
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import n_threads
from banbury.text.model import Settings, TextModel, TextReading
from banbury.text.unlabelled import Unlabelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.training_report import TrainingReport
    from banbury.tables.model import TableModel
    from banbury.tables.scoring import TableReading

Texts = Any
Labels = Any
PARAMETERS = (
    "columns", "analyzer", "likelihood", "smoothing", "vocabulary", "prior", "effort", "calibration", "threads"
)  # fmt: skip
EFFORTS = ("counting", "best")


class Estimator:
    """Parameters and a model; the parameters can change after training, and are looked at whenever it is read."""

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        columns: Mapping[Any, Any] | None = None,
        analyzer: Analyzer | str | None = None,
        likelihood: str = "multinomial",
        smoothing: float | str | None = "auto",
        vocabulary: str = "shared",
        prior: Any = "empirical",
        effort: str = "counting",
        calibration: str | None = "auto",
        threads: int | None = None,
    ) -> None:
        self.columns = columns
        self.analyzer = analyzer
        self.likelihood = likelihood
        self.smoothing = smoothing
        self.vocabulary = vocabulary
        self.prior = prior
        self.effort = effort
        self.calibration = calibration
        self.threads = threads

    # What has been learned

    @property
    def report_(self) -> TrainingReport:
        """How well each training document is predicted by the model without it, and what was chosen by that.

        It speaks of the documents that the model was fitted to, or of those given to `refit_settings`.
        """
        self._fitted()
        if self._report is None:
            raise NotFittedError(
                "there is no report: leave-one-out had nothing to choose for this model; "
                "evaluate(texts, labels) tells how well it does"
            )
        return self._report

    @property
    def unlabelled_(self) -> Unlabelled:
        """What became of the documents without labels in the last `fit`; a file does not keep it."""
        self._fitted()
        if self._unlabelled is None:
            raise NotFittedError("this model was fitted without documents that have no label: fit(…, unlabelled=texts)")
        return self._unlabelled

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted, as an array."""
        return self._labels(self._fitted().classes)

    @property
    def documents_(self) -> list[int]:
        """How many documents of each class have been learned, in the order of `classes_`.

        >>> from banbury import Classifier
        >>> Classifier.textbook().fit(["so happy", "so sad", "happy"], ["positive", "negative", "positive"]).documents_
        [1, 2]
        """
        return list(self._fitted().documents)

    @property
    def counts_(self) -> Counts:
        """What has been counted, in a model of texts."""
        model = self._fitted()
        if not isinstance(model, TextModel):
            raise NotFittedError("a model of a table has no counts_; columns_ says what its columns are")
        return model.counts

    @property
    def columns_(self) -> dict[str, Any]:
        """The columns of a table that are used, and what kind each is."""
        model = self._fitted()
        if isinstance(model, TextModel):
            raise NotFittedError("a model of texts has no columns_")
        return dict(model.kinds)

    # What scikit-learn expects of an estimator

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; those of reading the counts take effect at once."""
        if unknown := [name for name in parameters if name not in PARAMETERS]:
            raise InputError(f"there is no parameter {unknown[0]!r}; there is {', '.join(PARAMETERS)}")
        self.__dict__.update(parameters)
        return self

    def __repr__(self) -> str:
        defaults = type(self)().get_params()
        given = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # only scikit-learn itself asks

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=True, string=True, categorical=True, allow_nan=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.get_params()
        if self.__sklearn_is_fitted__():
            state["parts"] = self._model.parts()
            state["report"] = None if self._report is None else self._report.settings()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts, report = (state.pop(name, None) for name in ("parts", "report"))
        self.__dict__.update(state)
        if parts is not None:
            self._take(model_from(*parts), report_from(report))

    # Inside

    def _check_settings(self) -> None:
        self._settings().check()
        if self.effort not in EFFORTS:
            raise InputError(f"effort is {self.effort!r}; it can be {' or '.join(map(repr, EFFORTS))}")

    def _settings(self) -> Settings:
        return Settings(self.likelihood, self.smoothing, self.vocabulary, self.prior, self.calibration)

    def _take(
        self, model: TextModel | TableModel, report: TrainingReport | None, unlabelled: Unlabelled | None = None
    ) -> None:
        self._model: Any = model  # both kinds offer the same few methods
        self._report = report
        self._unlabelled = unlabelled
        self._latest: tuple[Any, TextReading | TableReading] | None = None
        self._as_array: tuple[list[Any], NDArray[Any]] | None = None

    def _fitted(self) -> Any:
        try:
            return self._model
        except AttributeError:
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first") from None

    def _known(self) -> Any:
        model = self._fitted()
        if not model.classes:
            raise NotFittedError("this model has forgotten everything: call learn(texts, labels) first")
        return model

    def _reading(self, prior: Any) -> TextReading | TableReading:
        """How texts are scored; looked at again whenever the counts or a parameter have changed, by whatever way."""
        model = self._known()
        settings = (self.likelihood, self.smoothing, self.vocabulary, self.prior, self.calibration)
        of = (settings, prior, model.state())
        if self._latest is not None and self._latest[0] == of:
            return self._latest[1]
        reading: TextReading | TableReading = model.reading(Settings(*settings), prior)
        # A dictionary can change without a trace.
        if isinstance(self.prior, str) and (prior is None or isinstance(prior, str)):
            self._latest = (of, reading)
        return reading

    def _scores(self, texts: Texts, prior: Any) -> NDArray[Any]:
        return self._reading(prior).scores(texts, n_threads(self.threads))

    def _labels(self, classes: list[Any]) -> NDArray[Any]:
        """The classes as an array, which is made once."""
        import numpy as np

        known = self._as_array
        if known is None or known[0] is not classes:
            known = self._as_array = (classes, np.array(classes))
        return known[1]


def model_from(settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> TextModel | TableModel:
    """The model that its parts describe."""
    if "columns" not in settings:
        return TextModel.from_parts(settings, arrays)
    from banbury.tables.model import TableModel

    return TableModel.from_parts(settings, arrays)


def report_from(settings: Mapping[str, Any] | None) -> TrainingReport | None:
    """The report that its settings describe."""
    from banbury.results.training_report import TrainingReport

    return None if settings is None else TrainingReport.from_settings(settings)
