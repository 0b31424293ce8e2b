"""The oracle itself, against numbers worked out by hand."""

import math
from typing import Any

import pytest
from hypothesis import given

import reference
from reference import Model, char_wb, leave_one_out, ngrams, python_words, train
from strategies import odd_texts, token_corpora

# good good film | bad film · bad
DOCUMENTS = [["good", "good", "film"], ["bad", "film"], ["bad"]]
LABELS = ["yes", "no", "no"]
COUNTS = train(DOCUMENTS, LABELS)  # no: bad 2, film 1; yes: film 1, good 2; V = 3


def test_training_counts_documents_occurrences_and_presences() -> None:
    assert COUNTS.classes == ["no", "yes"]
    assert COUNTS.documents == {"no": 2, "yes": 1}
    assert COUNTS.occurrences == {"no": {"bad": 2, "film": 1}, "yes": {"good": 2, "film": 1}}
    assert COUNTS.presences == {"no": {"bad": 2, "film": 1}, "yes": {"good": 1, "film": 1}}
    assert COUNTS.vocabulary == ["bad", "film", "good"]


def test_a_weight_is_a_repetition_and_weight_zero_leaves_no_word() -> None:
    weighted = train(DOCUMENTS, LABELS, [3, 1, 0])
    repeated = train([*DOCUMENTS[:2], DOCUMENTS[0], DOCUMENTS[0]], ["yes", "no", "yes", "yes"])
    assert weighted.documents == repeated.documents
    assert train([["new"], ["old"]], ["a", "b"], [0, 1]).vocabulary == ["old"]


@pytest.mark.parametrize(
    "settings, word, no, yes",
    [
        ({}, "good", 1 / 6, 3 / 6),
        ({"smoothing": 0.5}, "good", 0.5 / 4.5, 2.5 / 4.5),
        ({"smoothing": 0}, "good", 0, 2 / 3),
        ({"smoothing": "document"}, "good", 1 / 6, 3 / 6),
        ({"vocabulary": "class"}, "good", 1 / 5, 3 / 5),
        ({"likelihood": "bernoulli"}, "good", 1 / 4, 2 / 3),
        ({"likelihood": "bernoulli", "smoothing": 0}, "bad", 1, 0),
        ({"likelihood": "bernoulli", "smoothing": "document"}, "film", 2 / 3, 2 / 2),
        ({"likelihood": "complement"}, "good", 3 / 6, 1 / 6),
    ],
)
def test_probabilities_are_those_of_the_formulas(settings: dict[str, Any], word: str, no: float, yes: float) -> None:
    model = Model(COUNTS, **settings)
    assert [model.probability(word, label) for label in ("no", "yes")] == pytest.approx([no, yes])


def test_the_multinomial_score_adds_one_term_for_each_known_word() -> None:
    no, yes = Model(COUNTS).scores(["good", "good", "unheard"])
    assert no == pytest.approx(math.log(2 / 3 * 1 / 6 * 1 / 6))
    assert yes == pytest.approx(math.log(1 / 3 * 3 / 6 * 3 / 6))
    assert Model(COUNTS).posterior(["good", "good"]) == pytest.approx([2 / 11, 9 / 11])


def test_the_bernoulli_score_counts_absence_and_ignores_repetition() -> None:
    model = Model(COUNTS, likelihood="bernoulli")
    no, yes = model.scores(["good", "good"])
    assert no == pytest.approx(math.log(2 / 3 * (1 - 3 / 4) * (1 - 2 / 4) * 1 / 4))
    assert yes == pytest.approx(math.log(1 / 3 * (1 - 1 / 3) * (1 - 2 / 3) * 2 / 3))


def test_the_complement_score_has_no_prior_except_with_one_class() -> None:
    assert Model(COUNTS, likelihood="complement").scores(["bad"]) == pytest.approx([-math.log(1 / 6), -math.log(3 / 6)])
    alone = Model(train([["a", "b"]], ["only"]), likelihood="complement", prior={"only": 0.5})
    assert alone.scores(["a"]) == pytest.approx([math.log(0.5) + math.log(2)])


def test_priors_are_empirical_uniform_or_given() -> None:
    assert Model(COUNTS).posterior([]) == pytest.approx([2 / 3, 1 / 3])
    assert Model(COUNTS, prior="uniform").posterior([]) == pytest.approx([1 / 2, 1 / 2])
    assert Model(COUNTS, prior={"no": 0.1, "yes": 0.9}).posterior([]) == pytest.approx([0.1, 0.9])


def test_a_document_impossible_in_every_class_leaves_the_prior() -> None:
    model = Model(COUNTS, smoothing=0)
    assert model.scores(["good", "bad"]) == [-math.inf, -math.inf]
    assert model.posterior(["good", "bad"]) == pytest.approx([2 / 3, 1 / 3])
    assert model.predict(["good", "bad"]) == "no"


def test_of_equal_classes_the_first_is_chosen() -> None:
    assert Model(COUNTS, prior="uniform").predict(["film"]) == "no"


def test_the_multinomial_coefficient_counts_the_orders_of_the_known_words() -> None:
    assert Model(COUNTS).log_coefficient(["good", "good", "bad", "unheard"]) == pytest.approx(math.log(3))


def test_no_document_is_too_long() -> None:
    assert Model(COUNTS).posterior(["good"] * 2000 + ["bad"] * 2000) == pytest.approx([2 / 3, 1 / 3])


def test_leaving_one_out_takes_its_words_and_its_class_out_of_the_counts() -> None:
    no, yes = leave_one_out(DOCUMENTS, LABELS)[2]  # left: good good film | bad film
    assert [no, yes] == pytest.approx([math.log(1 / 2 * 2 / 5), math.log(1 / 2 * 1 / 6)])
    assert leave_one_out(DOCUMENTS, LABELS)[0][1] == -math.inf  # without it, no document says yes


@given(token_corpora())
def test_probabilities_of_a_class_sum_to_one_with_the_shared_vocabulary(
    corpus: tuple[list[list[str]], list[str]],
) -> None:
    model = Model(train(*corpus), smoothing=0.3)
    for label in model.counts.classes:
        total = sum(model.probability(word, label) for word in model.counts.vocabulary)
        assert total == pytest.approx(1 if model.counts.vocabulary else 0)


@pytest.mark.parametrize(
    "text, words",
    [("It's a GREAT film_2, I say!", ["it", "great", "film_2", "say"]), ("", []), ("Ünïcode Ⅷ ٣٤", ["ünïcode", "٣٤"])],
)
def test_python_words_are_runs_of_two_or_more_word_characters(text: str, words: list[str]) -> None:
    assert python_words(text) == words


def test_ngrams_are_joined_by_one_space() -> None:
    assert ngrams(["a", "b", "c"], 1, 2) == ["a", "b", "c", "a b", "b c"]
    assert ngrams(["a"], 2, 3) == []


def test_character_ngrams_take_a_short_word_once() -> None:
    assert char_wb("Ab c", 2, 4) == [" a", "ab", "b ", " ab", "ab ", " ab ", " c", "c ", " c "]


@given(odd_texts())
def test_words_and_character_ngrams_are_those_of_scikit_learn(text: str) -> None:
    vectorizer = pytest.importorskip("sklearn.feature_extraction.text").CountVectorizer
    assert sorted(vectorizer(ngram_range=(1, 3)).build_analyzer()(text)) == sorted(ngrams(python_words(text), 1, 3))
    characters = vectorizer(analyzer="char_wb", ngram_range=(2, 4)).build_analyzer()
    assert sorted(characters(text)) == sorted(reference.char_wb(text, 2, 4))
