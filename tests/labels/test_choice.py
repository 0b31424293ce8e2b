"""What leave-one-out chooses for labels, and its report."""

import numpy as np
import pytest

from banbury import Analyzer
from banbury.errors import InputError
from banbury.labels.choice import choose_labels
from banbury.labels.counts import LabelCounts
from label_sets import some_documents


def test_the_report_speaks_of_the_documents_and_of_the_thresholds() -> None:
    given = some_documents()
    counts = LabelCounts().add(given.texts, given.sets)
    choice = choose_labels(counts, given.texts, given.sets, None, "f1", threads=None)
    report = choice.report
    assert report.n_documents == len(set(zip(given.texts, given.sets, strict=True)))
    assert report.micro_f1 > 0.9
    assert report.note.startswith("each document predicted by a model that has not seen it; chosen: words")
    assert report.predictions is not None
    chances = 1 / (1 + np.exp(-report.predictions.log_odds))
    assert report.predictions.decided.tolist() == (chances >= [value for _, value in choice.f1.by_label]).tolist()
    assert report.predictions.text(3) == given.texts[3]


def test_characters_stay_only_where_they_help() -> None:
    given = some_documents()
    wide, narrow = Analyzer(ngrams=(1, 2), characters=(2, 4)), Analyzer(ngrams=(1, 2))
    counts = LabelCounts(wide).add(given.texts, given.sets)
    choice = choose_labels(counts, given.texts, given.sets, None, 0.5, narrower=narrow, threads=None)
    assert choice.counts.analyzer in (wide, narrow)
    assert len(choice.trust.caps) == (3 if choice.counts.analyzer == wide else 2)
    assert "tried: words and pairs (log loss" in choice.report.note


def test_without_labels_there_is_nothing_to_learn() -> None:
    with pytest.raises(InputError, match="no document has a label"):
        choose_labels(LabelCounts().add(["a"], [()]), ["a"], [()], None, "f1", threads=None)
