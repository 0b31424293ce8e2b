"""The models that banbury's accuracy is compared with: scikit-learn's, untuned and tuned, and fastText's.

A model is a function from texts and labels to something fitted, which has `classes_` and `predict`, and `predict_proba`
where it knows probabilities. Whatever is chosen is chosen inside that function, on a fifth of the data it was given.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from data import folds
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer
from sklearn.svm import LinearSVC

Fit = Callable[[list[str], list[str]], Any]
TINY = 1e-15  # probabilities below count as this much, else one document could make a log loss infinite


@dataclass(frozen=True, slots=True)
class Model:
    """What the tables call it, how it is fitted, and why it cannot be, if so."""

    title: str
    fit: Fit
    missing: str | None = None


def log_loss(classes: Any, probabilities: Any, labels: list[str]) -> float:
    """Minus the mean logarithm of the right label's probability, in nats."""
    column = {label: number for number, label in enumerate(classes)}
    right = [row[column[label]] if label in column else 0.0 for row, label in zip(probabilities, labels, strict=True)]
    return float(-np.log(np.clip(right, TINY, 1)).mean())


def calibration_error(probabilities: Any, is_right: Any, n_bins: int = 15) -> float:
    """ECE: how far the probability of the predicted label is from the share of right ones, over bins of equal width."""
    top = probabilities.max(axis=1)
    bins = np.minimum((top * n_bins).astype(int), n_bins - 1)
    # |mean probability − share of right ones| × share of documents: the bin's size cancels out.
    gaps = np.bincount(bins, top - is_right, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(top))


# Untuned


def pipeline(*steps: Any) -> Fit:
    """These steps, of new objects each time."""
    return lambda texts, labels: make_pipeline(*(step() for step in steps)).fit(texts, labels)


def calibrated(texts: list[str], labels: list[str]) -> Any:
    """Isotonic calibration in five folds, as it comes; where a class is too small for it, in five folds of ours."""
    is_small = min(Counter(labels).values()) < 5
    model = CalibratedClassifierCV(MultinomialNB(), method="isotonic", cv=folds(labels) if is_small else 5)
    return make_pipeline(CountVectorizer(), model).fit(texts, labels)


# Tuned

UNIGRAMS, BIGRAMS = (1, 1), (1, 2)
SMOOTHINGS = (0.01, 0.1, 0.5, 1.0)
REPRESENTATIONS: dict[str, Callable[[], Any]] = {
    "counts": FunctionTransformer,  # as they are
    "binary": Binarizer,
    "tf-idf": TfidfTransformer,
    "sublinear": partial(TfidfTransformer, sublinear_tf=True),
}

Grid = dict[str, list[Callable[[], Any]]]  # for each representation, the estimators to try on it
NAIVE_BAYES: Grid = {
    name: [partial(estimator, alpha=alpha) for estimator in (MultinomialNB, ComplementNB) for alpha in SMOOTHINGS]
    for name in REPRESENTATIONS
}
# Presence is all that it sees, so one representation stands for the four.
NAIVE_BAYES["binary"] += [partial(BernoulliNB, alpha=alpha) for alpha in SMOOTHINGS]
# The optimum is the same with every solver. This one needs a fraction of the memory, and no second thread to be quick.
logistic_regression = partial(LogisticRegression, solver="newton-cg", max_iter=1000)
LOGISTIC: Grid = {"sublinear": [partial(logistic_regression, C=C) for C in (1, 3, 10, 30, 100)]}
LINEAR_SVC: Grid = {"sublinear": [partial(LinearSVC, C=C) for C in (0.03, 0.1, 0.3, 1, 3)]}


def accuracy(model: Any, features: Any, labels: list[str]) -> float:
    """The share of labels that it gets right."""
    return float(np.mean(model.predict(features) == labels))


def log_likelihood(model: Any, features: Any, labels: list[str]) -> float:
    """Minus the log loss, so that more is better."""
    return -log_loss(model.classes_, model.predict_proba(features), labels)


def tuned(grid: Grid, score: Callable[[Any, Any, list[str]], float] = accuracy, min_df: int = 1) -> Fit:
    """The best of the grid, on single words or on pairs too; found on a fifth of the data, fitted again to all."""

    def fit(texts: list[str], labels: list[str]) -> Any:
        (learn, learn_labels), (check, check_labels) = (
            ([texts[row] for row in rows], [labels[row] for row in rows]) for rows in folds(labels)[0]
        )
        counter = CountVectorizer(ngram_range=BIGRAMS, min_df=min_df)
        learn_counts, check_counts = counter.fit_transform(learn), counter.transform(check)
        is_word = np.array([" " not in term for term in counter.get_feature_names_out()])
        best: tuple[float, tuple[Any, ...]] = (-np.inf, ())
        for ngrams, columns in ((UNIGRAMS, is_word), (BIGRAMS, slice(None))):
            for name, estimators in grid.items():
                transformer = REPRESENTATIONS[name]()
                features = transformer.fit_transform(learn_counts[:, columns])
                held_out = transformer.transform(check_counts[:, columns])
                for estimator in estimators:
                    found = score(estimator().fit(features, learn_labels), held_out, check_labels)
                    best = max(best, (found, (ngrams, REPRESENTATIONS[name], estimator)), key=itemgetter(0))
        ngrams, representation, estimator = best[1]
        vectorizer = CountVectorizer(ngram_range=ngrams, min_df=min_df)
        return make_pipeline(vectorizer, representation(), estimator()).fit(texts, labels)

    return fit


class FastText:
    """Its supervised model on words and pairs, with the settings of its tutorial; on one thread its results repeat."""

    def __init__(self, texts: list[str], labels: list[str]) -> None:
        fasttext: Any = import_module("fasttext")
        self.classes_ = sorted(set(labels))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "train.txt")
            lines = [
                f"__label__{self.classes_.index(label)} {line}\n"
                for label, line in zip(labels, self.lines(texts), strict=True)
            ]
            file.write_text("".join(lines), encoding="utf-8")
            self.model = fasttext.train_supervised(str(file), lr=0.5, epoch=25, wordNgrams=2, thread=1, verbose=0)

    def predict_proba(self, texts: list[str]) -> Any:
        """A row of probabilities for each text, in the order of `classes_`."""
        table = np.zeros((len(texts), len(self.classes_)))
        # Its `predict` of many lines gives all classes the probability of the first one, that of one line fails with
        # NumPy 2; what it calls does neither.
        for row, line in enumerate(self.lines(texts)):
            for probability, name in self.model.f.predict(line + "\n", -1, 0.0, "strict"):
                table[row, int(name.removeprefix("__label__"))] = probability
        return table

    @staticmethod
    def lines(texts: list[str]) -> list[str]:
        """Each text in lower case, its words set apart from punctuation: it splits at blanks and does no more."""
        return [" ".join(re.findall(r"\w+|[^\w\s]", text.lower())) for text in texts]


PEERS: dict[str, Model] = {
    "mnb": Model("MultinomialNB", pipeline(CountVectorizer, MultinomialNB)),
    "tfidf": Model("MultinomialNB, tf-idf", pipeline(TfidfVectorizer, MultinomialNB)),
    "cnb": Model("ComplementNB, tf-idf", pipeline(TfidfVectorizer, ComplementNB)),
    "grid": Model("Naive Bayes, grid", tuned(NAIVE_BAYES)),
    "calibrated": Model("MultinomialNB, calibrated", calibrated),
    "lr": Model("logistic regression", pipeline(TfidfVectorizer, logistic_regression)),
    # Most pairs occur in one document only: with many classes they multiply its time, and add little.
    "lr-tuned": Model("logistic regression, tuned", tuned(LOGISTIC, log_likelihood, min_df=2)),
    "svc": Model("LinearSVC", pipeline(TfidfVectorizer, LinearSVC)),
    "svc-tuned": Model("LinearSVC, tuned", tuned(LINEAR_SVC)),
    "fasttext": Model("fastText", FastText, missing=None if find_spec("fasttext") else "not installed"),
}
