"""Classifier: the front door. It learns, predicts, explains and is kept; the mathematics is in the rooms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from banbury import storage
from banbury.errors import (
    FileFormatError,
    InputError,
    LabelError,
    NotAvailable,
    NotFittedError,
    UnknownWordError,
)
from banbury.latest import Latest
from banbury.lazy import numpy as np
from banbury.model import Documents, Fitted, Model, Reading, fitted, model_from_parts
from banbury.results.terms import Score, explanation_of
from banbury.stats.softmax import class_probabilities, log_softmax, softmax
from banbury.text.analyzer import Analyzer
from banbury.text.batches import fitted_in_batches
from banbury.text.calibration import PriorEstimate, estimate_prior
from banbury.text.documents import (
    Labels,
    as_labels,
    as_sample_weight,
    as_weights,
    check_among,
    check_kind,
    check_known,
    check_many,
    n_threads,
)
from banbury.text.frequencies import counts_from_frequencies
from banbury.text.given_weights import GivenModel
from banbury.text.likelihoods import Dirichlet, log_prior
from banbury.text.model import TextModel
from banbury.text.next_to_label import next_to_label
from banbury.text.sampling import draw_class_ids
from banbury.text.settings import Settings, as_analyzer

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury.report.report import Report
    from banbury.results.column_table import ColumnTable
    from banbury.results.decisions import Costs, Promise
    from banbury.results.explanation import Explanation
    from banbury.results.training_report import TrainingReport
    from banbury.results.word_table import WordTable
    from banbury.text.counts import Counts
    from banbury.text.unlabelled import Unlabelled

PARAMETERS = (
    "columns", "analyzer", "likelihood", "smoothing", "vocabulary", "prior", "effort", "calibration", "threads"
)  # fmt: skip
EFFORTS = ("counting", "best")


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
        `Bernoulli`, `Categorical`, `Gaussian`, `Histogram`, `Multinomial`, `Number`, `Poisson` or `Text`, or `"auto"`
        to find it in the values. `["age", "plan"]`: these, all found. None: all columns of a table, all found.
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
        also a weight for each feature, fitted to what the counts alone could not tell, where that helps on held-out
        documents.
    calibration
        Of a plain likelihood. `"auto"`: its scores are scaled and shifted so that its probabilities can be believed.
        None: the posterior as it is. The automatic model is always calibrated.
    threads
        The number of threads; by default one for each processor. The results do not depend on it.

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

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        columns: Mapping[Any, Any] | Sequence[str] | None = None,
        analyzer: Analyzer | str | None = None,
        likelihood: str = "automatic",
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

    @classmethod
    def textbook(
        cls,
        *,
        columns: Mapping[Any, Any] | Sequence[str] | None = None,
        analyzer: Analyzer | str | None = None,
        likelihood: str = "multinomial",
        smoothing: float | str | None = 1.0,
        vocabulary: str = "shared",
        prior: Any = "empirical",
        effort: str = "counting",
        calibration: str | None = None,
        threads: int | None = None,
    ) -> Classifier:
        """The model of the textbooks: single words, Laplace smoothing, no calibration; nothing is chosen for you.

        >>> Classifier.textbook()
        Classifier(likelihood='multinomial', smoothing=1.0, calibration=None)
        """
        return cls(
            columns=columns,
            analyzer=analyzer,
            likelihood=likelihood,
            smoothing=smoothing,
            vocabulary=vocabulary,
            prior=prior,
            effort=effort,
            calibration=calibration,
            threads=threads,
        )

    @classmethod
    def from_frequencies(
        cls,
        table: Any,
        *,
        documents: Mapping[Any, int] | None = None,
        totals: Mapping[Any, int] | None = None,
        likelihood: str = "multinomial",
        smoothing: float | str | None = 1.0,
        vocabulary: str = "shared",
        analyzer: Analyzer | None = None,
        prior: Any = "empirical",
    ) -> Classifier:
        """The model of the textbooks from a table of frequencies, where no documents are at hand.

        The table is a dictionary from words to dictionaries from labels to counts, or rows with a column `word` and one
        for each label. With the Bernoulli likelihood it says in how many documents a word stands. `documents` are those
        of each class, one each where nobody says; `totals`, where given, are compared with the sums of the columns.

        >>> model = Classifier.from_frequencies({"happy": {"yes": 2, "no": 0}, "sad": {"yes": 0, "no": 2}})
        >>> model.predict("so happy"), round(model.word("happy")["log_ratio"], 4)
        ('yes', 1.0986)
        """
        model = cls.textbook(
            likelihood=likelihood, smoothing=smoothing, analyzer=analyzer, prior=prior, vocabulary=vocabulary
        )
        model._checked_settings()
        counts = counts_from_frequencies(
            table,
            documents=documents,
            totals=totals,
            are_documents=likelihood == "bernoulli",
            analyzer=analyzer,
        )
        model._take(Fitted(TextModel(counts)))
        model.log_prior_  # noqa: B018  raises where the prior does not fit the labels
        return model

    @classmethod
    def from_log_ratios(
        cls,
        table: Mapping[str, Any],
        *,
        classes: Iterable[Any],
        prior: Any = "uniform",
        analyzer: Analyzer | None = None,
    ) -> Classifier:
        """A model from a table of λ: it predicts and explains, and cannot learn.

        Of two `classes`, the number of a word says how strongly it speaks for the second; of more, a word has a
        dictionary with a weight for each.

        >>> model = Classifier.from_log_ratios({"happy": 2.2, "learning": 1.1}, classes=("negative", "positive"))
        >>> model.decision_function(["I am happy because I am learning"]).round(4).tolist()
        [3.3]
        """
        model = cls.textbook(analyzer=analyzer, prior=prior)
        model._take(Fitted(GivenModel.of(table, list(classes), analyzer)))
        model.log_prior_  # noqa: B018  raises where the prior does not fit the labels
        return model

    # Learning

    def fit(
        self,
        texts: Documents,
        labels: Labels,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        unlabelled: Documents | None = None,
        sure: float | str | None = "auto",
    ) -> Classifier:
        """Learn from these documents alone; what was learned before is gone.

        A document with `sample_weight` 3 counts as three; a weight is a whole number.

        `groups` has a name for each document: those of one group belong together (a thread, an author, a patient, a
        source) and know of each other's labels. Where leave-one-out predicts one, all of its group are left out, so
        that `report_` says how well documents of new groups are predicted. Equal texts always are one group.

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
        self._take(
            fitted(
                texts,
                as_labels(labels),
                sample_weight,
                self._checked_settings(),
                columns=self.columns,
                analyzer=self.analyzer,
                effort=self.effort,
                groups=groups,
                unlabelled=unlabelled,
                sure=sure,
                threads=self.threads,
            )
        )
        return self

    def fit_batches(self, batches: Iterable[Any]) -> Classifier:
        """Learn from batches of documents alone, one after the other; they need not fit into memory.

        A batch is what `banbury.read` gives, or `(texts, labels)`, or `(texts, labels, sample_weight)`. The model is
        the same, to the bit, as that of `fit` with all documents at once.

        >>> batches = [(["free money now"], ["spam"]), (["lunch at noon?"], ["ham"])]
        >>> Classifier().fit_batches(batches).predict("money for lunch, free")
        'spam'
        """
        settings = self._checked_settings()
        if self.columns is not None:
            raise InputError("batches are of texts; a table is fitted whole, or learned from part by part with learn")
        how: dict[str, Any] = {"analyzer": self.analyzer, "effort": self.effort, "threads": self.threads}
        self._take(Fitted(*fitted_in_batches(batches, settings, **how)))
        return self

    def refit_settings(
        self, texts: Documents, labels: Labels, sample_weight: Any = None, *, groups: Any = None
    ) -> Classifier:
        """Choose again what leave-one-out chooses; the counts stay as they are.

        Learning, forgetting and merging keep what was chosen before. A model keeps no documents, so they have to be
        given again: all that it has learned, or a part of them.
        """
        model, settings = self.model_, self._checked_settings()
        how: dict[str, Any] = {"effort": self.effort, "groups": groups, "threads": self.threads}
        self._report = model.choose(texts, as_labels(labels), sample_weight, settings, **how)
        self._reported = settings
        return self

    def learn(
        self, texts: Documents, labels: Labels, sample_weight: Any = None, *, new_labels: str = "allow"
    ) -> Classifier:
        """Learn from these documents too; new words and new labels are welcome.

        What was chosen when the model was fitted stays; `refit_settings` chooses again. With `new_labels="error"` a
        label that the model does not know is an error, and nothing changes: a typo would become a class of its own. The
        default is `"allow"`, since a stream may begin with one class; the command `banbury learn`, which changes a
        file, refuses.

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
        self.model_.add(texts, as_labels(labels), sample_weight, threads=self.threads)
        return self

    def partial_fit(self, X: Documents, y: Labels, classes: Labels = None, sample_weight: Any = None) -> Classifier:
        """Learn from these documents too: `learn` by the name that scikit-learn has for it.

        Where `classes` are given, a label that is not among them is an error. A class has a place in `classes_` from
        its first document on.

        >>> model = Classifier().partial_fit(["free money"], ["spam"], classes=["ham", "spam"])
        >>> model.partial_fit(["lunch at noon"], ["ham"]).predict("lunch")
        'ham'
        """
        labels = as_labels(y)
        if classes is not None:
            check_among(labels, as_labels(classes))
        return self.learn(X, labels, sample_weight)

    def forget(self, texts: Documents, labels: Labels, sample_weight: Any = None) -> Classifier:
        """Unlearn these documents: the model is as if it had never seen them."""
        self.model_.remove(texts, as_labels(labels), sample_weight, threads=self.threads)
        return self

    def empty(self) -> Classifier:
        """A model with all that was chosen for this one, which has learned nothing.

        Cells and bins of a table's columns are fixed by the first rows. Models that start from the same one can be
        merged: learn each part of a table with an `empty()` of one model.

        >>> rows = {"size": [1.0, 2.0, 8.0, 9.0] * 20, "kind": ["a", "b"] * 40}
        >>> labels = ["small", "small", "large", "large"] * 20
        >>> model = Classifier().fit(rows, labels)
        >>> parts = [model.empty().learn(rows, labels) for _ in range(2)]
        >>> parts[0].merge(parts[1]).documents_
        [80, 80]
        """
        copy = type(self)(**self.get_params())
        model: Any = self.model_
        copy._take(Fitted(model.empty_copy() if isinstance(model, TextModel) else model.empty(), None))
        return copy

    def merge(self, other: Classifier) -> Classifier:
        """Learn everything that another model has learned; it stays as it is."""
        if not isinstance(other, Classifier):
            raise InputError(f"merge needs another Classifier, not one of type {type(other).__name__}")
        self.model_.merge(other.model_)
        return self

    # Predicting

    def predict(self, texts: Documents, *, prior: Any = None) -> Any:
        """The label of each text, as an array; for one `str` its label.

        Where several classes score the same, the first in `classes_` is taken. `prior` stands in for the model's own.
        """
        reading = self._reading(prior)
        if reading.is_one(texts):
            return reading.classes[reading.best_one(texts)]
        best = reading.best(texts, n_threads(self.threads))
        return self._labels(reading.classes).take(best)

    def predict_proba(self, texts: Documents, *, prior: Any = None) -> NDArray[Any]:
        """The probability of each class for each text; columns follow `classes_`."""
        return softmax(self._scores(texts, prior))

    def probabilities(self, text: Any, *, prior: Any = None) -> dict[Any, float]:
        """The probability of each class for one text, by label: `predict_proba` without arrays.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> {label: round(chance, 2) for label, chance in model.probabilities("happy").items()}
        {'negative': 0.33, 'positive': 0.67}
        """
        reading = self._reading(prior)
        return dict(zip(reading.classes, class_probabilities(reading.scores_of(text)), strict=True))

    def predict_log_proba(self, texts: Documents, *, prior: Any = None) -> NDArray[Any]:
        """The logarithms of `predict_proba`, precise where that is close to 0."""
        return log_softmax(self._scores(texts, prior))

    def estimate_prior(self, texts: Documents) -> PriorEstimate:
        """How frequent the classes are among these texts, whose labels nobody knows, and whether that has changed.

        It believes the model's probabilities, so it is only as good as their calibration. Hand the result on:
        `model.predict(texts, prior=model.estimate_prior(texts).prior)`.

        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> model = Classifier().fit(texts, labels)
        >>> glad = [text for text, label in zip(texts, labels) if label == "positive"]
        >>> estimate = model.estimate_prior(glad)
        >>> estimate.moved, estimate.prior["positive"] > 0.9
        (True, True)
        """
        model, logs = self._known(), self.predict_log_proba(texts)
        if not len(logs):
            raise InputError("no documents to estimate a prior from")
        return estimate_prior(model.classes, logs, np.exp(log_prior(model.classes, model.documents, self.prior)))

    def decision_function(self, texts: Documents, *, prior: Any = None) -> NDArray[Any]:
        """How clearly each text is decided, in nats.

        With two classes one number a text, log prior ratio + Σ λ: positive for `classes_[1]`, negative for
        `classes_[0]`, 0 where nothing speaks for either. With more classes a score for each, up to a number that
        they share.
        """
        scores = self._scores(texts, prior)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def joint_log_likelihood(self, texts: Documents, *, coefficient: bool = False) -> NDArray[Any]:
        """log P(class) + log P(text | class), for each text and class.

        That is the plain likelihood, also where the automatic model decides. The words of a text in this order have
        that probability; with `coefficient`, its words in any order (the multinomial coefficient N! / Π f! is added,
        which is the same for all classes).
        """
        return self._known().joint_log_likelihood(texts, self._checked_settings(), coefficient=coefficient)

    def log_likelihood(self, texts: Documents, labels: Labels, *, coefficient: bool = False) -> float:
        """The joint log-likelihood of a data set: Σ log P(class) + log P(text | class), with the labels that it has.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> round(model.log_likelihood(["happy"], ["positive"]), 4)
        -1.6094
        """
        labels, logs = self._checked(texts, labels), self.joint_log_likelihood(texts, coefficient=coefficient)
        if len(labels) != len(logs):
            raise InputError(f"{len(logs)} documents but {len(labels)} labels")
        class_ids = {label: class_id for class_id, label in enumerate(self.model_.classes)}
        if unknown := [label for label in labels if label not in class_ids]:
            raise LabelError(f"label {unknown[0]!r} was never learned: its likelihood is not known")
        return float(sum(logs[row, class_ids[label]] for row, label in enumerate(labels)))

    def sample(self, n: int = 1, *, label: Any = None, seed: int | None = None) -> tuple[list[Any], list[Any]]:
        """New documents and their labels, drawn from P(class) P(document | class) by the plain likelihood.

        Texts are words without an order, as many as those of the class's documents; rows of a table are dictionaries.
        The same `seed` gives the same. With `label` all are of that class.

        >>> model = Classifier().fit(
        ...     {"legs": [2, 2, 4, 4], "flies": [True, True, False, False]}, ["bird"] * 2 + ["cat"] * 2
        ... )
        >>> rows, labels = model.sample(3, label="cat", seed=0)
        >>> labels, sorted(rows[0])
        (['cat', 'cat', 'cat'], ['flies', 'legs'])
        """
        model, rng = self._known(), np.random.default_rng(seed)
        class_ids = draw_class_ids(rng, n, label, model.classes, model.documents, self.prior)
        return model.sample(rng, class_ids, self._checked_settings()), [
            model.classes[class_id] for class_id in class_ids.tolist()
        ]

    def decide(
        self, texts: Documents, rule: Costs | Promise | None = None, *, costs: Any = None, unsure: float | None = None
    ) -> list[Any]:
        """The label of each text that costs least, or None where it is better to leave a text undecided.

        `costs` are those of mistakes, by pairs of labels `(true, decided)`; one that is not named costs 1. `unsure` is
        what it costs to decide nothing; without it, something always is decided. A `rule` that was made before, from
        costs or as a promise, takes their place.

        >>> model = Classifier().fit(["free money", "lunch at noon", "money, free"], ["spam", "ham", "spam"])
        >>> model.decide(["free money", "noon"], costs={("ham", "spam"): 10}, unsure=0.01)
        [None, None]
        """
        from banbury.results.decisions import Costs

        check_many(texts)
        classes = self._known().classes
        if rule is None:
            rule = Costs.of(classes, costs, unsure=unsure)
        elif costs is not None or unsure is not None:
            raise InputError("give a rule, or costs and unsure, not both")
        if rule.classes != classes:
            raise InputError(f"the rule is for the classes {rule.classes}; this model has {classes}")
        return rule.decide(self.predict_proba(texts))

    # Looking

    def explain(
        self, text: Any, *, label: Any = None, against: Any = None, prior: Any = None, unit: str = "nats"
    ) -> Explanation:
        """Why a text is of class `label` (the predicted one) rather than `against` (the next best one).

        `prior` stands in for the model's own. `unit` is `"nats"` or `"decibans"`, of which 10 are odds of 10 to 1.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> print(model.explain("Happy birthday"))
        positive (0.667) rather than negative (0.333)
          prior   +0.000
          happy   +0.693  ++++++++++++++++++++++++
          total   +0.693
          never seen: birthday
        """
        reading = self._reading(prior)
        document = reading.one(text)
        scores: list[float] = reading.scores([document], 1)[0].tolist()
        return explanation_of(
            Score(reading.classes, scores, *reading.terms(document)),
            text=reading.shown(document),
            row=None if isinstance(document, str) else document,
            label=label,
            against=against,
            unit=unit,
        )

    def words(
        self,
        label: Any = None,
        *,
        against: Any = None,
        top: int | None = None,
        sort: str | None = None,
        min_count: int = 1,
        min_documents: int = 1,
        column: str | None = None,
    ) -> WordTable:
        """The table of words: counts, probabilities with credible intervals, and how strongly each speaks for `label`.

        It is compared with `against`, or with the mean of all other classes. `sort` is `"for"` (those that speak most
        for the label come first), `"against"`, `"strength"` (either way), `"count"` or `"word"`. Words that come less
        than `min_count` times, or stand in less than `min_documents` documents, are left out; the latter is quicker.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.words("positive", top=1).rows()[0]["word"]
        'happy'
        """
        options: dict[str, Any] = {"against": against, "column": column, "min_documents": min_documents}
        table = self._known().words(label, self._checked_settings(), **options)
        if min_count > 1:
            table = table.where(min_count=min_count)
        table = table.sorted(sort)
        return table if top is None else table.top(top)

    def column(self, name: str, other: str | None = None) -> ColumnTable:
        """What was learned of a column of a table: its cells, what each says, its parameters with credible intervals.

        With a second column, what the two say together, beyond what each says.

        >>> rows = {"size": [1.0, 2.0, 8.0, 9.5] * 20, "legs": [2, 4] * 40}
        >>> model = Classifier().fit(rows, ["small", "small", "large", "large"] * 20)
        >>> [(one.name, one.label, round(one.value, 2)) for one in model.column("size").parameters][:2]
        [('mean', 'large', 8.74), ('mean', 'small', 1.51)]
        """
        model = self._known()
        if not hasattr(model, "column"):
            raise NotAvailable("a model of texts has no columns; words() says what was learned of its words")
        found: ColumnTable = model.column(name) if other is None else model.column(name, other)
        return found

    def word(self, word: str, label: Any = None, *, against: Any = None, column: str | None = None) -> dict[str, Any]:
        """What is known of one word: its row in the table of words, with intervals. One never seen is an error.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.word("happy")["count"]
        {'negative': 0, 'positive': 1}
        """
        model = self._known()
        table = model.words(label, self._checked_settings(), against=against, column=column, names=[word])
        if not len(table):
            spelled = model.spelling(word)
            hint = f"; documents have it as {spelled[0]!r}" if len(spelled) == 1 and spelled[0] != word else ""
            raise UnknownWordError(f"{word!r} was never seen{hint}")
        return table.rows(level=0.95)[0]

    def evaluate(self, texts: Documents, labels: Labels, sample_weight: Any = None) -> Report:
        """How well the labels of these documents are predicted.

        A label that the model does not know is a mistake. A document with `sample_weight` 3 counts as three. The
        report keeps the documents and the model, so that it can also say why, and write a page:
        `report.save("report.html")`.

        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> report = Classifier().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
        >>> report.accuracy_interval.low < report.accuracy < report.accuracy_interval.high
        True
        """
        from banbury.report.report import Report
        from banbury.results.evaluation import evaluate

        reading, labels = self._reading(None), self._checked(texts, labels)
        texts, document = self.model_.hold(texts)
        scores = reading.scores(texts, n_threads(self.threads))
        predicted = [reading.classes[class_id] for class_id in scores.argmax(axis=1).tolist()]
        figures = evaluate(
            labels,
            predicted,
            log_probabilities=log_softmax(scores),
            classes=reading.classes,
            weights=None if sample_weight is None else np.array(as_weights(sample_weight, len(labels)), dtype=float),
        )
        return Report.of(figures, self, document, lambda: self.diagnose(texts, labels))

    def score(self, texts: Documents, labels: Labels, sample_weight: Any = None) -> float:
        """The accuracy: what scikit-learn asks for."""
        labels = self._checked(texts, labels)
        is_right = [label == predicted for label, predicted in zip(labels, self.predict(texts).tolist(), strict=True)]
        if not is_right:
            raise InputError("no documents to evaluate")
        return float(np.average(is_right, weights=as_sample_weight(sample_weight, len(labels))))

    def diagnose(self, texts: Documents, labels: Labels = None) -> Any:
        """Where the assumptions fail on these documents, and what is wrong with them.

        Words that come together, duplicates, words that give a class away; with labels, those in doubt; of documents
        that the model has not learned, how their classes and words differ from those that it has. Documents that it has
        learned are recognised, and each is judged by the model without it.

        Of a table: columns that depend on each other within the classes, repeated rows, columns that give a class away,
        columns whose values have changed, and labels in doubt.

        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> diagnosis = Classifier().fit(texts, labels).diagnose(texts, labels)
        >>> diagnosis.were_learned, diagnosis.duplicates.n_repeats, diagnosis.doubtful[0].label
        (True, 0, 'negative')
        """
        from banbury.diagnosis.by_model import diagnosed, diagnosed_table

        check_many(texts)
        model: Any = self._known()
        if hasattr(model, "learned"):  # of a table
            return diagnosed_table(model, texts, labels, self.predict_proba(texts))
        text_model = model.of_texts("documents to diagnose are texts")
        return diagnosed(text_model, self._checked_settings(), texts, labels, threads=self.threads)

    def what_to_label_next(self, texts: Documents, *, top: int = 10, by: str = "gain") -> list[int]:
        """The numbers of the texts whose labels would teach the most, the best first.

        By `"gain"`: those that are uncertain and whose words stand in many of the texts and in few labelled ones; what
        one of them will teach counts less for the next. A model that has learned nothing yet can be asked too. By
        `"uncertainty"`: those whose two most probable labels are closest to each other.

        >>> model = Classifier(analyzer=Analyzer()).fit(["free money", "lunch at noon"], ["spam", "ham"])
        >>> model.what_to_label_next(["free money", "win a prize", "a prize", "noon"], top=2)
        [2, 1]
        """
        is_fitted = self.__sklearn_is_fitted__()
        model: Model = self._known() if is_fitted else TextModel.empty(self._checked_settings(), self.analyzer)
        text_model = model.of_texts("documents to label next are texts")
        return next_to_label(text_model, self._checked_settings(), texts, top=top, by=by, threads=self.threads)

    # What has been learned

    @property
    def model_(self) -> Model:
        """What was learned: a model of texts or of a table."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first")
        return self._model

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted, as an array."""
        return self._labels(self.model_.classes)

    @property
    def documents_(self) -> list[int]:
        """The number of documents of each class that have been learned, in the order of `classes_`.

        >>> Classifier.textbook().fit(["so happy", "so sad", "happy"], ["positive", "negative", "positive"]).documents_
        [1, 2]
        """
        return list(self.model_.documents)

    @property
    def log_prior_(self) -> NDArray[Any]:
        """log P(class) of each class, in the order of `classes_`.

        >>> model = Classifier.textbook().fit(["so happy", "so sad", "happy"], ["positive", "negative", "positive"])
        >>> model.log_prior_.round(4)
        array([-1.0986, -0.4055])
        """
        model = self._known()
        return np.array(log_prior(model.classes, model.documents, self.prior, self.likelihood))

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters of the plain likelihood: those of the prior, and of each class.

        With two classes and D words present or absent 1 + 2D.

        >>> texts, labels = ["so happy", "so sad"], ["positive", "negative"]
        >>> Classifier.textbook(likelihood="bernoulli").fit(texts, labels).n_parameters_  # 1 + 2 · 3
        7
        >>> Classifier.textbook().fit(texts, labels).n_parameters_  # 1 + 2 · (3 − 1): shares sum to 1
        5
        """
        model = self._known()
        n_classes = len(model.classes)
        return n_classes - 1 + n_classes * model.n_parameters(self.settings)

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

        It speaks of the documents that the model was fitted to, or of those given to `refit_settings`, and of the model
        that predicts: after a change of likelihood, smoothing, vocabulary or calibration there is none. Its note says
        what the model has learned since.
        """
        self.model_  # noqa: B018  raises where there is none
        if self._report is None:
            raise NotAvailable(
                "there is no report_: leave-one-out had nothing to choose for this model; "
                "evaluate(texts, labels) tells how well it does"
            )
        if change := self.settings.change_from(self._reported):
            raise NotAvailable(
                f"there is no report_ for this model any more: {change}; "
                "refit_settings(texts, labels) makes one, evaluate(texts, labels) tells how well it does"
            )
        report = self._report.since(self.model_.classes, self.model_.documents)
        return report.with_prior(self._reported.prior, self.prior)

    @property
    def n_features_in_(self) -> int:
        """The number of columns of a table that are used."""
        return len(self.model_.kinds)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns of a table that are used, as an array.

        >>> Classifier().fit({"legs": [2, 4], "flies": [True, False]}, ["bird", "cat"]).feature_names_in_.tolist()
        ['legs', 'flies']
        """
        return np.array(list(self.model_.kinds), dtype=object)

    @property
    def unlabelled_(self) -> Unlabelled:
        """What became of the documents without labels in the last `fit`; a file does not keep it."""
        self.model_  # noqa: B018  raises where there is none
        if self._unlabelled is None:
            raise NotAvailable(
                "there is no unlabelled_: this model was fitted without unlabelled documents, fit(…, unlabelled=texts)"
            )
        return self._unlabelled

    @property
    def settings(self) -> Settings:
        """The parameters that say how the counts are read."""
        return Settings(self.likelihood, self.smoothing, self.vocabulary, self.prior, self.calibration)

    # What scikit-learn expects of an estimator

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given; `deep` adds the settings of the analyzer, as `analyzer__ngrams`."""
        parameters = {name: getattr(self, name) for name in PARAMETERS}
        if deep and self.analyzer is not None:
            parameters |= {f"analyzer__{name}": value for name, value in as_analyzer(self.analyzer).settings().items()}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; those of reading the counts take effect at once.

        `analyzer__ngrams=(1, 2)` changes one setting of the analyzer; where that is None, one of `Analyzer()`.

        >>> Classifier().set_params(analyzer__ngrams=(1, 2))
        Classifier(analyzer=Analyzer(ngrams=(1, 2)))
        """
        names = {name: name.partition("__") for name in parameters}
        for name, (parameter, _, setting) in names.items():
            if parameter not in PARAMETERS or (setting and parameter != "analyzer"):
                raise InputError(f"there is no parameter {name!r}; there is {', '.join(PARAMETERS)}")
        self.__dict__.update({name: value for name, value in parameters.items() if name in PARAMETERS})
        of_analyzer = {names[name][2]: value for name, value in parameters.items() if name not in PARAMETERS}
        if of_analyzer:
            self.analyzer = as_analyzer(self.analyzer).with_settings(**of_analyzer)
        return self

    def __repr__(self) -> str:
        defaults = type(self)().get_params(deep=False)
        given = {name: value for name, value in self.get_params(deep=False).items() if value != defaults[name]}
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
        state = self.get_params(deep=False)
        if self.__sklearn_is_fitted__():
            state["parts"] = self._model.parts()
            state["report"] = None if self._report is None else self._report.settings()
            state["reported"] = self._reported
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts, report, reported = (state.pop(name, None) for name in ("parts", "report", "reported"))
        self.__dict__.update(state)
        if parts is not None:
            self._take(Fitted(model_from_parts(*parts), _report_from(report)), reported)

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; the same counts and settings give the same bytes."""
        storage.write(path, *self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all that a file holds."""
        settings, arrays = self.model_.parts()
        header = {
            "kind": "classifier",
            "model": {**self.settings.plain(), "effort": self.effort},
            "report": None if self._report is None else self._report.settings(),
            "reported": self._reported.plain(),
        }
        return {**header, **settings}, arrays

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Classifier:
        """The classifier in a file, also in the file of a sense tagger or a spam filter; `banbury.load` gives those."""
        return cls.from_file(storage.read(path), path)

    @classmethod
    def from_file(cls, file: storage.File, path: str | PathLike[str]) -> Classifier:
        """The classifier in a file that has been opened; nothing is copied."""
        try:
            return cls.from_parts(file.settings, file.arrays)
        except FileFormatError as error:
            raise FileFormatError(f"{path}: {error}") from error

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Classifier:
        """The model that `parts` were taken from; arrays are read where they lie."""
        try:
            if settings["kind"] != "classifier":
                raise FileFormatError(f"it holds a {settings['kind']}, not a classifier")
            given = dict(settings["model"])
            learned, effort = model_from_parts(settings, arrays), given.pop("effort")
            classifier = cls(**learned.parameters(), **Settings.from_plain(given)._asdict(), effort=effort)
            classifier._checked_settings()
            report = _report_from(settings["report"])
            classifier._take(Fitted(learned, report), Settings.from_plain(settings["reported"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FileFormatError(f"not a model of this version of banbury: {error}") from error
        return classifier

    # Inside

    def _checked_settings(self) -> Settings:
        settings = self.settings
        settings.check()
        if self.effort not in EFFORTS:
            raise InputError(f"effort is {self.effort!r}; it can be {' or '.join(map(repr, EFFORTS))}")
        return settings

    def _take(self, learned: Fitted, reported: Settings | None = None) -> None:
        self._model, self._report, self._unlabelled = learned
        self._reported = self.settings if reported is None else reported  # what the report is of
        self._latest_reading = Latest[Reading]()
        self._latest_labels: tuple[list[Any], NDArray[Any]] | None = None

    def _known(self) -> Model:
        model = self.model_
        if not model.classes:
            raise NotFittedError("this model has forgotten everything: call learn(texts, labels) first")
        return model

    def _reading(self, prior: Any) -> Reading:
        """How documents are scored; made again whenever the counts or a parameter have changed, by whatever way."""
        model, settings = self._known(), self.settings
        if not all(isinstance(given, str | Mapping | Dirichlet | None) for given in (settings.prior, prior)):
            return model.reading(self._checked_settings(), prior)  # which says what a prior can be
        # A dictionary can change without a trace, so the key has a copy.
        priors = [dict(given) if isinstance(given, Mapping) else given for given in (settings.prior, prior)]
        key = (settings._replace(prior=None), priors, model.state())
        return self._latest_reading.get(key, lambda: model.reading(self._checked_settings(), prior))

    def _scores(self, texts: Documents, prior: Any) -> NDArray[np.float64]:
        return self._reading(prior).scores(texts, n_threads(self.threads))

    def _checked(self, texts: Documents, labels: Labels) -> list[Any]:
        """Labels to compare predictions with."""
        check_many(texts)
        checked = as_labels(labels)
        check_kind(checked, self.model_.classes)
        return checked

    def _labels(self, classes: list[Any]) -> NDArray[Any]:
        """The classes as an array, which is made once."""
        known = self._latest_labels
        if known is None or known[0] is not classes:
            known = self._latest_labels = (classes, np.array(classes))
        return known[1]


def _report_from(settings: Mapping[str, Any] | None) -> TrainingReport | None:
    from banbury.results.training_report import TrainingReport  # nothing that predicts needs it

    return None if settings is None else TrainingReport.from_settings(settings)
