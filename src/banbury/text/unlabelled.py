"""Learning from documents without labels.

They are counted under the labels that the model gives them, and moved when it changes its mind: expectation
maximisation with whole documents. What is learned is whole numbers, so a document weighs 1 where the model is sure of
its label and 0 elsewhere, and leave-one-out stays exact. After each round it chooses anew, by the labelled documents,
how far the counts can be trusted; else the counts of thousands would be read as those of the few labelled ones were.

How sure the model must be is chosen on labelled documents too, but each is held out with all that it could have taught:
to take it out of the counts alone would not do, because the labels of the others remember it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.trials import Tried, figures
from banbury.stats.softmax import IMPOSSIBLE, log_softmax, possible_log_softmax
from banbury.text.documents import as_list, as_texts, n_threads
from banbury.text.model import TextModel
from banbury.text.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.results.training_report import TrainingReport
    from banbury.text.documents import Column, Texts

SURE_CHOICES = (0.5, 0.9)
UNLABELLED_FOLDS = 3
MOST_TO_CHOOSE = 4_000  # unlabelled documents with which it is tried out
ROUNDS = 6
STEADY = 0.005  # of the documents may still change their label in the last round
SMALLEST_DAMPING, DAMPING_SD = 0.05, 0.5  # of what makes scores less sure, around 1: a prior that few documents leave
NO_EVIDENCE = 1e-9  # nats: what differs from the prior by less has no word that counts


@dataclass(frozen=True)
class Unlabelled:
    """What became of documents without labels."""

    sure: float | None
    """How probable a label had to be; None where they would have done harm, and none was counted."""
    labels: list[Any]
    """The label that each was counted with, None for one that was not counted."""
    tried: list[Tried]
    """On labelled documents that were held out; log loss is that of probabilities made as sure as they should be."""

    def __str__(self) -> str:
        n_counted = sum(label is not None for label in self.labels)
        lines = [f"{n_counted} of {len(self.labels)} documents without labels were counted"]
        if self.tried:
            width = max(len(tried.name) for tried in self.tried)
            lines.append(f"  {'held out':{width}}  log loss  accuracy")
            lines += [f"  {tried.name:{width}}  {tried.log_loss:8.4f}  {tried.accuracy:8.4f}" for tried in self.tried]
        return "\n".join(lines)


def fitted_with_unlabelled(
    texts: Texts,
    labels: list[Any],
    weights: Column,
    unlabelled: Any,
    settings: Settings,
    *,
    sure: float | str | None,
    analyzer: Any,
    effort: str,
    threads: int | None,
) -> tuple[TextModel, TrainingReport | None, Unlabelled]:
    """A model of both kinds of documents, the report of the labelled ones, and what became of the others."""
    is_number = isinstance(sure, (int, float)) and not isinstance(sure, bool)
    if sure not in ("auto", None) and not (is_number and 0 <= float(sure) <= 1):
        raise InputError(f"sure is {sure!r}; it must be a probability, None, or 'auto'")
    rows = as_texts(texts)
    if len(rows) != len(labels):
        raise InputError(f"{len(rows)} documents but {len(labels)} labels")
    try:
        without = as_texts(unlabelled)
        _kernel.measure(without)
    except InputError as error:
        raise InputError(f"unlabelled: {error}") from None
    weights = None if weights is None else as_list(weights, "sample_weight")
    labelled = _Labelled(rows, labels, weights, settings, analyzer, effort, threads)
    model, report = labelled.fitted()
    ways: list[float | None] = (
        [None, *SURE_CHOICES] if isinstance(sure, str) else [None if sure is None else float(sure)]
    )
    best, scale, tried = _chosen(labelled, without, ways)
    given: list[Any] = [None] * len(without)
    if best is not None:
        given = labelled.count(model, without, best)
        if any(label is not None for label in given):
            model.choice = model.choice.scaled(scale)
    return model, report, Unlabelled(best, given, tried)


@dataclass(frozen=True)
class _Labelled:
    """The labelled documents, and how models are made of them."""

    texts: list[str]
    labels: list[Any]
    weights: list[Any] | None
    settings: Settings
    analyzer: Any
    effort: str
    threads: int | None

    def only(self, rows: list[int]) -> _Labelled:
        """The documents at these places."""
        weights = None if self.weights is None else [self.weights[row] for row in rows]
        return replace(
            self, texts=[self.texts[row] for row in rows], labels=[self.labels[row] for row in rows], weights=weights
        )

    def fitted(self) -> tuple[TextModel, TrainingReport | None]:
        """A model of the labelled documents alone."""
        how: dict[str, Any] = {"analyzer": self.analyzer, "effort": self.effort, "threads": self.threads}
        return TextModel.fitted(self.texts, self.labels, self.weights, self.settings, **how)

    def count(self, model: TextModel, texts: list[str], sure: float) -> list[Any]:
        """Count texts under the labels that a model gives them, until it hardly changes its mind; these labels."""
        given: list[Any] = [None] * len(texts)
        for _ in range(ROUNDS if texts else 0):
            logs_and_prior = self.log_probabilities(model, [*texts, ""])  # the empty text has the prior alone
            logs, prior = logs_and_prior[:-1], logs_and_prior[-1]
            # Of a text whose words say nothing there is only the prior: to count it would let the prior feed on itself.
            counts = (np.exp(logs.max(axis=1)) >= sure) & (np.abs(logs - prior).max(axis=1) > NO_EVIDENCE)
            best = np.where(counts, logs.argmax(axis=1), -1).tolist()
            wanted = [model.classes[number] if number >= 0 else None for number in best]
            moved = [row for row, label in enumerate(wanted) if label != given[row]]
            new, gone = ([row for row in moved if labels[row] is not None] for labels in (wanted, given))
            if new:
                model.add([texts[row] for row in new], [wanted[row] for row in new], None, threads=self.threads)
            if gone:
                model.remove([texts[row] for row in gone], [given[row] for row in gone], None, threads=self.threads)
            given = wanted
            if moved:
                self._choose(model, "counting")
            if len(moved) <= STEADY * len(texts):
                break
        if self.effort != "counting" and any(label is not None for label in given):
            self._choose(model, self.effort)
        return given

    def _choose(self, model: TextModel, effort: str) -> None:
        model.choose(self.texts, self.labels, self.weights, self.settings, effort=effort, threads=self.threads)

    def log_probabilities(self, model: TextModel, texts: list[str]) -> NDArray[Any]:
        """Log probabilities, by text and class."""
        reading = model.reading(self.settings)
        return possible_log_softmax(reading.scores(texts, n_threads(self.threads)))


def _chosen(
    labelled: _Labelled, unlabelled: list[str], ways: list[float | None]
) -> tuple[float | None, float, list[Tried]]:
    """The best way to be sure, and what to multiply scores with, by what models of the others say of those held out."""
    if ways == [None]:
        return None, 1.0, []

    labels, weights = labelled.labels, labelled.weights
    # Every so many documents of each label, so that each part has its share of all.
    order = sorted(range(len(labels)), key=lambda row: (labels[row], row))
    some = unlabelled[:: max(1, -(-len(unlabelled) // MOST_TO_CHOOSE))]
    asked: list[int] = []
    seen: list[list[NDArray[Any]]] = [[] for _ in ways]
    for fold in range(UNLABELLED_FOLDS):
        held = set(order[fold::UNLABELLED_FOLDS])
        rest = labelled.only([row for row in range(len(labels)) if row not in held])
        known = set(rest.labels)
        here = sorted(row for row in held if labels[row] in known)
        if len(known) < 2 or not here:
            continue
        asked += here
        fitted, _ = rest.fitted()
        for way, sure in zip(seen, ways, strict=True):
            model = TextModel(fitted.counts.copy(), fitted.choice)
            if sure is not None:
                rest.count(model, some, sure)
            logs = labelled.log_probabilities(model, [labelled.texts[row] for row in here])
            way.append(_own_first(logs, [model.classes.index(labels[row]) for row in here], len(set(labels))))
    if not asked:
        return ways[0], 1.0, []
    each = np.array([1.0 if weights is None else float(weights[row]) for row in asked])
    first = np.zeros(len(asked), dtype=np.intp)  # the column of each document's label
    matrices = [np.concatenate(way) for way in seen]
    scales = [best_scale(logs, each) for logs in matrices]
    names = [
        "labelled documents only" if sure is None else f"and those of which it is {sure:.0%} sure" for sure in ways
    ]
    tried = [
        Tried(name, *figures(log_softmax(scale * logs), first, each))
        for name, scale, logs in zip(names, scales, matrices, strict=True)
    ]
    best = max(range(len(ways)), key=lambda way: (tried[way].accuracy, -way))
    return ways[best], scales[best], tried


def _own_first(logs: NDArray[Any], class_ids: list[int], width: int) -> NDArray[Any]:
    """The logarithms of each document, that of its own label first; so models of other classes can stand together."""
    rows = np.arange(len(class_ids))
    first = np.full((len(class_ids), width), IMPOSSIBLE)
    first[:, : logs.shape[1]] = np.maximum(logs, IMPOSSIBLE)
    first[rows, class_ids], first[:, 0] = first[:, 0], first[rows, class_ids]
    return first


def best_scale(logs: NDArray[Any], weights: NDArray[Any]) -> float:
    """The factor of scores that makes the first class of each document most likely, by Newton's method."""
    scale = 1.0
    for _ in range(30):
        chances = np.exp(log_softmax(scale * logs))
        mean = (chances * logs).sum(axis=1)
        spread = (chances * (logs - mean[:, None]) ** 2).sum(axis=1)
        slope = (scale - 1) / DAMPING_SD**2 + float((weights * (mean - logs[:, 0])).sum())
        step = slope / (DAMPING_SD**-2 + float((weights * spread).sum()))
        scale = max(scale - step, SMALLEST_DAMPING)
        if abs(step) < 1e-9:
            break
    return scale
