"""Vetting: documents that make a model worse are refused before it learns them.

Whoever writes some of the training documents can move the model: a "spam" that holds the whole dictionary makes every
letter look like spam. A set of documents that nobody else can write to tells: what worsens the predictions there is
refused (Nelson et al., 2008: reject on negative impact). A model that learns and forgets exactly makes it cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.errors import InputError
from banbury.text.documents import as_labels, as_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.classifier import Classifier
    from banbury.text.documents import Labels

ERRORS = 2.0  # standard errors that the loss has to rise by


@dataclass(frozen=True, slots=True)
class Vetted:
    """Which documents may be learned, and what learning each source does to the predictions of trusted documents."""

    accepted: list[int]
    """Numbers of the documents whose source is accepted."""
    refused: list[int]
    """Those of the others."""
    impacts: dict[Any, float]
    """By source, how much the mean log loss of the trusted documents rises, in nats; negative where it falls."""


def vet(
    model: Classifier,
    texts: Any,
    labels: Labels,
    *,
    trusted: tuple[Any, Labels],
    sources: Sequence[Any] | None = None,
    errors: float = ERRORS,
) -> Vetted:
    """Which of these documents do not worsen a fitted model, judged by documents that can be trusted.

    `sources` names where each document comes from: a sender, a user, a file. All documents of a source are judged
    together; by default each is a source of its own. A source is refused where the log loss of the `trusted` documents,
    texts and labels that the model has not learned, rises by more than `errors` standard errors. The model stays as it
    is: `learn` what was accepted.

    >>> from banbury import Classifier
    >>> texts = ["free money", "free offer", "lunch at noon", "noon"]
    >>> model = Classifier.textbook().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> trusted = ["lunch", "at noon", "money", "offer"] * 5, ["ham", "ham", "spam", "spam"] * 5
    >>> vet(model, ["lunch at noon at lunch noon", "free lunch money"], ["spam", "spam"], trusted=trusted).accepted
    [1]
    """
    documents, names = as_list(texts, "texts"), as_labels(labels)
    if len(documents) != len(names):
        raise InputError(f"{len(documents)} documents but {len(names)} labels")
    given = list(range(len(documents))) if sources is None else list(sources)
    if len(given) != len(documents):
        raise InputError(f"{len(documents)} documents but {len(given)} sources")
    judges, truth = trusted[0], as_labels(trusted[1])
    before = _losses(model, judges, truth)
    if len(before) < 2:
        raise InputError("trusted has fewer than two documents, which cannot judge; give some hundred")
    by_source: dict[Any, list[int]] = {}
    for number, source in enumerate(given):
        by_source.setdefault(source, []).append(number)
    impacts, refused = {}, set()
    for source, numbers in by_source.items():
        changed = copy(model).learn([documents[n] for n in numbers], [names[n] for n in numbers])
        rise = _losses(changed, judges, truth) - before
        impacts[source] = float(rise.mean())
        if rise.mean() > errors * rise.std(ddof=1) / np.sqrt(len(rise)):
            refused.update(numbers)
    accepted = [number for number in range(len(documents)) if number not in refused]
    return Vetted(accepted, sorted(refused), impacts)


def _losses(model: Classifier, documents: Any, labels: list[Any]) -> NDArray[np.float64]:
    """−log P(label) of each document."""
    classes, chances = model.classes_and_probabilities(documents)
    if unknown := sorted({label for label in labels if label not in classes}, key=str):
        raise InputError(f"a trusted document has label {unknown[0]!r}, which the model does not know")
    if len(chances) != len(labels):
        raise InputError(f"{len(chances)} trusted documents but {len(labels)} labels")
    places = {label: place for place, label in enumerate(classes)}
    own = chances[np.arange(len(labels)), [places[label] for label in labels]]
    losses: NDArray[np.float64] = -np.log(np.maximum(own, np.finfo(float).tiny))
    return losses
