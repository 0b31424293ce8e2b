"""Predicting: labels, probabilities and decisions for documents, and new documents."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.estimator import Estimator, Texts
from banbury.stats.softmax import log_softmax, softmax
from banbury.tables.frame import is_row
from banbury.text.calibration import PriorEstimate, estimate_prior
from banbury.text.documents import check_many, n_threads
from banbury.text.likelihoods import log_prior
from banbury.text.model import TextReading, number_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.decisions import Costs, Promise


class Predicting(Estimator):
    """What a classifier says of documents."""

    def predict(self, texts: Texts, *, prior: Any = None) -> Any:
        """The label of each text, as an array; for one `str` its label.

        Where several classes score the same, the first in `classes_` is taken. `prior` stands in for the model's own.
        """
        reading = self._reading(prior)
        if isinstance(texts, str) or (not isinstance(reading, TextReading) and is_row(texts)):
            return reading.classes[reading.best_one(texts)]
        best = reading.best(texts, n_threads(self.threads))
        return self._labels(reading.classes).take(best)

    def predict_proba(self, texts: Texts, *, prior: Any = None) -> NDArray[Any]:
        """The probability of each class for each text; columns follow `classes_`."""
        return softmax(self._scores(texts, prior))

    def probabilities(self, text: Any, *, prior: Any = None) -> dict[Any, float]:
        """The probability of each class for one text, by label: `predict_proba` without arrays.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> {label: round(chance, 2) for label, chance in model.probabilities("happy").items()}
        {'negative': 0.33, 'positive': 0.67}
        """
        reading = self._reading(prior)
        scores = reading.scores_of(text)
        highest = max(scores)
        odds = [exp(score - highest) for score in scores]
        return dict(zip(reading.classes, (one / sum(odds) for one in odds), strict=True))

    def predict_log_proba(self, texts: Texts, *, prior: Any = None) -> NDArray[Any]:
        """The logarithms of `predict_proba`, precise where that is close to 0."""
        return log_softmax(self._scores(texts, prior))

    def estimate_prior(self, texts: Texts) -> PriorEstimate:
        """How frequent the classes are among these texts, whose labels nobody knows, and whether that has changed.

        It believes the model's probabilities, so it is only as good as their calibration. Hand the result on:
        `model.predict(texts, prior=model.estimate_prior(texts).prior)`.

        >>> from banbury import Classifier
        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> model = Classifier().fit(texts, labels)
        >>> glad = [text for text, label in zip(texts, labels) if label == "positive"]
        >>> estimate = model.estimate_prior(glad)
        >>> estimate.moved, estimate.prior["positive"] > 0.9
        (True, True)
        """
        import numpy as np

        model = self._known()
        classes, documents = model.classes, model.documents
        logs = self.predict_log_proba(texts)
        if not len(logs):
            raise InputError("no documents to estimate a prior from")
        had = np.exp(log_prior(classes, documents, self.prior))
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
        logs: NDArray[Any] = self._known().joint_log_likelihood(texts, self._settings(), coefficient=coefficient)
        return logs

    def sample(self, n: int = 1, *, label: Any = None, seed: int | None = None) -> tuple[list[Any], list[Any]]:
        """New documents and their labels, drawn from P(class) P(document | class) by the plain likelihood.

        Texts are words without an order, as many as those of the class's documents; rows of a table are dictionaries.
        The same `seed` gives the same. With `label` all are of that class.

        >>> from banbury import Classifier
        >>> model = Classifier().fit(
        ...     {"legs": [2, 2, 4, 4], "flies": [True, True, False, False]}, ["bird"] * 2 + ["cat"] * 2
        ... )
        >>> rows, labels = model.sample(3, label="cat", seed=0)
        >>> labels, sorted(rows[0])
        (['cat', 'cat', 'cat'], ['flies', 'legs'])
        """
        import numpy as np

        if not isinstance(n, int) or n < 0:
            raise InputError(f"n is {n!r}; it must be a number, 0 or more")
        model, settings = self._known(), self._settings()
        classes, rng = model.classes, np.random.default_rng(seed)
        if label is None:
            chances = np.exp(log_prior(classes, model.documents, self.prior))
            numbers = rng.choice(len(classes), size=n, p=chances / chances.sum())
        else:
            numbers = np.full(n, number_of(label, classes))
        return model.sample(rng, numbers, settings), [classes[number] for number in numbers.tolist()]

    def decide(
        self, texts: Texts, rule: Costs | Promise | None = None, *, costs: Any = None, unsure: float | None = None
    ) -> list[Any]:
        """The label of each text that costs least, or None where it is better to leave a text undecided.

        `costs` are those of mistakes, by pairs of labels `(true, decided)`; one that is not named costs 1. `unsure` is
        what it costs to decide nothing; without it, something always is decided. A `rule` that was made before, from
        costs or as a promise, takes their place.

        >>> from banbury import Classifier
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
