"""What independence cannot express: a weight for each feature on top of the automatic model's own.

The automatic model weighs each feature by what counts tell of it alone. Features that come together say less than their
sum, others more; a ridge regression on the same presences finds by how much. It starts from the leave-one-out scores of
the documents, so that it learns only what counting could not tell, and its penalty is chosen on documents of which
neither counts nor regression know. Where it helps nobody there is none. `kernel/src/correction/ridge.rs` fits it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import FileFormatError
from banbury.results.trials import Seen, Tried, figures
from banbury.stats.softmax import log_softmax
from banbury.text.counts import Counts
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import FEW_DOCUMENTS
from banbury.text.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

PENALTIES = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
PATIENCE = 2  # penalties that may be no better before the search ends
SURE = 2.0  # standard errors that the gain has to have
HELD_OUT, MOST_HELD_OUT = 0.2, 4_000  # of the documents, to choose the penalty by
STEPS, STEPS_EACH = 20, 8  # of the last fit, and of each on the way there
ARRAYS = ("correction.features", "correction.weights")
MOST_DOCUMENTS = 100_000  # that are looked at
MOST_SCORES = 2_000_000  # documents times classes; some twenty such arrays are in memory
MOST_FEATURES = 2**27  # of all documents together, each some twenty bytes


@dataclass(frozen=True, eq=False)
class Correction:
    """Weights on top of the automatic model's, for the classes that it was fitted to."""

    classes: tuple[Any, ...]
    shifts: tuple[float, ...]
    """What the score of each class gets, whatever the document."""
    table: _kernel.Correction

    def read(self, classes: list[Any]) -> tuple[_kernel.Correction, list[float]] | None:
        """The weights and shifts of these classes; one that came later has none.

        Two classes are told apart by other curves than more are: where that has changed, there is no correction.
        """
        if self.classes == tuple(classes):
            return self.table, list(self.shifts)
        if 2 in (len(classes), len(self.classes)):
            return None
        columns = {label: number for number, label in enumerate(self.classes)}
        shifts = dict(zip(self.classes, self.shifts, strict=True))
        return (
            self.table.arranged([columns.get(label) for label in classes]),
            [shifts.get(label, 0.0) for label in classes],
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays, for a file."""
        arrays = dict(zip(ARRAYS, self.table.arrays(), strict=True))
        return {"classes": list(self.classes), "shifts": list(self.shifts)}, arrays

    @classmethod
    def from_parts(cls, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Correction:
        """The correction that `parts` were taken from; its arrays are read where they lie."""
        classes, shifts = tuple(settings["classes"]), tuple(map(float, settings["shifts"]))
        if not 2 <= len(set(classes)) == len(classes) == len(shifts) or not all(map(isfinite, shifts)):
            raise FileFormatError("its correction is of no or of equal classes")
        hashes, weights = (memoryview(arrays[name]).cast("B") for name in ARRAYS)
        return cls(classes, shifts, _kernel.Correction(hashes, weights, 1 if len(classes) == 2 else len(classes)))


def correct(
    counts: Counts,
    texts: Any,
    numbers: Any,
    weights: Any,
    trust: Trust,
    seen: Seen,
    text: Callable[[int], str],
    *,
    threads: int | None = None,
) -> tuple[Correction | None, Seen]:
    """The best correction of what `trust` makes of these counts, or None; and what was seen.

    `texts` are the documents that were counted, `numbers` their classes as a buffer, `text` gives one of them; `seen`
    is what leave-one-out saw without a correction.
    """
    threads = n_threads(threads)
    # By what is known of all documents, also where those given are a sample of them.
    n_documents, n_features = sum(counts.documents), sum(counts.occurrences)
    most = min(MOST_DOCUMENTS, MOST_SCORES // len(counts.classes), n_documents * MOST_FEATURES // max(n_features, 1))
    documents = _kernel.Documents(counts.kernel, texts, numbers, weights, most, threads)
    if len(documents.rows) < FEW_DOCUMENTS:
        return None, seen
    n_held = min(int(HELD_OUT * len(documents.rows)), MOST_HELD_OUT)
    penalty, seen = _chosen(documents, n_held, counts, trust, seen, text, threads)
    if penalty is None:
        return None, seen
    ridge = _ridge(documents, trust, counts.classes, counts.documents, threads)
    ridge.fit(penalty, STEPS, threads)
    table, biases = ridge.correction(documents, threads)
    shifts = [0.0, *biases] if len(counts.classes) == 2 else biases
    return Correction(tuple(counts.classes), tuple(shifts), table), seen


def _chosen(
    documents: _kernel.Documents,
    n_held: int,
    counts: Counts,
    trust: Trust,
    seen: Seen,
    text: Callable[[int], str],
    threads: int,
) -> tuple[float | None, Seen]:
    """The penalty with which the other documents predict the first `n_held` best, or None; and what was seen."""
    import numpy as np

    classes = counts.classes
    rows, own = documents.rows[:n_held], np.array(documents.classes[:n_held], np.uint32)
    of = np.array(documents.weights[:n_held], np.uint32)
    texts = [text(row) for row in rows]
    without, rest = documents.held_out(n_held)
    held = _kernel.Documents(without, texts, own, of, n_held, threads)
    start = trust.start(classes, without.documents)
    base = np.asarray(_kernel.TrustScorer(without, trust.curves).scores(texts, start, threads))

    ridge = _ridge(rest, trust, classes, without.documents, threads)
    logs = [log_softmax(base)]
    losses = [_losses(logs[0], own)]
    best = 0
    for at, penalty in enumerate(PENALTIES, 1):
        ridge.fit(penalty, STEPS_EACH, threads)
        more = np.asarray(ridge.scores(held, threads))
        logs.append(log_softmax(base + _of_all_classes(more, len(classes))))
        losses.append(_losses(logs[-1], own))
        if of @ losses[at] < of @ losses[best]:
            best = at
        if at - best == PATIENCE:
            break
    # What could well be chance is no reason for a correction: the model stays as simple as it is.
    gains = losses[0] - losses[best]
    mean = float(of @ gains) / float(of.sum())
    error = sqrt(float(of @ (gains - mean) ** 2)) / float(of.sum())
    best = best if mean > SURE * error else 0

    names = ["no correction", *(f"correction, penalty {penalty:g}" for penalty in PENALTIES)]
    tried = [
        *seen.tried,
        *(Tried(f"held out: {name}", *figures(log, own, of)) for name, log in zip(names, logs, strict=False)),
    ]
    if best == 0:
        return None, replace(seen, tried=tried)
    note = f"the figures are of {n_held} documents, held out from the counts and from the correction"
    chosen = f"{seen.chosen}; {names[best]}"
    return PENALTIES[best - 1], Seen(tried, chosen, note, rows, own.astype(np.intp), of.astype(float), logs[best])


def _ridge(
    documents: _kernel.Documents, trust: Trust, classes: list[Any], n_documents: list[int], threads: int
) -> _kernel.Ridge:
    """A regression of documents that were counted, on top of what leave-one-out says of them."""
    import numpy as np

    start = np.array(trust.start(classes, n_documents))
    scores = np.asarray(documents.scores(trust.curves, threads))
    # Of two classes the second has a score, and the first its negative.
    offsets = 2 * scores + (start[1] - start[0]) if len(classes) == 2 else scores + start
    own = np.array(documents.classes, np.intp)
    left = 1 - 1 / np.array(n_documents, dtype=float)[own]  # as for the curves in selection.py
    return _kernel.Ridge(documents, np.array(documents.weights) * left, np.ascontiguousarray(offsets).ravel())


def _of_all_classes(scores: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """With two classes only the second has a score of its own."""
    import numpy as np

    return np.insert(scores, 0, 0.0, axis=1) if n_classes == 2 else scores


def _losses(logs: NDArray[Any], own: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    losses: NDArray[Any] = -logs[np.arange(len(own)), own]
    return losses
