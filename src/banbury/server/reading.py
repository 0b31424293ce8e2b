"""What a model says of documents: predict, explain, words, evaluate, report. Nothing here changes a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, json
from starlette.responses import HTMLResponse, Response

from banbury.classifier import Classifier
from banbury.labels.classifier import MultiLabelClassifier
from banbury.results.decisions import Costs
from banbury.server import several
from banbury.server.limits import INLINE
from banbury.server.messages import (
    Chance,
    EvaluateAnswer,
    EvaluateRequest,
    ExplainAnswer,
    ExplainRequest,
    PredictAnswer,
    PredictRequest,
    ReportRequest,
    SeveralPredictAnswer,
    TrainingAnswer,
    WordsAnswer,
)
from banbury.server.models import Learned, ServedModel, labels_of
from banbury.server.problems import Problem
from banbury.server.requests import Call, answer, decoded, document_in, documents_in, name_of, prior_in
from banbury.text.documents import as_labels, check_kind

if TYPE_CHECKING:
    from banbury.results.explanation import Explanation
    from banbury.results.word_table import WordTable
    from banbury.server.application import Application

PREDICT_DECODER = json.Decoder(PredictRequest)
EXPLAIN = json.Decoder(ExplainRequest)
EVALUATE = json.Decoder(EvaluateRequest)
REPORT = json.Decoder(ReportRequest)
ENCODE = json.Encoder().encode
LARGE = INLINE + 1  # what may take long, whatever the size of the request
# A page of results runs nothing and loads nothing.
PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


async def predict(server: Application, name: str, body: bytes) -> bytes:
    """The answer to `predict`, from bytes to bytes: the route that is asked most has no more between."""
    message = decoded(PREDICT_DECODER, body)
    model = server.models.named(name)

    def look(learned: Learned) -> PredictAnswer | SeveralPredictAnswer:
        return predicted(learned, model, message)

    return ENCODE(await model.read(len(body), look, server.workers, look))


def predict_at_once(model: ServedModel, body: bytes) -> bytes | None:
    """The answer to `predict` without waiting; None where the request is large."""
    if len(body) > INLINE:
        return None
    return ENCODE(predicted(model.learned, model, decoded(PREDICT_DECODER, body)))


def predicted(learned: Learned, model: ServedModel, message: PredictRequest) -> PredictAnswer | SeveralPredictAnswer:
    """What is predicted for the documents of a request."""
    if isinstance(learned, MultiLabelClassifier):
        return several.predicted(learned, documents_in(message, model), message)
    if message.threshold is not None:
        raise Problem(422, "threshold is for models of several labels a document; give costs, or unsure")
    documents, prior = documents_in(message, model), prior_in(message.prior, model)
    labels, rows = probabilities(learned, documents, prior)
    model.remember(documents)
    if message.costs is None and message.unsure is None:
        return best(labels, rows, message.top)
    costs = {(cost.true, cost.decided): cost.cost for cost in message.costs or ()}
    return decided(labels, rows, Costs.of(labels, costs, unsure=message.unsure), message.top)


def probabilities(classifier: Classifier, documents: list[Any], prior: Any) -> tuple[list[Any], list[list[float]]]:
    """The labels, and for each document the probability of each of them."""
    if len(documents) == 1:  # without arrays
        chances = classifier.probabilities(documents[0], prior=prior)
        return list(chances), [list(chances.values())]
    if not documents:
        return labels_of(classifier), []
    labels, rows = classifier.classes_and_probabilities(documents, prior=prior)
    return labels, rows.tolist()


def best(labels: list[Any], rows: list[list[float]], top: int | None) -> PredictAnswer:
    """The most probable label of each document, the first of equal ones."""
    highest = [max(row) for row in rows]
    return PredictAnswer(
        [labels[row.index(chance)] for row, chance in zip(rows, highest, strict=True)],
        list(highest),
        UNSET if top is None else [ranked(labels, row, top) for row in rows],
    )


def decided(labels: list[Any], rows: list[list[float]], costs: Costs, top: int | None) -> PredictAnswer:
    """The label of each document that costs least."""
    chosen = costs.decide(rows) if rows else []
    chances = [None if label is None else row[labels.index(label)] for label, row in zip(chosen, rows, strict=True)]
    return PredictAnswer(chosen, chances, UNSET if top is None else [ranked(labels, row, top) for row in rows])


def ranked(labels: Sequence[Any], chances: list[float], top: int) -> list[Chance]:
    """The most probable labels, the best first."""
    order = sorted(range(len(chances)), key=lambda number: -chances[number])[:top]
    return [Chance(labels[number], chances[number]) for number in order]


async def explain(call: Call) -> Response:
    """Why a document is of its label."""
    message, size = await call.message(EXPLAIN)
    model = call.model
    document, prior = document_in(message, model), prior_in(message.prior, model)

    def look(classifier: Classifier) -> Explanation:
        return classifier.explain(
            document, label=message.label, against=message.against, prior=prior, unit=message.unit
        )

    def look_at_several(classifier: MultiLabelClassifier) -> Explanation:
        return several.explanation(classifier, document, message)

    explanation = await model.read(size, look, call.server.workers, look_at_several)
    plain = explanation.to_dict()
    plain["probabilities"] = [Chance(**one) for one in plain["probabilities"]]
    return answer(ExplainAnswer(**plain))


async def words(call: Call) -> Response:
    """The words that speak for a label."""
    call.check_parameters("label", "against", "top", "sort", "min_count", "column")
    model, top, min_count = call.model, call.number("top", 20), call.number("min_count", 1, most=2**31)
    label, against = call.label("label"), call.label("against")
    options: dict[str, Any] = {"against": against, "top": top, "min_count": min_count}
    options |= {"sort": call.parameter("sort"), "column": call.parameter("column")}

    def rows(table: WordTable) -> list[dict[str, Any]]:
        return [by_name(row) for row in table.rows(level=0.95)]

    shown = await model.read(
        LARGE,
        lambda classifier: rows(classifier.words(label, **options)),
        call.server.workers,
        lambda classifier: rows(several.words(classifier, label, options)),
    )
    return answer(WordsAnswer(shown))


async def evaluate(call: Call) -> Response:
    """How well the labels of documents are predicted."""
    message, _ = await call.message(EVALUATE)
    model = call.model
    documents, labels = documents_in(message, model), labels_in(message, model)

    def look(learned: Learned) -> dict[str, Any]:
        return learned.evaluate(documents, labels).to_dict()

    return answer(EvaluateAnswer(by_name(await model.read(LARGE, look, call.server.workers, look))))


async def training_report(call: Call) -> Response:
    """What leave-one-out said when the model's settings were chosen."""
    call.check_parameters()

    def look(classifier: Classifier) -> dict[str, Any]:
        report = classifier.report_
        return report.to_dict() | {"chosen": report.chosen, "note": report.note}

    def look_at_several(classifier: MultiLabelClassifier) -> dict[str, Any]:
        return classifier.report_.to_dict()

    return answer(TrainingAnswer(by_name(await call.model.read(0, look, call.server.workers, look_at_several))))


async def report(call: Call) -> Response:
    """An evaluation as a page of HTML."""
    message, _ = await call.message(REPORT)
    model = call.model
    documents, labels = documents_in(message, model), labels_in(message, model)

    def look(classifier: Classifier) -> str:
        evaluation = classifier.evaluate(documents, labels)
        return evaluation.html(title=message.title, mistakes=message.mistakes, diagnose=message.diagnose)

    def look_at_several(classifier: MultiLabelClassifier) -> str:
        return classifier.evaluate(documents, labels).html(title=message.title, documents=message.mistakes)

    page = await model.read(LARGE, look, call.server.workers, look_at_several)
    return HTMLResponse(
        page.encode("utf-8", "replace"), headers={"content-security-policy": PAGE_POLICY, "cache-control": "no-store"}
    )


def labels_in(message: EvaluateRequest, model: ServedModel) -> list[Any]:
    """The labels of a request, which are of the kind that the model has."""
    if model.is_several:
        return several.label_sets(message.labels, model)
    labels = as_labels(message.labels)
    check_kind(labels, model.labels)
    return labels


def by_name(value: Any) -> Any:
    """The same data with names that are strings, as JSON has them: labels may be numbers."""
    if isinstance(value, dict):
        return {name_of(name): by_name(one) for name, one in value.items()}
    return [by_name(one) for one in value] if isinstance(value, list | tuple) else value
