"""The worked examples of the five documents behind this project (000–004), each with its own numbers.

Where a document gives a table of counts, the texts here are made to have these counts.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest

from banbury import Analyzer, Classifier
from banbury.stats.probability import (
    bayes,
    complement,
    conditional,
    from_odds,
    log_sum_exp,
    odds,
    posterior,
    probability,
    total_probability,
)

CLASSES = ["negative", "positive"]  # sorted, so that a score or λ above 0 speaks for positive

# 000: totals of 11 words in each class, 9 different words.
TWEETS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
TWEET_LABELS = ["positive", "positive", "negative", "negative"]
TWEET = "I am happy because I love ice cream"

# 003: 13 positive words, 12 negative words, 8 different words.
LESSONS = [
    "I am happy because I am learning NLP",
    "I am happy, not sad",
    "I am sad, I am not learning NLP",
    "I am sad, happy",
]


@pytest.fixture(scope="module")
def tweets() -> Classifier:
    return Classifier.textbook().fit(TWEETS, TWEET_LABELS)


@pytest.fixture(scope="module")
def lessons() -> Classifier:
    return Classifier.textbook().fit(LESSONS, TWEET_LABELS)


def reviews(*keywords: str) -> Classifier:
    """001: 500 positive reviews, 92 with *great*; 500 negative ones, 5 with *great* and 14 others with *waste*."""
    texts = ["Great!"] * 92 + ["It works."] * 408 + ["Great, if it worked."] * 5 + ["A waste."] * 14 + ["Broken."] * 481
    analyzer = Analyzer(keywords=keywords)
    model = Classifier.textbook(likelihood="bernoulli", smoothing=None, analyzer=analyzer)
    return model.fit(texts, ["positive"] * 500 + ["negative"] * 500)


# 000 -----------------------------------------------------------------------------------------------------------------


def test_000_probabilities_of_positive_tweets_by_counting() -> None:
    assert probability(35, 100) == 0.35
    assert complement(0.35) == pytest.approx(0.65)
    assert probability(4, 100) == 0.04
    assert conditional(4, 5) == 0.8
    assert conditional(4, 35) == pytest.approx(0.1143, abs=5e-5)
    assert odds(0.35) == pytest.approx(0.35 / 0.65) == pytest.approx(0.5385, abs=5e-5)


def test_000_bayes_rule() -> None:
    assert bayes(prior=0.25, likelihood=0.4, evidence=0.13) == pytest.approx(0.7692, abs=5e-5)


@pytest.mark.parametrize(
    "word, positive, negative, p_positive, p_negative, ratio, log_ratio",
    [
        ("i", 3, 3, 0.2, 0.2, 1, 0),
        ("am", 2, 2, 0.15, 0.15, 1, 0),
        ("happy", 2, 0, 0.15, 0.05, 3, 1.0986),
        ("sad", 0, 2, 0.05, 0.15, 0.3333, -1.0986),
        ("because", 1, 1, 0.1, 0.1, 1, 0),
        ("love", 1, 0, 0.1, 0.05, 2, 0.6931),
        ("hate", 0, 1, 0.05, 0.1, 0.5, -0.6931),
        ("the", 1, 1, 0.1, 0.1, 1, 0),
        ("weather", 1, 1, 0.1, 0.1, 1, 0),
    ],
)
def test_000_the_table_of_words(
    tweets: Classifier,
    word: str,
    positive: int,
    negative: int,
    p_positive: float,
    p_negative: float,
    ratio: float,
    log_ratio: float,
) -> None:
    row = tweets.words().row(word)
    assert row["count"] == {"negative": negative, "positive": positive}
    assert row["probability"] == pytest.approx({"negative": p_negative, "positive": p_positive})
    assert row["ratio"] == pytest.approx(ratio, abs=5e-5)
    assert row["log_ratio"] == pytest.approx(log_ratio, abs=5e-5)


def test_000_the_totals_of_the_table(tweets: Classifier) -> None:
    rows = tweets.words().rows()
    assert len(rows) == 9
    for label in CLASSES:
        assert sum(row["count"][label] for row in rows) == 11
        assert sum(row["probability"][label] for row in rows) == pytest.approx(1)


def test_000_the_tweet_about_ice_cream_scores_log_6(tweets: Classifier) -> None:
    assert tweets.decision_function([TWEET])[0] == pytest.approx(math.log(6), abs=1e-12)
    assert math.exp(tweets.decision_function([TWEET])[0]) == pytest.approx(6.0)
    assert tweets.predict(TWEET) == "positive"


def test_000_unseen_words_add_nothing(tweets: Classifier) -> None:
    assert tweets.decision_function(["I am happy because I love"])[0] == tweets.decision_function([TWEET])[0]
    assert tweets.decision_function(["ice cream"])[0] == tweets.decision_function([""])[0] == 0


def test_000_the_log_prior_ratio_of_an_unbalanced_corpus() -> None:
    model = Classifier.textbook().fit(["tweet"] * 100, ["positive"] * 35 + ["negative"] * 65)
    assert model.decision_function([""])[0] == pytest.approx(math.log(0.35 / 0.65))
    assert model.predict_proba([""])[0] == pytest.approx([0.65, 0.35])


def test_000_the_prior_can_change_at_prediction_time(tweets: Classifier) -> None:
    prior = {"positive": 0.35, "negative": 0.65}
    chance = tweets.predict_proba([TWEET], prior=prior)[0]
    assert chance[1] == pytest.approx(from_odds(6 * 0.35 / 0.65))
    assert tweets.predict([TWEET], prior={"positive": 0.1, "negative": 0.9})[0] == "negative"
    assert tweets.predict([TWEET])[0] == "positive"


# 001 -----------------------------------------------------------------------------------------------------------------


def test_001_what_great_tells() -> None:
    model = reviews("great")
    assert model.words().row("great")["documents"] == {"negative": 5, "positive": 92}
    assert model.words().row("great")["probability"]["positive"] == pytest.approx(0.184)
    assert total_probability([0.5, 0.5], [92 / 500, 5 / 500]) == pytest.approx(0.097)
    assert model.predict_proba(["great"])[0, 1] == pytest.approx(92 / 97) == pytest.approx(0.9485, abs=5e-5)
    assert model.predict_proba([""])[0, 1] == pytest.approx(408 / 903) == pytest.approx(0.4518, abs=5e-5)


def test_001_what_waste_tells() -> None:
    model = reviews("waste")
    assert model.predict_proba(["waste"])[0, 1] == 0
    assert model.predict_proba([""])[0, 1] == pytest.approx(500 / 986) == pytest.approx(0.5071, abs=5e-5)


def test_001_keywords_make_a_vector_of_presences() -> None:
    text = "This phone is useless, useless, useless!  What a waste!"
    analyzer = Analyzer(keywords=["waste", "great", "useless"])
    assert list(analyzer.vector(text, binary=True)) == [1, 0, 1]
    assert list(analyzer.vector(text)) == [1, 0, 3]


def test_001_the_likelihood_of_great_without_waste() -> None:
    negative, positive = np.exp(reviews("great", "waste").joint_log_likelihood(["great"])[0])
    assert positive == pytest.approx(0.184 * 1 * 0.5) == pytest.approx(0.092)
    # The document takes P(waste|−) = 0.028 for P(~waste|−) = 0.972 and has 0.00014.
    assert negative == pytest.approx(0.01 * 0.972 * 0.5) == pytest.approx(0.00486)
    assert reviews("great", "waste").predict("great") == "positive"


def test_001_the_fake_document_adds_one_to_both_counts() -> None:
    bernoulli = Classifier.textbook(likelihood="bernoulli", smoothing="document").fit(TWEETS, TWEET_LABELS)
    assert bernoulli.words().row("happy")["probability"] == pytest.approx({"negative": 1 / 3, "positive": 3 / 3})
    multinomial = Classifier.textbook(smoothing="document").fit(TWEETS, TWEET_LABELS)
    assert multinomial.words().row("happy")["probability"] == pytest.approx({"negative": 1 / 20, "positive": 3 / 20})


def test_001_the_multinomial_coefficient_cancels_in_decisions(tweets: Classifier) -> None:
    plain = tweets.joint_log_likelihood([TWEET])[0]
    full = tweets.joint_log_likelihood([TWEET], coefficient=True)[0]
    # Six known words, of which one comes twice: 6!/2! orders.
    assert full - plain == pytest.approx([math.log(360)] * 2)


def test_001_great_and_waste_in_the_amazon_reviews(read_set: Callable[[str], list[dict[str, str]]]) -> None:
    rows = [row for row in read_set("sentiment_labelled") if row["source"] == "amazon"]
    analyzer = Analyzer(words="python", min_length=2)
    model = Classifier.textbook(likelihood="bernoulli", analyzer=analyzer)
    table = model.fit([row["text"] for row in rows], [row["label"] for row in rows]).words()
    assert table.row("great")["documents"] == {"negative": 5, "positive": 92}
    assert table.row("waste")["documents"] == {"negative": 14, "positive": 0}


# 002 -----------------------------------------------------------------------------------------------------------------


def test_002_the_bag_of_words_of_the_answer() -> None:
    text = "The Answer to the Great Question… Of Life, the Universe and Everything… Is… Forty-two"
    tokens = [token.text for token in Analyzer(punctuation="none").tokens(text)]
    assert len(tokens) == 14
    assert len(set(tokens)) == 12
    assert tokens.count("the") == 3
    assert tokens[-1] == "forty-two"


# 003 -----------------------------------------------------------------------------------------------------------------


def test_003_probabilities_of_happy_tweets_by_counting() -> None:
    assert probability(13, 20) == 0.65
    assert probability(3, 20) == 0.15
    assert conditional(3, 4) == 0.75
    assert conditional(3, 13) == pytest.approx(0.2308, abs=5e-5)
    assert bayes(prior=13 / 20, likelihood=3 / 13, evidence=4 / 20) == pytest.approx(0.75)


def test_003_laplace_smoothing_with_eight_words(lessons: Classifier) -> None:
    rows = lessons.words().rows()
    assert len(rows) == 8
    assert [sum(row["count"][label] for row in rows) for label in CLASSES] == [12, 13]
    i = lessons.words().row("i")
    assert i["probability"] == pytest.approx({"negative": 4 / 20, "positive": 4 / 21})
    assert i["probability"]["positive"] == pytest.approx(0.1905, abs=5e-5)
    happy = lessons.words().row("happy")
    assert happy["probability"] == pytest.approx({"negative": 2 / 20, "positive": 3 / 21})
    assert happy["ratio"] == pytest.approx(1.4286, abs=5e-5)


def test_003_the_score_is_the_sum_of_the_log_ratios_of_happy_and_learning() -> None:
    # As many words in both classes, so that ratios are (n + 1) / (m + 1): happy 9, learning 3, the others 1.
    texts = ["I am because " + "happy " * 8 + "learning " * 2, "I am because " + "sad " * 10]
    model = Classifier.textbook().fit(texts, ["positive", "negative"])
    table = model.words()
    assert [round(table.row(word)["log_ratio"], 1) for word in ("happy", "learning")] == [2.2, 1.1]
    assert [table.row(word)["log_ratio"] for word in ("i", "am", "because")] == [0, 0, 0]
    score = model.decision_function(["I am happy because I am learning"])[0]
    assert score == pytest.approx(table.row("happy")["log_ratio"] + table.row("learning")["log_ratio"])
    assert round(score, 1) == 3.3


def test_003_a_score_of_exactly_zero_counts_as_negative(tweets: Classifier) -> None:
    assert tweets.decision_function(["I am the weather"])[0] == 0
    assert tweets.predict("I am the weather") == "negative"


def test_003_accuracy_on_a_validation_set(tweets: Classifier) -> None:
    texts = ["happy", "love", "sad", "weather"]  # scores: above 0, above 0, below 0, exactly 0
    assert tweets.evaluate(texts, ["positive", "negative", "negative", "negative"]).accuracy == 0.75


# 004 -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("false_positive", [0.0, 0.05, 0.2, 1.0])
def test_004_the_probability_of_a_positive_test(false_positive: float) -> None:
    positive = total_probability([0.01, 0.99], [0.9, false_positive])
    assert positive == pytest.approx(0.01 * 0.9 + 0.99 * false_positive)
    ill = bayes(prior=0.01, likelihood=0.9, evidence=positive)
    assert ill == pytest.approx(0.009 / (0.009 + 0.99 * false_positive))


def patients(classes: int) -> Classifier:
    """1000 patients with some of seven symptoms; 200 belong to the last class, ill, the others to healthy ones."""
    symptoms = ["fever", "cough", "ache", "rash", "chill", "nausea", "fatigue"]
    texts = [" ".join(symptoms[: 1 + i % 7]) for i in range(1000)]
    labels = ["ill" if i < 200 else f"healthy{i % (classes - 1)}" for i in range(1000)]
    analyzer = Analyzer(keywords=symptoms)
    return Classifier.textbook(likelihood="bernoulli", analyzer=analyzer).fit(texts, labels)


def test_004_200_ill_of_1000_patients_is_a_prior_of_one_fifth() -> None:
    assert probability(200, 1000) == 0.2
    model = Classifier.textbook().fit(["fever"] * 1000, ["ill"] * 200 + ["healthy"] * 800)
    assert np.exp(model.joint_log_likelihood([""])[0]) == pytest.approx([0.8, 0.2])


def test_004_the_number_of_parameters() -> None:
    two, three = patients(2), patients(3)
    assert 1 + sum(len(row["probability"]) for row in two.words().rows()) == 1 + 2 * 7  # π, and θ for each symptom
    assert 3 + sum(len(row["probability"]) for row in three.words().rows()) == 3 + 3 * 7


def test_004_log_sum_exp_takes_the_largest_out() -> None:
    values = [-10000.0, -10001.0, -10002.0]
    assert log_sum_exp(values) == pytest.approx(-10000 + math.log(1 + math.exp(-1) + math.exp(-2)), abs=1e-11)


def test_004_no_document_underflows(tweets: Classifier) -> None:
    one = [row["probability"]["positive"] for row in tweets.words().rows()]
    assert math.prod(one * 100) == 0  # in plain multiplication even a page does
    long = tweets.predict_proba(["happy sad " * 100_000, "happy " * 100_000])
    assert long == pytest.approx(np.array([[0.5, 0.5], [0.0, 1.0]]), abs=1e-6)


# Where the documents are wrong or disagree ---------------------------------------------------------------------------


def test_odds_are_not_the_posterior_which_is_six_sevenths_in_000(tweets: Classifier) -> None:
    assert tweets.predict_proba([TWEET])[0, 1] == pytest.approx(6 / 7) == pytest.approx(0.8571, abs=5e-5)
    assert from_odds(6) == pytest.approx(6 / 7)
    assert posterior([math.log(6), 0.0])[0] == pytest.approx(6 / 7)


def test_the_score_of_000_is_1_7918_not_1_7917(tweets: Classifier) -> None:
    assert round(tweets.decision_function([TWEET])[0], 4) == 1.7918


def test_what_is_naive_is_independence_each_word_adds_its_own_log_ratio(tweets: Classifier) -> None:
    words = ["happy", "love", "hate", "happy"]
    together = tweets.decision_function([" ".join(words)])[0]
    assert together == pytest.approx(sum(tweets.decision_function(words)))


def test_only_the_shared_vocabulary_of_003_gives_probabilities_that_sum_to_one(lessons: Classifier) -> None:
    own = Classifier.textbook(smoothing=1.0, vocabulary="class").fit(LESSONS, TWEET_LABELS)
    # Negative: 12 words, 7 different ones (no *because*); positive: 13 and 8.
    assert own.words().row("happy")["probability"] == pytest.approx({"negative": 2 / 19, "positive": 3 / 21})
    assert sum(row["probability"]["negative"] for row in own.words().rows()) == pytest.approx(20 / 19)
    for label in CLASSES:
        assert sum(row["probability"][label] for row in lessons.words().rows()) == pytest.approx(1)


def test_the_log_ratio_of_003_is_the_logarithm_of_the_ratio(lessons: Classifier) -> None:
    for row in lessons.words().rows():
        assert row["log_ratio"] == pytest.approx(math.log(row["ratio"]))
