"""Classifier: the front door. It learns, forgets, merges and is kept; the mathematics is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.errors import FileFormatError, InputError
from banbury.estimator import Labels, Texts, model_from, report_from
from banbury.looking import Looking
from banbury.tables.frame import is_table
from banbury.text.analyzer import Analyzer
from banbury.text.batches import fitted_in_batches
from banbury.text.documents import as_labels
from banbury.text.model import TextModel
from banbury.text.unlabelled import fitted_with_unlabelled

if TYPE_CHECKING:
    from os import PathLike

    from banbury.results.training_report import TrainingReport


class Classifier(Looking):
    """Learns labels of texts, or of rows of a table, by counting.

    Without parameters everything is chosen by exact leave-one-out: the model weighs evidence by how far evidence of its
    kind can be trusted, its probabilities are calibrated, and `report_` says how well it does.

    Wherever texts are taken, a table is: a data frame of pandas or polars, an Arrow table, a DuckDB relation, a NumPy
    array, a dictionary of columns, a list of dictionaries. Then a document is a row, and one row a dictionary.

    Parameters
    ----------
    columns
        What the columns of a table are, by name: `Bernoulli`, `Categorical`, `Gaussian`, `Histogram`, `Multinomial`,
        `Number`, `Poisson` or `Text`, or `"auto"` for one that is found in the values. None: of a table, all are found.
    analyzer
        What the features of a text are: an `Analyzer`, or the name of a preset. None: words and pairs of words,
        HTML tags among them, for short texts also characters where these help; with a smoothing that is given, words.
    likelihood
        `"multinomial"` (every occurrence of a word counts), `"bernoulli"` (presence and absence count) or
        `"complement"` (a class is what the others are not).
    smoothing
        `"auto"` for the automatic model, or by what is added to every count the plain one: a number, None for
        nothing, or `"document"` for one more document with every word. The other likelihoods are always plain; with
        `"auto"` leave-one-out chooses the number.
    vocabulary
        `"shared"` or `"class"`: whose words stand in the denominator of the plain multinomial.
    prior
        `"empirical"`, `"uniform"`, or a probability for each label.
    effort
        Of the automatic model. `"counting"`: one pass over the documents, and what follows from the counts. `"best"`:
        besides, a weight for each feature, fitted to what the counts alone could not tell, where that helps on
        documents that were held out.
    calibration
        `"auto"`, or None for the posterior of the plain likelihood as it is.
    threads
        How many; as many as there are processors by default. The results do not depend on it.

    Every parameter but the columns, the analyzer and the effort can be changed after training.

    >>> model = Classifier().fit(["free money now", "lunch at noon?"], ["spam", "ham"])
    >>> model.predict(["money for lunch, free"]).tolist()
    ['spam']
    >>> model.learn(["free for lunch today?"], ["ham"]).predict("free lunch")
    'ham'
    >>> model = Classifier().fit({"legs": [2, 4, 4], "flies": [True, False, None]}, ["bird", "cat", "cat"])
    >>> model.predict({"legs": 2})
    'bird'
    """

    @classmethod
    def textbook(
        cls,
        likelihood: str = "multinomial",
        smoothing: float | str | None = 1.0,
        analyzer: Analyzer | str | None = None,
        prior: Any = "empirical",
        threads: int | None = None,
        *,
        vocabulary: str = "shared",
    ) -> Classifier:
        """The model of the textbooks: single words, Laplace's smoothing, and nothing chosen automatically."""
        return cls(
            analyzer=analyzer,
            likelihood=likelihood,
            smoothing=smoothing,
            vocabulary=vocabulary,
            prior=prior,
            calibration=None,
            threads=threads,
        )

    # Learning

    def fit(
        self,
        texts: Texts,
        labels: Labels,
        weights: Any = None,
        *,
        unlabelled: Texts | None = None,
        sure: float | str | None = "auto",
    ) -> Classifier:
        """Learn from these documents alone; what was learned before is gone.

        Texts without labels, `unlabelled`, are counted under the labels that the model gives them and is `sure` of: as
        probable as that, or `"auto"` for what is best on labelled ones that are held out. `unlabelled_` says what
        became of them.

        >>> model = Classifier(analyzer=Analyzer())
        >>> others = ["the match ends in a draw", "a law of the land"]
        >>> model.fit(["goal and match", "vote and law"], ["sport", "politics"], unlabelled=others, sure=0.5).predict(
        ...     "draw"
        ... )
        'sport'
        >>> model.unlabelled_.labels
        ['sport', 'politics']
        """
        self._check_settings()
        labels, how = as_labels(labels), dict[str, Any](effort=self.effort, threads=self.threads)
        if self.columns is not None or is_table(texts):
            from banbury.tables.model import TableModel  # it needs NumPy, which texts alone do not

            if unlabelled is not None:
                raise InputError("documents without labels help where documents are texts; this is a table")
            self._take(*TableModel.fitted(texts, labels, weights, self._settings(), columns=self.columns, **how))
        elif unlabelled is not None:
            how.update(analyzer=self.analyzer, sure=sure)
            self._take(*fitted_with_unlabelled(texts, labels, weights, unlabelled, self._settings(), **how))
        else:
            self._take(*TextModel.fitted(texts, labels, weights, self._settings(), analyzer=self.analyzer, **how))
        return self

    def fit_batches(self, batches: Iterable[Any]) -> Classifier:
        """Learn from batches of documents alone, one after the other; they need not fit into memory.

        A batch is what `banbury.read` gives, or `(texts, labels)`, or `(texts, labels, weights)`. The model is the
        same, to the bit, as that of `fit` with all documents at once.

        >>> batches = [(["free money now"], ["spam"]), (["lunch at noon?"], ["ham"])]
        >>> Classifier().fit_batches(batches).predict("money for lunch, free")
        'spam'
        """
        self._check_settings()
        if self.columns is not None:
            raise InputError("batches are of texts; a table is fitted whole, or learned from part by part with learn")
        model, report = fitted_in_batches(
            batches, self._settings(), analyzer=self.analyzer, effort=self.effort, threads=self.threads
        )
        self._take(model, report)
        return self

    def refit_settings(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Choose again what leave-one-out chooses; the counts stay as they are.

        Learning, forgetting and merging keep what was chosen before. A model keeps no documents, so they have to be
        given again: all that it has learned, or a part of them.
        """
        self._check_settings()
        model = self._fitted()
        self._report: TrainingReport | None = model.choose(
            texts, as_labels(labels), weights, self._settings(), effort=self.effort, threads=self.threads
        )
        return self

    def learn(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Learn from these documents too; new words and new labels are welcome.

        What was chosen when the model was fitted stays; `refit_settings` chooses again.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, weights)
        self._model.add(texts, as_labels(labels), weights, threads=self.threads)
        return self

    def forget(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Unlearn these documents: the model is as if it had never seen them."""
        self._fitted().remove(texts, as_labels(labels), weights, threads=self.threads)
        return self

    def merge(self, other: Classifier) -> Classifier:
        """Learn everything that another model has learned; it stays as it is."""
        if not isinstance(other, Classifier):
            raise InputError(f"merge needs another Classifier, not one of type {type(other).__name__}")
        self._fitted().merge(other._fitted())
        return self

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; the same counts and settings give the same bytes."""
        storage.write(path, *self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all that a file holds."""
        settings, arrays = self._fitted().parts()
        prior, smoothing = self.prior, self.smoothing
        if isinstance(prior, Mapping):
            prior = sorted(zip(as_labels(list(prior)), map(float, prior.values()), strict=True))
        model = {
            "likelihood": self.likelihood,
            "smoothing": smoothing if smoothing is None or isinstance(smoothing, str) else float(smoothing),
            "vocabulary": self.vocabulary,
            "prior": prior,
            "effort": self.effort,
            "calibration": self.calibration,
        }
        report = None if self._report is None else self._report.settings()
        return {"kind": "classifier", "model": model, "report": report, **settings}, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Classifier:
        """The model that `parts` were taken from; arrays are read where they lie."""
        try:
            if settings["kind"] != "classifier":
                raise FileFormatError(f"it holds a {settings['kind']}, not a classifier")
            model = dict(settings["model"])
            if isinstance(model["prior"], list):
                model["prior"] = dict(map(tuple, model["prior"]))
            learned = model_from(settings, arrays)
            if isinstance(learned, TextModel):
                classifier = cls(analyzer=learned.counts.analyzer, **model)
            else:
                classifier = cls(columns=learned.kinds, **model)
            classifier._check_settings()
            classifier._take(learned, report_from(settings["report"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FileFormatError(f"not a model of this version of banbury: {error}") from error
        return classifier


def load(path: str | PathLike[str]) -> Classifier:
    """The model in a file. Nothing is copied: the file is read where it is needed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Classifier().fit(["so happy", "so sad"], ["positive", "negative"]).save(folder + "/mood.banbury")
    ...     model = load(folder + "/mood.banbury")
    >>> model.predict("happy")
    'positive'
    """
    file = storage.read(path)
    try:
        return Classifier.from_parts(file.settings, file.arrays)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from error
