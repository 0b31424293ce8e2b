"""How well the predictions of a table are known: draws of the parameters of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.tables.kinds.statistics import Statistics
from banbury.text.posterior import DRAWS, PredictionPosterior, prediction_posterior, prior_draws

if TYPE_CHECKING:
    from banbury.text.likelihoods import Prior


def table_posterior(
    parts: Iterable[tuple[Statistics, Any]],
    class_rows: Any,
    *,
    classes: Sequence[Any] | None = None,
    prior: Prior = "empirical",
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> PredictionPosterior:
    """What is known of the probabilities of the classes for each row of a table.

    `parts` are statistics with the values of their columns, all of the same rows; `class_rows` is how many rows each
    class has.

    >>> from banbury import Poisson
    >>> statistics = Poisson().statistics(1, 2).add([[1], [2], [9], [7]], [0, 0, 1, 1])
    >>> found = table_posterior([(statistics, [[4]])], [2, 2]).probability
    >>> bool(found.low[0, 0] < found.value[0, 0] < found.high[0, 0])
    True
    """
    parts = list(parts)
    numbers = list(range(len(class_rows))) if classes is None else list(classes)
    shares = prior_draws(numbers, class_rows, prior, draws, seed)
    scores = []
    for draw in range(draws):
        by_part = [
            statistics.drawn(np.random.default_rng([seed, draw, place])).scores(values)
            for place, (statistics, values) in enumerate(parts)
        ]
        scores.append(np.sum(by_part, axis=0) + shares[draw])
    return prediction_posterior(numbers, np.array(scores), level)
