"""Try: type a text or fill in a row, and see the label, its probabilities, and which words or values decided."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.display.forms import choice, control, typed
from banbury.display.html import Markup, element, isolated
from banbury.display.html_bars import share_table, steps_table
from banbury.errors import InputError
from banbury.readers.typed import value
from banbury.results.explanation import UNITS, Explanation
from banbury.server.limits import TEXT
from banbury.server.models import ServedModel
from banbury.server.page import layout
from banbury.server.page.visit import Visit, answer, path_of
from banbury.server.problems import Problem
from banbury.server.requests import name_of

MOST_LISTED_CLASSES = 12  # that are listed; the others are behind a click
MOST_TRIED_STEPS = 14
MOST_PARTS = 100  # of what was made of a text
LONGEST_ADDRESS = 6_000  # letters: servers and programs cut longer addresses
CELL = "c."  # before the name of a column, in the fields of a form


class Question(NamedTuple):
    """What is asked of a model."""

    document: Any
    label: Any
    against: Any
    prior: Any
    unit: str
    with_weights: bool


async def show(visit: Visit) -> Response:
    """The room, or only what a model says."""
    if not visit.models:
        return answer(layout.page(visit, "try", "Try", _no_model(visit)))
    if not visit.model.labels:
        return answer(layout.page(visit, "try", "Try", layout.knows_nothing(visit)))
    results = [await _result(visit, model) for model in visit.models]
    shown = control("div", results, id="result", class_="results")
    if visit.part == "result":
        return answer(shown)
    model = visit.model
    form = control(
        "form",
        _ask_row(visit, model) if model.columns is not None else _ask_text(visit),
        _options(visit, model),
        control("noscript", control("button", "See what it says", class_="main")),
        action="try",
        method="post",
        data_live="result",
        class_="asking card",
        id="asking",
    )
    title = element("h1", "Try ", isolated(model.name, width=40))
    return answer(layout.page(visit, "try", "Try", title, element("div", form, shown, class_="split")))


def _no_model(visit: Visit) -> Markup:
    way = control("a", "Train one", href="train", class_="button main") if visit.can("admin") else None
    told = "Drop a file with examples, and there is one. With texts alone, label some of them first."
    teach = control("a", "Teach one", href="teach", class_="button") if visit.can("admin") else None
    return layout.empty("There is no model yet", element("p", told), element("p", way, " ", teach))


# What is asked


def _ask_text(visit: Visit) -> Markup:
    area = control(
        "textarea",
        typed(visit.field("text")),
        name="text",
        rows=9,
        maxlength=TEXT,
        placeholder="Type or paste a text …",
        autofocus=not visit.field("text"),
        spellcheck="false",
        dir="auto",
    )
    return layout.field("Text", area, class_="field large")


def _ask_row(visit: Visit, model: ServedModel) -> Markup:
    fields = []
    for name, kind in (model.columns or {}).items():
        kind_name = type(kind).__name__
        given = visit.field(CELL + name)
        cell = (
            control("textarea", typed(given), name=CELL + name, rows=3, maxlength=TEXT, dir="auto")
            if kind_name == "Text"
            else control("input", name=CELL + name, value=given, maxlength=10_000, autocomplete="off")
        )
        fields.append(layout.field(isolated(name, width=40), cell, hint=kind_name))
    legend = element("p", "A row; what is left empty is missing.", class_="quiet")
    return element("div", legend, element("div", fields, class_="row-fields"))


def _options(visit: Visit, model: ServedModel) -> Markup:
    labels = [(name_of(label), name_of(label)) for label in model.labels]
    moved = _moved(visit, model)
    share = visit.number("share", 100 * _share(model, moved), 0.1, 99.9)
    served = visit.server.models
    others = [name for name in sorted(served) if name != model.name and not served[name].is_several]
    beside = [name for name in visit.values("model")[1:] if name in others]
    return control(
        "details",
        element("summary", "Options"),
        element(
            "div",
            control("input", type="hidden", name="model", value=model.name),
            layout.field("Class", choice("label", [("", "the most probable"), *labels], visit.field("label"))),
            layout.field("rather than", choice("against", [("", "the next one"), *labels], visit.field("against"))),
            layout.field("Weights in", choice("unit", [(one, one) for one in UNITS], _unit(visit))),
            layout.field(
                "Prior",
                choice(
                    "prior",
                    [("", "as learned"), ("uniform", "equal for all"), ("chosen", "as set below")],
                    visit.field("prior"),
                ),
            ),
            layout.field(
                ["P(", isolated(name_of(moved), width=20), ") before reading"],
                control(
                    "input", type="range", name="share", min="0.1", max="99.9", step="0.1", value=f"{share:.1f}",
                    data_sets="prior=chosen",
                ),
                control("output", f"{share:.1f} %", for_="share"),
            ),
            _beside(others, beside),
            control(
                "label",
                control("input", type="checkbox", name="weights", value="1", checked=bool(visit.field("weights"))),
                " everything that is counted, with its weight",
                class_="check",
            ),
            class_="options",
        ),
        open=bool(visit.field("label") or visit.field("prior") or beside or visit.field("weights")),
    )  # fmt: skip


def _beside(others: list[str], beside: list[str]) -> Markup | None:
    """A box for each of the other models."""
    if not others:
        return None
    boxes = [
        control(
            "label",
            control("input", type="checkbox", name="model", value=name, checked=name in beside),
            " ",
            isolated(name, width=30),
            class_="check",
        )
        for name in others
    ]
    return control("fieldset", control("legend", "Beside it"), boxes, class_="beside")


def _unit(visit: Visit) -> str:
    return visit.field("unit") if visit.field("unit") in UNITS else "nats"


def _moved(visit: Visit, model: ServedModel) -> Any:
    """The class whose prior the slider moves: the chosen one, else the last."""
    chosen = visit.label("label", model)
    return model.labels[-1] if chosen is None else chosen


def _share(model: ServedModel, label: Any) -> float:
    """How frequent a class was in training."""
    documents = model.classifier.documents_
    return (documents[model.labels.index(label)] + 1) / (sum(documents) + len(documents))


def _prior(visit: Visit, model: ServedModel) -> Any:
    """The prior that is asked for; of a moved one, the other classes keep their proportions."""
    if visit.field("prior") != "chosen":
        return "uniform" if visit.field("prior") == "uniform" else None
    moved = _moved(visit, model)
    share = visit.number("share", 50.0, 0.1, 99.9) / 100
    rest = 1 - _share(model, moved)
    return {label: share if label == moved else (1 - share) * _share(model, label) / rest for label in model.labels}


def question(visit: Visit, model: ServedModel) -> Question | None:
    """What the fields ask of a model; None where they are empty."""
    document: Any
    if model.columns is None:
        document = visit.field("text").replace("\r\n", "\n")
        if not document.strip():
            return None
        if len(document) > TEXT:
            raise Problem(413, f"a text has at most {TEXT} characters")
    else:
        document = {
            name: value(visit.field(CELL + name), name, type(kind).__name__) for name, kind in model.columns.items()
        }
        if all(cell is None for cell in document.values()):
            return None
    label, against = visit.label("label", model), visit.label("against", model)
    against = None if against == label else against
    return Question(document, label, against, _prior(visit, model), _unit(visit), bool(visit.field("weights")))


# What is answered


async def _result(visit: Visit, model: ServedModel) -> Markup:
    try:
        asked = question(visit, model)
    except InputError as error:
        return _framed(visit, model, element("p", str(error), class_="wrong"))
    if asked is None:
        return _framed(visit, model, _waiting(model))
    size = len(asked.document) if isinstance(asked.document, str) else sum(map(_size, asked.document.values()))

    def look(classifier: Classifier) -> list[Any]:
        if len(model.labels) < 2:
            return [element("p", "This model knows one label alone; there is nothing to decide between.")]
        explained = classifier.explain(
            asked.document, label=asked.label, against=asked.against, prior=asked.prior, unit=asked.unit,
            by="features" if asked.with_weights else "words",
        )  # fmt: skip
        return _said(explained, asked)

    said = await model.read(size, look, visit.server.workers)
    return _framed(visit, model, said, _link(visit))


def _size(cell: Any) -> int:
    return len(cell) if isinstance(cell, str) else 8


def _framed(visit: Visit, model: ServedModel, *children: Any) -> Markup:
    name = element("p", isolated(model.name, width=40), class_="eyebrow quiet") if len(visit.models) > 1 else None
    return element("div", name, children, class_="result card")


def _waiting(model: ServedModel) -> list[Any]:
    documents = sum(model.classifier.documents_)
    kind = "text" if model.columns is None else "row"
    return [
        element("p", f"Its label appears here while you type, with the reasons: one for each part of the {kind}."),
        layout.note(f"{len(model.labels)} classes, {documents:,} documents learned"),
    ]


def _said(explained: Explanation, asked: Question) -> list[Any]:
    ranked = sorted(explained.probabilities.items(), key=lambda one: -one[1])
    best, chance = ranked[0]
    more = ranked[MOST_LISTED_CLASSES:]
    return [
        element(
            "div",
            element("h2", isolated(name_of(best), width=120), class_="verdict"),
            element("p", f"{chance:.1%}", class_="chance"),
            class_="head",
            role="status",
        ),
        share_table([(name_of(label), p) for label, p in ranked[:MOST_LISTED_CLASSES]], "Probability of each class"),
        element("details", element("summary", f"{len(more)} more classes"),
                share_table([(name_of(label), p) for label, p in more], "The other classes")) if more else None,
        element("h3", "Why ", _side(explained.label, "for"), " rather than ", _side(explained.against, "against")),
        explained.highlighted_words(),
        steps_table(explained.steps(MOST_TRIED_STEPS), "From the prior to the sum: the logarithm of the odds",
                    score=explained.score, unit=explained.unit),
        _unknown(explained),
        [layout.note(note) for note in explained.change_notes(signs=asked.with_weights)],
        _made_of(explained) if asked.with_weights else None,
        element("details", element("summary", "Every weight"), explained.table(), open=True)
        if asked.with_weights
        else None,
    ]  # fmt: skip


def _unknown(explained: Explanation) -> Markup | None:
    if not explained.unknown:
        return None
    return layout.note(f"{explained.unknown_note()} ({explained.unknown_share:.0%} of this)")


def _side(label: Any, side: str) -> Markup:
    return element("b", isolated(name_of(label), width=40), class_=side)


def _made_of(explained: Explanation) -> Markup | None:
    """The features that a text becomes."""
    if explained.row is not None:
        return None
    names = [one.name for one in explained.evidence[:MOST_PARTS]]
    n_more = len(explained.evidence) - len(names)
    shown = [element("li", isolated(one, width=40)) for one in names]
    rest = element("li", f"and {n_more:,} more") if n_more > 0 else None
    chips = element("ul", shown, rest, class_="chips")
    return element("details", element("summary", "What is counted of this text"), chips)


def _link(visit: Visit) -> Markup | None:
    """The address that shows the same again."""
    fields = [(name, text) for name, text in visit.fields if text and (name != "share" or visit.field("prior"))]
    address = path_of("try", fields)
    if len(address) > LONGEST_ADDRESS:
        return layout.note("This is too long for a link.")
    return control("p", control("a", "Link to this", href=address, id="link"), class_="quiet")
