"""Fitting of a hierarchy: a classifier for each level, and by leave-one-out how much each counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.classifier import Classifier
from banbury.errors import NotAvailable
from banbury.hierarchy.classifier import Level, predicted_nodes
from banbury.hierarchy.evaluation import HierarchyEvaluation, Judged, evaluate_hierarchy
from banbury.hierarchy.pooling import MOST_POOLED_NUMBERS, fit_weights, of_nodes, pooled
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.hierarchy.tree import Tree
    from banbury.text.documents import Column, Texts


class FittedLevels(NamedTuple):
    """Classifiers of levels, the labels' own last, what each counts, and how well all do together."""

    levels: list[Level]
    weights: list[float]
    report: HierarchyEvaluation | None


def fitted_levels(
    tree: Tree, texts: Texts, labels: list[Any], weights: Column, groups: Column, how: dict[str, Any]
) -> FittedLevels:
    """A classifier for each level that tells something apart, and their weights; `how` are their parameters."""
    levels = [Level(None, Classifier(**how).fit(texts, labels, weights, groups=groups))]
    # All levels count the same features: what the labels' level has learned, the levels above have.
    how = how | {"analyzer": levels[0].model.counts_.analyzer}
    # By the labels that count: one of weight 0 is not there.
    known = levels[0].model.model_.classes
    finer = known
    for depth in range(tree.depth - 1, 0, -1):
        nodes = [tree.at(label, depth) for label in known]
        if 1 < len(set(nodes)) < len(set(finer)):
            above = [tree.at(label, depth) for label in labels]
            levels.insert(0, Level(depth, Classifier(**how).fit(texts, above, weights, groups=groups)))
            finer = nodes
    left_out = _left_out(tree, levels, known)
    if left_out is None:
        return FittedLevels(levels, [0.0] * (len(levels) - 1) + [1.0], None)
    by_level, truth, row_weights = left_out
    fitted = fit_weights(by_level, truth, row_weights)
    logs = pooled(by_level, fitted)
    known_tree = type(tree)({label: tree.paths[label] for label in known})
    note = "each document predicted by a model that has not seen it"
    n_seen, n_documents = int(row_weights.sum()), sum(levels[-1].model.documents_)
    if n_seen < n_documents:
        note += f"; a fixed sample of {n_seen} of {n_documents} documents was looked at"
    true_paths = [tree.paths[known[place]] for place in truth.tolist()]
    predicted = predicted_nodes(known_tree, logs, None, "probability")
    judged = Judged.of(known_tree, logs, predicted, true_paths, known_tree.depth)
    return FittedLevels(levels, fitted, evaluate_hierarchy(known_tree, judged, row_weights, note))


def _left_out(
    tree: Tree, levels: list[Level], labels: list[Any]
) -> tuple[list[NDArray[np.float64]], NDArray[np.intp], NDArray[np.float64]] | None:
    """Leave-one-out log probabilities of the labels' nodes by level, true labels, and weights of documents.

    Each level has looked at a sample of the documents, which depends on their texts alone: the smaller one is a part of
    the larger one. None where there is nothing to leave out.
    """
    try:
        predictions = [level.model.report_.predictions for level in levels]
    except NotAvailable:
        return None
    if any(each is None or each.log_probabilities is None for each in predictions):
        return None
    places = [{row: place for place, row in enumerate(each.rows)} for each in predictions if each is not None]
    # In the order of the sample, which depends on the texts alone: so do sums.
    rows = [row for row in places[-1] if all(row in place for place in places)]
    rows = rows[: max(MOST_POOLED_NUMBERS // (len(labels) * len(levels)), 1)]
    if not rows:
        return None
    by_level = []
    for level, each, place in zip(levels, predictions, places, strict=True):
        assert each is not None
        assert each.log_probabilities is not None
        logs = each.log_probabilities[[place[row] for row in rows]]
        by_level.append(of_nodes(logs, each.classes, level.nodes(tree, labels), len(level.model.model_.classes)))
    last, place = predictions[-1], places[-1]
    assert last is not None
    numbers = {label: number for number, label in enumerate(labels)}
    truth = np.array([numbers[last.truth[place[row]]] for row in rows])
    return by_level, truth, np.array([last.weights[place[row]] for row in rows], float)
