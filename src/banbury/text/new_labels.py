"""What a label that came after the fit starts with, until settings are chosen again.

A label of few documents starts low: by its share of all documents. But one that was added is one that comes up from now
on. Each document that is learned with it, and that the model would have taken for another label, raises its start a
little; never above that of an old label of average size. How sure evidence is was fitted to the old labels, too: where
what the others say of such a document was right, the label's evidence counts a little more from now on, where it was
wrong a little less.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.lazy import numpy as np
from banbury.text.curves import of_all_classes
from banbury.text.documents import class_numbers, n_threads
from banbury.text.leave_one_out import EVERY_ONE
from banbury.text.trust import Later, Trust, centred_log_prior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from banbury.text.counts import Counts

REMEMBERED_DOCUMENTS = 30  # documents: about so many of the last ones decide
# How far one document moves the factor of the evidence, by how much it was missed and what its words said. On parts of
# the training documents of five sets, with 30 documents of a new label: 0 and 0.3 were worse than this on most of them.
SLOPE_RATE = 0.1
MOST_SAID = 3.0  # nats of evidence: one document says no more
SMALLEST_SLOPE, LARGEST_SLOPE = log(0.5), log(3.0)
MOST_OF_A_LABEL = 200  # documents of a batch: those before them would be forgotten


def with_new_labels(
    trust: Trust, counts: Counts, texts: Sequence[str], labels: list[Any], *, threads: int | None
) -> Trust:
    """The curves with new starts for labels that nothing was fitted to, by these documents, which have been counted.

    Each document is scored as if it had not been counted, so that it makes no difference whether several are learned at
    once or one by one; in which order they are looked at depends on their texts alone.
    """
    classes = counts.classes
    old = dict(trust.shifts)
    taken: dict[Any, list[int]] = {label: [] for label in classes if label not in old}
    for row, label in enumerate(labels):
        if label in taken and len(taken[label]) < MOST_OF_A_LABEL:
            taken[label].append(row)
    rows = [row for rows_of_label in taken.values() for row in rows_of_label]
    if not rows:
        return trust
    class_ids = class_numbers([labels[row] for row in rows], classes)
    threads = n_threads(threads)
    documents = _kernel.Documents(counts.kernel, [texts[row] for row in rows], class_ids, None, EVERY_ONE, threads)
    left_out = documents.scores([trust.curves], trust.caps, threads)
    lengths = np.asarray(left_out.lengths)
    evidence = of_all_classes(np.asarray(left_out.scores), len(classes))
    start = np.array(centred_log_prior(counts.documents))
    left = np.array(counts.documents, float) - np.asarray(documents.taken())
    for place, class_id in enumerate(documents.classes):
        if left[place, class_id] <= 0:  # of its first document nothing is known
            continue
        share = float(lengths[place] / (lengths[place] + 16.0))
        said = evidence[place] * (trust.factors(classes, counts.documents) or 1.0)
        scores = said + start + share * np.array(trust.growth(classes, counts.documents))
        lead = scores[class_id] - _log_sum(np.delete(scores, class_id))
        missed = float(1 / (1 + np.exp(np.clip(lead, -500, 500))))
        asked = {asked.label: asked for asked in trust.later}
        label = classes[class_id]
        asked[label] = asked_for(asked.get(label) or Later(label), share, missed, float(said[class_id]))
        trust = replace(trust, later=tuple(asked.values()))
    return trust


def asked_for(before: Later, share: float, missed: float, said: float) -> Later:
    """What a label asks for after one more document, of which the model was so far from sure."""
    shift = before.shift + share * missed - before.shift / REMEMBERED_DOCUMENTS
    said = min(max(said, -MOST_SAID), MOST_SAID)
    slope = before.slope + SLOPE_RATE * missed * said - before.slope / REMEMBERED_DOCUMENTS
    return Later(before.label, shift, min(max(slope, SMALLEST_SLOPE), LARGEST_SLOPE))


def _log_sum(scores: Any) -> Any:
    largest = scores.max()
    return largest + np.log(np.exp(scores - largest).sum())
