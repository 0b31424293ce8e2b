"""Posteriors: intervals hold as often as they promise, and draws are those of the plain formulas."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from banbury import Bernoulli, Categorical, Counts, Gaussian, Histogram, Multinomial, Number, Poisson
from banbury.errors import InputError
from banbury.stats.intervals import beta_interval
from banbury.tables.posterior import table_posterior
from banbury.text.likelihoods import scorer
from banbury.text.posterior import text_posterior, with_word_prior, word_posterior

TEXTS = ["so happy and so glad", "happy day", "so sad", "a sad sad day", "not a day", "so so"]
LABELS = ["positive", "positive", "negative", "negative", "neutral", "neutral"]
WORDS = ["so", "happy", "sad", "day", "not", "a", "and", "glad"]


@pytest.fixture
def counts() -> Counts:
    return Counts().add(TEXTS, LABELS)


def log_table(counts: Counts, likelihood: str, smoothing: Any, words: list[str]) -> Any:
    table = scorer(counts.kernel, likelihood, smoothing, "shared").table(words)
    return np.asarray(table.log_probabilities)[[table.names.index(word) for word in words]]


# Words


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("smoothing", [1.0, 0.3, "document"])
def test_the_mean_of_a_posterior_is_the_smoothed_probability(counts: Counts, likelihood: str, smoothing: Any) -> None:
    found = word_posterior(counts, WORDS, likelihood=likelihood, smoothing=smoothing)
    assert found.words == WORDS
    assert_allclose(found.probability.value, np.exp(log_table(counts, likelihood, smoothing, WORDS)), rtol=1e-12)
    assert (found.probability.low <= found.probability.value).all()
    assert (found.probability.value <= found.probability.high).all()


def test_the_interval_of_a_word_is_that_of_its_beta_distribution(counts: Counts) -> None:
    found = word_posterior(counts, ["sad"], level=0.8)
    # "sad" 3 of 6 words in negative, 0 of 5 in neutral, 0 of 7 in positive; 8 words in all
    low, high = beta_interval([4, 1, 1], [6 + 8 - 4, 5 + 8 - 1, 7 + 8 - 1], 0.8)
    assert_allclose(found.probability.low[0], low)
    assert_allclose(found.probability.high[0], high)


def test_the_weight_is_that_of_the_table_and_its_interval_that_of_draws(counts: Counts) -> None:
    found = word_posterior(counts, WORDS)
    logs = log_table(counts, "multinomial", 1.0, WORDS)
    for number in range(3):
        others = np.delete(logs, number, axis=1)
        expected = logs[:, number] - np.log(np.exp(others).mean(axis=1))
        assert_allclose(found.weight.value[:, number], expected, rtol=1e-9, atol=1e-12)
    generator = np.random.default_rng(5)
    inside, outside = np.array([4, 1, 1]), np.array([10, 12, 14])
    draws = np.log(generator.beta(inside, outside, (200_000, 3)))
    weights = draws[:, 0] - np.log(np.exp(draws[:, 1:]).mean(axis=1))
    low, high = np.quantile(weights, [0.025, 0.975])
    assert found.weight.low[WORDS.index("sad"), 0] == pytest.approx(low, abs=0.15)
    assert found.weight.high[WORDS.index("sad"), 0] == pytest.approx(high, abs=0.15)


def test_what_is_asked_together_does_not_matter(counts: Counts) -> None:
    together, alone = word_posterior(counts, WORDS), word_posterior(counts, ["sad", "unknown"])
    assert alone.words == ["sad"]
    assert_array_equal(alone.weight.low[0], together.weight.low[WORDS.index("sad")])
    both = text_posterior(counts, ["so sad", "happy"], draws=50)
    one = text_posterior(counts, ["happy"], draws=50)
    assert_array_equal(one.probability.low[0], both.probability.low[1])
    assert (text_posterior(counts, ["happy"], draws=50, seed=1).probability.low != one.probability.low).any()


def test_a_word_prior_is_pseudo_counts_of_that_word_alone(counts: Counts) -> None:
    known = with_word_prior(counts, {"refund": {"negative": 5}, "sad": {"positive": 2, "negative": 1}})
    assert known.occurrences == [6 + 5 + 1, 5, 7 + 2]
    assert counts.occurrences == [6, 5, 7]
    assert np.exp(log_table(known, "multinomial", 1.0, ["refund"])) == pytest.approx(
        np.array([[6 / (12 + 9), 1 / (5 + 9), 1 / (9 + 9)]])
    )


@pytest.mark.parametrize(
    "prior, message",
    [
        ({"refund": {"complaint": 5}}, "speaks of label 'complaint'; these counts have 'negative'"),
        ({"refund": 5}, "must be a number for each label"),
        ({" ": {"negative": 5}}, "in which the analyzer finds no feature"),
        ({"refund": {"negative": 0.5}}, "weight 0.5"),
    ],
)
def test_a_wrong_word_prior_is_refused(counts: Counts, prior: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_word_prior(counts, prior)


# Predictions


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
def test_the_posterior_of_a_text_is_that_of_drawing_all_parameters(counts: Counts, likelihood: str) -> None:
    vocabulary = sorted(WORDS)
    table = scorer(counts.kernel, likelihood, 1.0, "shared").table(vocabulary)
    order = [table.names.index(word) for word in vocabulary]
    seen = np.asarray(table.documents if likelihood == "bernoulli" else table.occurrences)[order].T
    generator, n = np.random.default_rng(6), 40_000
    shares = generator.dirichlet(np.array(counts.documents) + 1, n)
    text = {"sad": 2, "so": 1}
    logs = np.log(shares)
    for number in range(3):
        if likelihood == "multinomial":
            chances = generator.dirichlet(seen[number] + 1.0, n)
            logs[:, number] += sum(times * np.log(chances[:, vocabulary.index(word)]) for word, times in text.items())
        else:
            chances = generator.beta(seen[number] + 1.0, counts.documents[number] - seen[number] + 1.0, (n, 8))
            has = np.array([word in text for word in vocabulary])
            logs[:, number] += np.log(np.where(has, chances, 1 - chances)).sum(axis=1)
    plain = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    found = text_posterior(counts, ["sad so sad"], likelihood=likelihood, draws=20_000)
    assert found.classes == ["negative", "neutral", "positive"]
    assert_allclose(found.probability.value[0], plain.mean(axis=0), atol=0.015)
    assert_allclose(found.probability.low[0], np.quantile(plain, 0.025, axis=0), atol=0.02)
    assert_allclose(found.probability.high[0], np.quantile(plain, 0.975, axis=0), atol=0.02)


def test_a_given_prior_is_believed_and_unknown_words_add_nothing(counts: Counts) -> None:
    prior = {"negative": 0.2, "neutral": 0.3, "positive": 0.5}
    found = text_posterior(counts, ["unheard of", ""], prior=prior, draws=20).probability
    assert_allclose(found.value, [[0.2, 0.3, 0.5]] * 2)
    assert_allclose(found.low, found.high)


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda counts: text_posterior(counts, "one text"), "put it into a list"),
        (lambda counts: text_posterior(counts, ["a"], likelihood="complement"), "'multinomial' and 'bernoulli'"),
        (lambda counts: word_posterior(counts, ["a"], likelihood="complement"), "'multinomial' and 'bernoulli'"),
        (lambda counts: text_posterior(counts, ["a"], draws=0), "draws is 0"),
        (
            lambda _: Gaussian(variance="biased").statistics(1, 1).drawn(np.random.default_rng(0)),
            "no posterior to draw from",
        ),
    ],
)
def test_what_has_no_posterior_is_refused(counts: Counts, ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask(counts)


# Intervals hold as often as they promise


def share_inside(summary: Any, truth: Any) -> float:
    return float(((summary.low <= truth) & (truth <= summary.high)).mean())


def test_patients_with_symptoms() -> None:
    """7 symptoms, 1000 patients, 1 in 5 of them ill: π and θ lie in their intervals as often as these promise."""
    generator = np.random.default_rng(27)
    prior_inside: list[float] = []
    inside: list[float] = []
    predictions: list[float] = []
    for _ in range(70):
        share, chances = generator.beta(2, 8), generator.beta(1, 1, (2, 7))
        ill = (generator.random(1000) < share).astype(int)
        symptoms = (generator.random((1000, 7)) < chances[ill]).astype(float)
        statistics = Bernoulli().statistics(7, 2).add(symptoms, ill)
        inside.append(share_inside(statistics.posterior()["probability"], chances))
        low, high = beta_interval(ill.sum() + 2, (1 - ill).sum() + 8)
        prior_inside.append(bool(low <= share <= high))
        if len(predictions) < 30:
            some = symptoms[:10]
            found = table_posterior([(statistics, some)], np.bincount(ill, minlength=2), draws=100).probability
            logs = some @ np.log(chances / (1 - chances)).T + np.log(1 - chances).sum(axis=1)
            odds = np.exp(logs + np.log([1 - share, share]))
            predictions.append(share_inside(found, odds / odds.sum(axis=1, keepdims=True)))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)  # of 980: a standard error of 0.007
    assert np.mean(prior_inside) >= 0.88  # of 70: less happens once in a hundred times
    assert np.mean(predictions) == pytest.approx(0.95, abs=0.04)


def test_numbers_counts_and_categories() -> None:
    """Many columns at once, each with parameters of its own."""
    generator = np.random.default_rng(28)
    n, columns = 80, 600
    classes = [0] * n
    mean, deviation = generator.normal(0, 3, (1, columns)), generator.gamma(3, 1, (1, columns))
    kind: Any = Gaussian(mean_rows=1e-3, variance_rows=1e-3)
    found = kind.statistics(columns, 1).add(generator.normal(mean, deviation, (n, columns)), classes).posterior()
    inside = {
        "mean": share_inside(found["mean"], mean),
        "variance": share_inside(found["variance"], deviation**2),
    }
    rate = generator.gamma(2, 2, (1, columns))
    kind = Poisson(rows=0.5, events=1)
    found = kind.statistics(columns, 1).add(generator.poisson(rate, (n, columns)), classes).posterior()
    inside["rate"] = share_inside(found["rate"], rate)
    chances = generator.dirichlet(np.ones(4), columns)
    codes = np.column_stack([generator.choice(4, n, p=one) for one in chances])
    found = Categorical(categories=4).statistics(columns, 1).add(codes, classes).posterior()
    inside["category"] = share_inside(found["probability"], chances[None])
    chances = generator.dirichlet(np.ones(columns))[None]
    found = Multinomial().statistics(columns, 1).add(generator.multinomial(50, chances[0], n), classes).posterior()
    inside["group"] = share_inside(found["probability"], chances)
    share = generator.beta(1, 1, (1, columns))
    amounts = np.exp(generator.normal(size=(n, columns))) * (generator.random((n, columns)) > share)
    found = Gaussian(scale="log").statistics(columns, 1).add(amounts, classes).posterior()
    inside["zero"] = share_inside(found["zero"], share)
    assert inside == pytest.approx(dict.fromkeys(inside, 0.95), abs=0.025)


@pytest.mark.parametrize(
    "kind", [Bernoulli(), Categorical(), Gaussian(), Gaussian(scale="log"), Histogram(bins=3), Number(), Poisson()]
)
def test_the_draws_of_parameters_surround_the_plug_in(kind: Any) -> None:
    generator = np.random.default_rng(0)
    values = generator.integers(0, 2, (60, 1)).astype(float)
    if not isinstance(kind, (Bernoulli, Categorical, Poisson)):
        values = values + np.abs(generator.normal(size=(60, 1)))
    statistics = kind.statistics(1, 2).add(values, np.arange(60) % 2)
    drawn = np.array([statistics.drawn(generator).scores(values[:3]) for _ in range(400)])
    plug_in = statistics.scores(values[:3])
    spread = drawn.std(axis=0)
    assert (spread > 0).all()
    assert (np.abs(drawn.mean(axis=0) - plug_in) < 0.6 * spread).all()


def test_more_rows_make_a_prediction_more_certain() -> None:
    rows, classes = [[1], [2], [9], [7]], [0, 0, 1, 1]
    few = Poisson().statistics(1, 2).add(rows, classes)
    many = Poisson().statistics(1, 2).add(rows * 50, classes * 50)
    unsure, sure = (
        table_posterior([(statistics, [[4]])], [n, n], draws=200).probability
        for statistics, n in ((few, 2), (many, 100))
    )
    assert (sure.high - sure.low < (unsure.high - unsure.low) / 3).all()
