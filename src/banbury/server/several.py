"""What a model of several labels a document says: the answers of `reading` and `streaming` for such a model."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct

from banbury.labels.classifier import MultiLabelClassifier
from banbury.labels.sets import as_label_sets
from banbury.results.explanation import Explanation
from banbury.server.messages import Chance, ExplainRequest, PredictRequest, SeveralMailAnswer, SeveralPredictAnswer
from banbury.server.models import ServedModel, labels_of
from banbury.server.problems import Problem
from banbury.server.requests import label_of, name_of
from banbury.text.documents import check_kind


def predicted(classifier: MultiLabelClassifier, documents: list[Any], message: PredictRequest) -> SeveralPredictAnswer:
    """The labels that each document gets, by the model's thresholds or by those of the request."""
    check_absent(message, "prior", "costs", "unsure")
    if not documents:
        return SeveralPredictAnswer([], [], UNSET if message.top is None else [])
    threshold: Any = message.threshold
    if isinstance(threshold, dict):
        threshold = {label_of(name, labels_of(classifier)): value for name, value in threshold.items()}
    given = classifier.labels_and_probabilities(documents, threshold=threshold)
    top = [] if message.top is None else classifier.labels_and_probabilities(documents, top=message.top)
    ranked = [[Chance(label, chance) for label, chance in chances.items()] for chances in top]
    return SeveralPredictAnswer(
        [list(chances) for chances in given], [_by_name(chances) for chances in given], ranked if top else UNSET
    )


def lines(classifier: MultiLabelClassifier, documents: list[Any]) -> list[dict[str, Any]]:
    """What each line of JSON Lines gets."""
    if not documents:
        return []
    given = classifier.labels_and_probabilities(documents)
    return [{"predicted": list(chances), "probabilities": _by_name(chances)} for chances in given]


def mail(classifier: MultiLabelClassifier, document: Any) -> SeveralMailAnswer:
    """The labels of a message."""
    [chances] = classifier.labels_and_probabilities([document])
    return SeveralMailAnswer(list(chances), _by_name(chances))


def explanation(classifier: MultiLabelClassifier, document: Any, message: ExplainRequest) -> Explanation:
    """Why a document has a label, or has it not."""
    check_absent(message, "against", "prior")
    return classifier.explain(document, label=message.label, unit=message.unit)


def words(classifier: MultiLabelClassifier, label: Any, options: dict[str, Any]) -> Any:
    """The words of a label."""
    if label is None:
        raise Problem(422, "say which label: ?label=LABEL; this is a model of several labels a document")
    for name in ("against", "column"):
        if options[name] is not None:
            raise Problem(422, f"{name} is for models of one label a document; this one has several")
    sort = options["sort"] or "for"
    return classifier.words(label, top=options["top"], sort=sort, min_count=options["min_count"])


def label_sets(labels: list[Any], model: ServedModel) -> list[Any]:
    """The labels of each document as the journal has them: different ones, sorted, of the kind that the model knows."""
    sets = as_label_sets(labels).sets
    check_kind([label for given in sets for label in given], model.labels)
    return [list(given) for given in sets]


def check_absent(message: Struct, *names: str) -> None:
    """A 422 where a request has a field that means nothing for a model of several labels."""
    for name in names:
        if getattr(message, name) is not None:
            raise Problem(422, f"{name} is for models of one label a document; this one has several")


def _by_name(chances: dict[Any, float]) -> dict[str, float]:
    return {name_of(label): chance for label, chance in chances.items()}
