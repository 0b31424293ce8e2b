"""Fitting of levels: which there are, and what they count."""

import numpy as np

from banbury.hierarchy.fitting import fitted_levels
from banbury.hierarchy.tree import Tree
from tree_texts import LABELS, TEXTS

HOW = {"analyzer": "words", "threads": 1}


def test_levels_that_tell_nothing_more_apart_are_left_out() -> None:
    fitted = fitted_levels(Tree.of(LABELS), TEXTS, LABELS, None, None, HOW)
    assert [level.depth for level in fitted.levels] == [1, None]
    assert fitted.report is not None
    assert fitted.report.n_documents == len(TEXTS)
    deep = [f"top/{label}/end" for label in LABELS]  # one node at the top, and one below each label
    again = fitted_levels(Tree.of(deep), TEXTS, deep, None, None, HOW)
    assert [level.depth for level in again.levels] == [2, None]
    assert again.weights == fitted.weights
    flat = [label.replace("/", "-") for label in LABELS]
    assert [level.depth for level in fitted_levels(Tree.of(flat), TEXTS, flat, None, None, HOW).levels] == [None]


def test_one_label_alone_has_nothing_to_leave_out() -> None:
    fitted = fitted_levels(Tree.of(["a/b"]), ["x"], ["a/b"], None, None, HOW)
    assert fitted.weights == [1.0]
    assert fitted.report is None


def test_a_label_of_weight_zero_is_not_there() -> None:
    weights = [int(not label.startswith("play")) for label in LABELS]
    fitted = fitted_levels(Tree.of(LABELS), TEXTS, LABELS, weights, None, HOW)
    assert not any(label.startswith("play") for label in fitted.levels[-1].model.model_.classes)


def test_of_many_labels_those_that_no_list_names_share_what_is_left() -> None:
    labels = [f"t{number % 10}/l{number}" for number in range(1_100)] * 3
    texts = [f"topic{number % 10} own{number} word{place % 7}" for place, number in enumerate([*range(1_100)] * 3)]
    fitted = fitted_levels(Tree.of(labels), texts, labels, None, None, HOW)
    assert [level.depth for level in fitted.levels] == [1, None]
    assert fitted.report is not None
    assert 0.9 < fitted.report.accuracy <= 1
    assert np.isfinite([fitted.report.log_loss, *fitted.weights]).all()
