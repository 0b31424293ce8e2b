"""Diagnosis of documents with the predictions of a model of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.diagnosis.diagnosis import Diagnosis, can_be_forgotten, diagnose
from banbury.diagnosis.of_tables import TableDiagnosis, diagnose_table
from banbury.errors import InputError
from banbury.stats.prior_shift import PriorEstimate, estimate_prior
from banbury.stats.softmax import log_softmax
from banbury.text.documents import Texts, as_labels, as_texts, check_kind, n_threads
from banbury.text.likelihoods import log_prior

if TYPE_CHECKING:
    from banbury.tables.model import TableModel
    from banbury.text.model import TextModel
    from banbury.text.settings import Settings


def diagnosed_table(model: TableModel, data: Any, labels: Any, probabilities: np.ndarray[Any, Any]) -> TableDiagnosis:
    """The diagnosis of the rows of a table, with the probabilities that its model gives them."""
    if labels is not None:
        labels = as_labels(labels)
        check_kind(labels, model.classes)
    rows = model.rows(data, labels)
    if not rows.table.n_rows:
        raise InputError("no rows to diagnose")
    return diagnose_table(model.learned, rows, labels, probabilities)


def diagnosed(
    model: TextModel, settings: Settings, texts: Texts, labels: Any = None, *, threads: int | None = None
) -> Diagnosis:
    """The diagnosis of documents; those that the model has learned are judged by leave-one-out."""
    texts = as_texts(texts)
    if not texts:
        raise InputError("no documents to diagnose")
    if labels is not None:
        labels = as_labels(labels)
        check_kind(labels, model.classes)
        if len(labels) != len(texts):
            raise InputError(f"{len(texts)} documents but {len(labels)} labels")
    were_learned = labels is not None and can_be_forgotten(model.counts, texts, labels, threads=threads)

    def predicted() -> np.ndarray[Any, Any]:
        return log_softmax(model.reading(settings).scores(texts, n_threads(threads)))

    def estimate() -> PriorEstimate:
        prior = np.exp(log_prior(model.classes, model.documents, settings.prior))
        return estimate_prior(model.classes, predicted(), prior)

    logs = model.leave_one_out(texts, labels, settings, threads=threads) if were_learned else predicted()
    return diagnose(
        model.counts,
        texts,
        labels,
        were_learned=were_learned,
        log_probabilities=logs,
        classes=model.classes,
        estimate=estimate,
        threads=threads,
    )
