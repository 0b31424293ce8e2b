"""What is wrong with documents is found where it was planted, and not elsewhere."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diagnosis_reference as reference
from banbury import Analyzer, Classifier, Counts
from banbury.datasets import demo
from banbury.diagnosis.dependence import dependent_pairs
from banbury.diagnosis.diagnosis import can_be_forgotten, class_balance, new_vocabulary
from banbury.diagnosis.duplicates import duplicates
from banbury.diagnosis.leaks import leaks
from banbury.errors import InputError
from banbury.text.leave_one_out import leave_one_out
from strategies import Corpus, corpora, plain_texts

TEXTS, LABELS = demo()
Rows = list[dict[str, str]]


# Words that come together ---------------------------------------------------------------------------------------------


def _generated(seed: int, *, planted: bool, n: int = 900) -> tuple[list[str], list[str]]:
    """Documents of very different lengths in three classes, of words drawn on their own, but for what is planted."""
    random = np.random.default_rng(seed)
    rates = random.dirichlet(np.full(150, 0.5), 3)
    texts, labels = [], []
    for _ in range(n):
        number = int(random.integers(3))
        words = [f"w{at}" for at in random.choice(150, 1 + int(random.lognormal(3, 0.8)), p=rates[number])]
        if planted and number == 1 and random.random() < 0.3:
            words += ["sunny", "hot"]
        if planted and random.random() < (0.05, 0.05, 0.3)[number]:
            words += ["sahara"] + ["desert"] * (random.random() < 0.9)
        texts.append(" ".join(random.permutation(words)))
        labels.append(str(number))
    return texts, labels


def test_planted_pairs_are_found_and_no_others() -> None:
    for seed in range(3):
        found = dependent_pairs(*_generated(seed, planted=True))
        assert {(pair.first, pair.second) for pair in found} == {("hot", "sunny"), ("desert", "sahara")}
        assert all(pair.ratio > 1.5 and pair.nats > 20 for pair in found)


def test_words_drawn_on_their_own_are_not_found_whatever_the_lengths() -> None:
    assert sum(len(dependent_pairs(*_generated(seed, planted=False))) for seed in range(6)) == 0


def test_observed_expected_and_counted_twice_are_what_they_are_defined_to_be() -> None:
    texts, labels = _generated(5, planted=True, n=300)
    documents = [text.split() for text in texts]
    for pair in dependent_pairs(texts, labels):
        of = (pair.first, pair.second)
        assert pair.documents == reference.together(documents, *of)
        # Documents of nearly the same length are put together, which changes little.
        assert pair.expected == pytest.approx(reference.expected(documents, labels, *of), rel=0.01)
        assert pair.nats == pytest.approx(reference.counted_twice(documents, labels, *of))
        assert pair.p_value >= 0


def test_dependence_needs_words() -> None:
    assert dependent_pairs(TEXTS, LABELS, analyzer=Analyzer.preset("characters")) == []
    assert dependent_pairs(["a", "b"], ["x", "y"]) == []


# Duplicates -----------------------------------------------------------------------------------------------------------


@given(st.lists(plain_texts(6), min_size=1, max_size=12))
def test_near_duplicates_are_those_that_every_comparison_finds(texts: list[str]) -> None:
    found = duplicates(texts)
    firsts = [at for at, text in enumerate(texts) if text not in texts[:at]]
    documents = [texts[at].lower().split() for at in firsts]
    assert sorted(found.near) == [[firsts[at] for at in group] for group in reference.near(documents, 0.8)]
    assert found.n_repeats == len(texts) - len(set(texts))


def test_long_texts_with_some_words_changed_are_near_duplicates() -> None:
    random = np.random.default_rng(0)
    words = [f"word{at}" for at in range(3000)]
    texts = [" ".join(random.choice(words, 200)) for _ in range(300)]
    changed = []
    for text in texts[:50]:
        new = text.split()
        for at in random.choice(200, 4, replace=False):
            new[at] = "changed"
        changed.append(" ".join(new).upper())
    found = duplicates([*texts, *changed])
    assert found.near == [[at, 300 + at] for at in range(50)]
    assert found.exact == []


def test_groups_with_different_labels_are_named() -> None:
    texts = ["buy it now", "Buy it now!", "buy it now", "hello there", "hello there", "something else"]
    found = duplicates(texts, ["spam", "spam", "ham", "ham", "ham", "ham"])
    assert (found.exact, found.near, found.conflicting) == ([[0, 2], [3, 4]], [[0, 1]], [[0, 1, 2]])
    assert (found.n_repeats, found.n_near) == (2, 1)
    with pytest.raises(InputError, match="6 documents but 1 labels"):
        duplicates(texts, ["spam"])
    with pytest.raises(InputError, match=r"similarity is 0\.1"):
        duplicates(texts, similarity=0.1)


def test_the_403_duplicates_of_the_sms_collection_are_found(read_set: Callable[[str], Rows]) -> None:
    rows = read_set("sms_spam")
    assert duplicates([row["text"] for row in rows]).n_repeats == 403


def test_a_column_of_texts_does_as_well() -> None:
    import polars

    texts = ["one two three four", "ONE two three four", "other"]
    assert duplicates(polars.Series(texts)) == duplicates(texts)


# Leaks ----------------------------------------------------------------------------------------------------------------


def test_a_planted_address_is_found_and_common_words_are_not() -> None:
    random = np.random.default_rng(0)
    texts, labels = [], []
    for at in range(600):
        label = ("work", "home", "club")[at % 3]
        words = [f"w{n}" for n in random.choice(200, 30)]
        if label == "work" and random.random() < 0.3:
            words += ["boss@office.example", "office"]
        texts.append(" ".join(words))
        labels.append(label)
    found = leaks(Counts().add(texts, labels))
    assert {(leak.word, leak.label, leak.kind) for leak in found} == {
        ("boss@office.example", "work", "address"),
        ("office", "work", "part of an address"),
    }
    for leak in found:
        assert leak.others == 0
        assert np.log(10) <= leak.weight < np.log((leak.documents / 200) / (0.5 / 400))


def test_headers_give_newsgroups_away_and_nothing_gives_reviews_away(read_set: Callable[[str], Rows]) -> None:
    train = [row for row in read_set("20newsgroups") if row["split"] == "train"]
    found = leaks(Counts().add([row["text"] for row in train], [row["label"] for row in train]))
    kinds = {leak.word: leak.kind for leak in found}
    # Of people, a host, an organisation, and of one header line.
    for word, kind in (
        ("keith@cco.caltech.edu", "address"),
        ("geb@cs.pitt.edu", "address"),
        ("solntze", "part of an address"),
        ("optilink", "part of an address"),
        ("enterpoop", "word"),
    ):
        assert kinds[word] == kind
    assert sum(kind == "address" for kind in kinds.values()) > 30
    train = [row for row in read_set("imdb") if row["split"] == "train"]
    assert leaks(Counts().add([row["text"] for row in train], [row["label"] for row in train])) == []


def test_one_class_has_nothing_to_give_away() -> None:
    assert leaks(Counts().add(["a"] * 50, ["x"] * 50)) == []


# Labels in doubt ------------------------------------------------------------------------------------------------------


@given(corpora(min_size=2, max_size=8))
def test_doubts_are_those_of_the_model_without_the_document(corpus: Corpus) -> None:
    labels = ["negative", "positive", *corpus.labels[2:]]
    model = Classifier.textbook().fit(corpus.texts, labels)
    doubts = model.diagnose(corpus.texts, labels).doubts
    assert doubts is not None
    scores = leave_one_out(model.counts_, corpus.texts, labels, prior="uniform")
    scores = scores + np.log(np.array(model.counts_.documents))
    own = [model.counts_.classes.index(label) for label in labels]
    for row, number, doubt in zip(scores, own, doubts, strict=True):
        chances = np.exp(row - row.max())
        assert 1 - chances[number] / chances.sum() == pytest.approx(doubt, abs=1e-9)


def test_the_report_of_training_and_the_diagnosis_doubt_the_same() -> None:
    for model in (Classifier(), Classifier(smoothing=1.0), Classifier(likelihood="bernoulli")):
        model.fit(TEXTS, LABELS)
        doubtful = model.diagnose(TEXTS, LABELS).doubtful
        assert doubtful is not None
        expected = model.report_.doubtful
        assert [one.index for one in doubtful[: len(expected)]] == [one.index for one in expected]
        found = [one.probability for one in doubtful[: len(expected)]]
        assert found == pytest.approx([one.probability for one in expected])
    three = [*LABELS[:-60], *["neutral"] * 60]
    model = Classifier().fit(TEXTS, three)
    doubtful = model.diagnose(TEXTS, three).doubtful
    assert doubtful is not None
    assert [one.index for one in doubtful[:20]] == [one.index for one in model.report_.doubtful]


@pytest.mark.parametrize("name, least", [("rt_polarity", 1 / 3), ("20newsgroups", 1 / 2)])
def test_flipped_labels_are_among_the_most_doubtful(read_set: Callable[[str], Rows], name: str, least: float) -> None:
    rows = [row for row in read_set(name) if row.get("split", "train") == "train"]
    rows = rows[:: 1 if len(rows[0]["text"]) < 400 else 2]  # half of the long ones: it is quicker, and no easier
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    classes = sorted(set(labels))
    random = np.random.default_rng(0)
    flipped = random.choice(len(rows), len(rows) // 20, replace=False).tolist()
    for at in flipped:
        labels[at] = random.choice([label for label in classes if label != labels[at]])
    model = Classifier().fit(texts, labels)
    of_texts = model.model_.of_texts("doubts are of texts")
    logs = of_texts.leave_one_out(texts, labels, model.settings, threads=None)
    own = np.array([classes.index(label) for label in labels])
    first = np.argsort(logs[np.arange(len(own)), own], kind="stable")[: len(flipped)]
    assert len(set(first.tolist()) & set(flipped)) >= least * len(flipped)


# New documents --------------------------------------------------------------------------------------------------------


def test_documents_that_were_learned_are_recognised() -> None:
    counts = Counts(Analyzer(ngrams=(1, 2))).add(TEXTS, LABELS)
    assert can_be_forgotten(counts, TEXTS[:50], LABELS[:50])
    assert not can_be_forgotten(counts, [*TEXTS, TEXTS[0]], [*LABELS, LABELS[0]])
    assert not can_be_forgotten(counts, ["never heard of"], ["positive"])
    assert not can_be_forgotten(counts, TEXTS[:1], ["neutral"])
    assert counts.documents == [300, 300]


def test_new_documents_are_compared_with_training() -> None:
    model = Classifier().fit(TEXTS[:400], LABELS[:400])
    glad = [text for text, label in zip(TEXTS[400:], LABELS[400:], strict=True) if label == "positive"]
    found = model.diagnose([*glad, "zyx zyx zyx zyx"])
    assert not found.were_learned
    assert found.balance is not None
    assert found.balance.moved
    assert found.balance.is_estimated
    assert found.balance.here["positive"] > 0.8
    assert found.vocabulary is not None
    assert found.vocabulary.words[0] == ("zyx", 4)
    assert found.doubtful is None
    labelled = model.diagnose(TEXTS[400:], LABELS[400:])
    assert labelled.balance is not None
    assert not labelled.balance.is_estimated
    assert not labelled.balance.moved
    for part in ("new to the model", "words that training had not", "labels in doubt", "shares of the classes"):
        assert part in str(labelled)
    assert json.loads(json.dumps(labelled.to_dict()))["documents"] == 200


def test_the_shares_of_two_samples_are_compared_as_in_the_books() -> None:
    from scipy import stats

    counts = Counts().add(["x"] * 100, ["no"] * 70 + ["yes"] * 30)
    found = class_balance(counts, ["no"] * 25 + ["yes"] * 25, lambda: pytest.fail("not asked"))
    table = [[70, 30], [25, 25]]
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
    assert found.p_value == pytest.approx(expected)
    assert class_balance(counts, ["maybe"] * 50, lambda: pytest.fail("not asked")).here["maybe"] == 1


def test_new_words_are_counted_with_their_repetitions() -> None:
    counts = Counts().add(["one two two", "three"], ["x", "y"])
    found = new_vocabulary(counts, ["one four four", "five two"])
    assert found.share == pytest.approx(3 / 5)
    assert found.expected == pytest.approx(2 / 4)
    assert found.words == [("four", 2), ("five", 1)]


@pytest.mark.parametrize(
    "texts, labels, message",
    [
        ([], None, "no documents to diagnose"),
        ("one text", None, "not one str"),
        (["a", "b"], ["positive"], "2 documents but 1 labels"),
        (["a"], [1], "of type int"),
    ],
)
def test_diagnosing_says_what_is_wrong(texts: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier().fit(TEXTS, LABELS).diagnose(texts, labels)


@pytest.mark.parametrize(
    "texts, labels", [(["a"], ["x"]), (["", ""], ["x", "y"]), (["a b", "a b"], ["x", "y"]), (["a"] * 9, ["x"] * 9)]
)
def test_little_data_breaks_no_diagnosis(texts: list[str], labels: list[str]) -> None:
    for options in ({}, {"analyzer": "characters"}, {"smoothing": None}, {"analyzer": Analyzer(ngrams=(2, 2))}):
        model = Classifier(**options).fit(texts, labels)
        for known in (labels, None):
            assert str(model.diagnose(texts, known))
            assert str(model.diagnose(["b", ""], None))
