"""Classifier: the front door. It learns, predicts, explains and is kept; the mathematics is in the rooms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from banbury import _kernel, storage
from banbury.annotations import TYPE_CHECKING, Any, Self, TypeVar, Unpack
from banbury.errors import InputError, NotAvailable, NotFittedError
from banbury.fitted import Fitted, fitted, parameters_and_fitted
from banbury.lazy import numpy as np
from banbury.model import Documents, Model, Reading, clear_labels, explained
from banbury.parameters import Parameters, changed_parameters, check_parameters, parameters_of, shown, sklearn_tags
from banbury.stats.softmax import class_probabilities, log_softmax, softmax
from banbury.text.analyzer import Analyzer
from banbury.text.documents import (
    Column,
    Label,
    Labels,
    as_labels,
    as_sample_weight,
    check_among,
    check_kind,
    check_known,
    check_many,
    n_threads,
)  # fmt: skip
from banbury.text.likelihoods import Prior, labelled_log_likelihood, log_prior
from banbury.text.model import TextModel
from banbury.text.settings import Settings, as_analyzer

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury.learned_rows import LearnedRows
    from banbury.report.report import Report
    from banbury.results.boundary import Boundary
    from banbury.results.column_table import ColumnTable
    from banbury.results.decisions import Rule
    from banbury.results.explanation import Explanation
    from banbury.results.many_classes import ManyClassEvaluation
    from banbury.results.nomogram import Nomogram
    from banbury.results.training_report import TrainingReport
    from banbury.results.word_table import WordTable
    from banbury.stats.prior_shift import PriorEstimate
    from banbury.tables.model import TableModel
    from banbury.text.counts import Counts
    from banbury.text.tally import Tally
    from banbury.text.unlabelled import Unlabelled

Found = TypeVar("Found")


class Classifier:
    """Learns labels of texts, or of rows of a table, by counting.

    Without parameters everything is chosen by exact leave-one-out: the model weighs evidence by how far evidence of its
    kind can be trusted, its probabilities are calibrated, and `report_` says how well it does.

    Wherever texts are taken, a table is: a data frame of pandas or polars, an Arrow table, a DuckDB relation, a NumPy
    array, a dictionary of columns, a list of dictionaries. Then a document is a row, and one row a dictionary.

    Parameters
    ----------
    columns
        The columns of a table that are used, and the kind of each: `{"age": "gaussian", "plan": "auto"}`. A kind is
        a name or an object, such as `banbury.Poisson()`; `"auto"` finds it in the values. `["age", "plan"]`: these, all
        found. None: all columns of a table, all found.
    analyzer
        The features of a text: an `Analyzer`, or the name of a preset. None is for the automatic model words and pairs
        of words, HTML tags among them, for short texts also characters where these help; for a plain likelihood words.
    likelihood
        The model that predicts. `"automatic"`: trust curves, which leave-one-out fits. Or a plain likelihood:
        `"multinomial"` (every occurrence of a word counts), `"bernoulli"` (presence and absence count) or
        `"complement"` (a class is what the others are not).
    smoothing
        Of a plain likelihood, added to every count: a number, None for nothing, `"document"` for one more document with
        every word, or `"auto"` for the number that is best by leave-one-out.
    vocabulary
        `"shared"` or `"class"`: whose words stand in the denominator of the plain multinomial.
    prior
        `"empirical"`, `"uniform"`, `Dirichlet(1)` for one more document of each class, or a probability for each label.
    effort
        Of the automatic model. `"counting"`: one pass over the documents, and what follows from the counts. `"best"`:
        also a weight for each feature, fitted on what counts do not tell, where that helps on held-out documents.
    calibration
        Of a plain likelihood. `"auto"`: its scores are scaled and shifted so that its probabilities can be believed.
        None: the posterior as it is. The automatic model is always calibrated.
    exact_forget
        Whether a hash of each document is kept with the counts, so that `forget` can refuse what was never learned.
        It takes 24 bytes for each document in the file, some 150 in memory.
    threads
        The number of threads; by default one for each processor. The results do not depend on it.

    Every parameter but the columns, the analyzer, the effort and `exact_forget` can be changed after training.

    >>> model = Classifier().fit(["free money now", "lunch at noon?"], ["spam", "ham"])
    >>> model.predict(["money for lunch, free"]).tolist()
    ['spam']
    >>> model = Classifier().fit({"legs": [2, 4, 4], "flies": [True, False, None]}, ["bird", "cat", "cat"])
    >>> model.predict({"legs": 2})
    'bird'
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        columns: Mapping[Any, Any] | Sequence[str] | None = None,
        analyzer: Analyzer | str | None = None,
        likelihood: str = "automatic",
        smoothing: float | str | None = "auto",
        vocabulary: str = "shared",
        prior: Prior = "empirical",
        effort: str = "counting",
        calibration: str | None = "auto",
        exact_forget: bool = False,
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
        self.exact_forget = exact_forget
        self.threads = threads

    @classmethod
    def textbook(cls, **parameters: Unpack[Parameters]) -> Classifier:
        """The model of the textbooks, with any other parameter: single words, Laplace smoothing, no calibration.

        >>> Classifier.textbook(prior="uniform")
        Classifier(likelihood='multinomial', smoothing=1.0, prior='uniform', calibration=None)
        """
        plain: Parameters = {"likelihood": "multinomial", "smoothing": 1.0, "calibration": None}
        return cls(**(plain | parameters))

    @classmethod
    def from_frequencies(
        cls,
        table: Any,
        *,
        documents: Mapping[Any, int] | None = None,
        totals: Mapping[Any, int] | None = None,
        **parameters: Unpack[Parameters],
    ) -> Classifier:
        """The model of the textbooks from a table of frequencies, where no documents are at hand.

        The table is a dictionary from words to dictionaries from labels to counts, or rows with a column `word` and one
        for each label. With the Bernoulli likelihood it counts the documents that a word stands in. `documents` is the
        number of documents of each class, by default 1; `totals` are compared with the sums of the columns.

        >>> Classifier.from_frequencies({"happy": {"yes": 2, "no": 0}, "sad": {"yes": 0, "no": 2}}).predict("so happy")
        'yes'
        """
        from banbury.text.frequencies import counts_from_frequencies  # nothing that predicts needs it

        model = cls.textbook(**parameters)
        how: dict[str, Any] = {"documents": documents, "totals": totals, "analyzer": as_analyzer(model.analyzer)}
        counts = counts_from_frequencies(table, are_documents=model.likelihood == "bernoulli", **how)
        model._fitted = Fitted(model._checked_settings(), TextModel(counts))
        if model._is_exact():
            model._fitted.know_rows([], [], None)  # no document is known
        model.log_prior_  # noqa: B018  raises where the prior does not fit the labels
        return model

    @classmethod
    def from_log_ratios(
        cls,
        table: Mapping[str, Any],
        *,
        classes: Iterable[Any],
        prior: Prior = "uniform",
        analyzer: Analyzer | None = None,
    ) -> Classifier:
        """A model from a table of log ratios λ: it predicts and explains, and cannot learn.

        With two `classes` a word has one number, its λ for the second; with more, a dictionary with a weight for each.

        >>> model = Classifier.from_log_ratios({"happy": 2.2, "learning": 1.1}, classes=("negative", "positive"))
        >>> model.decision_function(["I am happy because I am learning"]).round(4).tolist()
        [3.3]
        """
        from banbury.text.given_weights import GivenModel  # nothing that predicts needs it

        model = cls.textbook(analyzer=analyzer, prior=prior)
        model._fitted = Fitted(model.settings, GivenModel.of(table, list(classes), analyzer))
        model.log_prior_  # noqa: B018  raises where the prior does not fit the labels
        return model

    # Learning

    def fit(
        self,
        texts: Documents,
        labels: Labels,
        sample_weight: Column = None,
        *,
        groups: Column = None,
        unlabelled: Documents | None = None,
        sure: float | str | None = "auto",
    ) -> Classifier:
        """Learn from these documents alone; what was learned before is gone.

        A document with `sample_weight` 3 counts as three; a weight is a whole number.

        `groups` names the group of each document: a thread, an author, a patient, a source. Leave-one-out predicts a
        document by the model without its whole group, so that `report_` says how well documents of new groups are
        predicted. Equal texts, and equal rows of a table, always leave together.

        `unlabelled` are texts without labels. They are counted under the labels that the model predicts with at least
        the probability `sure`; `"auto"` takes the one that is best on held-out documents. See `unlabelled_`.

        >>> Classifier().fit(["goal", "vote"], ["sport", "politics"], unlabelled=["goal, draw"], sure=0.5).predict(
        ...     "draw"
        ... )
        'sport'
        """
        self._fitted = fitted(
            texts, labels, sample_weight, self._checked_settings(),
            columns=self.columns, analyzer=self.analyzer, effort=self.effort, groups=groups, unlabelled=unlabelled,
            sure=sure, exact_forget=self._is_exact(), threads=self.threads,
        )  # fmt: skip
        return self

    def fit_batches(self, batches: Iterable[Any]) -> Classifier:
        """Learn from batches of documents alone, which need not fit into memory together.

        A batch is what `banbury.read` gives, or `(texts, labels)`, or `(texts, labels, sample_weight)`. The model is
        the same, to the bit, as that of `fit` with all documents at once.

        >>> Classifier().fit_batches([(["free money now"], ["spam"]), (["lunch at noon?"], ["ham"])]).predict("lunch")
        'ham'
        """
        from banbury.text.batches import fitted_in_batches  # nothing that predicts needs it

        settings = self._checked_settings()
        if self.columns is not None:
            raise InputError("batches are of texts; a table is fitted whole, or learned from part by part with learn")
        how: dict[str, Any] = {"analyzer": self.analyzer, "effort": self.effort, "threads": self.threads}
        watched = None
        if self._is_exact():
            from banbury.learned_rows import Watched  # it needs hashes, and few models do

            batches = watched = Watched(batches)
        model, report = fitted_in_batches(batches, settings, **how)
        self._fitted = Fitted(settings, model, report, rows=None if watched is None else watched.rows)
        return self

    def fit_tally(self, tally: Tally, *, place: Callable[[int], int] = int) -> Classifier:
        """Learn from documents that were counted elsewhere, with the parameters of this classifier.

        `banbury.distributed` counts and merges them. `place` gives the place of a document among all for its row.

        >>> from banbury.text.tally import Tally
        >>> model = Classifier()
        >>> tally = Tally(model.analyzer, model.settings, effort=model.effort)
        >>> tally.add(["free money now", "lunch at noon?"], ["spam", "ham"])
        >>> model.fit_tally(tally).predict("lunch")
        'ham'
        """
        settings = self._checked_settings()
        if (tally.analyzer, tally.settings, tally.effort) != (self.analyzer, settings, self.effort):
            raise InputError("the documents were counted for a classifier with other parameters")
        self._fitted = Fitted(settings, *tally.model(place=place, threads=self.threads))
        return self

    def refit_settings(
        self, texts: Documents, labels: Labels, sample_weight: Column = None, *, groups: Column = None
    ) -> Classifier:
        """Choose again what leave-one-out chooses; the counts stay as they are.

        Learning, forgetting and merging keep what was chosen before. A model keeps no documents, so they have to be
        given again: all that it has learned, or a part of them.
        """
        model, settings = self.model_, self._checked_settings()
        how: dict[str, Any] = {"effort": self.effort, "groups": groups, "threads": self.threads}
        report = model.choose(texts, as_labels(labels), sample_weight, settings, **how)
        self._fitted.set_report(settings, report)
        return self

    def learn(
        self, texts: Documents, labels: Labels, sample_weight: Column = None, *, new_labels: str = "allow"
    ) -> Classifier:
        """Learn from these documents too; new words and new labels are welcome.

        What was chosen when the model was fitted stays; `refit_settings` chooses again. `new_labels="error"` refuses a
        label that the model does not know, and changes nothing: a typo would become a class of its own.

        >>> model = Classifier().fit(["free money", "lunch"], ["spam", "ham"])
        >>> model.learn(["noon"], ["Ham"], new_labels="error")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        banbury.errors.LabelError: document 0 has label 'Ham', which is new; did you mean 'ham'? ...
        """
        if new_labels not in ("allow", "error"):
            raise InputError(f"new_labels is {new_labels!r}; it can be 'allow' or 'error'")
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        if new_labels == "error":
            labels = check_known(as_labels(labels), self.model_.classes)
        self._require().add(texts, as_labels(labels), sample_weight, threads=self.threads)
        return self

    def partial_fit(self, X: Documents, y: Labels, classes: Labels = None, sample_weight: Column = None) -> Classifier:
        """Learn from these documents too: `learn` by the name that scikit-learn has for it.

        A label that is not among `classes`, where these are given, is an error. A class has a place in `classes_` from
        its first document on.
        """
        labels = as_labels(y)
        if classes is not None:
            check_among(labels, as_labels(classes))
        return self.learn(X, labels, sample_weight)

    def forget(self, texts: Documents, labels: Labels, sample_weight: Column = None) -> Classifier:
        """Unlearn these documents: the model is as if it had never seen them.

        Where the counts show that a document was never learned, it is a `CountError`, and nothing changes: a label or a
        word that is unknown, more documents or words of a class than there are. Counts do not show all: "a c" can be
        forgotten where "a b" and "c d" were learned. A model with `exact_forget` knows its documents and refuses that.

        >>> model = Classifier(exact_forget=True).fit(["so happy", "so sad", "happy sad"], ["yes", "no", "yes"])
        >>> model.forget(["so sad"], ["yes"])
        Traceback (most recent call last):
        banbury.errors.CountError: document 0 with label 'yes' was never learned; nothing was changed
        """
        self._require().remove(texts, as_labels(labels), sample_weight, threads=self.threads)
        return self

    def empty(self) -> Classifier:
        """A model with all that was chosen for this one, which has learned nothing.

        Cells and bins of a table's columns are fixed by the first rows, so parts of a table can be merged only if each
        is learned by an `empty()` of the same model.

        >>> model = Classifier().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.empty().learn(["happy"], ["positive"]).merge(model).documents_
        [1, 2]
        """
        copy = type(self)(**self.get_params(deep=False))
        copy._fitted = self._require().empty_copy(self.settings)
        return copy

    def merge(self, other: Classifier) -> Classifier:
        """Learn everything that another model has learned; it stays as it is."""
        if not isinstance(other, Classifier):
            raise InputError(f"merge needs another Classifier, not one of type {type(other).__name__}")
        self._require().merge(other._require())
        return self

    # Predicting

    def predict(self, texts: Documents, *, prior: Prior | None = None, margin: float | None = None) -> Any:
        """The label of each text, as an array; for one text its label.

        Where several classes score the same, the first in `classes_` is taken. `prior` stands in for the model's own.
        With a `margin` the label is None where the best class leads the next one by no more than so many nats; with 0,
        where they score the same.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.predict("so so"), model.predict("so so", margin=0)
        ('negative', None)
        """
        try:
            fitted = self._fitted
        except AttributeError:  # not fitted, which is said there
            return self._labels(texts, prior, margin)
        labeller = fitted.latest_labeller
        if labeller is not None and prior is None and margin is None:
            model: Any = fitted.model
            if type(texts) is str:
                # One call asks whether all is as it was, and labels: a key for `Latest` would take longer to make.
                label = labeller.label(
                    texts, model.counts.learned, model.choice,
                    self.likelihood, self.smoothing, self.vocabulary, self.prior, self.calibration,
                )  # fmt: skip
                if label is not None:
                    return label
            elif type(texts) is list and len(texts) == 1 and type(texts[0]) is str:
                classes = model.classes
                number = labeller.number(texts[0])
                if number is not None and self._labeller() is labeller:  # else these may be other classes
                    return fitted.labels(classes)[number : number + 1].copy()
        return self._labels(texts, prior, margin)

    def predict_proba(self, texts: Documents, *, prior: Prior | None = None) -> NDArray[Any]:
        """The probability of each class for each text; columns follow `classes_`."""
        return softmax(self._scores(texts, prior))

    def classes_and_probabilities(
        self, texts: Documents, *, prior: Prior | None = None
    ) -> tuple[list[Any], NDArray[Any]]:
        """The classes, and `predict_proba` by them, of one moment.

        Between `classes_` and `predict_proba` another thread can learn a label, or forget one.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["yes", "no"])
        >>> model.classes_and_probabilities(["so"])
        (['no', 'yes'], array([[0.5, 0.5]]))
        """
        threads = n_threads(self.threads)
        classes, scores = self._read(prior, lambda reading: (reading.classes, reading.scores(texts, threads)))
        return classes, softmax(scores)

    def probabilities(self, text: Any, *, prior: Prior | None = None) -> dict[Any, float]:
        """The probability of each class for one text, by label: `predict_proba` without arrays.

        >>> Classifier.textbook().fit(["so happy", "so sad"], ["yes", "no"]).probabilities("so")
        {'no': 0.5, 'yes': 0.5}
        """
        known = None
        if prior is None and type(text) is str and (labeller := self._labeller()) is not None:
            known = labeller.scores(text)
        classes, scores = known or self._read(prior, lambda reading: (reading.classes, reading.scores_of(text)))
        return dict(zip(classes, class_probabilities(scores), strict=True))

    def predict_log_proba(self, texts: Documents, *, prior: Prior | None = None) -> NDArray[Any]:
        """The logarithms of `predict_proba`, precise where that is close to 0."""
        return log_softmax(self._scores(texts, prior))

    def estimate_prior(self, texts: Documents) -> PriorEstimate:
        """The prior of the classes among texts without labels, and whether it differs from the model's.

        It believes the model's probabilities, so it is only as good as their calibration. Hand the result on:
        `model.predict(texts, prior=model.estimate_prior(texts).prior)`.

        >>> model = Classifier().fit(["free money", "lunch at noon"] * 9, ["spam", "ham"] * 9)
        >>> model.estimate_prior(["free money"] * 90).moved
        True
        """
        from banbury.stats.prior_shift import estimate_prior  # nothing that predicts needs it

        model, logs = self._known(), self.predict_log_proba(texts)
        if not len(logs):
            raise InputError("no documents to estimate a prior from")
        return estimate_prior(model.classes, logs, np.exp(log_prior(model.classes, model.documents, self.prior)))

    def decision_function(self, texts: Documents, *, prior: Prior | None = None) -> NDArray[Any]:
        """The score of each text, in nats.

        With two classes one number a text, log prior ratio + Σ λ: positive for `classes_[1]`, negative for
        `classes_[0]`, 0 where nothing speaks for either. With more classes a score for each, up to a number that
        they share.
        """
        scores = self._scores(texts, prior)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def joint_log_likelihood(self, texts: Documents, *, coefficient: bool = False) -> NDArray[Any]:
        """log P(class) + log P(text | class) by the plain likelihood, for each text and class.

        That is the probability of a text's words in their order; with `coefficient`, of its words in any order: the
        multinomial coefficient N! / Π f! is added, which is the same for all classes.
        """
        return self._known().joint_log_likelihood(texts, self._checked_settings(), coefficient=coefficient)

    def log_likelihood(self, texts: Documents, labels: Labels, *, coefficient: bool = False) -> float:
        """The joint log-likelihood of a data set: Σ log P(class) + log P(text | class), with the labels that it has.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> round(model.log_likelihood(["happy"], ["positive"]), 4)
        -1.6094
        """
        labels, logs = self._checked(texts, labels), self.joint_log_likelihood(texts, coefficient=coefficient)
        return labelled_log_likelihood(logs, labels, self.model_.classes)

    def sample(self, n: int = 1, *, label: Label | None = None, seed: int | None = None) -> tuple[list[Any], list[Any]]:
        """New documents and their labels, drawn from P(class) P(document | class) by the plain likelihood.

        Texts are words without an order, as many as those of the class's documents. Rows of a table are dictionaries,
        whose columns are drawn one by one, given the class: what columns say together has no part in it.
        The same `seed` gives the same. With `label` all are of that class.

        >>> Classifier().fit({"legs": [2, 4]}, ["bird", "cat"]).sample(2, label="cat", seed=0)[1]
        ['cat', 'cat']
        """
        from banbury.text.sampling import draw_class_ids  # nothing that predicts needs it

        model, rng = self._known(), np.random.default_rng(seed)
        class_ids = draw_class_ids(rng, n, label, model.classes, model.documents, self.prior)
        labels = [model.classes[class_id] for class_id in class_ids.tolist()]
        return model.sample(rng, class_ids, self._checked_settings()), labels

    def decide(
        self, texts: Documents, rule: Rule | None = None, *, costs: Any = None, unsure: float | None = None
    ) -> list[Any]:
        """The label of each text with the least expected cost, or None where deciding nothing costs less.

        `costs` are those of mistakes, by pairs of labels `(true, decided)`; one that is not named costs 1. `unsure` is
        the cost of deciding nothing; without it every text is decided. Instead of both, a `rule` that was made before.

        >>> model = Classifier().fit(["free money", "lunch at noon", "money, free"], ["spam", "ham", "spam"])
        >>> model.decide(["free money", "noon"], costs={("ham", "spam"): 10}, unsure=0.01)
        [None, None]
        """
        from banbury.results.decisions import decision_rule

        check_many(texts)
        classes, chances = self.classes_and_probabilities(texts)
        return decision_rule(classes, rule, costs=costs, unsure=unsure).decide(chances)

    # Looking

    def explain(
        self,
        text: Any,
        *,
        label: Label | None = None,
        against: Label | None = None,
        prior: Prior | None = None,
        unit: str = "nats",
        by: str = "features",
    ) -> Explanation:
        """Why a text is of class `label` (the predicted one) rather than `against` (the next best one).

        `prior` stands in for the model's own. `unit` is `"nats"` or `"decibans"`, of which 10 are odds of 10 to 1. By
        `"words"`, there is one weight for each word: of all that lies in it, as `Explanation.by_words` says.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> print(model.explain("Happy birthday"))
        positive (0.667) rather than negative (0.333)
          prior   +0.000
          happy   +0.693  ++++++++++++++++++++++++
          total   +0.693
          never seen: birthday
        """
        how: dict[str, Any] = {"label": label, "against": against, "unit": unit, "by": by}
        return self._read(prior, lambda reading: explained(reading, text, **how))

    def words(
        self,
        label: Label | None = None,
        *,
        against: Label | None = None,
        top: int | None = None,
        sort: str | None = None,
        min_count: int = 1,
        min_documents: int = 1,
        column: str | None = None,
    ) -> WordTable:
        """The table of words: counts, probabilities with credible intervals, and weights for `label`.

        It is compared with `against`, or with the mean of all other classes. `sort` is `"for"` (those that speak most
        for the label come first), `"against"`, `"strength"` (either way), `"count"` or `"word"`. Words that come less
        than `min_count` times, or stand in less than `min_documents` documents, are left out; the latter is quicker.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.words("positive", top=1).rows()[0]["word"]
        'happy'
        """
        options: dict[str, Any] = {"against": against, "column": column, "min_documents": min_documents}
        table = self._known().words(label, self._checked_settings(), **options)
        table = (table.where(min_count=min_count) if min_count > 1 else table).sorted(sort)
        return table if top is None else table.top(top)

    def column(self, name: str, other: str | None = None) -> ColumnTable:
        """What was learned of a column of a table: its cells, their weights, its parameters with credible intervals.

        With a second column, what the two say together, beyond what each says.

        >>> model = Classifier().fit({"size": [1.0, 2.0, 8.0, 9.5] * 20}, ["small", "small", "large", "large"] * 20)
        >>> [parameter.name for parameter in model.column("size").parameters][:2]
        ['mean', 'mean']
        """
        return self._known().column(name, *([] if other is None else [other]))

    def nomogram(
        self, label: Label | None = None, *, against: Label | None = None, top: int = 12, pairs: int = 3
    ) -> Nomogram:
        """What the values of each column of a table say for `label` rather than `against`, on one scale.

        The `top` columns that can say most, and the `pairs` of columns that say most beyond what each says. A notebook
        draws it; the nats of a row's values, added up, lead to its probability.

        >>> model = Classifier().fit({"size": [1.0, 2.0, 8.0, 9.5] * 20}, ["small", "small", "large", "large"] * 20)
        >>> [axis.name for axis in model.nomogram("large").columns]
        ['size']
        """
        how: dict[str, Any] = {"label": label, "against": against, "top": top, "pairs": pairs}
        return self._table().nomogram(self._checked_settings(), **how)

    def boundary(self, first: str, second: str, label: Label | None = None) -> Boundary:
        """How probable a class is at each place of the plane of two columns of numbers, all others missing.

        >>> model = Classifier().fit({"a": [1.0, 2.0, 8.0, 9.5] * 20, "b": [0.5, 1.5] * 40}, ["x", "x", "y", "y"] * 20)
        >>> model.boundary("a", "b", "y")
        <Boundary: P(y) by a and b, 48 × 48 places>
        """
        return self._table().boundary(self._checked_settings(), first, second, label)

    def _table(self) -> TableModel:
        """The model, of which something is asked that only one of a table can tell."""
        model = self._known().of_table()
        if model is None:
            raise NotAvailable("a model of texts has no columns; words() says what was learned of its words")
        return model

    def word(
        self, word: str, label: Label | None = None, *, against: Label | None = None, column: str | None = None
    ) -> dict[str, Any]:
        """The row of one word in the table of words, with intervals. A word that was never seen is an error.

        >>> Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"]).word("happy")["count"]
        {'negative': 0, 'positive': 1}
        """
        model = self._known()
        table = model.words(label, self._checked_settings(), against=against, column=column, names=[word])
        return table.row(word, 0.95, spelled=model.spelling(word))

    def evaluate(self, texts: Documents, labels: Labels, sample_weight: Column = None) -> Report:
        """How well the labels of these documents are predicted.

        A label that the model does not know is a mistake. A document with `sample_weight` 3 counts as three. The
        report keeps the documents and the model, so that it can also say why, and write a page:
        `report.save("report.html")`. Where there are very many classes, `evaluate_many` takes less memory.

        >>> model = Classifier().fit(["free money", "lunch at noon"], ["spam", "ham"])
        >>> model.evaluate(["money", "noon"], ["spam", "ham"]).accuracy
        1.0
        """
        from banbury.report.report import Report
        from banbury.results.many_classes import is_too_many

        self._known()
        labels = self._checked(texts, labels)
        held, document = self.model_.hold(texts)
        threads = n_threads(self.threads)
        if is_too_many(len(labels), len(self.model_.classes)):
            raise InputError(
                f"{len(self.model_.classes)} classes are too many for a report on {len(labels)} documents, which has a "
                "probability for each pair and a table of classes × classes; evaluate_many(texts, labels) has figures"
            )
        classes, scores = self._read(None, lambda reading: (reading.classes, reading.scores(held, threads)))
        how: dict[str, Any] = {"classes": classes, "labels": labels, "sample_weight": sample_weight}
        how |= {"documents": held, "scores": scores}
        return Report.of_scores(self, document, lambda: self.diagnose(held, labels), **how)

    def evaluate_many(self, texts: Documents, labels: Labels, sample_weight: Column = None) -> ManyClassEvaluation:
        """How well labels are predicted among very many classes: figures without a table of classes × classes.

        `evaluate` keeps a probability for each document and class, and a confusion matrix. This takes some documents
        after others and keeps a few numbers of each, so that 100,000 classes are no more to it than 100.

        >>> model = Classifier().fit(["free money", "lunch at noon"], ["spam", "ham"])
        >>> model.evaluate_many(["money", "noon"], ["spam", "ham"]).accuracy
        1.0
        """
        from banbury.results.many_classes import MOST_SCORES_AT_ONCE, evaluate_many

        model = self._known()
        checked = self._checked(texts, labels)
        _, document = model.hold(texts)
        given = as_sample_weight(sample_weight, len(checked))
        weights, threads = np.ones(len(checked)) if given is None else given, n_threads(self.threads)

        def judged(reading: Reading) -> ManyClassEvaluation:
            size = max(MOST_SCORES_AT_ONCE // len(reading.classes), 1)
            starts = range(0, len(checked), size)
            rows = ([document(row) for row in range(start, min(start + size, len(checked)))] for start in starts)
            return evaluate_many((reading.scores(part, threads) for part in rows), reading.classes, checked, weights)

        return self._read(None, judged)

    def score(self, texts: Documents, labels: Labels, sample_weight: Column = None) -> float:
        """The accuracy on these documents, by the name that scikit-learn has for it."""
        from banbury.results.evaluation import accuracy

        labels = self._checked(texts, labels)
        return accuracy(labels, self.predict(texts).tolist(), as_sample_weight(sample_weight, len(labels)))

    def diagnose(self, texts: Documents, labels: Labels = None) -> Any:
        """Where the assumptions fail on these documents, and what is wrong with them.

        Of texts: words that come together, duplicates, words that give a class away; with labels, those in doubt; of
        documents that the model has not learned, how their classes and words differ. Learned documents are recognised,
        and each is judged by the model without it. Of a table: columns that depend on each other within the classes,
        repeated rows, columns that give a class away or whose values have changed, and labels in doubt.

        >>> model = Classifier().fit(["free money", "lunch at noon"], ["spam", "ham"])
        >>> model.diagnose(["free money", "free money"]).duplicates.n_repeats
        1
        """
        from banbury.diagnosis.by_model import diagnosed, diagnosed_table

        check_many(texts)
        model = self._known()
        if (table := model.of_table()) is not None:
            return diagnosed_table(table, texts, labels, self.predict_proba(texts))
        text_model = model.of_texts("documents to diagnose are texts")
        return diagnosed(text_model, self._checked_settings(), texts, labels, threads=self.threads)

    def what_to_label_next(self, texts: Documents, *, top: int = 10, by: str = "gain") -> list[int]:
        """The rows of the texts whose labels would teach the most, the best first.

        By `"gain"`: those that are uncertain and whose words stand in many of the texts and in few labelled ones; what
        one of them will teach counts less for the next. A model that has learned nothing yet can be asked too. By
        `"uncertainty"`: those whose two most probable labels are closest to each other.

        >>> model = Classifier(analyzer="words").fit(["free money", "lunch at noon"], ["spam", "ham"])
        >>> model.what_to_label_next(["free money", "win a prize", "a prize", "noon"], top=2)
        [2, 1]
        """
        from banbury.text.next_to_label import next_to_label  # nothing that predicts needs it

        is_fitted = self.__sklearn_is_fitted__()
        model: Model = self._known() if is_fitted else TextModel.empty(self._checked_settings(), self.analyzer)
        text_model = model.of_texts("documents to label next are texts")
        return next_to_label(text_model, self._checked_settings(), texts, top=top, by=by, threads=self.threads)

    # What has been learned

    @property
    def model_(self) -> Model:
        """What was learned: a model of texts or of a table."""
        return self._require().model

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted, as an array."""
        return self._require().labels(self.model_.classes)

    @property
    def documents_(self) -> list[int]:
        """The number of documents of each class that have been learned, in the order of `classes_`."""
        return list(self.model_.documents)

    @property
    def log_prior_(self) -> NDArray[Any]:
        """log P(class) of each class, in the order of `classes_`.

        >>> Classifier.textbook().fit(["so happy", "so sad", "happy"], ["yes", "no", "yes"]).log_prior_.round(4)
        array([-1.0986, -0.4055])
        """
        model = self._known()
        return np.array(log_prior(model.classes, model.documents, self.prior, self.likelihood))

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters of the plain likelihood: those of the prior, and of each class.

        >>> Classifier.textbook().fit(["so happy", "so sad"], ["yes", "no"]).n_parameters_  # 1 + 2 · (3 − 1)
        5
        """
        model = self._known()
        n_classes = len(model.classes)
        return n_classes - 1 + n_classes * model.n_parameters(self.settings)

    @property
    def learned_rows_(self) -> LearnedRows:
        """Which documents were learned, and how often; an `AttributeError` where `exact_forget` is not kept.

        >>> len(Classifier(exact_forget=True).fit(["so happy", "so sad"], ["yes", "no"]).learned_rows_)
        2
        """
        rows = self._require().rows
        if rows is None:
            raise NotAvailable("there is no learned_rows_: this model was fitted without exact_forget=True")
        return rows

    @property
    def counts_(self) -> Counts:
        """What has been counted, in a model of texts."""
        return self.model_.counts

    @property
    def columns_(self) -> dict[str, Any]:
        """The columns of a table that are used, and what kind each is."""
        return dict(self.model_.kinds)

    @property
    def report_(self) -> TrainingReport:
        """How well each training document is predicted by the model without it, and what was chosen by that.

        It speaks of the documents of the last `fit` or `refit_settings`, and of the model that predicts: after a change
        of likelihood, smoothing, vocabulary or calibration there is none. Its note says what was learned since.
        """
        return self._require().report(self.settings)

    @property
    def n_features_in_(self) -> int:
        """The number of columns of a table that are used."""
        return len(self.model_.kinds)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns of a table that are used, as an array."""
        return np.array(list(self.model_.kinds), dtype=object)

    @property
    def unlabelled_(self) -> Unlabelled:
        """What became of the documents without labels in the last `fit`; a file does not keep it."""
        return self._require().unlabelled

    @property
    def settings(self) -> Settings:
        """The parameters that say how the counts are read."""
        return Settings(self.likelihood, self.smoothing, self.vocabulary, self.prior, self.calibration)

    # What scikit-learn expects of an estimator

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given; `deep` adds the settings of the analyzer, as `analyzer__ngrams`."""
        return parameters_of(self, deep=deep)

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; those of reading the counts take effect at once.

        `analyzer__ngrams=(1, 2)` changes one setting of the analyzer; where that is None, one of `Analyzer()`.

        >>> Classifier().set_params(analyzer__ngrams=(1, 2))
        Classifier(analyzer=Analyzer(ngrams=(1, 2)))
        """
        self.__dict__.update(changed_parameters(self.analyzer, parameters))
        return self

    def __repr__(self) -> str:
        return shown(self, type(self)())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    def __sklearn_tags__(self) -> Any:
        return sklearn_tags()

    def __copy__(self) -> Self:
        """A model that changes on its own from now on: what both have learned is there once until one of them does."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        if self.__sklearn_is_fitted__():
            copy._fitted = self._fitted.copy()
        return copy

    def __deepcopy__(self, known: dict[int, Any]) -> Self:
        from copy import deepcopy

        return self.__copy__().set_params(**deepcopy(self.get_params(deep=False), known))

    def __getstate__(self) -> dict[str, Any]:
        return self.get_params(deep=False) | ({"fitted": self._fitted.parts()} if self.__sklearn_is_fitted__() else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "fitted" in state:
            state["_fitted"] = Fitted.from_parts(*state.pop("fitted"))
        self.__dict__.update(state)

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; the same counts and settings give the same bytes."""
        storage.write(path, *self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all that a file holds."""
        settings, arrays = self._require().parts()
        return {"kind": "classifier", "model": {**self.settings.plain(), "effort": self.effort}, **settings}, arrays

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Classifier:
        """The classifier in a file, also in the file of a sense tagger or a spam filter; `banbury.load` gives those."""
        file = storage.read(path)
        return cls.from_parts(file.settings, file.arrays, path)

    @classmethod
    def from_parts(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, Any], path: str | PathLike[str] | None = None
    ) -> Classifier:
        """The model that `parts` were taken from; arrays are read where they lie. Errors name the `path`."""
        parameters, learned = parameters_and_fitted(settings, arrays, path)
        classifier = cls(**parameters)
        classifier._fitted = learned
        return classifier

    # Inside

    def _checked_settings(self) -> Settings:
        return check_parameters(self.settings, self.effort)

    def _is_exact(self) -> bool:
        if not isinstance(self.exact_forget, bool):
            raise InputError(f"exact_forget is {self.exact_forget!r}; it can be True or False")
        return self.exact_forget

    def _require(self) -> Fitted:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first")
        return self._fitted

    def _known(self) -> Model:
        return self._require().known()

    def _read(self, prior: Prior | None, use: Callable[[Reading], Found]) -> Found:
        """What `use` makes of a reading, of one moment."""
        return self._require().read(self.settings, prior, use)

    def _labeller(self) -> _kernel.Labeller | None:
        """What labels single texts, where it is still that of the model as it is; else None."""
        try:
            fitted = self._fitted
        except AttributeError:  # not fitted
            return None
        return fitted.labeller(self.likelihood, self.smoothing, self.vocabulary, self.prior, self.calibration)

    def _scores(self, texts: Documents, prior: Prior | None) -> NDArray[np.float64]:
        return self._read(prior, lambda reading: reading.scores(texts, n_threads(self.threads)))

    def _labels(self, texts: Documents, prior: Prior | None, margin: float | None) -> Any:
        """What `predict` gives. It is apart since functions inside `predict` would cost a call for one text a fifth."""
        if margin is None:
            return self._read(prior, lambda reading: self._labelled(reading, texts))
        threads = n_threads(self.threads)
        return self._read(prior, lambda reading: clear_labels(reading, texts, margin, threads))

    def _labelled(self, reading: Reading, texts: Documents) -> Any:
        if reading.is_one(texts):
            return reading.classes[reading.best_one(texts)]
        best = reading.best(texts, n_threads(self.threads))
        return self._fitted.labels(reading.classes).take(best)

    def _checked(self, texts: Documents, labels: Labels) -> list[Any]:
        """Labels to compare predictions with."""
        check_many(texts)
        checked = as_labels(labels)
        check_kind(checked, self.model_.classes)
        return checked
