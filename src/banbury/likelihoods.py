"""How counts become probabilities: the likelihoods of text, their smoothing, and the prior of the classes.

The formulas themselves are in the kernel, `likelihoods.rs`, and plainly in `tests/reference.py`. All of this can change
after training: the counts stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, isfinite, log
from typing import TYPE_CHECKING, Any, Literal

from banbury import _kernel
from banbury.errors import InputError

if TYPE_CHECKING:
    from banbury.counts import Counts

Likelihood = Literal["multinomial", "bernoulli", "complement"]
LIKELIHOODS = ("multinomial", "bernoulli", "complement")
VOCABULARIES = ("shared", "class")


def scorer(counts: Counts, likelihood: str, smoothing: Any, vocabulary: str) -> _kernel.Scorer:
    """The counts as a scorer of documents.

    `smoothing` is added to every count: a number, None for nothing (maximum likelihood), or `"document"` for one more
    document in each class that holds every word. The denominator of the multinomial counts the words of all
    classes (`vocabulary="shared"`, so that each class's probabilities sum to 1) or of each class alone (`"class"`).
    """
    if likelihood not in LIKELIHOODS:
        raise InputError(f"likelihood is {likelihood!r}; it can be {', '.join(LIKELIHOODS)}")
    if vocabulary not in VOCABULARIES:
        raise InputError(f"vocabulary is {vocabulary!r}; it can be {' or '.join(VOCABULARIES)}")
    present, absent = pseudo_counts(likelihood, smoothing)
    return _kernel.Scorer(counts.kernel, likelihood, present, absent, vocabulary == "class")


def pseudo_counts(likelihood: str, smoothing: Any) -> tuple[float, float]:
    """What is added to how often a word was seen, and (Bernoulli) to how often it was missed.

    >>> pseudo_counts("bernoulli", 0.5)
    (0.5, 0.5)
    >>> pseudo_counts("bernoulli", "document")
    (1.0, 0.0)
    """
    if smoothing == "document":
        return 1.0, 0.0
    if smoothing is None:
        smoothing = 0.0
    if isinstance(smoothing, bool) or not isinstance(smoothing, (int, float)) or not 0 <= smoothing < float("inf"):
        raise InputError(f"smoothing is {smoothing!r}; it can be 0 or more, None, or 'document'")
    if likelihood == "complement" and smoothing == 0:
        raise InputError("the complement likelihood needs smoothing: a word that only one class has would decide alone")
    return float(smoothing), float(smoothing)


def log_prior(counts: Counts, prior: Any, likelihood: str = "multinomial") -> list[float]:
    """The logarithm of each class's prior probability.

    `prior` is `"empirical"` (the shares of the documents), `"uniform"`, or a probability for each label. Complement has a
    say about the prior only where one is given: that is how it was proposed, and how others compute it.

    >>> from banbury.counts import Counts
    >>> counts = Counts().add(["a", "b", "c"], ["x", "y", "y"])
    >>> [round(value, 2) for value in log_prior(counts, "empirical")]
    [-1.1, -0.41]
    >>> [round(value, 2) for value in log_prior(counts, {"x": 0.9, "y": 0.1})]
    [-0.11, -2.3]
    """
    classes = counts.classes
    if isinstance(prior, Mapping):
        return [_log(p) for p in _given(prior, classes)]
    if prior not in ("empirical", "uniform"):
        raise InputError(f"prior is {prior!r}; it can be 'empirical', 'uniform', or a probability for each label")
    if prior == "uniform" or (likelihood == "complement" and len(classes) > 1):
        return [-log(len(classes))] * len(classes)
    documents = counts.documents
    total = sum(documents)
    return [_log(n) - log(total) if total else -log(len(classes)) for n in documents]


def _log(value: float) -> float:
    return log(value) if value > 0 else float("-inf")


def _given(prior: Mapping[Any, Any], classes: list[Any]) -> list[float]:
    if missing := [label for label in classes if label not in prior]:
        raise InputError(f"the prior has no probability for label {missing[0]!r}")
    if unknown := [label for label in prior if label not in classes]:
        raise InputError(f"the prior speaks of label {unknown[0]!r}; this model knows {', '.join(map(repr, classes))}")
    values = [float(prior[label]) for label in classes]
    for label, value in zip(classes, values, strict=True):
        if not isfinite(value) or value < 0:
            raise InputError(f"the prior of label {label!r} is {value}; a probability is from 0 to 1")
    if not isclose(sum(values), 1, abs_tol=1e-6):
        raise InputError(f"the prior sums to {sum(values):g}; probabilities sum to 1")
    return values
