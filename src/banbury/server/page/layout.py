"""What every page has around its room: the head, the way to the other rooms, the choice of models, messages."""

from __future__ import annotations

from typing import Any

from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated
from banbury.server.page import assets
from banbury.server.page.visit import Visit

ROOMS = {
    "try": ("Try", "Type, and see why", "read"),
    "teach": ("Teach", "Label with single keys", "learn"),
    "train": ("Train", "From a file to a model", "admin"),
    "words": ("Words", "What was learned", "read"),
    "mistakes": ("Mistakes", "How good it is, and where not", "read"),
    "health": ("Health", "What the server does", "read"),
}
SCRIPTS = ("page.js",)


def page(visit: Visit, room: str, title: str, *children: Any, notice: Any = None) -> Markup:
    """A whole page."""
    head = control(
        "head",
        control("meta", charset="utf-8"),
        control("meta", name="viewport", content="width=device-width, initial-scale=1"),
        control("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · banbury"),
        control("link", rel="stylesheet", href=assets.address("page.css")),
        control("link", rel="icon", href=assets.address("mark.svg"), type="image/svg+xml"),
        [control("script", type="module", src=assets.address(name)) for name in SCRIPTS],
    )
    body = control(
        "body",
        control("a", "Skip to the content", href="#main", class_="skip"),
        _top(visit, room),
        control("div", element("p", class_="offline-text"), id="offline", role="status", class_="offline", hidden=True),
        control("main", messages(visit, notice), children, id="main", class_=f"room {room}", tabindex="-1"),
        class_="banbury studio",
    )
    return Markup(f"<!doctype html>\n{control('html', head, body, lang='en')}\n")


def _top(visit: Visit, room: str) -> Markup:
    links = [
        element(
            "li",
            control(
                "a",
                _name(visit, name, title),
                href=visit.address(f"{name}"),
                aria_current="page" if name == room else None,
                title=what,
            ),
        )
        for name, (title, what, scope) in ROOMS.items()
        if visit.can(scope)
    ]
    brand = control(
        "a",
        element("svg", _mark(), viewBox="0 0 24 24", width=24, height=24, aria_hidden="true"),
        element("b", "banbury"),
        href=visit.address("try"),
        class_="brand",
    )
    return element(
        "header",
        brand,
        control("nav", element("ul", links), aria_label="Rooms"),
        _model_choice(visit, room),
        _leave(visit),
        class_="top",
    )


def _name(visit: Visit, name: str, title: str) -> str:
    is_table = name == "words" and visit.models and visit.models[0].columns is not None
    return "Columns" if is_table else title


def _mark() -> list[Markup]:
    """Three bars of a waterfall: for, against, total."""
    return [
        element("rect", x=2, y=3, width=13, height=5, rx=1.5, class_="bar-for"),
        element("rect", x=9, y=9.5, width=6, height=5, rx=1.5, class_="bar-against"),
        element("rect", x=2, y=16, width=7, height=5, rx=1.5, class_="bar-total"),
    ]


def _model_choice(visit: Visit, room: str) -> Markup | None:
    names = sorted(visit.server.models)
    if not names or room in ("train", "health", "key") or not visit.can("read"):
        return None
    if len(names) == 1:
        return element("p", element("span", "model ", class_="quiet"), isolated(names[0], width=28), class_="which")
    return control(
        "form",
        control(
            "label",
            element("span", "model", class_="quiet"),
            choice("model", [(name, name) for name in names], visit.models[0].name, data_live="page"),
        ),
        control("noscript", control("button", "Choose")),
        action=f"{room}",
        method="get",
        class_="which",
    )


def _leave(visit: Visit) -> Markup | None:
    if visit.server.access.keys is None or not visit.scopes:
        return None
    return control("form", control("button", "Leave", class_="plain"), action="leave", method="post")


def messages(visit: Visit, notice: Any) -> Any:
    """What has happened, for everyone to see and hear."""
    said = notice if notice is not None else visit.field("said")[:500] or None
    if said is None:
        return element("div", id="said", role="status")
    return element("div", element("p", said), id="said", role="status", class_="notice")


def card(title: Any, *children: Any, level: str = "h2", **attributes: Any) -> Markup:
    """A part of a room with a heading."""
    attributes.setdefault("class_", "card")
    return control("section", element(level, title), children, **attributes)


def empty(title: str, *children: Any) -> Markup:
    """What stands where there is nothing yet: why, and what to do."""
    return element("div", element("h2", title), children, class_="empty card")


def knows_nothing(visit: Visit) -> Markup:
    """What stands where a model has not learned anything yet."""
    way = control("a", "Teach it", href=visit.address("teach"), class_="button main") if visit.can("learn") else None
    return empty("This model has learned nothing yet", element("p", "Give it some labels first."), way)


def field(label: Any, *controls: Any, hint: Any = None, class_: str = "field") -> Markup:
    """A control with its label."""
    note = None if hint is None else element("small", hint, class_="quiet")
    return control("label", element("span", label, class_="name"), controls, note, class_=class_)


def note(*children: Any) -> Markup:
    """A remark in small letters."""
    return element("p", children, class_="quiet")


def problem_page(visit: Visit, room: str, detail: str) -> Markup:
    """What went wrong, where it was asked."""
    heading = element("h1", "That did not work")
    back = control("p", control("a", "Back to the room", href=visit.address(f"{room}")))
    body = element("div", heading, element("p", detail), back, class_="card problem", role="alert")
    return page(visit, room, "That did not work", body)
