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
    from banbury.classifier import Classifier
    from banbury.text.documents import Labels

TOLERANCE = 0.01  # of the mean squared error; ten honest letters moved it by less than 0.001, ten of an attack by 0.03


@dataclass(frozen=True, slots=True)
class Vetted:
    """Which documents may be learned, and what learning each source does to the predictions of trusted documents."""

    accepted: list[int]
    """Numbers of the documents whose source is accepted."""
    refused: list[int]
    """Those of the others."""
    impacts: dict[Any, float]
    """By source, how much the mean squared error of trusted documents rises, in the class where it rises the most."""


def vet(
    model: Classifier,
    texts: Any,
    labels: Labels,
    *,
    trusted: tuple[Any, Labels],
    sources: Sequence[Any] | None = None,
    tolerance: float = TOLERANCE,
) -> Vetted:
    """Which of these documents do not worsen a fitted model, judged by documents that can be trusted.

    `sources` names where each document comes from: a sender, a user, a file. All documents of a source are judged
    together; by default each is a source of its own. The `trusted` documents are texts and labels that the model has
    not learned. A source is refused where their squared error, the mean of (1 − P(label))², rises in some class by more
    than the `tolerance`: an attack makes one class worse, and may make another better. The model stays as it is:
    `learn` what was accepted.

    >>> from banbury import Classifier
    >>> texts = ["free money", "free offer", "lunch at noon", "noon"]
    >>> model = Classifier.textbook().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> trusted = ["lunch", "at noon", "money", "offer"] * 5, ["ham", "ham", "spam", "spam"] * 5
    >>> vet(model, ["lunch at noon at lunch noon", "free money offer"], ["spam", "spam"], trusted=trusted).accepted
    [1]
    """
    documents, names = as_list(texts, "texts"), as_labels(labels)
    if len(documents) != len(names):
        raise InputError(f"{len(documents)} documents but {len(names)} labels")
    given = list(range(len(documents))) if sources is None else list(sources)
    if len(given) != len(documents):
        raise InputError(f"{len(documents)} documents but {len(given)} sources")
    judges, truth = trusted[0], as_labels(trusted[1])
    before = _errors(model, judges, truth)
    if not before:
        raise InputError("trusted has no documents to judge by; give some hundred")
    by_source: dict[Any, list[int]] = {}
    for number, source in enumerate(given):
        by_source.setdefault(source, []).append(number)
    impacts, refused = {}, set()
    for source, numbers in by_source.items():
        changed = copy(model).learn([documents[n] for n in numbers], [names[n] for n in numbers])
        after = _errors(changed, judges, truth)
        impacts[source] = max(after[label] - before[label] for label in before)
        if impacts[source] > tolerance:
            refused.update(numbers)
    accepted = [number for number in range(len(documents)) if number not in refused]
    return Vetted(accepted, sorted(refused), impacts)


def _errors(model: Classifier, documents: Any, labels: list[Any]) -> dict[Any, float]:
    """The mean of (1 − P(label))² over the documents of each label."""
    classes, chances = model.classes_and_probabilities(documents)
    if unknown := sorted({label for label in labels if label not in classes}, key=str):
        raise InputError(f"a trusted document has label {unknown[0]!r}, which the model does not know")
    if len(chances) != len(labels):
        raise InputError(f"{len(chances)} trusted documents but {len(labels)} labels")
    places = {label: place for place, label in enumerate(classes)}
    numbers = np.array([places[label] for label in labels], dtype=int)
    errors = (1 - chances[np.arange(len(labels)), numbers]) ** 2
    return {label: float(errors[numbers == places[label]].mean()) for label in dict.fromkeys(labels)}
