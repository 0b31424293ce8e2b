"""MultiLabelClassifier: the front door for documents that have several labels, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from banbury import _kernel, storage
from banbury.errors import MALFORMED, FileFormatError, InputError, LabelError, NotAvailable, NotFittedError, check_top
from banbury.labels.counts import LabelCounts
from banbury.labels.model import LabelModel
from banbury.labels.odds import probabilities_of
from banbury.labels.sets import LabelSet, as_label_sets, indicator, label_of_file
from banbury.labels.thresholds import Threshold, check_threshold, thresholds_by_label
from banbury.lazy import numpy as np
from banbury.parameters import Estimator
from banbury.text.analyzer import Analyzer
from banbury.text.documents import (
    Column,
    Label,
    Texts,
    as_sample_weight,
    check_kind,
    check_many,
    n_threads,
    suggestion,
)
from banbury.text.settings import as_analyzer
from banbury.text.tokens import is_document

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury.labels.choice import LabelChoice
    from banbury.labels.evaluation import LabelEvaluation
    from banbury.results.explanation import Explanation
    from banbury.results.word_table import WordTable


class MultiLabelClassifier(Estimator):
    """Learns the labels of texts that have several each, or none, by counting.

    A document counts once in each of its labels and once in all documents, so every label is told from all that is
    outside it by one set of counts. Trust curves for all labels, a shift for each and its threshold are chosen by exact
    leave-one-out; probabilities are calibrated, label by label, and `report_` says how well it does.

    Labels are lists, one for each document; or an indicator matrix (an array, a sparse matrix, a data frame), and then
    predictions come as one, too.

    Parameters
    ----------
    analyzer
        The features of a text: an `Analyzer`, or the name of a preset. None is words and pairs of words, for short
        texts also characters where these help.
    threshold
        From which probability on a document gets a label. `"f1"`: for each label the one with the largest F1.
        `"micro_f1"`: one for all. A number: that, such as `cost_threshold(missed=4)`. A dictionary: a number for each
        label, None for one that is never given; labels that are not in it have that of `"f1"`. It can be changed after
        training.
    threads
        The number of threads; by default one for each processor. The results do not depend on it.

    >>> texts = ["goal in the last minute", "the minister resigns", "minister opens the stadium", "lunch at noon"]
    >>> model = MultiLabelClassifier().fit(texts, [["sport"], ["politics"], ["politics", "sport"], []])
    >>> model.predict("the minister", top=1)
    ['politics']
    """

    parameter_names: ClassVar[tuple[str, ...]] = ("analyzer", "threshold", "threads")

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        analyzer: Analyzer | str | None = None,
        threshold: Threshold = "f1",
        threads: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.threshold = threshold
        self.threads = threads

    # Learning

    def fit(self, texts: Texts, labels: Any, sample_weight: Column = None, *, groups: Column = None) -> Self:
        """Learn from these documents alone; what was learned before is gone.

        An empty list says that a document has none of the labels. A document with `sample_weight` 3 counts as three.
        Documents of one of `groups` are left out together, as equal texts always are.
        """
        check_threshold(self.threshold)
        check_many(texts)
        given = as_label_sets(labels)
        from banbury.labels.choice import fit_labels  # nothing that predicts needs it

        how: dict[str, Any] = {"analyzer": self.analyzer, "groups": groups, "threads": self.threads}
        chosen = fit_labels(_kernel.hold(texts), given.sets, sample_weight, self.threshold, **how)
        return self._fitted(chosen, given.columns)

    def _fitted(self, chosen: LabelChoice, columns: list[Any] | None) -> Self:
        self._model = LabelModel(chosen.counts, chosen.trust, chosen.f1)
        self._columns = columns
        self._report: LabelEvaluation | None = chosen.report
        return self

    def fit_batches(self, batches: Iterable[Any]) -> Self:
        """Learn from batches of documents alone, which need not fit into memory together.

        A batch is what `read_several` gives, or `(texts, labels)`, or `(texts, labels, sample_weight)`. The model is
        the same, to the bit, as that of `fit` with all documents at once.

        >>> batches = [(["goal"], [["sport"]]), (["vote", "noon"], [["politics"], []])]
        >>> MultiLabelClassifier().fit_batches(batches).n_documents_
        3
        """
        from banbury.labels.batches import fitted_in_batches  # nothing that predicts needs it

        check_threshold(self.threshold)
        how: dict[str, Any] = {"analyzer": self.analyzer, "threshold": self.threshold, "threads": self.threads}
        return self._fitted(*fitted_in_batches(batches, **how))

    def refit_settings(self, texts: Texts, labels: Any, sample_weight: Column = None, *, groups: Column = None) -> Self:
        """Choose again what leave-one-out chooses; the counts stay as they are.

        Learning, forgetting and merging keep what was chosen before. A model keeps no documents, so they have to be
        given again: all that it has learned, or a part of them.
        """
        model = self._known()
        sets = check_known_sets(as_label_sets(labels, self._columns).sets, model.labels)
        from banbury.labels.choice import choose_labels  # nothing that predicts needs it

        how: dict[str, Any] = {"groups": groups, "threads": self.threads}
        chosen = choose_labels(model.counts, _kernel.hold(texts), sets, sample_weight, self.threshold, **how)
        model.set_choice(chosen.counts, chosen.trust, chosen.f1)
        self._report = chosen.report
        return self

    def learn(self, texts: Texts, labels: Any, sample_weight: Column = None, *, new_labels: str = "allow") -> Self:
        """Learn from these documents too; new words and new labels are welcome.

        What was chosen when the model was fitted stays; `refit_settings` chooses again. `new_labels="error"` refuses a
        label that the model does not know, and changes nothing.
        """
        if new_labels not in ("allow", "error"):
            raise InputError(f"new_labels is {new_labels!r}; it can be 'allow' or 'error'")
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        check_many(texts)
        sets = as_label_sets(labels, self._columns).sets
        if new_labels == "error":
            check_known_sets(sets, self._model.labels)
        self._model.add(texts, sets, sample_weight, threads=self.threads)
        return self

    def partial_fit(self, X: Texts, y: Any, sample_weight: Column = None) -> Self:
        """Learn from these documents too: `learn` by the name that scikit-learn has for it."""
        return self.learn(X, y, sample_weight)

    def forget(self, texts: Texts, labels: Any, sample_weight: Column = None) -> Self:
        """Unlearn these documents: the model is as if it had never seen them."""
        check_many(texts)
        model = self._require()
        sets = as_label_sets(labels, self._columns).sets
        model.remove(texts, sets, sample_weight, threads=self.threads)
        return self

    def merge(self, other: MultiLabelClassifier) -> Self:
        """Learn everything that another model has learned; it stays as it is."""
        if not isinstance(other, MultiLabelClassifier):
            raise InputError(f"merge needs another MultiLabelClassifier, not one of type {type(other).__name__}")
        self._require().merge(other._require())
        return self

    def empty(self) -> Self:
        """A model with all that was chosen for this one, which has learned nothing."""
        copy = type(self)(**self.get_params())
        copy._model, copy._columns, copy._report = self._require().empty_copy(), self._columns, None
        return copy

    # Predicting

    def predict(self, texts: Texts, *, top: int | None = None) -> Any:
        """The labels of each text, the most probable first: a list of lists; for one text a list.

        With `top`, so many labels of each text, whatever their probability. A model that was fitted with an indicator
        matrix predicts one, of 0 and 1.
        """
        is_one = is_document(texts)
        sets = [list(chances) for chances in self.labels_and_probabilities([texts] if is_one else texts, top=top)]
        if is_one:
            return sets[0]
        return sets if self._columns is None else indicator(sets, self._columns)

    def labels_and_probabilities(
        self, texts: Texts, *, top: int | None = None, threshold: Threshold | None = None
    ) -> list[dict[Any, float]]:
        """The labels that each text gets, each with its probability, the most probable first.

        With `top`, so many labels of each text, whatever their probability. `threshold` stands in for the model's own.

        >>> model = MultiLabelClassifier().fit(["goal", "vote"], [["sport"], ["politics"]])
        >>> [list(chances) for chances in model.labels_and_probabilities(["goal", "vote"], top=1)]
        [['sport'], ['politics']]
        """
        check_many(texts)
        labels, log_odds = self._log_odds(texts)
        chances = probabilities_of(log_odds)
        order = np.argsort(-log_odds, axis=1, kind="stable")
        if top is None:
            wanted = self.threshold if threshold is None else threshold
            is_given = chances >= np.array(thresholds_by_label(wanted, labels, self._model.f1))
            kept = [places[given[places]] for places, given in zip(order, is_given, strict=True)]
        else:
            check_top(top)
            kept = list(order[:, :top])
        return [
            dict(zip([labels[place] for place in places.tolist()], row[places].tolist(), strict=True))
            for places, row in zip(kept, chances, strict=True)
        ]

    def predict_proba(self, texts: Texts) -> NDArray[Any]:
        """The probability of each label for each text; columns follow `classes_`, rows do not sum to 1."""
        check_many(texts)
        labels, log_odds = self._log_odds(texts)
        return self._by_column(labels, probabilities_of(log_odds), 0.0)

    def probabilities(self, text: str) -> dict[Any, float]:
        """The probability of each label for one text, the most probable first.

        >>> model = MultiLabelClassifier().fit(["goal", "vote"], [["sport"], ["politics"]])
        >>> list(model.probabilities("goal"))
        ['sport', 'politics']
        """
        labels, log_odds = self._log_odds([text])
        order = np.argsort(-log_odds[0], kind="stable").tolist()
        chances = probabilities_of(log_odds[0]).tolist()
        return {labels[place]: chances[place] for place in order}

    def decision_function(self, texts: Texts) -> NDArray[Any]:
        """The log-odds of each label for each text, in nats; columns follow `classes_`."""
        check_many(texts)
        labels, log_odds = self._log_odds(texts)
        return self._by_column(labels, log_odds, -np.inf)

    def _log_odds(self, texts: Texts) -> tuple[list[Any], NDArray[Any]]:
        return self._known().log_odds(texts, n_threads(self.threads))

    def _by_column(self, labels: list[Any], values: NDArray[Any], other: float) -> NDArray[Any]:
        """Values by label as values by column of `classes_`."""
        if self._columns is None:
            return values
        places = {label: place for place, label in enumerate(self._columns)}
        by_column = np.full((len(values), len(self._columns)), other)
        by_column[:, [places[label] for label in labels if label in places]] = values[
            :, [place for place, label in enumerate(labels) if label in places]
        ]
        return by_column

    # Looking

    def explain(self, text: str, *, label: Label | None = None, unit: str = "nats") -> Explanation:
        """Why a text has a label, by default the most probable one, or has it not.

        >>> model = MultiLabelClassifier().fit(["goal", "vote"], [["sport"], ["politics"]])
        >>> model.explain("goal", label="sport").against
        'not sport'
        """
        return self._known().explain(text, label, unit)

    def words(
        self, label: Label, *, top: int | None = None, sort: str = "for", min_count: int = 1, min_documents: int = 1
    ) -> WordTable:
        """The words of a label: counts inside and outside it, and what each says for it.

        >>> model = MultiLabelClassifier(analyzer="words").fit(["a goal", "a vote"], [["sport"], ["politics"]])
        >>> model.words("sport", top=1).rows()[0]["word"]
        'goal'
        """
        table = self._known().words(label, None, min_documents)
        table = (table.where(min_count=min_count) if min_count > 1 else table).sorted(sort)
        return table if top is None else table.top(top)

    def evaluate(self, texts: Texts, labels: Any, sample_weight: Column = None) -> LabelEvaluation:
        """How well the labels of these documents are predicted; a label that the model does not know is missed.

        >>> model = MultiLabelClassifier().fit(["goal", "vote", "goal, vote"], [["a"], ["b"], ["a", "b"]])
        >>> model.evaluate(["goal", "vote"], [["a"], ["b"]]).n_documents
        2
        """
        from banbury.labels.evaluation import LabelPredictions, evaluate_labels

        check_many(texts)
        self._known()
        sets = as_label_sets(labels, self._columns).sets
        held = _kernel.hold(texts)
        known, log_odds = self._log_odds(held)
        if len(sets) != len(log_odds):
            raise InputError(f"{len(log_odds)} documents but {len(sets)} lists of labels")
        check_kind([label for given in sets for label in given], known)
        unknown = sorted({label for given in sets for label in given}.difference(known))
        decided = probabilities_of(log_odds) >= np.array(thresholds_by_label(self.threshold, known, self._model.f1))
        nothing = np.zeros((len(sets), len(unknown)))
        predictions = LabelPredictions(
            [*known, *unknown],
            indicator(sets, [*known, *unknown]) == 1,
            np.hstack([log_odds, nothing - np.inf]),
            np.hstack([decided, nothing > 0]),
            np.ones(len(sets)) if (weights := as_sample_weight(sample_weight, len(sets))) is None else weights,
            list(range(len(sets))),
            lambda row: _kernel.text_at(held, row) or "",
        )
        return evaluate_labels(predictions, n_known=len(known))

    def score(self, texts: Texts, labels: Any, sample_weight: Column = None) -> float:
        """The subset accuracy on these documents, by the name that scikit-learn has for it."""
        return self.evaluate(texts, labels, sample_weight).subset_accuracy

    # What has been learned

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted, as an array; of an indicator matrix those of its columns."""
        model = self._require()
        return np.array(model.labels if self._columns is None else self._columns)

    @property
    def documents_(self) -> dict[Any, int]:
        """The number of documents of each label that have been learned."""
        counts = self._require().counts
        return dict(zip(counts.labels, counts.documents, strict=True))

    @property
    def n_documents_(self) -> int:
        """The number of documents that have been learned."""
        return self._require().counts.n_documents

    @property
    def counts_(self) -> LabelCounts:
        """What has been counted."""
        return self._require().counts

    @property
    def thresholds_(self) -> dict[Any, float]:
        """From which probability on a document gets each label; infinity for one that is never given."""
        model = self._known()
        return dict(zip(model.labels, thresholds_by_label(self.threshold, model.labels, model.f1), strict=True))

    @property
    def report_(self) -> LabelEvaluation:
        """How well each training document is predicted by the model without it, at the last `fit`.

        Its thresholds are those that the model had then.
        """
        self._require()
        if self._report is None:
            raise NotAvailable("there is no report_: this model was not fitted; evaluate(texts, labels) tells")
        return self._report

    # What scikit-learn expects of an estimator

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # only scikit-learn itself asks

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True, multi_output=True, single_output=False),
            classifier_tags=ClassifierTags(multi_class=False, multi_label=True),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )

    def __copy__(self) -> Self:
        """A model that changes on its own from now on: what both have learned is there once until one of them does."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        if self.__sklearn_is_fitted__():
            copy._model = self._model.copy()
        return copy

    def __getstate__(self) -> dict[str, Any]:
        return self.get_params() | ({"parts": self.parts()} if self.__sklearn_is_fitted__() else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = state.pop("parts", None)
        self.__dict__.update(state)
        if parts is not None:
            self._take(*parts)

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; the same counts and settings give the same bytes."""
        storage.write(path, *self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all that a file holds."""
        settings, arrays = self._require().parts()
        threshold: Any = self.threshold
        if isinstance(threshold, Mapping):
            threshold = [list(pair) for pair in sorted(threshold.items(), key=lambda pair: (str(pair[0]), str(pair)))]
        report = None if self._report is None else self._report.settings()
        about = {"kind": "multi-label classifier", "threshold": threshold, "columns": self._columns, "report": report}
        return {**about, **settings}, arrays

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MultiLabelClassifier:
        """The model in a file."""
        file = storage.read(path)
        return cls.from_parts(file.settings, file.arrays, path)

    @classmethod
    def from_parts(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, Any], path: str | PathLike[str] | None = None
    ) -> MultiLabelClassifier:
        """The model that `parts` were taken from; arrays are read where they lie. Errors name the `path`."""
        where = "" if path is None else f"{path}: "
        try:
            if settings["kind"] != "multi-label classifier":
                raise FileFormatError(f"it holds a {settings['kind']}, not a multi-label classifier")
            threshold = settings["threshold"]
            if isinstance(threshold, list):
                threshold = {label_of_file(label): value for label, value in threshold}
            check_threshold(threshold)
            model = cls(threshold=threshold)
            model._take(settings, arrays)
        except FileFormatError as error:
            raise FileFormatError(f"{where}{error}") from error
        except MALFORMED as error:
            raise FileFormatError(f"{where}not a model of this version of banbury: {error}") from error
        model.analyzer = as_analyzer(model._model.counts.analyzer)
        return model

    # Inside

    def _take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        from banbury.labels.evaluation import LabelEvaluation

        report = settings["report"]
        if not isinstance(settings["columns"], list | None):
            raise FileFormatError("its columns are no list of labels")
        self._model = LabelModel.from_parts(settings, arrays)
        self._columns = settings["columns"]
        if self._columns is not None and len(set(map(label_of_file, self._columns))) < len(self._columns):
            raise FileFormatError("it has two columns of the same label")
        self._report = None if report is None else LabelEvaluation.from_settings(report)

    def _require(self) -> LabelModel:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first")
        return self._model

    def _known(self) -> LabelModel:
        model = self._require()
        if not model.labels:
            raise NotFittedError("this model knows no label: call learn(texts, labels) first")
        return model


def check_known_sets(sets: list[LabelSet], labels: list[Any]) -> list[LabelSet]:
    """The label sets, where a model knows all labels; else a `LabelError` with the first that is new."""
    known = set(labels)
    for row, given in enumerate(sets):
        for label in given:
            if label not in known:
                raise LabelError(f"document {row} has label {label!r}, which is new; {suggestion(label, labels)}")
    return sets
