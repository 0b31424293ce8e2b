"""Documents with labels, looked up again: leave-one-out equals counting all others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labels_reference as plain
import reference
import trust_reference as twin
from banbury import Analyzer
from banbury.labels.counts import LabelCounts
from banbury.labels.observed import Observed
from label_sets import LabelledTexts, labelled_texts, some_documents

PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))
CAPS = [3.0, 2.0]
EVERY = 10**9


@pytest.mark.parametrize("is_grouped", [False, True])
@given(labelled_texts(), st.data())
def test_the_basis_of_a_label_is_that_of_counting_all_others(
    is_grouped: bool, given: LabelledTexts, data: st.DataObject
) -> None:
    texts, sets, n = given.texts, given.sets, len(given.texts)
    weights = data.draw(st.lists(st.integers(1, 2), min_size=n, max_size=n))
    groups = data.draw(st.lists(st.sampled_from("abcd"), min_size=n, max_size=n))
    counts = LabelCounts(PAIRS).add(texts, sets, weights=weights)
    each = np.array(weights, np.uint32)
    how: dict[str, Any] = {"most": EVERY, "groups": groups if is_grouped else None, "threads": 2}
    observed = Observed(counts, texts, sets, each, **how)
    n_labels = len(counts.labels)
    lists = np.tile(np.arange(1, n_labels + 1), (len(observed.weights), 1)).astype(np.uint32)
    values = np.asarray(observed.documents.basis(2, lists.ravel()).features(CAPS))
    row_of = [row for row, weight in enumerate(weights) for _ in range(weight)]
    documents = [twin.document(reference.python_words(texts[row])) for row in row_of]
    places = np.asarray(observed.documents.places)
    for row, text in enumerate(texts):
        rest = [
            at
            for at, other in enumerate(row_of)
            if texts[other] != text and not (is_grouped and groups[other] == groups[row])
        ]
        left, left_sets = [documents[at] for at in rest], [sets[row_of[at]] for at in rest]
        one = twin.document(reference.python_words(text))
        for place, label in enumerate(counts.labels):
            assert bool(observed.truth[places[row], place]) == (label in sets[row])
            expected = plain.basis(left, left_sets, label, one, CAPS)
            np.testing.assert_allclose(values[places[row], place], expected, rtol=1e-9, atol=1e-9)


def test_copies_with_other_labels_leave_together_and_a_document_says_less_of_what_leaves_with_it() -> None:
    texts, sets = ["a b", "a b", "c d", "e f"], [("x",), (), ("x",), ("y",)]
    counts = LabelCounts(PAIRS).add(texts, sets)
    observed = Observed(counts, texts, sets, None, most=EVERY)
    taken = np.asarray(observed.documents.taken())
    places = np.asarray(observed.documents.places)
    # Of all, of x, of y: both copies leave all, the first of them leaves x.
    assert taken[places[0]].tolist() == taken[places[1]].tolist() == [2.0, 1.0, 0.0]
    assert taken[places[3]].tolist() == [1.0, 0.0, 1.0]
    assert observed.sureness[places[0]].tolist() == [0.5, pytest.approx(1 / 3)]  # 1 of 2 inside x, 2 of 3 outside y
    assert observed.sureness[places[3]].tolist() == [0.5, 0.0]  # the only document of y


def test_a_small_sample_is_the_beginning_of_a_large_one() -> None:
    given = some_documents()
    counts = LabelCounts().add(given.texts, given.sets)
    large, small = (Observed(counts, given.texts, given.sets, None, most=most) for most in (EVERY, 20))
    n = len(small.weights)
    assert n < len(large.weights)
    assert small.documents.rows == large.documents.rows[:n]
    assert small.folds.tolist() == large.folds[:n].tolist()
