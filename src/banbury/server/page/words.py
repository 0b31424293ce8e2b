"""Words: a table with search, order and intervals; and a word of its own, with what it says at every length."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated, tint
from banbury.display.html_bars import bar_table
from banbury.display.html_tables import table
from banbury.display.svg import Line, line_chart
from banbury.results.word_table import SORTS, WordTable
from banbury.server.models import ServedModel
from banbury.server.page import columns, layout
from banbury.server.page.visit import Visit, answer
from banbury.server.problems import Problem
from banbury.server.reading import LARGE
from banbury.server.requests import name_of

ROWS = 40  # on a page
MOST_PAGES = 1_000
MOST_WORD_CELLS = 4_000_000  # cells of a table: of a larger model, the words of one document are left out
DOCUMENT_LENGTHS = (1, 3, 10, 30, 100, 300)  # words of a document
MOST_LABELS_SHOWN = 30
MOST_NEIGHBOURS = 12
SORT_NAMES = {
    "strength": "strongest first", "for": "for the class", "against": "against it", "count": "most frequent",
    "word": "by name",
}  # fmt: skip


async def show(visit: Visit) -> Response:
    """The room; a model of tables has columns instead."""
    if not visit.models:
        raise Problem(404, "there is no model yet: train one")
    model = visit.model
    if not model.labels:
        return answer(layout.page(visit, "words", "Words", layout.knows_nothing(visit)))
    if model.columns is not None and not visit.field("column"):
        return await columns.show(visit)
    word = visit.field("word")
    if word:
        return await _show_word(visit, model, word)
    shown = await model.read(LARGE, lambda classifier: _table(visit, model, classifier), visit.server.workers)
    if visit.part == "words":
        return answer(shown)
    title = element("h1", "Words of ", isolated(model.name, width=40))
    return answer(layout.page(visit, "words", "Words", title, _form(visit, model), shown))


def _form(visit: Visit, model: ServedModel) -> Markup:
    labels = [(name_of(label), name_of(label)) for label in model.labels]
    kinds = [("words", "words"), ("pairs", "words and pairs"), ("all", "all, also characters")]
    return control(
        "form",
        control("input", type="hidden", name="model", value=model.name),
        _kept(visit, "column"),
        element(
            "div",
            layout.field("Search", control("input", type="search", name="search", value=visit.field("search"),
                                           placeholder="part of a word", autocomplete="off")),
            layout.field("Class", choice("label", [("", "whichever it speaks for"), *labels], visit.field("label"))),
            layout.field("rather than", choice("against", [("", "all others"), *labels], visit.field("against"))),
            layout.field("Order", choice("sort", list(SORT_NAMES.items()), _sort(visit))),
            layout.field("Show", choice("kinds", kinds, visit.field("kinds") or "pairs")),
            layout.field("Seen at least", control("input", type="number", name="least", min=1, max=1_000_000,
                                                  value=str(_least(visit)))),
            class_="options",
        ),
        control("noscript", control("button", "Show", class_="main")),
        action="words",
        method="post",
        data_live="words",
        class_="card",
    )  # fmt: skip


def _kept(visit: Visit, name: str) -> Markup | None:
    return control("input", type="hidden", name=name, value=visit.field(name)) if visit.field(name) else None


def _sort(visit: Visit) -> str:
    return visit.field("sort") if visit.field("sort") in SORTS else "strength"


def _least(visit: Visit) -> int:
    return int(visit.number("least", 1, 1, 1_000_000))


def _words(visit: Visit, model: ServedModel, classifier: Classifier) -> WordTable:
    """The whole table, of a large model without the words of single documents."""
    label, against = visit.label("label", model), visit.label("against", model)
    against = None if label is None or against == label else against
    column = visit.field("column") or None
    least = 1
    if column is None:
        n_cells = classifier.counts_.n_features * len(model.labels)
        least = 1 if n_cells <= MOST_WORD_CELLS else 1 + n_cells // MOST_WORD_CELLS
    return classifier.words(label, against=against, column=column, min_documents=least, sort=_sort(visit))


def _table(visit: Visit, model: ServedModel, classifier: Classifier) -> Markup:
    kinds = {"words": ("word",), "all": None}.get(visit.field("kinds"), ("word", "pair", "3 words", "4 words"))
    words = _words(visit, model, classifier)
    matching = words.where(min_count=_least(visit), containing=visit.field("search").strip(), kinds=kinds)
    number = int(visit.number("page", 1, 1, MOST_PAGES))
    some = matching.page(ROWS, number)
    strengths = some.strengths.tolist()
    largest = max(map(abs, strengths), default=0.0) or 1.0
    name_of_strength = "weight" if some.has_weights() else "λ"
    names = [*some.head(), *(["weight"] if some.has_weights() else [])]
    place = names.index(name_of_strength)
    head = [names[0], name_of_strength, *(name for name in names[1:] if name != name_of_strength)]
    rows = []
    for row, strength in zip(some.rows(0.95), strengths, strict=True):
        cells = some.cells(row)
        where = visit.address("words", word=cells[0], column=visit.field("column") or None)
        shaded = element("span", cells[place], class_=tint(max(-1.0, min(strength / largest, 1.0))))
        rest = [cell for number, cell in enumerate(cells) if number not in (0, place)]
        rows.append([control("a", isolated(cells[0], width=40), href=where), shaded, *rest])
    caption = (
        f"{len(matching):,} of {len(words):,} features" if len(matching) < len(words) else f"{len(words):,} features"
    )
    body = table(head, rows, caption) if rows else element("p", "No word is like this.")
    return control(
        "div", element("div", body, _pages(visit, len(matching), number), class_="card words-table"), id="words"
    )


def _pages(visit: Visit, n_rows: int, number: int) -> Markup | None:
    last = min(-(-n_rows // ROWS), MOST_PAGES)
    if last < 2:
        return None
    kept = {name: text for name, text in visit.fields if name not in ("page", "model") and text}
    links = [
        control("a", name, href=visit.address("words", **kept, page=to), class_="button")
        for name, to in (("Before", number - 1), ("Next", number + 1))
        if 1 <= to <= last
    ]
    return element("div", links, element("span", f"page {number} of {last:,}", class_="quiet"), class_="acts")


# One word


async def _show_word(visit: Visit, model: ServedModel, word: str) -> Response:
    def look(classifier: Classifier) -> list[Any]:
        return _one(visit, model, classifier, word)

    shown = await model.read(LARGE, look, visit.server.workers)
    title = element("h1", isolated(word, width=60))
    column = visit.field("column") or None
    back = control("p", control("a", "← All words", href=visit.address("words", column=column)))
    return answer(layout.page(visit, "words", word[:60], back, title, shown))


def _one(visit: Visit, model: ServedModel, classifier: Classifier, word: str) -> list[Any]:
    column = visit.field("column") or None
    row = classifier.word(word, column=column)
    labels = model.labels
    counts = [
        (
            isolated(name_of(label), width=30),
            f"{row['count'][label]:,}",
            f"{row['documents'][label]:,}",
            f"{row['probability'][label]:.2g}",
            "{:.2g} … {:.2g}".format(*row["probability_interval"][label]),
        )
        for label in labels
    ]
    weights = [
        (name_of(label), classifier.word(word, label, column=column)["weight"]) for label in labels[:MOST_LABELS_SHOWN]
    ]
    weights = weights[-1:] if len(labels) == 2 else sorted(weights, key=lambda one: -one[1])
    return [
        element(
            "div",
            layout.card(
                "How often",
                table(("class", "count", "documents", "P(word | class)", "95 % interval"), counts, "In every class"),
            ),
            layout.card("What it says", bar_table(weights, "Weight for each class, against the mean of the others")),
            class_="pair",
        ),
        None if column is not None else element(
            "div", _by_length(classifier, model, word), _neighbours(visit, classifier, word), class_="pair more"),
    ]  # fmt: skip


def _by_length(classifier: Classifier, model: ServedModel, word: str) -> Markup | None:
    """The weight of a word in documents that consist of it and of frequent words."""
    labels = model.labels
    if len(labels) < 2 or " " in word:
        return None
    first = classifier.word(word)["label"]
    label, against = (first, next(one for one in labels if one != first))
    frequent = classifier.words(sort="count", min_documents=2).where(kinds=("word",)).top(DOCUMENT_LENGTHS[-1])
    others = [one for one in frequent.words if one != word] or [word]
    points = []
    for length in DOCUMENT_LENGTHS:
        text = " ".join([word, *islice(cycle(others), length - 1)])
        explained = classifier.explain(text, label=label, against=against)
        weights = [one.weight for one in explained.evidence if one.word == word and one.kind == "word"]
        if weights:
            points.append((float(length), weights[0]))
    if len(points) < 2:
        return None
    chart = line_chart(
        [Line("weight", points)],
        title="Weight by the length of a document",
        x_title="words of the document",
        y_title="nats",
    )
    note = (
        f"For {name_of(label)} rather than {name_of(against)}, in a document of the word and the most frequent others."
    )
    return layout.card("In longer documents", element("figure", chart, element("figcaption", note)))


def _neighbours(visit: Visit, classifier: Classifier, word: str) -> Markup | None:
    """Pairs that the model counts and that have the word in them."""
    pairs = classifier.words(sort="count").where(containing=word, kinds=("pair", "3 words"))
    near = [(name, int(n)) for name, n in zip(pairs.words, pairs.counts.sum(axis=1).tolist(), strict=True)
            if word in name.split()][:MOST_NEIGHBOURS]  # fmt: skip
    if not near:
        return None
    rows = [
        (control("a", isolated(name, width=40), href=visit.address("words", word=name)), f"{n:,}") for name, n in near
    ]
    return layout.card("Words that come with it", table(("pair", "count"), rows, "As the model counts them"))
