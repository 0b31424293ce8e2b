"""Leave-one-out equals training without the document."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import trust_reference as twin
from banbury import Analyzer, Classifier, Counts, _kernel
from banbury.datasets import demo
from banbury.errors import LabelError
from banbury.text.documents import as_weights, class_numbers
from banbury.text.leave_one_out import alike_note, leave_one_out, left_out_weights
from strategies import LABELS, Corpus, corpora

PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))
GIVEN = {"negative": 0.2, "positive": 0.5, "neutral": 0.3}

SETTINGS: list[dict[str, Any]] = [
    {"likelihood": "multinomial", "smoothing": 0},
    {"likelihood": "multinomial", "smoothing": 0.3},
    {"likelihood": "multinomial", "smoothing": 1.0, "prior": "uniform"},
    {"likelihood": "multinomial", "smoothing": "document", "prior": GIVEN},
    {"likelihood": "multinomial", "smoothing": 1.0, "vocabulary": "class"},
    {"likelihood": "multinomial", "smoothing": 0, "vocabulary": "class"},
    {"likelihood": "bernoulli", "smoothing": 0},
    {"likelihood": "bernoulli", "smoothing": 0.3, "prior": GIVEN},
    {"likelihood": "bernoulli", "smoothing": 1.0, "prior": "uniform"},
    {"likelihood": "bernoulli", "smoothing": "document"},
    {"likelihood": "complement", "smoothing": 0.3},
    {"likelihood": "complement", "smoothing": 1.0, "prior": "uniform"},
]


def features(text: str) -> list[str]:
    return reference.ngrams(reference.python_words(text), 1, 2)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "-".join(map(str, settings.values())))
@given(corpora())
def test_leaving_a_document_out_equals_training_without_it(settings: Mapping[str, Any], corpus: Corpus) -> None:
    if "prior" in settings and not isinstance(settings["prior"], str):
        corpus = Corpus([*corpus.texts, *LABELS], [*corpus.labels, *LABELS])
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    groups = [at % 3 for at in range(len(corpus))]
    texts = corpus.texts

    def is_copy(one: int, other: int) -> bool:
        return texts[one] == texts[other]

    def belongs(one: int, other: int) -> bool:
        return is_copy(one, other) or groups[one] == groups[other]

    for names, is_left_out in ((None, is_copy), (groups, belongs)):
        found = leave_one_out(counts, corpus.texts, corpus.labels, groups=names, **settings)
        expected = reference.leave_one_out(
            [features(text) for text in corpus.texts],
            corpus.labels,
            lambda counts: reference.Model(counts, **settings),
            is_left_out,
        )
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@given(corpora(min_size=2), st.randoms(use_true_random=False))
def test_the_order_of_documents_and_the_threads_change_no_bit(corpus: Corpus, random: Any) -> None:
    order = list(range(len(corpus)))
    random.shuffle(order)
    mixed = corpus.pick(order)
    ours = leave_one_out(Counts(PAIRS).add(corpus.texts, corpus.labels), corpus.texts, corpus.labels, threads=1)
    theirs = leave_one_out(Counts(PAIRS).add(mixed.texts, mixed.labels), mixed.texts, mixed.labels, threads=3)
    assert np.array_equal(ours[order], theirs)


def test_a_label_that_was_never_counted_is_named() -> None:
    counts = Counts().add(["a", "b"], ["x", "y"])
    with pytest.raises(LabelError, match="document 1 has label 'z', which was never counted"):
        leave_one_out(counts, ["a", "b"], ["x", "z"])


def test_the_note_counts_documents_that_share_their_text_and_gives_the_accuracy_of_the_others() -> None:
    words = [f"w{n}" for n in range(3000)]
    told = [" ".join(words[12 * n : 12 * n + 12]) for n in range(200)]
    quoted = [f"{text} as they said" for text in told[:50]]
    texts, labels = told + quoted, ["a", "b"] * 125
    counts = Counts(Analyzer(ngrams=(1, 2))).add(texts, labels)
    documents = _kernel.Documents(
        counts.kernel, texts, class_numbers(labels, counts.classes), None, 10_000, 1, windows=False
    )
    is_right = np.array([row % 4 != 0 for row in documents.rows])
    alike = np.array([row < 50 or row >= 200 for row in documents.rows])
    note = alike_note(documents, is_right)
    assert note.startswith("100 of 250 documents share half of their rarer word pairs with another one")
    assert f"on the others the accuracy is {is_right[~alike].mean():.4f}" in note
    alone = _kernel.Documents(counts.kernel, told, class_numbers(labels[:200], counts.classes), None, 10_000, 1)
    assert alike_note(alone, is_right[:200]) == ""
    none = _kernel.Documents(counts.kernel, [], class_numbers([], counts.classes), None, 10_000, 1)
    assert alike_note(none, is_right[:0]) == ""


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz"), st.integers(1, 60)), min_size=1))
def test_a_document_counts_by_its_group_with_a_bound_for_the_heaviest(rows: list[tuple[str, str, int]]) -> None:
    texts, labels, weights = (list(column) for column in zip(*rows, strict=True))
    counts = Counts().add(texts, labels, weights=weights)
    class_ids = class_numbers(labels, counts.classes)
    documents = _kernel.Documents(counts.kernel, texts, class_ids, as_weights(weights, len(rows)), 10_000, 1)
    found, n_effective = left_out_weights(documents, counts.documents)
    joint: Counter[tuple[str, str]] = Counter()
    for text, label, weight in rows:
        joint[text, label] += weight
    expected = twin.row_weights([(text, label, weight) for (text, label), weight in joint.items()])
    by_row = dict(zip(joint, expected, strict=True))
    there = [(texts[row], labels[row]) for row in documents.rows]
    np.testing.assert_allclose(found, [by_row[one] for one in there], rtol=1e-9, atol=1e-12)
    assert 0 < n_effective <= len(set(texts)) + 1e-9


def test_a_text_of_a_thousand_copies_does_not_decide_for_all_others() -> None:
    texts, labels = demo()
    tests = slice(0, None, 3)
    train, train_labels = ([value for row, value in enumerate(column) if row % 3] for column in (texts, labels))
    accuracy = []
    for n in (0, 1000):
        model = Classifier().fit([*train, *[train[0]] * n], [*train_labels, *[train_labels[0]] * n])
        accuracy.append(np.mean(model.predict(texts[tests]) == np.array(labels[tests])))
    assert accuracy[1] > accuracy[0] - 0.06
