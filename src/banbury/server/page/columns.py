"""Columns: what a model of tables has learned of each of its columns."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_bars import bar_table
from banbury.display.html_tables import table
from banbury.errors import BanburyError
from banbury.server.page import layout
from banbury.server.page.visit import Visit, answer
from banbury.server.reading import LARGE
from banbury.server.requests import name_of

MOST_WHOLE_COLUMNS = 60  # that are shown whole
MOST_PARAMETERS = 100
FEW_PARAMETERS = 8  # parameters that are shown at once


async def show(visit: Visit) -> Response:
    """All columns, the most important first."""
    model = visit.model
    shown = await model.read(LARGE, lambda classifier: _columns(visit, classifier), visit.server.workers)
    title = element("h1", "Columns of ", isolated(model.name, width=40))
    return answer(layout.page(visit, "words", "Columns", title, shown))


def _columns(visit: Visit, classifier: Classifier) -> list[Any]:
    kinds = classifier.columns_
    weights = {one.name: one for one in classifier.report_.columns}
    names = sorted(kinds, key=lambda name: -(weights[name].importance or 0.0) if name in weights else 0.0)
    important = [(name, weights[name].importance) for name in names if name in weights]
    parts: list[Any] = []
    if any(value is not None for _, value in important):
        rows = [(name, value or 0.0) for name, value in important]
        caption = "Nats that a row costs more where the column is missing"
        parts.append(layout.card("Which columns matter", bar_table(rows, caption)))
    if len(classifier.classes_) > 1:
        label, against = visit.label("label", visit.model), visit.label("against", visit.model)
        against = None if label is None or against == label else against
        shown = classifier.nomogram(label, against=against).markup()
        parts.append(layout.card("Nomogram", _classes(visit), shown, class_="card nomogram"))
    cards = [_column(visit, classifier, name, kinds[name]) for name in names[:MOST_WHOLE_COLUMNS]]
    return [*parts, element("div", cards, class_="pair columns")]


def _classes(visit: Visit) -> Markup | None:
    """Which two classes the nomogram compares, where there are more than two."""
    model = visit.model
    if len(model.labels) < 3:
        return None
    labels = [(name_of(label), name_of(label)) for label in model.labels]
    return control(
        "form",
        control("input", type="hidden", name="model", value=model.name),
        layout.field("Class", choice("label", [("", "(the first choice)"), *labels], visit.field("label"))),
        layout.field("rather than", choice("against", [("", "the others"), *labels], visit.field("against"))),
        control("button", "Compare"),
        action="words",
        method="get",
        class_="options",
    )


def _column(visit: Visit, classifier: Classifier, name: str, kind: Any) -> Markup:
    heading = [isolated(name, width=40), " ", element("small", type(kind).__name__, class_="quiet")]
    if type(kind).__name__ == "Text":
        words = control("a", "Its words", href=visit.address("words", column=name), class_="button")
        return layout.card(heading, element("p", words))
    try:
        learned = classifier.column(name)
    except BanburyError as error:
        return layout.card(heading, layout.note(str(error)))
    parts: list[Any] = []
    if learned.cells:
        place, others = len(learned.classes) - 1, max(len(learned.classes) - 1, 1)
        rows = [
            (" & ".join(cell.names), cell.nats[place] - (sum(cell.nats) - cell.nats[place]) / others)
            for cell in learned.cells
        ]
        parts.append(bar_table(rows, f"What each value says for {name_of(learned.classes[place])}"))
    if learned.parameters:
        cells = [
            (one.name, isolated(name_of(one.label), width=20), f"{one.value:.4g}", str(one.interval))
            for one in learned.parameters[:MOST_PARAMETERS]
        ]
        listed = table(("parameter", "class", "value", "95 % interval"), cells, texts=2)
        parts.append(
            element(
                "details",
                element("summary", "Parameters"),
                listed,
                open=not learned.cells and len(cells) <= FEW_PARAMETERS,
            )
        )
    return layout.card(heading, parts or layout.note("Nothing was learned of it."))
