"""Correcting: fits the correction of the automatic model, a ridge regression on the presence of features.

It starts from the leave-one-out scores of the documents, so that it learns only what counting could not tell, and its
penalty is chosen on documents of which neither counts nor regression know. Where it helps nobody there is none.
`kernel/src/correction/ridge.rs` fits it.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.results.trials import Seen, Tried, figures
from banbury.stats.softmax import log_softmax
from banbury.text.correction import Correction
from banbury.text.counts import Counts
from banbury.text.documents import n_threads
from banbury.text.leave_one_out import FEW_DOCUMENTS, MOST_SCORES, left_out_weights
from banbury.text.trust import Trust, centred_log_prior

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from banbury.text.documents import Buffer, Texts

PENALTIES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
PATIENCE, AT_LEAST = 2, 0.3  # penalties that may be no better before the search ends; but this one is always tried
SURE_GAIN = 2.0  # standard errors that the gain has to have
HELD_OUT, MOST_HELD_OUT = 0.2, 4_000  # of the documents, to choose the penalty by
CORRECTION_STEPS = 8  # of each fit on the way from the strongest penalty: few of them regularise too
MOST_CORRECTED_DOCUMENTS = 100_000  # that are looked at
MOST_FEATURES = 2**27  # of all documents together, each some twenty bytes


def correct(
    counts: Counts,
    texts: Texts,
    class_ids: Buffer,
    weights: Buffer | None,
    trust: Trust,
    seen: Seen,
    text: Callable[[int], str],
    *,
    groups: Sequence[str] | None = None,
    threads: int | None = None,
) -> tuple[Correction | None, Seen]:
    """The best correction of what `trust` makes of these counts, or None; and what was seen.

    `texts` are the documents that were counted, `class_ids` their classes as a buffer, `text` gives one of them; `seen`
    is what leave-one-out saw without a correction.
    """
    threads = n_threads(threads)
    # By what is known of all documents, also where those given are a sample of them.
    n_documents, n_features = sum(counts.documents), sum(counts.occurrences)
    most = min(
        MOST_CORRECTED_DOCUMENTS, MOST_SCORES // len(counts.classes), n_documents * MOST_FEATURES // max(n_features, 1)
    )
    documents = _kernel.Documents(counts.kernel, texts, class_ids, weights, most, threads, groups=groups)
    if len(documents.rows) < FEW_DOCUMENTS:
        return None, seen
    n_held = documents.whole_groups(min(int(HELD_OUT * len(documents.rows)), MOST_HELD_OUT))
    if len(documents.rows) - n_held < FEW_DOCUMENTS // 2:
        return None, seen
    path, seen = _chosen(documents, n_held, counts, trust, seen, text, threads)
    if not path:
        return None, seen
    ridge = _ridge(documents, trust, counts.classes, counts.documents, threads)
    for penalty in path:
        _go_on(ridge, penalty, len(counts.classes), threads)
    return Correction(tuple(counts.classes), ridge.correction(documents, threads)), seen


def _chosen(
    documents: _kernel.Documents,
    n_held: int,
    counts: Counts,
    trust: Trust,
    seen: Seen,
    text: Callable[[int], str],
    threads: int,
) -> tuple[tuple[float, ...], Seen]:
    """The path to the penalty with which the other documents predict the first `n_held` best; and what was seen."""
    classes = counts.classes
    rows, class_ids = documents.rows[:n_held], np.array(documents.classes[:n_held], np.uint32)
    weights = np.array(documents.weights[:n_held], np.uint32)
    texts = [text(row) for row in rows]
    without, rest = documents.held_out(n_held)
    held = _kernel.Documents(without, texts, class_ids, weights, n_held, threads)
    order = np.asarray(held.places)
    start, growth = centred_log_prior(without.documents), trust.growth(classes, without.documents)
    scorer = _kernel.TrustScorer(without, trust.curves, trust.caps)
    base = np.asarray(scorer.scores(texts, start, threads, growth))

    ridge = _ridge(rest, trust, classes, without.documents, threads)
    logs = [log_softmax(base)]
    losses = [_losses(logs[0], class_ids)]
    best = 0
    for at, penalty in enumerate(PENALTIES, 1):
        _go_on(ridge, penalty, len(classes), threads)
        more = np.asarray(ridge.scores(held, threads))[order]
        logs.append(log_softmax(base + _of_all_classes(more, len(classes))))
        losses.append(_losses(logs[-1], class_ids))
        if weights @ losses[at] < weights @ losses[best]:
            best = at
        if at - best >= PATIENCE and penalty <= AT_LEAST:
            break
    # What could well be chance is no reason for a correction: the model stays as simple as it is.
    gains = losses[0] - losses[best]
    mean = float(weights @ gains) / float(weights.sum())
    error = sqrt(float(weights @ (gains - mean) ** 2)) / float(weights.sum())
    best = best if mean > SURE_GAIN * error else 0

    names = ["no correction", *(f"correction, penalty {penalty:g}" for penalty in PENALTIES)]
    tried = [
        *seen.tried,
        *(
            Tried(f"held out: {name}", *figures(log, class_ids, weights))
            for name, log in zip(names, logs, strict=False)
        ),
    ]
    if best == 0:
        return (), replace(seen, tried=tried)
    note = f"the figures are of {n_held} documents, held out from the counts and from the correction"
    chosen = f"{seen.chosen}; {names[best]}"
    corrected = Seen(tried, chosen, note, rows, class_ids.astype(np.intp), weights.astype(float), logs[best])
    return PENALTIES[:best], corrected


def _go_on(ridge: _kernel.Ridge, penalty: float, n_classes: int, threads: int) -> None:
    """The next steps of a fit; the one weight of two classes stands for two of half its size."""
    ridge.fit(penalty / 2 if n_classes == 2 else penalty, CORRECTION_STEPS, threads)


def _ridge(
    documents: _kernel.Documents, trust: Trust, classes: list[Any], n_documents: list[int], threads: int
) -> _kernel.Ridge:
    """A regression of documents that were counted, on top of what leave-one-out says of them."""
    prior, growth = np.array(centred_log_prior(n_documents)), np.array(trust.growth(classes, n_documents))
    left_out = documents.scores([trust.curves], trust.caps, threads)
    scores, lengths = np.asarray(left_out.scores), np.asarray(left_out.lengths)[:, None]
    start = prior + lengths / (lengths + 16.0) * growth
    # Of two classes the second has a score, and the first its negative.
    offsets = 2 * scores[:, 0] + (start[:, 1] - start[:, 0]) if len(classes) == 2 else scores + start
    row_weights, _ = left_out_weights(documents, n_documents)
    return _kernel.Ridge(documents, row_weights, np.ascontiguousarray(offsets).ravel())


def _of_all_classes(scores: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Scores of all classes from those of the kernel, which scores only the second of two."""
    return np.insert(scores, 0, 0.0, axis=1) if n_classes == 2 else scores


def _losses(logs: NDArray[np.float64], class_ids: NDArray[Any]) -> NDArray[np.float64]:
    losses: NDArray[np.float64] = -logs[np.arange(len(class_ids)), class_ids]
    return losses
