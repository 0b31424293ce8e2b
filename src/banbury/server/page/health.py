"""Health: what the server does, what was learned, whether the world has moved; and documents to forget."""

from __future__ import annotations

import asyncio
import sys
import time
from functools import partial
from importlib.metadata import version
from math import isfinite
from typing import Any, NamedTuple

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_bars import share_table
from banbury.display.html_tables import table
from banbury.server.journal.entries import FORGET, LEARN, Change, Entry
from banbury.server.models import ServedModel, documents_of, n_documents
from banbury.server.page import layout
from banbury.server.page.queues import columns_of, shown
from banbury.server.page.visit import Visit, answer, path_of, redirect
from banbury.server.problems import Problem
from banbury.server.reading import LARGE
from banbury.server.requests import name_of

FEWEST_FOR_DRIFT = 30  # documents that say something of drift
MOST_EXPLAINED = 200  # of them, for words that are not known
MOST_DRIFT_CLASSES = 6
PACKAGES = ("banbury", "numpy", "starlette", "uvicorn")


class Drift(NamedTuple):
    """What came in, beside what was learned."""

    n: int
    prior: dict[Any, float]
    had_moved: bool
    unknown_share: float | None


async def show(visit: Visit) -> Response:
    """The room; the figures alone for a script that looks again."""
    server = visit.server
    routes = server.metrics.summary()
    total = sum(one.requests for one in routes)
    failed = sum(one.failed for one in routes)
    asked = next((one for one in routes if one.route.endswith("/predict")), None)
    today = await asyncio.to_thread(_today, visit)
    learned, forgotten = (sum(n for (_, act), n in today.items() if act == which) for which in (LEARN, FORGET))
    figures = [
        ("requests", f"{total:,}", f"{failed:,} failed"),
        ("predict, half within", "–" if asked is None else _time(asked.half_within),
         "" if asked is None else f"99 % within {_time(asked.most_within)}"),
        ("learned today", f"{learned:,}", f"{forgotten:,} forgotten"),
        ("journal", "open" if server.journal_state == "open" else server.journal_state, f"{server.sequence:,} entries"),
    ]  # fmt: skip
    cards = [
        element("div", element("dt", name), element("dd", value, class_="big"), element("dd", more, class_="quiet"))
        for name, value, more in figures
    ]
    body = [
        element("h1", "Health"),
        element("dl", cards, class_="cards"),
        await _models(visit),
        _routes(visit),
        await _examples(visit) if visit.can("learn") and server.learner is not None and server.models else None,
        _versions(visit),
    ]
    return answer(layout.page(visit, "health", "Health", body))


def _today(visit: Visit) -> dict[tuple[str, str], int]:
    if visit.server.learner is None:
        return {}
    now = time.localtime()
    midnight = int(time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1)))
    return visit.server.learner.written_since(midnight)


def _time(seconds: float) -> str:
    """A time of a bucket.

    >>> _time(0.00025), _time(2.5), _time(float("inf"))
    ('0.25 ms', '2.5 s', 'more than 10 s')
    """
    if not isfinite(seconds):
        return "more than 10 s"
    return f"{seconds:g} s" if seconds >= 1 else f"{1000 * seconds:g} ms"


def _routes(visit: Visit) -> Markup:
    rows = [
        (
            isolated(one.route, width=50),
            f"{one.requests:,}",
            f"{one.failed:,}",
            _time(one.half_within),
            _time(one.most_within),
        )
        for one in visit.server.metrics.summary()
    ]
    listed = table(("route", "requests", "failed", "half within", "99 % within"), rows, "Since the server started")
    return layout.card("Requests", listed)


def _versions(visit: Visit) -> Markup:
    rows = [(name, version(name)) for name in PACKAGES]
    rows.append(("Python", sys.version.split()[0]))
    folder = visit.server.files.home
    return layout.card(
        "Versions",
        table(("package", "version"), rows),
        layout.note(f"Folder: {folder}") if folder is not None else None,
    )


# Models and drift


async def _models(visit: Visit) -> Markup | None:
    parts = []
    for name in sorted(visit.server.models):
        model = visit.server.models[name]
        look = partial(drift_of, model=model)
        drift = None if model.is_several else await model.read(LARGE, look, visit.server.workers)
        parts.append(_model(visit, model, drift))
    return element("div", parts, class_="pair") if parts else None


def drift_of(classifier: Classifier, model: ServedModel) -> Drift | None:
    """How what came in differs from what was learned; None where too little came in."""
    documents = list(model.incoming)
    if len(documents) < FEWEST_FOR_DRIFT or len(classifier.classes_) < 2:
        return None
    given = documents if model.columns is None else columns_of(documents)
    estimate = classifier.estimate_prior(given)
    unknown = None
    if model.columns is None:
        shares = [classifier.explain(text).unknown_share for text in documents[-MOST_EXPLAINED:]]
        unknown = sum(shares) / len(shares)
    return Drift(len(documents), estimate.prior, estimate.moved, unknown)


def _model(visit: Visit, model: ServedModel, drift: Drift | None) -> Markup:
    kind = "labels" if model.is_several else "classes"
    parts: list[Any] = [
        element("p", f"{n_documents(model.learned):,} documents, {len(model.labels)} {kind}."),
        layout.note(f"Its settings were chosen with {model.chosen_at:,} documents."),
    ]
    if model.refused:
        parts.append(element("p", f"The file that lies there now is not taken: {model.refused}", class_="wrong"))
    if model.is_several:
        parts.append(layout.note("Its documents have several labels each, or none: no room shows it, programs ask it."))
    elif drift is None:
        parts.append(
            layout.note(f"Drift can be seen after {FEWEST_FOR_DRIFT} documents; {len(model.incoming)} came in.")
        )
    else:
        documents = documents_of(model.learned)
        had = {label: n / max(sum(documents), 1) for label, n in zip(model.labels, documents, strict=True)}
        moved = "has moved" if drift.had_moved else "has not moved"
        ranked = sorted(drift.prior.items(), key=lambda one: -one[1])[:MOST_DRIFT_CLASSES]
        parts += [
            element("p", f"Of the last {drift.n:,} documents the mix of classes ", element("b", moved), "."),
            share_table([(name_of(label), share) for label, share in ranked], "Classes among what came in, estimated"),
            layout.note("Learned: ", "; ".join(f"{name_of(label)} {had[label]:.1%}" for label, _ in ranked)),
        ]
        if drift.unknown_share is not None:
            parts.append(element("p", f"{drift.unknown_share:.1%} of the features that came in were never seen."))
    if visit.can("admin"):
        link = path_of("download", [("model", model.name)])
        parts.append(element("div", control("a", "Download", href=link, class_="button", download=True), class_="acts"))
    return layout.card(isolated(model.name, width=50), parts)


# Forgetting


async def _examples(visit: Visit) -> Markup:
    learner, model = visit.server.learner, visit.model
    assert learner is not None
    search = visit.field("search").strip()
    try:
        entries = await asyncio.to_thread(learner.latest, model.name, search)
    except Problem as problem:
        return layout.card("Learned here", element("p", problem.detail, class_="wrong"))
    names = sorted(visit.server.models)
    form = control(
        "form",
        layout.field("Model", choice("model", [(name, name) for name in names], model.name)),
        layout.field(
            "Search", control("input", type="search", name="search", value=search, placeholder="part of a document")
        ),
        control("button", "Show"),
        action="health#learned",
        method="get",
        class_="options",
    )
    rows = [_example(model, entry, search) for entry in entries]
    head = ("document", "label", "entry", "act")
    listed = table(head, rows, f"The last {len(rows)}", texts=2) if rows else element("p", "Nothing was learned here.")
    return layout.card("Learned here", form, listed, id="learned", class_="card")


def _example(model: ServedModel, entry: Entry, search: str) -> list[Any]:
    forget = control(
        "form",
        control("input", type="hidden", name="model", value=model.name),
        control("input", type="hidden", name="entry", value=str(entry.sequence)),
        control("input", type="hidden", name="search", value=search),
        control("button", "Forget", class_="small", aria_label=f"Forget entry {entry.sequence}"),
        action="forget",
        method="post",
    )
    text = isolated(shown(entry.document), width=90)
    labels = entry.label if isinstance(entry.label, list) else [entry.label]
    return [text, isolated(", ".join(map(name_of, labels)), width=30), f"{entry.sequence:,}", forget]


async def forget(visit: Visit) -> Response:
    """Forget a document, by its entry in the journal."""
    learner, model = visit.server.learner, visit.model
    if learner is None:
        raise Problem(409, "this server has no journal, so nothing can be forgotten here")
    number = int(visit.number("entry", 0, 0, 2**53))
    await learner.submit(Change(model.name, FORGET, ids=[number]), 0)
    for (name, _), queue in visit.server.queues.items():
        if name == model.name:
            queue.forget(number)
    fields = [("model", model.name), ("search", visit.field("search")), ("said", f"Entry {number} is forgotten.")]
    return redirect(path_of("health", [(name, value) for name, value in fields if value]))
