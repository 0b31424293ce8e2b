"""How counts become probabilities: the likelihoods of text, their smoothing, and the prior of the classes.

The formulas themselves are in the kernel, `likelihoods.rs`, and plainly in `tests/reference.py`. All of this can change
after training: the counts stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isclose, log

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import InputError, LabelError
from banbury.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LIKELIHOODS = ("multinomial", "bernoulli", "complement")
VOCABULARIES = ("shared", "class")
Smoothing = float | str | None
"""Added to every count: a number, None for nothing, `"document"` for one more document with every word."""
MOST_SMOOTHING = 1e15  # more than any count; times the number of all words it is still a number


def scorer(
    counts: _kernel.Counts,
    likelihood: str,
    smoothing: Smoothing,
    vocabulary: str,
    *,
    length: tuple[float, float] | None = None,
) -> _kernel.PlainScorer:
    """The counts as a scorer of documents.

    `smoothing` is added to every count: a number, None for nothing (maximum likelihood), or `"document"` for one more
    document in each class that holds every word. The denominator of the multinomial counts the words of all
    classes (`vocabulary="shared"`, so that each class's probabilities sum to 1) or of each class alone (`"class"`).
    With `length`, scale and half of a calibration, scores count the less the longer a document is.
    """
    if likelihood not in LIKELIHOODS:
        raise InputError(f"likelihood is {likelihood!r}; it can be {', '.join(LIKELIHOODS)}")
    if vocabulary not in VOCABULARIES:
        raise InputError(f"vocabulary is {vocabulary!r}; it can be {' or '.join(VOCABULARIES)}")
    present, absent = pseudo_counts(likelihood, smoothing)
    return _kernel.PlainScorer(counts, likelihood, present, absent, vocabulary == "class", length)


def pseudo_counts(likelihood: str, smoothing: Any) -> tuple[float, float]:
    """What is added to how often a word was seen, and (Bernoulli) to how often it was missed.

    >>> pseudo_counts("bernoulli", 0.5)
    (0.5, 0.5)
    >>> pseudo_counts("bernoulli", "document")
    (1.0, 0.0)
    """
    if isinstance(smoothing, str) and smoothing == "document":
        return 1.0, 0.0
    if smoothing is None:
        smoothing = 0.0
    is_number = _is_real(smoothing) and not isinstance(smoothing, bool)
    if not is_number or not 0 <= smoothing <= MOST_SMOOTHING:
        raise InputError(
            f"smoothing is {smoothing!r}; it can be 0 or more, up to {MOST_SMOOTHING:g}, None, 'document' or 'auto'"
        )
    if likelihood == "complement" and smoothing == 0:
        raise InputError("the complement likelihood needs smoothing: a word that only one class has would decide alone")
    return float(smoothing), float(smoothing)


class Dirichlet(Record):
    """The Dirichlet distribution as a prior of the class probabilities π; with two classes it is the Beta distribution.

    It counts as so many more documents of each class: P(class) = (documents + α) / (all documents + Σ α), the mean of
    the posterior. `pseudo_documents` is one α for all classes, or one for each label.

    >>> from math import exp
    >>> [round(exp(value), 4) for value in log_prior(["ill", "well"], [0, 8], Dirichlet(1))]
    [0.1, 0.9]
    >>> [round(exp(value), 4) for value in log_prior(["ill", "well"], [0, 8], Dirichlet({"ill": 2, "well": 10}))]
    [0.1, 0.9]
    """

    pseudo_documents: Any

    def __post_init__(self) -> None:
        given = self.pseudo_documents
        pairs = sorted(given.items()) if isinstance(given, Mapping) else given
        for value in [value for _, value in pairs] if isinstance(pairs, (list, tuple)) else [pairs]:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < inf:
                raise InputError(f"Dirichlet({given!r}): pseudo-documents are numbers above 0")
        object.__setattr__(self, "pseudo_documents", tuple(map(tuple, pairs)) if pairs is not given else given)

    def of(self, classes: list[Any]) -> list[float]:
        """The pseudo-documents of each class."""
        if not isinstance(self.pseudo_documents, tuple):
            return [float(self.pseudo_documents)] * len(classes)
        known = dict(self.pseudo_documents)
        if set(known) != set(classes):
            raise InputError(f"the Dirichlet prior has {sorted(known)!r}; this model has the labels {classes!r}")
        return [float(known[label]) for label in classes]


Prior = str | Mapping[Any, float] | Dirichlet
"""A prior of the classes: `"empirical"`, `"uniform"`, a probability for each label, or a Dirichlet."""


def log_prior(classes: list[Any], documents: list[int], prior: Prior, likelihood: str = "multinomial") -> list[float]:
    """The logarithm of each class's prior probability.

    `prior` is `"empirical"` (the shares of the documents), `"uniform"`, `Dirichlet(α)`, or a probability for each
    label. Complement takes account of the prior only where one is given: that is how it was proposed, and how others
    compute it.

    >>> [round(value, 2) for value in log_prior(["x", "y"], [1, 2], "empirical")]
    [-1.1, -0.41]
    >>> [round(value, 2) for value in log_prior(["x", "y"], [1, 2], {"x": 0.9, "y": 0.1})]
    [-0.11, -2.3]
    """
    if isinstance(prior, Mapping):
        return [_log(p) for p in _given(prior, classes)]
    if isinstance(prior, Dirichlet):
        sizes = [n + more for n, more in zip(documents, prior.of(classes), strict=True)]
        return [log(size) - log(sum(sizes)) for size in sizes]
    if not isinstance(prior, str) or prior not in ("empirical", "uniform"):
        raise InputError(
            f"prior is {prior!r}; it can be 'empirical', 'uniform', Dirichlet(1), or a probability for each label"
        )
    total = sum(documents)
    if prior == "uniform" or not total or (likelihood == "complement" and len(classes) > 1):
        return [-log(len(classes))] * len(classes)
    return [_log(n) - log(total) for n in documents]


def _log(value: float) -> float:
    return log(value) if value > 0 else -inf


def _is_real(value: object) -> bool:
    if isinstance(value, (int, float)):
        return True
    from numbers import Real  # NumPy's numbers and fractions; few need it

    return isinstance(value, Real)


def _given(prior: Mapping[Any, Any], classes: list[Any]) -> list[float]:
    if missing := [label for label in classes if label not in prior]:
        raise InputError(f"the prior has no probability for label {missing[0]!r}")
    known = set(classes)
    if unknown := [label for label in prior if label not in known]:
        raise InputError(f"the prior speaks of label {unknown[0]!r}; this model knows {', '.join(map(repr, classes))}")
    for label in classes:
        if not _is_real(prior[label]) or not 0 <= prior[label] <= 1:
            raise InputError(f"the prior of label {label!r} is {prior[label]!r}; a probability is from 0 to 1")
    values = [float(prior[label]) for label in classes]
    if not isclose(sum(values), 1, abs_tol=1e-6):
        raise InputError(f"the prior sums to {sum(values):g}; probabilities sum to 1")
    return values


def labelled_log_likelihood(logs: NDArray[np.float64], labels: list[Any], classes: list[Any]) -> float:
    """The joint log-likelihood of documents with their labels: the sum over documents of the entry of its label."""
    if len(labels) != len(logs):
        raise InputError(f"{len(logs)} documents but {len(labels)} labels")
    class_ids = {label: class_id for class_id, label in enumerate(classes)}
    if unknown := [label for label in labels if label not in class_ids]:
        raise LabelError(f"label {unknown[0]!r} was never learned: its likelihood is not known")
    return float(sum(logs[row, class_ids[label]] for row, label in enumerate(labels)))
