"""Posteriors: how well the probabilities of words, their weights and predictions are known, given what was counted.

A smoothing is a prior: a Dirichlet of as many pseudo-counts for every word (multinomial), a Beta for each (Bernoulli).
What was counted makes it a posterior. P(word | class) has intervals in closed form; weights and predictions are
computed for many draws of the parameters. The draws of a word depend on the seed and on the word alone, so results do
not depend on what else is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from banbury.errors import InputError
from banbury.stats.intervals import Summary, beta_interval
from banbury.stats.softmax import log_differences, log_softmax, softmax
from banbury.text.counts import Counts
from banbury.text.documents import check_many
from banbury.text.likelihoods import log_prior, pseudo_counts, scorer

if TYPE_CHECKING:
    from banbury.text.likelihoods import Prior, Smoothing

Array = NDArray[np.float64]

DRAWS = 1000


@dataclass(frozen=True)
class WordPosterior:
    """What is known of some words, by word and class."""

    words: list[str]
    classes: list[Any]
    probability: Summary
    """P(word | class)."""
    weight: Summary
    """λ: log P(word | class) less the logarithm of the word's mean probability in the other classes."""


@dataclass(frozen=True)
class PredictionPosterior:
    """What is known of the probabilities of the classes, by row and class."""

    classes: list[Any]
    probability: Summary
    """Its value is the mean over all that the parameters may be."""


def with_word_prior(counts: Counts, word_prior: Mapping[str, Mapping[Any, int]]) -> Counts:
    """Counts in which words have been seen more often: what is known before any document is read.

    `{"refund": {"complaint": 5}}` says that *refund* speaks for a complaint as if it had been seen there five times. To
    the multinomial these are pseudo-counts of the word alone; to the Bernoulli, documents in which it stands alone. A
    phrase counts with all features that the analyzer finds in it. How frequent the classes are is not meant: take
    `documents` of the counts as they were for the prior.

    >>> counts = Counts().add(["money back please", "thank you"], ["complaint", "praise"])
    >>> known = with_word_prior(counts, {"refund": {"complaint": 5}})
    >>> word_posterior(known, ["refund"]).probability.value.round(2).tolist()
    [[0.43, 0.12]]
    """
    texts, labels, weights = [], [], []
    for word, classes in word_prior.items():
        if not isinstance(classes, Mapping):
            raise InputError(f"the prior of {word!r} is {classes!r}; it must be a number for each label it speaks for")
        if not counts.analyzer.features(word):
            raise InputError(f"the prior speaks of {word!r}, in which the analyzer finds no feature")
        for label, times in classes.items():
            if label not in counts.classes:
                known = ", ".join(map(repr, counts.classes))
                raise InputError(f"the prior of {word!r} speaks of label {label!r}; these counts have {known}")
            texts.append(word)
            labels.append(label)
            weights.append(times)
    return counts.copy().add(texts, labels, weights=weights)


def word_posterior(
    counts: Counts,
    words: Sequence[str],
    *,
    likelihood: str = "multinomial",
    smoothing: Smoothing = 1.0,
    level: float = 0.95,
    seed: int = 0,
) -> WordPosterior:
    """What is known of P(word | class) and of λ for words that were counted; others are left out.

    >>> counts = Counts().add(["so happy", "so sad", "so so"], ["positive", "negative", "negative"])
    >>> found = word_posterior(counts, ["so", "happy", "never seen"])
    >>> found.words, found.classes, found.probability.value.round(2).tolist()
    (['so', 'happy'], ['negative', 'positive'], [[0.57, 0.4], [0.14, 0.4]])
    """
    words, inside, outside = _beta(counts, words, likelihood, smoothing)
    low, high = beta_interval(inside, outside, level)
    whole = np.where(inside + outside > 0, inside + outside, 1.0)
    probability = Summary(inside / whole, low, high, level)
    value = np.empty(inside.shape)
    bounds = np.empty((2, *inside.shape))
    tails = [(1 - level) / 2, (1 + level) / 2]
    for row, word in enumerate(words):
        generator = _generator(seed, word)
        first, second = (_log_gamma_draws(generator, shapes[row], DRAWS) for shapes in (inside, outside))
        logs = first - np.logaddexp(first, second)
        with np.errstate(divide="ignore"):
            value[row] = _against_the_others(np.log(probability.value[row])[None])[0]
        bounds[:, row] = np.quantile(_against_the_others(logs), tails, axis=0)
    return WordPosterior(words, list(counts.classes), probability, Summary(value, bounds[0], bounds[1], level))


def text_posterior(
    counts: Counts,
    texts: Iterable[str],
    *,
    likelihood: str = "multinomial",
    smoothing: Smoothing = 1.0,
    prior: Prior = "empirical",
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> PredictionPosterior:
    """What is known of the probabilities of the classes for each text, by the plain likelihood.

    With the empirical prior the shares of the classes are uncertain too; one that is given is believed.

    >>> counts = Counts().add(["so happy", "so sad"], ["positive", "negative"])
    >>> one = text_posterior(counts, ["happy"]).probability
    >>> many = text_posterior(counts.add(["so happy", "so sad"] * 50, ["positive", "negative"] * 50), ["happy"])
    >>> bool(many.probability.low[0, 1] > one.low[0, 1])
    True
    """
    if likelihood not in ("multinomial", "bernoulli"):
        raise InputError(f"likelihood is {likelihood!r}; there are posteriors for 'multinomial' and 'bernoulli'")
    check_many(texts)
    counted = [Counter(token.text for token in counts.analyzer.features(text)) for text in texts]
    asked = None if likelihood == "bernoulli" else sorted({word for text in counted for word in text})
    words, inside, outside = _beta(counts, asked, likelihood, smoothing)
    places = {word: place for place, word in enumerate(words)}
    shares = prior_draws(counts.classes, counts.documents, prior, draws, seed)
    scores = np.empty((draws, len(counted), len(counts.classes)))
    if likelihood == "bernoulli":
        _add_bernoulli(scores, counted, words, inside, outside, seed)
    else:
        drawn = {word: _log_gamma_draws(_generator(seed, word), inside[place], draws) for word, place in places.items()}
        for row, text in enumerate(counted):
            known = sorted(word for word in text if word in places)
            scores[:, row] = _multinomial_scores(
                [drawn[word] for word in known],
                [text[word] for word in known],
                inside[[places[word] for word in known]],
                inside + outside,
                _generator(seed, "", "rest"),
                draws,
            )
    return prediction_posterior(list(counts.classes), scores + shares[:, None, :], level)


def _beta(
    counts: Counts, words: Sequence[str] | None, likelihood: str, smoothing: Smoothing
) -> tuple[list[str], Array, Array]:
    """The words that there are, and by word and class the posterior pseudo-counts for and against each."""
    if likelihood not in ("multinomial", "bernoulli"):
        raise InputError(f"likelihood is {likelihood!r}; there are posteriors for 'multinomial' and 'bernoulli'")
    present, absent = pseudo_counts(likelihood, smoothing)
    asked = None if words is None else list(dict.fromkeys(words))
    table = scorer(counts.kernel, likelihood, smoothing, "shared").table(asked)
    if likelihood == "bernoulli":
        seen = np.asarray(table.documents).astype(float)
        inside, outside = seen + present, np.array(counts.documents, dtype=float) - seen + absent
    else:
        inside = np.asarray(table.occurrences).astype(float) + present
        outside = np.array(counts.occurrences, dtype=float) + present * counts.n_features - inside
    order = {name: place for place, name in enumerate(table.names)}
    known = table.names if asked is None else [word for word in asked if word in order]
    rows = [order[word] for word in known]
    return known, inside[rows], np.maximum(outside, 0.0)[rows]


def _generator(seed: int, word: str, *more: str) -> np.random.Generator:
    return np.random.default_rng([seed, *(crc32(one.encode("utf-8", "surrogatepass")) for one in (word, *more))])


def _log_gamma_draws(generator: np.random.Generator, shapes: Array, draws: int) -> Array:
    """Logarithms of gamma variables, by draw and class. Small shapes would give 0: there G(a) = G(a + 1) · U^(1/a)."""
    shapes = np.maximum(shapes, 1e-9)
    size = (draws, len(shapes))
    logs = np.log(generator.standard_gamma(shapes + 1, size))
    return np.asarray(logs + np.log1p(-generator.random(size)) / shapes)


def _against_the_others(logs: Array) -> Array:
    """λ of each class: the last axis."""
    n_classes = logs.shape[-1]
    result = np.zeros_like(logs)
    if n_classes == 1:
        return result
    for number in range(n_classes):
        others = np.delete(logs, number, axis=-1)
        theirs = np.logaddexp.reduce(others, axis=-1) - np.log(n_classes - 1)
        result[..., number] = log_differences(logs[..., number], theirs)
    return result


def _multinomial_scores(
    drawn: list[Array], times: list[int], shapes: Array, wholes: Array, generator: np.random.Generator, draws: int
) -> Array:
    """Σ times · log P(word | class), by draw and class: a Dirichlet is gamma variables, divided by their sum."""
    if not drawn:
        return np.zeros((draws, wholes.shape[-1]))
    rest = _log_gamma_draws(generator, np.maximum(wholes[0] - shapes.sum(axis=0), 0.0), draws)
    whole = np.logaddexp(np.logaddexp.reduce(drawn, axis=0), rest)
    return np.asarray(sum(n * (one - whole) for n, one in zip(times, drawn, strict=True)))


def _add_bernoulli(
    scores: Array, counted: list[Counter[str]], words: list[str], inside: Array, outside: Array, seed: int
) -> None:
    """Fill in the scores: every word of the vocabulary counts, in the texts that have it and in those that do not."""
    scores[:] = 0.0
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(counted):
        for word in text:
            rows.setdefault(word, []).append(row)
    for place, word in enumerate(words):
        generator = _generator(seed, word)
        yes, no = (_log_gamma_draws(generator, shapes[place], len(scores)) for shapes in (inside, outside))
        whole = np.logaddexp(yes, no)
        scores += (no - whole)[:, None, :]
        if word in rows:
            scores[:, rows[word]] += (yes - no)[:, None, :]


def prior_draws(classes: list[Any], documents: Any, prior: Prior, draws: int, seed: int) -> Array:
    """Draws of the logarithms of the class shares, by draw and class."""
    if not isinstance(draws, int) or draws < 1:
        raise InputError(f"draws is {draws!r}; it must be 1 or more")
    if not (isinstance(prior, str) and prior == "empirical"):
        given = np.array(log_prior(classes, list(documents), prior))
        return np.repeat(given[None], draws, axis=0)
    generator = _generator(seed, "", "prior")
    logs = _log_gamma_draws(generator, np.asarray(documents, dtype=float) + 1, draws)
    return log_softmax(logs)


def prediction_posterior(classes: list[Any], scores: NDArray[Any], level: float) -> PredictionPosterior:
    """Means and intervals of probabilities, from scores by draw, document and class."""
    with np.errstate(invalid="ignore"):
        chances = softmax(scores)
    low, high = np.quantile(chances, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return PredictionPosterior(classes, Summary(chances.mean(axis=0), low, high, level))
