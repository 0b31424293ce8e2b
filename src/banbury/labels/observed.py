"""Observed: documents with their labels, looked up again in the counts: what leave-one-out works on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.labels.counts import LabelCounts, numbered_sets
from banbury.labels.odds import log_odds_of_shares
from banbury.lazy import numpy as np
from banbury.text.curves import CURVE_FOLDS
from banbury.text.documents import class_numbers, n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.labels.sets import LabelSet


class Observed:
    """At most `most` of some documents that were counted; which, and their order, depends on their texts alone.

    Of two samples of the same documents the smaller one is the beginning of the larger one.
    """

    def __init__(
        self,
        counts: LabelCounts,
        texts: Any,
        sets: Sequence[LabelSet],
        weights: Any,
        *,
        most: int,
        groups: Sequence[str] | None = None,
        windows: bool = False,
        threads: int | None = None,
    ) -> None:
        different, numbers = numbered_sets(sets, counts.labels)
        self.counts, self.threads = counts, n_threads(threads)
        self.documents = _kernel.Documents(
            counts.kernel,
            texts,
            class_numbers(list(sets), different),
            weights,
            most,
            self.threads,
            groups=groups,
            windows=windows,
            sets=numbers,
        )
        self.n_labels = len(counts.labels)
        self.weights = np.array(self.documents.weights, float)
        truth = np.zeros((len(self.weights), self.n_labels + 1), dtype=bool)
        for row, number in enumerate(self.documents.classes):
            truth[row, numbers[number]] = True
        self.truth = truth[:, 1:]
        """Whether each document has each label."""
        self.start = np.array(log_odds_of_shares(counts.documents, counts.n_documents))
        """The log-odds of each label's share of all documents."""
        group_numbers = np.asarray(self.documents.groups)
        self.folds = group_numbers % CURVE_FOLDS
        """Documents of a group are in the same fold."""
        by_group = np.bincount(group_numbers, self.weights)
        share = by_group.sum() / (by_group**2).sum()
        self.row_weights: NDArray[np.float64] = self.weights * share
        """How much each document counts where something is fitted: a group is one observation, whatever its weight."""
        self.n_effective = float(share * counts.n_documents)
        self.sureness = self._sureness()

    def _sureness(self) -> NDArray[np.float64]:
        """How much each document says of each label: the less, the larger a part of the label leaves with it."""
        gone = np.asarray(self.documents.taken())
        inside, outside = np.array(self.counts.documents, float), float(self.counts.n_documents)
        of_label = 1 - gone[:, 1:] / np.maximum(inside, 1)
        of_rest = 1 - (gone[:, :1] - gone[:, 1:]) / np.maximum(outside - inside, 1)
        sureness: NDArray[np.float64] = np.maximum(np.where(self.truth, of_label, of_rest), 0)
        return sureness
