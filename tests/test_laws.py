"""Laws that hold for every corpus: of counting, of storage, and agreement with the reference and with scikit-learn."""

import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import banbury
import reference
from banbury import Analyzer, Classifier
from strategies import LABELS, WORDS, Corpus, corpora, parts, plain_texts, texts, weights

PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))
ANALYZERS = [PAIRS, Analyzer(), Analyzer(words=None, characters=(2, 4))]
LIKELIHOODS = ["multinomial", "bernoulli", "complement"]

analyzers = st.sampled_from(ANALYZERS)
likelihoods = st.sampled_from(LIKELIHOODS)
corpora_of_any_text = corpora(text=texts())
assigned_texts = texts(unassigned=False)
corpora_of_assigned_text = corpora(text=assigned_texts)


def fitted(corpus: Corpus, analyzer: Analyzer = PAIRS, **options: Any) -> Classifier:
    return Classifier.textbook(analyzer=analyzer, **options).fit(corpus.texts, corpus.labels)


def saved(model: Classifier) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.banbury")
        return (Path(folder) / "model.banbury").read_bytes()


def features(text: str) -> list[str]:
    """What `PAIRS` finds in a text."""
    return reference.ngrams(reference.python_words(text), 1, 2)


# Counting ------------------------------------------------------------------------------------------------------------


@given(st.data(), corpora(min_size=2, text=texts()), analyzers)
def test_the_parts_merged_are_the_whole(data: st.DataObject, corpus: Corpus, analyzer: Analyzer) -> None:
    one, other = data.draw(parts(corpus))
    assert saved(fitted(one, analyzer).merge(fitted(other, analyzer))) == saved(fitted(corpus, analyzer))


@given(st.data(), corpora(min_size=3, text=texts()), analyzers)
def test_merging_is_associative_and_commutative(data: st.DataObject, corpus: Corpus, analyzer: Analyzer) -> None:
    a, b, c = data.draw(parts(corpus, count=3))

    def model(part: Corpus) -> Classifier:
        return fitted(part, analyzer)

    left = saved(model(a).merge(model(b)).merge(model(c)))
    assert left == saved(model(a).merge(model(b).merge(model(c))))
    assert left == saved(model(c).merge(model(a)).merge(model(b)))


@given(corpora_of_any_text, corpora_of_any_text, analyzers)
def test_forgetting_undoes_learning(known: Corpus, more: Corpus, analyzer: Analyzer) -> None:
    model = fitted(known, analyzer)
    before = saved(model)
    model.learn(more.texts, more.labels)
    model.forget(more.texts, more.labels)
    assert saved(model) == before


@given(st.data(), corpora_of_any_text, analyzers, likelihoods)
def test_the_order_of_documents_does_not_matter(
    data: st.DataObject, corpus: Corpus, analyzer: Analyzer, likelihood: str
) -> None:
    shuffled = corpus.pick(data.draw(st.permutations(range(len(corpus)))))
    one = fitted(corpus, analyzer, likelihood=likelihood)
    other = fitted(shuffled, analyzer, likelihood=likelihood)
    assert saved(one) == saved(other)
    assert np.array_equal(one.predict_proba(corpus.texts), other.predict_proba(corpus.texts))


@given(st.data(), corpora(min_size=3, text=texts()), analyzers, likelihoods)
def test_learning_in_pieces_is_learning_at_once(
    data: st.DataObject, corpus: Corpus, analyzer: Analyzer, likelihood: str
) -> None:
    whole = fitted(corpus, analyzer, likelihood=likelihood)
    first, *rest = data.draw(parts(corpus, count=3))
    pieces = fitted(first, analyzer, likelihood=likelihood)
    for piece in rest:
        pieces.learn(piece.texts, piece.labels)
    assert saved(pieces) == saved(whole)
    assert np.array_equal(pieces.predict_proba(corpus.texts), whole.predict_proba(corpus.texts))


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_the_number_of_threads_does_not_matter(analyzer: Analyzer, likelihood: str) -> None:
    chance = random.Random(5)
    documents = [" ".join(chance.choices(WORDS, k=chance.randrange(30))) + f" word{i % 700}" for i in range(3000)]
    corpus = Corpus(documents, chance.choices(LABELS, k=len(documents)))
    one, *others = [fitted(corpus, analyzer, likelihood=likelihood, threads=threads) for threads in (1, 2, 5)]
    for other in others:
        assert saved(other) == saved(one)
        assert np.array_equal(other.predict_proba(documents), one.predict_proba(documents))


@given(corpora_of_any_text, st.lists(texts(), min_size=1, max_size=5), analyzers, likelihoods)
def test_a_document_scores_the_same_alone_and_in_company(
    corpus: Corpus, asked: list[str], analyzer: Analyzer, likelihood: str
) -> None:
    model = fitted(corpus, analyzer, likelihood=likelihood)
    alone = np.concatenate([model.predict_proba([text]) for text in asked])
    assert np.array_equal(model.predict_proba(asked), alone)
    assert list(model.predict(asked)) == [model.predict(text) for text in asked]


@given(st.data(), corpora())
def test_a_weight_is_a_repetition(data: st.DataObject, corpus: Corpus) -> None:
    times = data.draw(weights(len(corpus)))
    weighted = Classifier.textbook(analyzer=PAIRS).fit(corpus.texts, corpus.labels, sample_weight=times)
    repeated = corpus.pick([i for i, n in enumerate(times) for _ in range(n)])
    assert saved(weighted) == saved(fitted(repeated))


# Storage and probabilities -------------------------------------------------------------------------------------------


@given(corpora_of_any_text, st.lists(texts(), max_size=5), analyzers, likelihoods)
def test_saved_and_loaded_predicts_the_same(
    corpus: Corpus, asked: list[str], analyzer: Analyzer, likelihood: str
) -> None:
    model = fitted(corpus, analyzer, likelihood=likelihood, smoothing=0.5)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.banbury")
        loaded = banbury.load(Path(folder) / "model.banbury")
    assert list(loaded.classes_) == list(model.classes_)
    assert np.array_equal(loaded.predict_proba([*asked, ""]), model.predict_proba([*asked, ""]))
    assert saved(loaded) == saved(model)


@given(corpora_of_any_text, texts(), likelihoods, st.sampled_from([0, 1e-10, 1.0, 1000.0, "document"]))
def test_probabilities_are_finite_and_sum_to_one(
    corpus: Corpus, text: str, likelihood: str, smoothing: float | str
) -> None:
    assume(likelihood != "complement" or smoothing != 0)  # a word of one class alone would be infinite evidence
    chances = fitted(corpus, likelihood=likelihood, smoothing=smoothing).predict_proba([text, text * 50])
    assert np.isfinite(chances).all()
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-12)


# The reference -------------------------------------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    {"likelihood": "multinomial", "smoothing": 0},
    {"likelihood": "multinomial", "smoothing": 0.3},
    {"likelihood": "multinomial", "smoothing": 1.0, "prior": "uniform"},
    {"likelihood": "multinomial", "smoothing": "document", "prior": {"negative": 0.2, "positive": 0.5, "neutral": 0.3}},
    {"likelihood": "multinomial", "smoothing": 1.0, "vocabulary": "class"},
    {"likelihood": "bernoulli", "smoothing": 0},
    {"likelihood": "bernoulli", "smoothing": 0.3, "prior": {"negative": 0.2, "positive": 0.5, "neutral": 0.3}},
    {"likelihood": "bernoulli", "smoothing": 1.0, "prior": "uniform"},
    {"likelihood": "bernoulli", "smoothing": "document"},
    {"likelihood": "complement", "smoothing": 0.3},
    {"likelihood": "complement", "smoothing": 1.0, "prior": "uniform"},
    {"likelihood": "complement", "smoothing": "document"},
]


def with_all_labels(corpus: Corpus) -> Corpus:
    """One more document for each label, so that a prior given for three classes fits."""
    return Corpus([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "-".join(map(str, settings.values())))
@given(corpora(), plain_texts())
def test_the_kernel_equals_the_reference(settings: Mapping[str, Any], corpus: Corpus, text: str) -> None:
    corpus = with_all_labels(corpus)
    model = fitted(corpus, **settings)
    documents = [features(text) for text in corpus.texts]
    expected = reference.Model(reference.train(documents, corpus.labels), **settings)
    asked = [text, f"{text} unheard of", "", *corpus.texts[:3]]
    found = model.joint_log_likelihood(asked), model.predict_proba(asked), model.predict(asked)
    for text, scores, chances, label in zip(asked, *found, strict=True):
        np.testing.assert_allclose(scores, expected.scores(features(text)), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(chances, expected.posterior(features(text)), rtol=1e-9, atol=1e-9)
        # Where two classes are equal but for the last digit, either may be found.
        possible = dict(zip(expected.counts.classes, expected.possible_scores(features(text)), strict=True))
        assert possible[label] >= max(possible.values()) - 1e-9


@given(corpora(classes=2), plain_texts())
def test_the_decision_is_the_difference_of_the_scores_and_a_tie_falls_to_the_first_class(
    corpus: Corpus, text: str
) -> None:
    corpus = Corpus([*corpus.texts, "", ""], [*corpus.labels, *LABELS[:2]])
    model = fitted(corpus)
    first, second = model.joint_log_likelihood([text])[0]
    score = model.decision_function([text])[0]
    assert score == pytest.approx(second - first, abs=1e-9)
    assert model.predict(text) == model.classes_[int(score > 0)]


@given(corpora(min_size=2), st.data())
def test_forgetting_a_document_is_leaving_it_out(corpus: Corpus, data: st.DataObject) -> None:
    corpus = Corpus([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])
    row = data.draw(st.integers(0, len(corpus) - 1 - len(LABELS)))  # each class keeps a document
    expected = reference.leave_one_out([features(text) for text in corpus.texts], corpus.labels)[row]
    model = fitted(corpus)
    model.forget([corpus.texts[row]], [corpus.labels[row]])
    np.testing.assert_allclose(model.joint_log_likelihood([corpus.texts[row]])[0], expected, rtol=1e-9, atol=1e-9)


@given(corpora(), plain_texts())
def test_the_coefficient_is_that_of_the_reference(corpus: Corpus, text: str) -> None:
    model = fitted(corpus)
    expected = reference.Model(reference.train([features(text) for text in corpus.texts], corpus.labels))
    added = model.joint_log_likelihood([text], coefficient=True) - model.joint_log_likelihood([text])
    np.testing.assert_allclose(added, expected.log_coefficient(features(text)), rtol=1e-9, atol=1e-9)


# scikit-learn --------------------------------------------------------------------------------------------------------


def scikit(likelihood: str, smoothing: float = 1.0) -> Any:
    bayes = pytest.importorskip("sklearn.naive_bayes")
    name = {"multinomial": "MultinomialNB", "bernoulli": "BernoulliNB", "complement": "ComplementNB"}[likelihood]
    return getattr(bayes, name)(alpha=smoothing)


def count_vectorizer(**options: Any) -> Any:
    return pytest.importorskip("sklearn.feature_extraction.text").CountVectorizer(**options)


def with_a_word(corpus: Corpus) -> Corpus:
    """One more document: scikit-learn refuses an empty vocabulary."""
    return Corpus([*corpus.texts, "good film"], [*corpus.labels, "positive"])


@pytest.mark.parametrize(
    "analyzer, options",
    [
        (PAIRS, {"ngram_range": (1, 2)}),
        (Analyzer(words="python", min_length=2), {}),
        (Analyzer(words=None, characters=(2, 4)), {"analyzer": "char_wb", "ngram_range": (2, 4)}),
    ],
    ids=["pairs", "words", "characters"],
)
@given(corpora_of_assigned_text)
def test_the_counts_are_those_of_scikit_learn(analyzer: Analyzer, options: dict[str, Any], corpus: Corpus) -> None:
    corpus = with_a_word(corpus)
    vectorizer = count_vectorizer(**options)
    matrix = vectorizer.fit_transform(corpus.texts).toarray()
    rows = {row["word"]: row for row in fitted(corpus, analyzer).words().rows()}
    assert sorted(rows) == sorted(vectorizer.vocabulary_)
    for label in set(corpus.labels):
        mine = matrix[np.array(corpus.labels) == label]
        for word, column in vectorizer.vocabulary_.items():
            assert rows[word]["count"][label] == mine[:, column].sum()
            assert rows[word]["documents"][label] == (mine[:, column] > 0).sum()


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@given(corpora_of_assigned_text, st.lists(assigned_texts, min_size=1, max_size=4), st.sampled_from([0.1, 1.0, 3.0]))
def test_scores_and_predictions_are_those_of_scikit_learn(
    likelihood: str, corpus: Corpus, asked: list[str], smoothing: float
) -> None:
    corpus = with_a_word(corpus)
    vectorizer = count_vectorizer(ngram_range=(1, 2))
    theirs = scikit(likelihood, smoothing).fit(vectorizer.fit_transform(corpus.texts), corpus.labels)
    ours = fitted(corpus, likelihood=likelihood, smoothing=smoothing)
    assert list(ours.classes_) == list(theirs.classes_)
    scores = theirs.predict_joint_log_proba(vectorizer.transform(asked))
    np.testing.assert_allclose(ours.joint_log_likelihood(asked), scores, rtol=1e-9, atol=1e-9)
    for label, row in zip(ours.predict(asked), scores, strict=True):
        assert row[list(theirs.classes_).index(label)] >= row.max() - 1e-9


@pytest.mark.parametrize("name", ["rt_polarity", "sms_spam", "trec6", "20newsgroups"])
def test_predictions_on_real_texts_are_those_of_scikit_learn(
    read_set: Callable[[str], list[dict[str, str]]], name: str
) -> None:
    rows = read_set(name)
    rows = rows[:: 1 + len(rows) // 4000]  # a part will do
    corpus = Corpus([row["text"] for row in rows], [row["label"] for row in rows])
    held_out = corpus.pick(range(0, len(corpus), 5))
    training = corpus.pick([i for i in range(len(corpus)) if i % 5])
    vectorizer = count_vectorizer(ngram_range=(1, 2))
    matrix, asked = vectorizer.fit_transform(training.texts), vectorizer.transform(held_out.texts)
    for likelihood in LIKELIHOODS:
        theirs = scikit(likelihood).fit(matrix, training.labels).predict(asked)
        ours = fitted(training, likelihood=likelihood).predict(held_out.texts)
        assert list(ours) == list(theirs), likelihood
