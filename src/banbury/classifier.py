"""Classifier: the front door. It holds counts and says how they are read; the mathematics is elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel, storage
from banbury.calibration import SMOOTHINGS, Calibration, PriorEstimate, calibrate, estimate_prior
from banbury.counts import Counts, as_labels, as_weights, check_kind, class_numbers, n_threads
from banbury.errors import FileFormatError, InputError, NotFittedError
from banbury.evaluation import Report, TrainingReport, evaluate, training_report
from banbury.explanation import Evidence, Explanation, WordTable
from banbury.likelihoods import log_prior, scorer
from banbury.selection import MOST_CLASSES, Trust, choose
from banbury.text import Analyzer, Token

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

Texts = Any
Labels = Any
LARGEST_TABLE = 2**28  # cells of 16 bytes: more would take the memory of most machines
PARAMETERS = (
    "analyzer", "likelihood", "smoothing", "vocabulary", "prior", "effort", "calibration", "threads"
)  # fmt: skip
EFFORTS = ("counting",)
SHORT = 400  # characters: the mean document is longer where characters have nothing to add to words
PAIRS = Analyzer(ngrams=(1, 2))
CHARACTERS = (2, 5)


@dataclass(frozen=True)
class Chosen:
    """What leave-one-out has chosen; it stays when the counts change."""

    trust: Trust | None = None
    """The curves of the automatic model."""
    smoothing: Any = 1.0
    calibration: Calibration | None = None
    """Of the plain likelihood, when it is read in the way for which this was fitted:"""
    reading: tuple[Any, ...] = ()

    def settings(self) -> dict[str, Any]:
        """The same as plain data, for a file."""
        return {
            "trust": None if self.trust is None else self.trust.settings(),
            "smoothing": self.smoothing,
            "calibration": None if self.calibration is None else self.calibration.settings(),
            "reading": list(self.reading),
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Chosen:
        """What `settings` came from."""
        trust, calibration = settings["trust"], settings["calibration"]
        return cls(
            None if trust is None else Trust.from_settings(trust),
            settings["smoothing"],
            None if calibration is None else Calibration.from_settings(calibration),
            tuple(settings["reading"]),
        )


class _Reading(NamedTuple):
    """How texts are scored, all of one moment: also when another thread is learning a new label."""

    classes: list[Any]
    scorer: _kernel.Scorer | _kernel.TrustScorer
    start: list[float]
    scale: float = 1.0
    shift: list[float] | None = None
    """What is done to the scores of a plain likelihood that is calibrated."""


class Classifier:
    """Learns labels of texts by counting.

    Without parameters everything is chosen by exact leave-one-out: the model weighs evidence by how far evidence of its
    kind can be trusted, its probabilities are calibrated, and `report_` says how well it does.

    Parameters
    ----------
    analyzer
        What the features of a text are: an `Analyzer`, or the name of a preset. None: words and pairs of words, for
        short texts also characters where these help; with a smoothing that is given, words.
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
        `"counting"`: one pass over the documents, and what follows from the counts.
    calibration
        `"auto"`, or None for the posterior of the plain likelihood as it is.
    threads
        How many; as many as there are processors by default. The results do not depend on it.

    Every parameter but the analyzer and the effort can be changed after training.

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
        smoothing: float | str | None = "auto",
        vocabulary: str = "shared",
        prior: Any = "empirical",
        effort: str = "counting",
        calibration: str | None = "auto",
        threads: int | None = None,
    ) -> None:
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

    def fit(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Learn from these documents alone; what was learned before is gone."""
        self._check_settings()
        texts, labels = _kernel.hold(texts), as_labels(labels)
        analyzer, narrower = self._analyzers(texts)
        counts = Counts(analyzer).add(texts, labels, weights=weights, threads=self.threads)
        if not counts.classes:
            raise InputError("no documents to learn from")
        log_prior(counts.classes, counts.documents, self.prior, self.likelihood)
        self._take(*self._choose(counts, texts, labels, weights, narrower))
        return self

    def refit_settings(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Choose again what leave-one-out chooses; the counts stay as they are.

        Learning, forgetting and merging keep what was chosen before. A model keeps no documents, so they have to be
        given again: all that it has learned, or a part of them.
        """
        self._check_settings()
        counts = self._counts()
        texts, labels = _kernel.hold(texts), as_labels(labels)
        check_kind(labels, counts.classes)
        _, self._chosen, self._report = self._choose(counts, texts, labels, weights, None)
        return self

    def learn(self, texts: Texts, labels: Labels, weights: Any = None) -> Classifier:
        """Learn from these documents too; new words and new labels are welcome.

        What was chosen when the model was fitted stays; `refit_settings` chooses again.
        """
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
        reading = self._reading(prior)
        classes, scorer, start, _, shift = reading
        if shift is not None:
            best = self._scored([texts] if isinstance(texts, str) else texts, reading).argmax(axis=1)
            return classes[best[0]] if isinstance(texts, str) else self._labels(classes).take(best)
        if isinstance(texts, str):
            return classes[scorer.best_one(texts, start)]
        best = scorer.best(texts, start, n_threads(self.threads))
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

    def estimate_prior(self, texts: Texts) -> PriorEstimate:
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
        import numpy as np

        classes, kernel = self._known()
        logs = self.predict_log_proba(texts)
        if not len(logs):
            raise InputError("no documents to estimate a prior from")
        had = np.exp(log_prior(classes, kernel.documents, self.prior))
        return estimate_prior(classes, logs, had)

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

        That is the plain likelihood, also where the automatic model decides. The words of a text in this order have
        that probability; with `coefficient`, its words in any order (the multinomial coefficient N! / Π f! is added,
        which is the same for all classes).
        """
        import numpy as np

        classes, scorer, log_prior = self._plain_reading()
        logs = np.frombuffer(scorer.log_likelihoods(texts)).reshape(-1, len(classes))
        if self.likelihood != "complement" or len(classes) == 1:
            logs = logs + log_prior
        if coefficient:
            logs = logs + np.frombuffer(scorer.log_orders(texts))[:, None]
        return logs

    # Looking

    def explain(self, text: str, *, label: Any = None, against: Any = None) -> Explanation:
        """Why a text is of class `label` (the predicted one) rather than `against` (the next best one).

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> print(model.explain("Happy birthday"))
        positive rather than negative
          prior   +0.000
          happy   +0.693  ++++++++++++++++++++++++
          total   +0.693
          never seen: birthday
        """
        reading = self._reading(None)
        classes, scorer = reading[:2]
        if len(classes) < 2:
            raise InputError("this model knows one class only: there is nothing to decide")
        # Whatever is not a word's is found in the empty text: the prior, and for Bernoulli that every word is absent.
        scores, start = self._scored([text, ""], reading).tolist()
        ranked = sorted(range(len(classes)), key=lambda number: -scores[number])
        ours = ranked[0] if label is None else _number(label, classes)
        theirs = next(n for n in ranked if n != ours) if against is None else _number(against, classes)
        if ours == theirs:
            raise InputError(f"label and against are both {classes[ours]!r}; an explanation compares two classes")
        evidence, unknown = [], []
        for feature, weight in self._weights(text, scorer):
            if weight is None:
                unknown.append(feature.text)
            elif weight:
                nats = reading.scale * _difference(weight[ours], weight[theirs])
                evidence.append(Evidence(feature.text, nats, feature.start, feature.end))
        prior = _difference(start[ours], start[theirs])
        score = _difference(scores[ours], scores[theirs])
        return Explanation(text, classes[ours], classes[theirs], prior, evidence, score, unknown)

    def _weights(
        self, text: str, scorer: _kernel.Scorer | _kernel.TrustScorer
    ) -> list[tuple[Token, list[float] | None]]:
        """What each feature adds to each class; None for an unknown one, nothing for one that counts only once."""
        features = self._counts().analyzer.features(text)
        if isinstance(scorer, _kernel.TrustScorer):
            return list(zip(features, scorer.terms(text), strict=True))
        if self.likelihood == "bernoulli":
            features = list({feature.text: feature for feature in reversed(features)}.values())[::-1]
        return list(zip(features, scorer.weights([feature.text for feature in features]), strict=True))

    def words(
        self, label: Any = None, *, top: int | None = None, sort: str = "strength", min_count: int = 1
    ) -> WordTable:
        """The table of words: counts, probabilities, and how strongly each speaks for `label` by the plain likelihood.

        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.words("positive", top=1).rows()[0]["word"]
        'happy'
        """
        import numpy as np

        classes, scorer, _ = self._plain_reading()
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
            "effort": self.effort,
            "calibration": self.calibration,
        }
        chosen = {"chosen": self._chosen.settings(), "report": self._report_settings()}
        storage.write(path, {"kind": "classifier", "model": model, **chosen, **settings}, arrays)

    # What scikit-learn expects of an estimator

    @property
    def report_(self) -> TrainingReport:
        """How well each training document is predicted by the model without it, and what was chosen by that.

        It speaks of the documents that the model was fitted to, or of those given to `refit_settings`.
        """
        self._counts()
        if self._report is None:
            n_classes = len(self._counts().classes)
            why = f"{n_classes} classes are too many for the automatic model, so this is the plain likelihood"
            if n_classes <= MOST_CLASSES:
                why = "leave-one-out had nothing to choose for this model"
            raise NotFittedError(f"there is no report: {why}; evaluate(texts, labels) tells how well it does")
        return self._report

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
            state["chosen"], state["report"] = self._chosen.settings(), self._report_settings()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts, chosen, report = (state.pop(name, None) for name in ("parts", "chosen", "report"))
        self.__dict__.update(state)
        if parts is not None:
            self._take(Counts.from_parts(*parts), Chosen.from_settings(chosen), _report_from(report))

    # Inside

    def _check_settings(self) -> None:
        """A wrong setting is found before the work; a prior can only be compared with the labels after it."""
        smoothing = 1.0 if self._is_auto() else self.smoothing
        scorer(Counts(PAIRS).kernel, self.likelihood, smoothing, self.vocabulary)
        if self.effort not in EFFORTS:
            raise InputError(f"effort is {self.effort!r}; it can be {' or '.join(map(repr, EFFORTS))}")
        if self.calibration not in ("auto", None):
            raise InputError(f"calibration is {self.calibration!r}; it can be 'auto' or None")

    def _is_auto(self) -> bool:
        return isinstance(self.smoothing, str) and self.smoothing == "auto"

    def _is_automatic(self) -> bool:
        """Whether this is the automatic model, not one plain likelihood."""
        return self._is_auto() and self.likelihood == "multinomial"

    def _analyzers(self, texts: Texts) -> tuple[Analyzer, Analyzer | None]:
        """The analyzer, and where leave-one-out is to decide on its last block, the one without it."""
        match self.analyzer:
            case None if not self._is_automatic():
                return Analyzer(), None
            case None:
                n_documents, n_characters = _kernel.measure(texts)
                if n_characters < SHORT * n_documents:
                    return replace(PAIRS, characters=CHARACTERS), PAIRS
                return PAIRS, None
            case Analyzer():
                return self.analyzer, None
            case str():
                return Analyzer.preset(self.analyzer), None  # type: ignore[arg-type]  # preset says what names there are
        raise InputError(f"analyzer is {self.analyzer!r}; it can be an Analyzer, the name of a preset, or None")

    def _choose(
        self, counts: Counts, texts: Texts, labels: list[Any], weights: Any, narrower: Analyzer | None
    ) -> tuple[Counts, Chosen, TrainingReport | None]:
        """What leave-one-out chooses for these counts, which come back without the blocks that it does not want."""
        n_classes = len(counts.classes)
        is_plain = not self._is_automatic()
        nothing_to_do = is_plain and self.calibration is None and not self._is_auto()
        if not 1 < n_classes <= MOST_CLASSES or nothing_to_do:
            return counts if narrower is None else counts.narrowed(narrower), Chosen(), None
        numbers = class_numbers(labels, counts.classes, weighted=weights is not None)
        weights = None if weights is None else as_weights(weights, len(labels))
        if is_plain:
            smoothings = SMOOTHINGS if self._is_auto() else [self.smoothing]
            smoothing, calibration, seen = calibrate(
                counts,
                texts,
                numbers,
                weights,
                likelihood=self.likelihood,
                smoothings=smoothings,
                vocabulary=self.vocabulary,
                prior=self.prior,
                threads=self.threads,
            )
            chosen = Chosen(None, smoothing, calibration, self._plain_form(smoothing))
        else:
            trust, analyzer, seen = choose(counts, texts, numbers, weights, narrower=narrower, threads=self.threads)
            counts = counts if analyzer == counts.analyzer else counts.narrowed(analyzer)
            chosen = Chosen(trust)
        report = training_report(
            list(counts.classes),
            seen,
            lambda row: texts[row] if isinstance(texts, list) else _kernel.text_at(texts, row) or "",
        )
        return counts, chosen, report

    def _take(self, counts: Counts, chosen: Chosen, report: TrainingReport | None) -> None:
        self.counts_ = counts
        self._chosen = chosen
        self._report = report
        self._read: tuple[Any, _kernel.Scorer | _kernel.TrustScorer] | None = None
        self._latest: tuple[Any, _Reading] | None = None
        self._as_array: tuple[list[Any], NDArray[Any]] | None = None

    def _report_settings(self) -> dict[str, Any] | None:
        return None if self._report is None else self._report.settings()

    def _counts(self) -> Counts:
        try:
            return self.counts_
        except AttributeError:
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first") from None

    def _known(self) -> tuple[list[Any], _kernel.Counts]:
        counts = self._counts()
        classes, kernel = counts.classes, counts.kernel
        if not classes:
            raise NotFittedError("this model has forgotten everything: call learn(texts, labels) first")
        return classes, kernel

    def _plain_form(self, smoothing: Any) -> tuple[Any, ...]:
        return self.likelihood, smoothing, self.vocabulary

    def _plain_reading(self) -> tuple[list[Any], _kernel.Scorer, list[float]]:
        """The plain likelihood, as it is."""
        classes, kernel = self._known()
        form = self._plain_form(self._chosen.smoothing if self._is_auto() else self.smoothing)
        return classes, scorer(kernel, *form), log_prior(classes, kernel.documents, self.prior, self.likelihood)

    def _reading(self, prior: Any) -> _Reading:
        """How texts are scored; looked at again whenever the counts or a parameter have changed, by whatever way."""
        classes, kernel = self._known()
        settings = (self.likelihood, self.smoothing, self.vocabulary, self.calibration, self.prior, prior)
        of = (classes, kernel, kernel.version, self._chosen, settings)
        if self._latest is not None and self._latest[0] == of:
            return self._latest[1]
        reading = self._read_anew(classes, kernel, prior)
        # A dictionary can change without a trace.
        if isinstance(self.prior, str) and (prior is None or isinstance(prior, str)):
            self._latest = (of, reading)
        return reading

    def _read_anew(self, classes: list[Any], kernel: _kernel.Counts, prior: Any) -> _Reading:
        chosen = self._chosen
        if self._is_automatic() and self.calibration is not None and 1 < len(classes) <= MOST_CLASSES:
            return self._trusting(classes, kernel, chosen.trust, prior)
        form = self._plain_form(chosen.smoothing if self._is_auto() else self.smoothing)
        how = (kernel, *form)
        read = self._read
        if read is None or read[0] != how:
            read = self._read = (how, scorer(*how))
        model_prior = self.prior if prior is None else prior
        if self.calibration is not None and chosen.calibration is not None and chosen.reading == form:
            start = log_prior(classes, kernel.documents, self.prior, self.likelihood)
            asked = log_prior(classes, kernel.documents, model_prior, self.likelihood)
            moved = [_difference(new, old) for new, old in zip(asked, start, strict=True)]
            shift = [a + b for a, b in zip(chosen.calibration.shift(classes), moved, strict=True)]
            return _Reading(classes, read[1], start, chosen.calibration.scale, shift)
        return _Reading(classes, read[1], log_prior(classes, kernel.documents, model_prior, self.likelihood))

    def _trusting(self, classes: list[Any], kernel: _kernel.Counts, trust: Trust | None, prior: Any) -> _Reading:
        """The automatic model. Where its curves are not for so many classes, the universal ones have to do."""
        universal = Trust.universal(self.counts_.analyzer, len(classes))
        if trust is None or len(trust.curves) != len(universal.curves):
            trust = universal
        how = (kernel, trust)
        read = self._read
        if read is None or read[0] != how:
            read = self._read = (how, _kernel.TrustScorer(kernel, trust.curves))
        documents = kernel.documents
        start = trust.start(classes, documents)
        prior = self.prior if prior is None else prior
        if not isinstance(prior, str) or prior != "empirical":
            # Bayes' rule: the probabilities are those of the shares that the classes had among the documents.
            asked, had = (log_prior(classes, documents, which) for which in (prior, "empirical"))
            start = [one + _difference(new, old) for one, new, old in zip(start, asked, had, strict=True)]
        return _Reading(classes, read[1], start)

    def _scores(self, texts: Texts, prior: Any) -> NDArray[Any]:
        return self._scored(texts, self._reading(prior))

    def _scored(self, texts: Texts, reading: _Reading) -> NDArray[Any]:
        import numpy as np

        scores = np.frombuffer(reading.scorer.scores(texts, reading.start, n_threads(self.threads)))
        scores = scores.reshape(-1, len(reading.classes))
        return scores if reading.shift is None else scores * reading.scale + np.array(reading.shift)

    def _labels(self, classes: list[Any]) -> NDArray[Any]:
        """The classes as an array, which is made once."""
        import numpy as np

        known = self._as_array
        if known is None or known[0] is not classes:
            known = self._as_array = (classes, np.array(classes))
        return known[1]


def _report_from(settings: Mapping[str, Any] | None) -> TrainingReport | None:
    return None if settings is None else TrainingReport.from_settings(settings)


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
        classifier._check_settings()
        chosen = Chosen.from_settings(file.settings["chosen"])
        report = _report_from(file.settings["report"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(f"{path}: not a model of this version of banbury: {error}") from error
    classifier._take(counts, chosen, report)
    return classifier
