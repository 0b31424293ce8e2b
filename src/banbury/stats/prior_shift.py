"""Prior shift: how frequent classes are in documents whose labels nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury.lazy import numpy as np
from banbury.stats.intervals import chi_squared_tail

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PriorEstimate:
    """How frequent classes are where nobody knows the labels."""

    prior: dict[Any, float]
    p_value: float
    """How likely a prior so far from the model's would be found if it had not moved."""

    @property
    def moved(self) -> bool:
        """Whether the prior is another one than the model's, at the level of 1 %."""
        return self.p_value < 0.01


def estimate_prior(classes: list[Any], log_probabilities: NDArray[Any], had: NDArray[Any]) -> PriorEstimate:
    """The prior under which the documents are most likely, from their probabilities under the prior that they `had`.

    By expectation maximisation (Saerens, Latinne and Decaestecker, 2002): the mean of the probabilities is a better
    prior, which gives better probabilities. Twice the gain in log-likelihood is compared with the χ² distribution.

    >>> import numpy as np
    >>> logs = np.log(np.array([[0.9, 0.1]] * 30))
    >>> estimate = estimate_prior(["x", "y"], logs, np.array([0.5, 0.5]))
    >>> round(estimate.prior["x"], 3), estimate.moved
    (1.0, True)
    """
    chances = np.exp(log_probabilities)
    # A class without a prior cannot get one by Bayes' rule.
    likelihoods = np.divide(chances, had, out=np.zeros_like(chances), where=had > 0)
    prior = had.copy()
    for _ in range(1000):
        joint = likelihoods * prior
        better = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
        change = float(np.abs(better - prior).max())
        prior = better
        if change < 1e-9:
            break
    gain = 2 * float(np.log((likelihoods * prior).sum(axis=1)).sum())
    p_value = chi_squared_tail(max(gain, 0.0), int((had > 0).sum()) - 1)
    return PriorEstimate(dict(zip(classes, prior.tolist(), strict=True)), p_value)
