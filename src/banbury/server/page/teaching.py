"""Teach: a queue of documents, what teaches most first; one key a label, and everything through the journal."""

from __future__ import annotations

import asyncio
import secrets
from difflib import get_close_matches
from typing import Any, NamedTuple

from starlette.responses import Response

from banbury.apps.labelling import FEWEST_TO_EXTRAPOLATE, expected_accuracy
from banbury.classifier import Classifier
from banbury.display.forms import control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_tables import table
from banbury.server.journal.entries import FORGET, LEARN, Change
from banbury.server.learner import Learner
from banbury.server.limits import LABEL
from banbury.server.models import ServedModel
from banbury.server.page import beginning, layout
from banbury.server.page.beginning import INCOMING, MOST_QUEUED_ROWS, notes_of
from banbury.server.page.files import rows_for
from banbury.server.page.queues import Given, Queue, rows_of, shown
from banbury.server.page.visit import Visit, answer, redirect
from banbury.server.reading import LARGE
from banbury.server.requests import name_of
from banbury.stats.intervals import wilson
from banbury.text.documents import check_kind

DIGIT_KEYS = "123456789"
MOST_BUTTONS = 30
RECENT = 6


class Asked(NamedTuple):
    """A document that somebody is asked about, and what the model says of it."""

    number: int
    chances: dict[Any, float]
    text: list[Markup]


async def show(visit: Visit) -> Response:
    """The room: a queue to choose, or the next document of one."""
    if visit.request.method == "POST" and visit.field("act") == "begin":
        return await beginning.begun(visit)
    if not visit.models:
        return answer(beginning.first_page(visit))
    model = visit.model
    title = element("h1", "Teach ", isolated(model.name, width=40))
    learner = visit.server.learner
    if learner is None:
        told = "This server has no journal, so nothing can be learned: start it with --journal FILE, or banbury studio."
        return answer(
            layout.page(visit, "teach", "Teach", title, layout.empty("Nothing can be taught", element("p", told)))
        )
    source = visit.field("file")
    if not source:
        return answer(layout.page(visit, "teach", "Teach", title, beginning.begin(visit, model)))
    queue = await _queue(visit, model, learner, source)
    who = visit.field("who")[:64]
    if not who:  # the address of a tab says whose it is, so that undo works after a reload
        who = secrets.token_urlsafe(6)
        if visit.request.method == "GET":
            return redirect(visit.address("teach", file=source, who=who, search=visit.field("search") or None))
    notice: Any = None
    if visit.request.method == "POST":
        notice = await _act(visit, model, learner, queue, who)
        if visit.part is None and not isinstance(notice, Markup):
            return redirect(
                visit.address("teach", file=source, who=who, search=visit.field("search") or None, said=notice)
            )
    asked = await _asked(visit, model, queue, who)
    body = _next(visit, model, queue, asked, who, notice)
    return answer(body if visit.part == "next" else layout.page(visit, "teach", "Teach", title, body))


async def _queue(visit: Visit, model: ServedModel, learner: Learner, source: str) -> Queue:
    """The queue of a source; made at the first visit, from its file and the journal."""
    queues = visit.server.queues
    key = (model.name, source)
    if source == INCOMING:
        queue = queues.setdefault(key, Queue([]))
        known = {shown(one) for one in queue.documents}
        fresh = {shown(one): one for one in list(model.incoming)}
        queue.documents += [document for text, document in fresh.items() if text not in known]
        return queue
    if key not in queues:
        path = visit.server.files.path(source)

        def work() -> Queue:
            rows = rows_for(model, path, most=MOST_QUEUED_ROWS, with_labels=False)
            documents = rows.documents if model.columns is None else rows_of(rows.documents)
            notes = notes_of(visit, model.name)
            queue = Queue(documents, rows.is_cut, notes=notes)
            after = 0
            while page := learner.examples(model.name, after):
                queue.mark((entry.document, entry.label, entry.sequence) for entry in page)
                after = page[-1].sequence
            queue.restore(notes.read())
            return queue

        queue = await asyncio.to_thread(work)
        queues.setdefault(key, queue)  # somebody else may have been quicker
    return queues[key]


async def _asked(visit: Visit, model: ServedModel, queue: Queue, who: str) -> Asked | None:
    search = visit.field("search").strip()

    def look(classifier: Classifier) -> Asked | None:
        number = queue.next(who, classifier, search)
        if number is None:
            return None
        document = queue.documents[number]
        if len(classifier.classes_) < 2:
            return Asked(number, {}, [element("div", shown(document), class_="document", dir="auto")])
        explained = classifier.explain(document)
        text = explained.highlighted_words() or []
        if model.columns is not None:
            rows = [(isolated(name, width=30), isolated("–" if cell is None else cell, width=60))
                    for name, cell in document.items()]  # fmt: skip
            text = [table(("column", "value"), rows, texts=2)]
        return Asked(number, explained.probabilities, text)

    return await model.read(LARGE, look, visit.server.workers)


# What a person does


async def _act(visit: Visit, model: ServedModel, learner: Learner, queue: Queue, who: str) -> Any:
    """Do what was asked, and say it; markup where a question comes back."""
    act = visit.field("act")
    if act.startswith("undo"):
        return await _undo(model, learner, queue, who)
    if act == "again":
        queue.ask_again()
        return "Those that were skipped are asked again."
    number = int(visit.number("number", -1, -1, len(queue.documents) - 1))
    if number < 0:
        return None
    if act == "skip":
        queue.skip(number)
        return "Skipped."
    name = (visit.field("new") if act == "new" else visit.field("label")).strip()
    if not name:
        return "Type the new label first." if act == "new" else None
    return await _label(visit, model, learner, queue, who, number, name)


async def _label(
    visit: Visit, model: ServedModel, learner: Learner, queue: Queue, who: str, number: int, name: str
) -> Any:
    known = {name_of(label): label for label in _labels(visit, model)}
    if name not in known and not visit.field("sure"):
        return _question(visit, name, list(known))
    label: Any = known.get(name, name[:LABEL])
    check_kind([label], model.labels)
    if (other := queue.given.get(number)) is not None and other.who != who:
        return f"Somebody has labelled this meanwhile: {name_of(other.label)}."
    document = queue.documents[number]
    guess = await model.read(0, lambda classifier: _guess(classifier, document), visit.server.workers)
    once = visit.field("once")[:64]
    key = f"page-{once}" if once.isalnum() else None
    change = Change(model.name, LEARN, [document], [label], key=key, fingerprint=f"{number} {name}")
    written = await learner.submit(change, len(shown(document)))
    if not written.is_repeat:
        queue.give(Given(number, label, written.last, None if guess is None else guess == label, who))
    return f"{name_of(label)}."


def _labels(visit: Visit, model: ServedModel) -> list[Any]:
    """The labels to choose from: those that the model knows, and those that were planned."""
    known = model.labels
    if any(not isinstance(label, str) for label in known):
        return known
    return [*known, *(label for label in notes_of(visit, model.name).labels if label not in known)]


def _guess(classifier: Classifier, document: Any) -> Any:
    if len(classifier.classes_) < 2:
        return None
    chances = classifier.probabilities(document)
    return max(chances, key=lambda label: chances[label])


async def _undo(model: ServedModel, learner: Learner, queue: Queue, who: str) -> str:
    last = queue.last(who)
    if last is None:
        return "There is nothing of yours to undo."
    await learner.submit(Change(model.name, FORGET, ids=[last.sequence]), 0)
    queue.take_back(last, who)
    return f"Undone: {name_of(last.label)}."


def _question(visit: Visit, name: str, known: list[str]) -> Markup:
    """Whether a label that nobody knows is meant."""
    near = get_close_matches(name, known, n=2, cutoff=0.6)
    kept = [
        control("input", type="hidden", name=field, value=visit.field(field))
        for field in ("model", "file", "who", "number", "once", "search")
    ]
    return control(
        "form",
        element("p", element("b", isolated(name, width=60)), " is a new label. Is it meant?"),
        kept,
        control("input", type="hidden", name="sure", value="1"),
        element(
            "div",
            control("button", "Yes, a new label", name="label", value=name, class_="main"),
            [control("button", "No, ", isolated(one, width=40), name="label", value=one) for one in near],
            control("button", "Neither", name="act", value="none"),
            class_="acts",
        ),
        action="teach",
        method="post",
        data_part="next",
        class_="notice",
        role="alert",
    )


# What a person sees


def _next(visit: Visit, model: ServedModel, queue: Queue, asked: Asked | None, who: str, notice: Any) -> Markup:
    said = notice if isinstance(notice, Markup) else element("p", notice or "", class_="quiet said", role="status")
    main = _done(visit, queue, who) if asked is None else _ask(visit, model, asked, who)
    side = element("div", _progress(queue), _recent(queue), _search(visit, who), class_="side-cards")
    return control("div", said, element("div", main, side, class_="split teach-split"), id="next", tabindex="-1")


def _done(visit: Visit, queue: Queue, who: str) -> Markup:
    if visit.field("search"):
        return layout.empty("Nothing that waits is like this", element("p", "Clear the search to go on."))
    n_skipped = len(queue.skipped - queue.given.keys())
    again = control(
        "form",
        _hidden(visit, who),
        control("button", f"Ask again about the {n_skipped:,} that were skipped", name="act", value="again"),
        action="teach",
        method="post",
        data_part="next",
    )
    other = control("p", control("a", "Another file", href=visit.address("teach")))
    return layout.empty("Every document has a label, or was skipped", again if n_skipped else None, other)


def _hidden(visit: Visit, who: str) -> list[Markup]:
    fields = {"model": visit.model.name, "file": visit.field("file"), "who": who}
    return [control("input", type="hidden", name=name, value=value) for name, value in fields.items()]


def _ask(visit: Visit, model: ServedModel, asked: Asked, who: str) -> Markup:
    labels = _labels(visit, model)
    if len(labels) > MOST_BUTTONS:
        labels = sorted(labels, key=lambda label: -asked.chances.get(label, 0.0))[:MOST_BUTTONS]
    best = max(asked.chances, key=lambda label: asked.chances[label], default=None)
    buttons = []
    for place, label in enumerate(labels):
        key = DIGIT_KEYS[place] if place < len(DIGIT_KEYS) else None
        chance = asked.chances.get(label)
        buttons.append(element("li", control(
            "button",
            element("kbd", key) if key else None,
            isolated(name_of(label), width=120),
            None if chance is None else element("small", f"{chance:.0%}"),
            name="label", value=name_of(label), data_key=key, class_="guess" if label == best else None,
        )))  # fmt: skip
    acts = [
        control("button", element("kbd", key), f" {what}", name="act", value=what, data_key=key, class_="plain")
        for key, what in (("s", "skip"), ("u", "undo"))
    ]
    new = control("input", name="new", maxlength=200, placeholder="a new label", aria_label="A new label", data_key="n",
                  autocomplete="off")  # fmt: skip
    return control(
        "form",
        # Enter in a field presses the first button of its form.
        control("button", "add", name="act", value="new", hidden=True, tabindex="-1"),
        element("h2", f"Document {asked.number + 1:,}"),
        _hidden(visit, who),
        control("input", type="hidden", name="search", value=visit.field("search")),
        control("input", type="hidden", name="number", value=str(asked.number)),
        control("input", type="hidden", name="once", value=secrets.token_hex(12)),
        element("div", asked.text, class_="asked"),
        element("ul", buttons, class_="labels"),
        element("div", acts, element("span", new, class_="new"),
                control("button", "add ", element("kbd", "n"), name="act", value="new", class_="plain"), class_="acts"),
        action="teach",
        method="post",
        data_part="next",
        class_="card next",
    )  # fmt: skip


def _progress(queue: Queue) -> Markup:
    n_given, total = len(queue.given), len(queue.documents)
    parts: list[Any] = [
        control("progress", value=str(n_given), max=str(max(total, 1)), aria_label="labelled"),
        element("p", element("b", f"{n_given:,}"), f" of {total:,} labelled, {queue.n_left:,} left"),
    ]
    if queue.is_cut:
        parts.append(layout.note(f"The file has more; the first {MOST_QUEUED_ROWS:,} are here."))
    outcomes = queue.outcomes
    if outcomes:
        accuracy, interval = sum(outcomes) / len(outcomes), wilson(sum(outcomes), len(outcomes))
        parts.append(element("p", element("b", f"{accuracy:.1%}"), " right before it learned the label "
                             f"({interval.low:.0%} to {interval.high:.0%}, {len(outcomes):,} documents)"))  # fmt: skip
        expected = expected_accuracy(outcomes, 2 * len(outcomes))
        if expected is None:
            parts.append(layout.note(f"What more labels bring can be said after {FEWEST_TO_EXTRAPOLATE}."))
        else:
            told = f"With twice as many, about {expected:.1%}. These are the hardest; on all it is better."
            parts.append(layout.note(told))
    return layout.card("Progress", parts)


def _recent(queue: Queue) -> Markup | None:
    recent = [one for one in reversed(queue.history) if one.number in queue.given][:RECENT]
    if not recent:
        return None
    rows = [(isolated(name_of(one.label), width=20), isolated(shown(queue.documents[one.number]), width=34))
            for one in recent]  # fmt: skip
    return layout.card("The last ones", table(("label", "document"), rows, texts=2))


def _search(visit: Visit, who: str) -> Markup:
    given = visit.field("search")
    box = control("input", type="search", name="search", value=given, data_key="/", placeholder="documents with …",
                  autocomplete="off")  # fmt: skip
    return control(
        "form",
        _hidden(visit, who),
        layout.field("Search", box, hint="key /"),
        control("noscript", control("button", "Search")),
        action="teach",
        method="get",
        class_="card",
    )  # fmt: skip
