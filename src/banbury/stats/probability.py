"""Probability by counting, Bayes' rule, odds, and sums of probabilities that are only known by their logarithms.

The few rules that everything else here is built on, for single numbers, so that any of them can be checked by hand.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from banbury.errors import InputError
from banbury.stats.events import as_event, rows_of, truths

__all__ = [
    "bayes",
    "complement",
    "conditional",
    "from_odds",
    "log_sum_exp",
    "odds",
    "of",
    "posterior",
    "probability",
    "total_probability",
]

# Sums and products of rounded numbers may miss 1 by this much and still be meant to be 1.
SUM_ROUNDING = 1e-9


def probability(part: float, whole: float) -> float:
    """P(A): the share of the `whole` that has the property, from counts. An intersection is counted the same way.

    >>> probability(35, 100)
    0.35
    """
    if not 0 < whole < math.inf:
        raise InputError(f"the whole is {whole!r}; a share needs a finite count above 0")
    if not 0 <= part <= whole:
        raise InputError(f"the part is {part!r}; it must lie between 0 and the whole, {whole!r}")
    return float(part / whole)


def of(table: Any, event: Any, *, given: Any = None) -> float:
    """P(event), or P(event | given), counted in the rows of a table.

    An event is a dictionary of values, a function of a row, or made with `banbury.stats.events`: `event(label="spam")`,
    `word("free")`, and `~`, `&`, `|` of these.

    >>> rows = [{"sky": "blue", "play": True}, {"sky": "blue", "play": True}, {"sky": "grey", "play": False}]
    >>> round(of(rows, {"play": True}), 4), of(rows, {"play": True}, given={"sky": "blue"})
    (0.6667, 1.0)
    """
    rows = rows_of(table)
    if not rows:
        raise InputError("the table has no rows to count in")
    happens = truths(rows, event)
    if given is None:
        return probability(sum(happens), len(rows))
    condition = truths(rows, given)
    if not any(condition):
        raise InputError(f"{as_event(given)} is true of none of the {len(rows)} rows; a condition must happen")
    return conditional(sum(both for both, is_true in zip(happens, condition, strict=True) if is_true), sum(condition))


def complement(chance: float) -> float:
    """P(not A) = 1 − P(A).

    >>> complement(0.35)
    0.65
    """
    return 1.0 - _checked(chance, "the probability")


def conditional(both: float, given: float) -> float:
    """P(A|B) = P(A and B) / P(B), from two counts or from two probabilities.

    Four of the five tweets with *amazing* are positive:

    >>> conditional(4, 5)
    0.8
    >>> round(conditional(0.04, 0.05), 4)
    0.8
    """
    if not 0 < given < math.inf:
        raise InputError(f"the condition has count or probability {given!r}; it must have happened (finite, above 0)")
    if not 0 <= both <= given:
        raise InputError(f"both together have {both!r}; that must lie between 0 and the condition alone, {given!r}")
    return float(both / given)


def bayes(prior: float, likelihood: float, evidence: float) -> float:
    """P(A|B) = P(A) P(B|A) / P(B): what `prior` P(A) becomes once B, of probability `evidence`, is seen.

    >>> round(bayes(prior=0.25, likelihood=0.4, evidence=0.13), 4)
    0.7692
    """
    joint = _checked(prior, "the prior") * _checked(likelihood, "the likelihood")
    if _checked(evidence, "the evidence") == 0:
        raise InputError("the evidence has probability 0; what cannot happen tells nothing")
    if joint > evidence * (1 + SUM_ROUNDING):
        raise InputError(f"the evidence has probability {evidence!r}, less than prior × likelihood = {joint!r}")
    return min(1.0, joint / evidence)


def total_probability(priors: Iterable[float], likelihoods: Iterable[float]) -> float:
    """P(B) = Σ P(c) P(B|c) over classes c, one of which must hold: the priors sum to 1.

    A test finds 90 % of the ill, 1 % of all, and takes 5 % of the healthy for ill:

    >>> round(total_probability([0.01, 0.99], [0.9, 0.05]), 4)
    0.0585
    """
    classes = [_checked(value, "a prior") for value in priors]
    chances = [_checked(value, "a likelihood") for value in likelihoods]
    if len(classes) != len(chances):
        raise InputError(f"{len(classes)} priors and {len(chances)} likelihoods; each class needs one of both")
    if abs(math.fsum(classes) - 1) > SUM_ROUNDING:
        raise InputError(f"the priors sum to {math.fsum(classes)!r}; they must sum to 1")
    return min(1.0, math.fsum(prior * chance for prior, chance in zip(classes, chances, strict=True)))


def odds(chance: float) -> float:
    """Odds: P / (1 − P); infinite for certainty.

    >>> round(odds(0.35), 4)
    0.5385
    """
    return math.inf if _checked(chance, "the probability") == 1 else chance / (1.0 - chance)


def from_odds(ratio: float) -> float:
    """The probability that has these odds. Odds may exceed 1, a probability may not.

    >>> round(from_odds(6), 4)
    0.8571
    """
    if not ratio >= 0:
        raise InputError(f"the odds are {ratio!r}; they must be 0 or more")
    return 1.0 if ratio == math.inf else float(ratio / (1 + ratio))


def log_sum_exp(values: Iterable[float]) -> float:
    """log Σ exp(a), without overflow or underflow: a₀ + log Σ exp(a − a₀), where a₀ is the largest a.

    >>> log_sum_exp([-1000.0, -1000.0]) == -1000.0 + math.log(2)
    True
    """
    terms = list(values)
    if any(math.isnan(term) for term in terms):
        raise InputError("NaN among the logarithms; each must be a number or ±infinity")
    largest = max(terms, default=-math.inf)
    if math.isinf(largest):
        return largest
    return largest + math.log(math.fsum(math.exp(term - largest) for term in terms))


def posterior(log_scores: Sequence[float]) -> list[float]:
    """The probability of each class from log prior + log-likelihood of each, however small these are.

    >>> [round(chance, 4) for chance in posterior([math.log(6) - 5000, -5000])]
    [0.8571, 0.1429]
    """
    if math.isinf(log_sum_exp(log_scores)):
        raise InputError(f"the log scores are {list(log_scores)}; the largest must be finite")
    # Not exp(score − log_sum_exp): far from zero that difference has lost digits, and the sum would miss 1.
    largest = max(log_scores)
    shares = [math.exp(score - largest) for score in log_scores]
    total = math.fsum(shares)
    return [share / total for share in shares]


def _checked(chance: float, name: str) -> float:
    if not 0 <= chance <= 1:
        raise InputError(f"{name} is {chance!r}; a probability lies between 0 and 1")
    return float(chance)
