"""Curves for labels that overlap: the pairs that they are fitted on, and what leave-one-out predicts by them."""

import numpy as np
import pytest

import labels_reference as plain
import reference
import trust_reference as twin
from banbury import Analyzer
from banbury.labels.counts import LabelCounts
from banbury.labels.curves import BEST_PAIRED, OWN_PAIRED, RANDOM_PAIRED, CurveFit, fit_label_curves
from banbury.labels.observed import Observed
from banbury.text.curves import CURVE_FOLDS
from label_sets import some_documents

PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))


def test_leave_one_out_is_the_formula_with_curves_that_have_not_seen_the_fold() -> None:
    given = some_documents()
    counts = LabelCounts(PAIRS).add(given.texts, given.sets)
    trust, analyzer, left_out = fit_label_curves(counts, given.texts, given.sets, None)
    assert analyzer == PAIRS
    assert left_out.truth.shape == (len(left_out.rows), 3)
    fit = CurveFit(Observed(counts, given.texts, given.sets, None, most=2000, windows=True))
    by_fold = fit.fitted(PAIRS)[1]
    observed = Observed(counts, given.texts, given.sets, None, most=2000)
    documents = [twin.document(reference.python_words(text)) for text in given.texts]
    labels = dict(zip(*[counts.labels, range(3)], strict=True))
    for place, row in enumerate(left_out.rows[:5]):
        rest = [at for at, text in enumerate(given.texts) if text != given.texts[row]]
        curves = by_fold[observed.folds[place]][0]
        said = [
            2 * float(np.dot(plain.basis([documents[at] for at in rest], [given.sets[at] for at in rest], label,
                                         documents[row], fit.caps.tolist()), curves))
            for label in labels
        ]  # fmt: skip
        scores = observed.documents.scores([fold for fold, _ in by_fold], fit.caps.tolist(), 1)
        np.testing.assert_allclose(2 * np.asarray(scores.scores)[place, 1:], said, rtol=1e-9, atol=1e-9)
    assert len(trust.curves) == len(by_fold[0][0])
    assert len(by_fold) == CURVE_FOLDS
    # Words tell the labels, so that leave-one-out is right about most of them.
    assert ((left_out.log_odds > 0) == left_out.truth).mean() > 0.9


def test_nothing_depends_on_order_or_threads() -> None:
    given = some_documents()
    counts = LabelCounts(PAIRS).add(given.texts, given.sets)
    expected = fit_label_curves(counts, given.texts, given.sets, None, threads=1)
    backwards = LabelCounts(PAIRS).add(given.texts[::-1], given.sets[::-1])
    for found in (
        fit_label_curves(counts, given.texts, given.sets, None, threads=3),
        fit_label_curves(backwards, given.texts[::-1], given.sets[::-1], None),
    ):
        assert found[0] == expected[0]
        assert found[2].log_odds.tolist() == expected[2].log_odds.tolist()


@pytest.mark.parametrize("n_own", [0, 1, 3, 9, 20])
def test_pairs_are_different_labels_and_count_for_all(n_own: int) -> None:
    names = [f"l{place:02}" for place in range(20)]
    n_labels, width = len(names), OWN_PAIRED + BEST_PAIRED + RANDOM_PAIRED
    # One document for each label, then those with as many labels as are asked for.
    texts = [f"word{place} so" for place in range(20)] + [f"word{place} word{place + 1}" for place in range(6)]
    sets = [(name,) for name in names] + [tuple(names[:n_own])] * 6
    observed = Observed(LabelCounts(PAIRS).add(texts, sets), texts, sets, None, most=99, windows=True)
    places, weights = CurveFit(observed).pairs
    both = np.tile(observed.truth, (2, 1))
    assert places.shape == weights.shape == (2 * len(texts), width)
    for row in range(len(places)):
        assert len(set(places[row].tolist())) == width
        is_own, n_own_here = both[row, places[row]], both[row].sum()
        assert weights[row, is_own].sum() == pytest.approx(n_own_here)
        assert weights[row, ~is_own].sum() == pytest.approx(n_labels - n_own_here)
