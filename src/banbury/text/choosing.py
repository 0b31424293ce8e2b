"""Choosing by leave-one-out for a model of texts: trust curves and correction, or smoothing and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.results.training_report import TrainingReport, training_report
from banbury.results.trials import Seen, with_each_once, with_prior
from banbury.text.calibrating import SMOOTHINGS, calibrate
from banbury.text.choice import TextChoice, uses_curves
from banbury.text.correcting import correct
from banbury.text.curves import MOST_BASIS_NUMBERS, fit_curves
from banbury.text.documents import as_groups, as_weights, class_numbers
from banbury.text.likelihoods import log_prior

if TYPE_CHECKING:
    from collections.abc import Callable

    from banbury.text.analyzer import Analyzer
    from banbury.text.counts import Counts
    from banbury.text.documents import Buffer, Column, Texts
    from banbury.text.likelihoods import Prior
    from banbury.text.settings import Settings

MOST_NUMBERS_AT_BEST = 30_000_000  # in the basis of the curves, with effort="best"


class Chosen(NamedTuple):
    """What leave-one-out has chosen, and how well it does."""

    counts: Counts
    """Those given, or fewer: without the last block of features, where that did not help."""
    choice: TextChoice = TextChoice()
    report: TrainingReport | None = None
    """None where there was nothing to choose."""


class _Documents(NamedTuple):
    """Documents that were counted, as the kernel takes them."""

    texts: Texts
    class_ids: Buffer
    weights: Buffer | None
    groups: list[str] | None

    @property
    def given(self) -> tuple[Texts, Buffer, Buffer | None]:
        """Texts, classes and weights."""
        return self.texts, self.class_ids, self.weights


def choose(
    counts: Counts,
    texts: Texts,
    labels: list[Any],
    weights: Column,
    settings: Settings,
    *,
    effort: str,
    narrower: Analyzer | None,
    groups: Column = None,
    threads: int | None,
) -> Chosen:
    """Choose by leave-one-out what is left open by the settings; the texts are among those that were counted.

    `narrower`, where there is one, is an analyzer without the last block of features: it is used where that block does
    not help. `groups` has the names of what belongs together and is left out together.
    """
    n_classes = len(counts.classes)
    if n_classes < 2 or not settings.is_open:
        return Chosen(counts if narrower is None else counts.narrowed(narrower))
    documents = _Documents(
        texts,
        class_numbers(labels, counts.classes, weighted=weights is not None),
        None if weights is None else as_weights(weights, len(labels)),
        None if groups is None else as_groups(groups, len(labels)),
    )
    if uses_curves(settings, n_classes):
        return _curves_chosen(counts, documents, settings, narrower, effort, threads)
    return _plain_chosen(counts if narrower is None else counts.narrowed(narrower), documents, settings, threads)


def _curves_chosen(
    counts: Counts,
    documents: _Documents,
    settings: Settings,
    narrower: Analyzer | None,
    effort: str,
    threads: int | None,
) -> Chosen:
    """The curves of the automatic model, and with effort="best" its correction."""
    is_best = effort == "best"
    curves, analyzer, seen = fit_curves(
        counts,
        *documents.given,
        groups=documents.groups,
        narrower=narrower,
        most_numbers=MOST_NUMBERS_AT_BEST if is_best else MOST_BASIS_NUMBERS,
        threads=threads,
    )
    if analyzer != counts.analyzer:
        counts = counts.narrowed(analyzer)
    if not is_best:
        return Chosen(counts, TextChoice(curves), _report(counts, documents, seen, settings.prior))
    text = _text_of(documents)
    correction, corrected = correct(
        counts, *documents.given, curves, seen, text, groups=documents.groups, threads=threads
    )
    # Leave-one-out has seen more documents than the correction holds out: doubtful labels are looked for there.
    report = _report(counts, documents, corrected, settings.prior, doubts=seen)
    return Chosen(counts, TextChoice(curves, correction=correction), report)


def _plain_chosen(counts: Counts, documents: _Documents, settings: Settings, threads: int | None) -> Chosen:
    """The smoothing and the calibration of a plain likelihood."""
    smoothing, calibration, seen = calibrate(
        counts,
        *documents.given,
        groups=documents.groups,
        likelihood=settings.plain_likelihood,
        smoothings=SMOOTHINGS if settings.chooses_smoothing else [settings.smoothing],
        vocabulary=settings.vocabulary,
        prior=settings.prior,
        is_calibrated=settings.calibration is not None,
        threads=threads,
    )
    choice = TextChoice(None, smoothing, calibration, settings.plain_form(smoothing))
    return Chosen(counts, choice, _report(counts, documents, seen))


def _report(
    counts: Counts, documents: _Documents, seen: Seen, prior: Prior = "empirical", *, doubts: Seen | None = None
) -> TrainingReport:
    """How well the model does with this prior; what was seen is with the classes' shares of the documents."""
    asked, had = (log_prior(counts.classes, counts.documents, which) for which in (prior, "empirical"))
    seen, n_learned = with_each_once(with_prior(seen, asked, had)), sum(counts.documents)
    return training_report(list(counts.classes), seen, _text_of(documents), doubts=doubts, n_learned=n_learned)


def _text_of(documents: _Documents) -> Callable[[int], str]:
    """A function from the row of a document to its text."""
    texts = documents.texts
    if isinstance(texts, list):
        return texts.__getitem__
    return lambda row: _kernel.text_at(texts, row) or ""
