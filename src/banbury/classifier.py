"""Classifier: the front door. It holds counts and says how they are read; the mathematics is elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.counts import Counts, as_labels, check_kind, n_threads
from banbury.errors import FileFormatError, InputError, NotFittedError
from banbury.evaluation import Report, evaluate
from banbury.explanation import Evidence, Explanation, WordTable
from banbury.likelihoods import log_prior, scorer
from banbury.text import Analyzer

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury import _kernel

Texts = Any
Labels = Any
LARGEST_TABLE = 2**28  # cells of 16 bytes: more would take the memory of most machines
PARAMETERS = ("analyzer", "likelihood", "smoothing", "vocabulary", "prior", "threads")


class Classifier:
    """Learns labels of texts by counting.

    Parameters
    ----------
    analyzer
        What the features of a text are: an `Analyzer`, or the name of a preset. None for the default one.
    likelihood
        `"multinomial"` (every occurrence of a word counts), `"bernoulli"` (presence and absence count) or
        `"complement"` (a class is what the others are not).
    smoothing
        What is added to every count: a number, None for nothing, or `"document"` for one more document with every word.
    vocabulary
        `"shared"` or `"class"`: whose words stand in the denominator of the multinomial.
    prior
        `"empirical"`, `"uniform"`, or a probability for each label.
    threads
        How many; as many as there are processors by default. The results do not depend on it.

    Every parameter but the analyzer can be changed after training.

    >>> model = Classifier().fit(["free money now", "lunch at noon?"], ["spam", "ham"])
    >>> model.predict(["money for lunch, free"]).tolist()
    ['spam']
    >>> model.learn(["free for lunch today?"], ["ham"]).predict("free lunch")
    'ham'
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        analyzer: Analyzer | str | None = None,
        likelihood: str = "multinomial",
        smoothing: float | str | None = 1.0,
        vocabulary: str = "shared",
        prior: Any = "empirical",
        threads: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.likelihood = likelihood
        self.smoothing = smoothing
        self.vocabulary = vocabulary
        self.prior = prior
        self.threads = threads

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
            threads=threads,
        )

    # Learning

    def fit(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Learn from these documents alone; what was learned before is gone."""
        counts = Counts(self._analyzer())
        # A wrong setting is found before the work; a prior can only be compared with the labels after it.
        scorer(counts.kernel, self.likelihood, self.smoothing, self.vocabulary)
        counts.add(texts, labels, weights=weights, threads=self.threads)
        if not counts.classes:
            raise InputError("no documents to learn from")
        log_prior(counts.classes, counts.documents, self.prior, self.likelihood)
        self._take(counts)
        return self

    def learn(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Learn from these documents too; new words and new labels are welcome."""
        if not hasattr(self, "counts_"):
            return self.fit(texts, labels, weights)
        self.counts_.add(texts, labels, weights=weights, threads=self.threads)
        return self

    def forget(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Unlearn these documents: the model is as if it had never seen them."""
        self._counts().remove(texts, labels, weights=weights, threads=self.threads)
        return self

    def merge(self, other: Classifier) -> Classifier:
        """Learn everything that another model has learned; it stays as it is."""
        if not isinstance(other, Classifier):
            raise InputError(f"merge needs another Classifier, not one of type {type(other).__name__}")
        self._counts().merge(other._counts())
        return self

    # Predicting

    def predict(self, texts: Texts, *, prior: Any = None) -> Any:
        """The label of each text, as an array; for one `str` its label.

        Where several classes score the same, the first in `classes_` is taken. `prior` stands in for the model's own.
        """
        classes, scorer, log_prior = self._reading(prior)
        if isinstance(texts, str):
            return classes[scorer.best_one(texts, log_prior)]
        best = scorer.best(texts, log_prior, n_threads(self.threads))
        import numpy as np

        return self._labels(classes).take(np.frombuffer(best, np.uint32))

    def predict_proba(self, texts: Texts, *, prior: Any = None) -> NDArray[Any]:
        """The probability of each class for each text; columns follow `classes_`."""
        import numpy as np

        scores = self._scores(texts, prior)
        odds: NDArray[Any] = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        return odds

    def predict_log_proba(self, texts: Texts, *, prior: Any = None) -> NDArray[Any]:
        """The logarithms of `predict_proba`, precise where that is close to 0."""
        import numpy as np

        scores = self._scores(texts, prior)
        logs: NDArray[Any] = scores - scores.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs

    def decision_function(self, texts: Texts, *, prior: Any = None) -> NDArray[Any]:
        """How clearly each text is decided, in nats.

        With two classes one number a text, log prior ratio + Σ λ: positive for `classes_[1]`, negative for
        `classes_[0]`, 0 where nothing speaks for either. With more classes a score for each, up to a number that
        they share.
        """
        scores = self._scores(texts, prior)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def joint_log_likelihood(self, texts: Texts, *, coefficient: bool = False) -> NDArray[Any]:
        """log P(class) + log P(text | class), for each text and class.

        The words of a text in this order have that probability; with `coefficient`, its words in any order
        (the multinomial coefficient N! / Π f! is added, which is the same for all classes).
        """
        import numpy as np

        classes, scorer, log_prior = self._reading(None)
        logs = np.frombuffer(scorer.log_likelihoods(texts)).reshape(-1, len(classes))
        if self.likelihood != "complement" or len(classes) == 1:
            logs = logs + log_prior
        if coefficient:
            logs = logs + np.frombuffer(scorer.log_orders(texts))[:, None]
        return logs

    # Looking

    def explain(self, text: str, *, label: Any = None, against: Any = None) -> Explanation:
        """Why a text is of class `label` (the predicted one) rather than `against` (the next best one).

        >>> model = Classifier().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> print(model.explain("Happy birthday"))
        positive rather than negative
          prior   +0.000
          happy   +0.693  ++++++++++++++++++++++++
          total   +0.693
          never seen: birthday
        """
        classes, scorer, log_prior = self._reading(None)
        if len(classes) < 2:
            raise InputError("this model knows one class only: there is nothing to decide")
        # Whatever is not a word's is found in the empty text: the prior, and for Bernoulli that every word is absent.
        scores, start = self._scored([text, ""], classes, scorer, log_prior).tolist()
        ranked = sorted(range(len(classes)), key=lambda number: -scores[number])
        ours = ranked[0] if label is None else _number(label, classes)
        theirs = next(n for n in ranked if n != ours) if against is None else _number(against, classes)
        if ours == theirs:
            raise InputError(f"label and against are both {classes[ours]!r}; an explanation compares two classes")
        features = self._counts().analyzer.features(text)
        if self.likelihood == "bernoulli":
            features = list({feature.text: feature for feature in reversed(features)}.values())[::-1]
        weights = scorer.weights([feature.text for feature in features])
        evidence, unknown = [], []
        for feature, weight in zip(features, weights, strict=True):
            if weight is None:
                unknown.append(feature.text)
            else:
                nats = _difference(weight[ours], weight[theirs])
                evidence.append(Evidence(feature.text, nats, feature.start, feature.end))
        prior = _difference(start[ours], start[theirs])
        score = _difference(scores[ours], scores[theirs])
        return Explanation(text, classes[ours], classes[theirs], prior, evidence, score, unknown)

    def words(
        self, label: Any = None, *, top: int | None = None, sort: str = "strength", min_count: int = 1
    ) -> WordTable:
        """The table of words: counts, probabilities, and how strongly each speaks for `label`.

        >>> model = Classifier().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.words("positive", top=1).rows()[0]["word"]
        'happy'
        """
        import numpy as np

        classes, scorer, _ = self._reading(None)
        if label is not None:
            label = classes[_number(label, classes)]
        cells = len(classes) * self._counts().n_features
        if cells > LARGEST_TABLE:
            raise InputError(
                f"the table would have {cells} cells, one for each word and class; "
                f"forget the rare words first: model.counts_.prune(min_documents=2)"
            )
        names, documents, occurrences, logs = scorer.table()
        shape = (-1, len(classes))
        table = WordTable(
            classes,
            names,
            np.frombuffer(documents, np.uint32).reshape(shape),
            np.frombuffer(occurrences, np.uint32).reshape(shape),
            np.frombuffer(logs).reshape(shape),
            label,
        )
        if min_count > 1:
            table = table.where(min_count=min_count)
        table = table.sorted(sort)
        return table if top is None else table.top(top)

    def evaluate(self, texts: Texts, labels: Labels) -> Report:
        """How well the labels of these documents are predicted."""
        if isinstance(texts, str):
            raise InputError("expected a list of documents, not one str: put it into a list")
        labels = as_labels(labels)
        check_kind(labels, self._counts().classes)
        return evaluate(labels, self.predict(texts).tolist())

    def score(self, texts: Texts, labels: Labels) -> float:
        """The accuracy: what scikit-learn asks for."""
        return self.evaluate(texts, labels).accuracy

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; the same counts and settings give the same bytes."""
        settings, arrays = self._counts().parts()
        prior, smoothing = self.prior, self.smoothing
        if isinstance(prior, Mapping):
            prior = sorted(zip(as_labels(list(prior)), map(float, prior.values()), strict=True))
        model = {
            "likelihood": self.likelihood,
            "smoothing": smoothing if smoothing is None or isinstance(smoothing, str) else float(smoothing),
            "vocabulary": self.vocabulary,
            "prior": prior,
        }
        storage.write(path, {"kind": "classifier", "model": model, **settings}, arrays)

    # What scikit-learn expects of an estimator

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted, as an array."""
        return self._labels(self._counts().classes)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **parameters: Any) -> Classifier:
        """Change parameters; those of reading the counts take effect at once."""
        if unknown := [name for name in parameters if name not in PARAMETERS]:
            raise InputError(f"there is no parameter {unknown[0]!r}; there is {', '.join(PARAMETERS)}")
        self.__dict__.update(parameters)
        return self

    def __repr__(self) -> str:
        defaults = Classifier().get_params()
        given = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"Classifier({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "counts_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # only scikit-learn itself asks

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.get_params()
        if hasattr(self, "counts_"):
            state["parts"] = self.counts_.parts()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = state.pop("parts", None)
        self.__dict__.update(state)
        if parts is not None:
            self._take(Counts.from_parts(*parts))

    # Inside

    def _analyzer(self) -> Analyzer:
        match self.analyzer:
            case None:
                return Analyzer()
            case Analyzer():
                return self.analyzer
            case str():
                return Analyzer.preset(self.analyzer)  # type: ignore[arg-type]  # preset says what names there are
        raise InputError(f"analyzer is {self.analyzer!r}; it can be an Analyzer, the name of a preset, or None")

    def _take(self, counts: Counts) -> None:
        self.counts_ = counts
        self._read: tuple[Any, _kernel.Scorer] | None = None
        self._log_prior: tuple[Any, list[float]] | None = None
        self._as_array: tuple[list[Any], NDArray[Any]] | None = None

    def _counts(self) -> Counts:
        try:
            return self.counts_
        except AttributeError:
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first") from None

    def _reading(self, prior: Any) -> tuple[list[Any], _kernel.Scorer, list[float]]:
        """The classes, how they are scored, and the logarithm of their prior.

        All three are of one moment, also when another thread is learning a new label.
        """
        counts = self._counts()
        classes, kernel = counts.classes, counts.kernel
        if not classes:
            raise NotFittedError("this model has forgotten everything: call learn(texts, labels) first")
        # Looked at again whenever the counts or a parameter have changed, by whatever way.
        how = (kernel, self.likelihood, self.smoothing, self.vocabulary)
        read = self._read
        if read is None or read[0] != how:
            read = self._read = (how, scorer(*how))
        prior = self.prior if prior is None else prior
        if not isinstance(prior, str):  # a dictionary can change without a trace
            return classes, read[1], log_prior(classes, kernel.documents, prior, self.likelihood)
        of = (kernel, kernel.version, self.likelihood, prior)
        known = self._log_prior
        if known is None or known[0] != of:
            known = self._log_prior = (of, log_prior(classes, kernel.documents, prior, self.likelihood))
        return classes, read[1], known[1]

    def _scores(self, texts: Texts, prior: Any) -> NDArray[Any]:
        return self._scored(texts, *self._reading(prior))

    def _scored(self, texts: Texts, classes: list[Any], scorer: _kernel.Scorer, log_prior: list[float]) -> NDArray[Any]:
        import numpy as np

        return np.frombuffer(scorer.scores(texts, log_prior, n_threads(self.threads))).reshape(-1, len(classes))

    def _labels(self, classes: list[Any]) -> NDArray[Any]:
        """The classes as an array, which is made once."""
        import numpy as np

        known = self._as_array
        if known is None or known[0] is not classes:
            known = self._as_array = (classes, np.array(classes))
        return known[1]


def _number(label: Any, classes: list[Any]) -> int:
    if label not in classes:
        raise InputError(f"there is no class {label!r}; this model knows {', '.join(map(repr, classes))}")
    return classes.index(label)


def _difference(one: float, other: float) -> float:
    """Of two logarithms; two impossibilities are as likely as each other."""
    return 0.0 if one == other else one - other


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
        if file.settings["kind"] != "classifier":
            raise FileFormatError(f"it holds a {file.settings['kind']}, not a classifier")
        model = dict(file.settings["model"])
        if isinstance(model["prior"], list):
            model["prior"] = dict(map(tuple, model["prior"]))
        counts = Counts.from_parts(file.settings, file.arrays)
        classifier = Classifier(analyzer=counts.analyzer, **model)
        scorer(counts.kernel, classifier.likelihood, classifier.smoothing, classifier.vocabulary)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(f"{path}: not a model of this version of banbury: {error}") from error
    classifier._take(counts)
    return classifier
