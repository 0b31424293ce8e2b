"""A file before it is learned from: its format and columns as they are guessed, its first rows, what can be changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_tables import table
from banbury.errors import InputError
from banbury.readers import Layout
from banbury.readers.formats import FORMATS, MAIL
from banbury.server.page import layout
from banbury.server.page.files import opened
from banbury.server.page.visit import Visit

FIRST_ROWS = 6
MOST_COLUMNS_SHOWN = 30  # that are shown
SHOWN_CELL_WIDTH = 60  # columns of a cell
SPACES = 2  # in each cell of a column of texts

NO_LABELS = "It has documents, but no labels. Teach can give them one by one."


@dataclass(frozen=True)
class Plan:
    """How a file is read, and what is learned from."""

    layout: Layout | None
    rows: list[dict[str, Any]]
    wrong: str | None
    """What has to be said before it can be read."""

    @property
    def columns(self) -> list[str]:
        """The columns that there are to choose from."""
        return list(self.layout.columns) if self.layout is not None else []


def options_of(visit: Visit) -> dict[str, Any]:
    """What the visitor says of the file; the rest is guessed."""
    is_table = visit.field("learn") == "table"
    format = visit.field("format")
    return {
        "text": False if is_table else visit.field("text") or None,
        "label": visit.field("label") or None,
        "format": format if format in FORMATS else None,
    }


def plan(visit: Visit, path: Path) -> Plan:
    """The guess, corrected by what the visitor says."""
    options = options_of(visit)
    guess = _looked_at(path, options)
    if guess.wrong and options["text"] is None and not visit.field("learn") and _can_be_table(guess):
        guess = _looked_at(path, options | {"text": False})  # no column has to be the text
    if guess.wrong is None and guess.layout is not None and guess.layout.label is None:
        if guess.layout.format == "folder":
            return guess
        known = ", ".join(map(repr, guess.columns))
        return replace(guess, wrong=f"Which column has the labels? There are {known}." if known else NO_LABELS)
    return guess


def _looked_at(path: Path, options: dict[str, Any]) -> Plan:
    wrong = None
    try:
        reader = opened(path, **options)
    except InputError as error:
        wrong = str(error)
        try:
            reader = opened(path, text=False, label=False, format=options["format"])
        except InputError as second:
            return Plan(None, [], str(second))
    try:
        rows = next((list(islice(batch.rows(), FIRST_ROWS)) for batch in reader), [])
    except (InputError, ValueError, OSError) as error:
        return Plan(reader.layout, [], str(error).replace(str(path), path.name))
    return Plan(reader.layout, rows, wrong)


def _can_be_table(guess: Plan) -> bool:
    is_mail = guess.layout is not None and guess.layout.format in MAIL
    return len(guess.columns) > 2 and not is_mail and not _has_texts(guess)


def form(visit: Visit, path: Path, guess: Plan, name: str) -> Markup:
    """The guess as a form."""
    roles = [(one, one) for one in guess.columns]
    text, label = (guess.layout.text, guess.layout.label) if guess.layout is not None else (None, None)
    is_mail = guess.layout is not None and guess.layout.format in MAIL
    can_be_table = len(guess.columns) > 2 and not is_mail
    guessed = "mail" if is_mail else "table" if text is None and _can_be_table(guess) else "text"
    learn = visit.field("learn") or guessed
    kinds = [("text", "one column of texts"), *([("table", "all columns, each as what it is")] if can_be_table else [])]
    if is_mail:
        kinds = [("mail", "sender, subject, body, links …"), ("text", "their text alone")]
    formats = [("", "as guessed"), *((one, one) for one in FORMATS if one not in ("folder", "maildir"))]
    return control(
        "form",
        element("p", _summary(guess)),
        element("p", guess.wrong, class_="wrong", role="alert") if guess.wrong else None,
        control("input", type="hidden", name="file", value=path.name),
        element(
            "div",
            layout.field("Learn from", choice("learn", kinds, learn)),
            layout.field("The text is in", choice("text", [("", "(guess)"), *roles], text or "")) if roles else None,
            layout.field("The label is in", choice("label", [("", "(guess)"), *roles], label or "")) if roles else None,
            layout.field("Format", choice("format", formats, visit.field("format"))),
            layout.field("Bad rows", choice("bad_rows", [("skip", "leave out"), ("fail", "stop there")],
                                            visit.field("bad_rows") or "skip")),
            layout.field("Name of the model", control("input", name="name", value=name, maxlength=60, required=True)),
            class_="options",
        ),
        _effort(visit),
        element(
            "div",
            control("button", "Train", class_="main", disabled=guess.layout is None),
            control("button", "Look again with this", formaction="train?look=1"),
            class_="acts",
        ),
        action="train",
        method="post",
    )  # fmt: skip


def _summary(guess: Plan) -> str:
    if guess.layout is None:
        return "It cannot be read yet."
    told = str(guess.layout)
    labels = {row.get("label") for row in guess.rows}
    if guess.layout.format == "mbox" and len(labels) == 1:
        told += (
            f". Every message has the label {labels.pop()!r}, the file's name; a zip with a mailbox for each has more"
        )
    return f"{told}." if not told.endswith(": ") else f"{told}{len(guess.columns)} columns."


def _has_texts(guess: Plan) -> bool:
    """Whether some column holds texts, by its first rows."""
    for name in guess.columns:
        cells = [row.get(name) for row in guess.rows]
        if cells and all(isinstance(cell, str) and cell.count(" ") >= SPACES for cell in cells):
            return True
    return False


def _effort(visit: Visit) -> Markup:
    best = control("input", type="checkbox", name="effort", value="best", checked=visit.field("effort") == "best")
    over = control("input", type="checkbox", name="replace", value="1")
    return element(
        "div",
        control("label", best, " take more time, and be better", class_="check"),
        control("label", over, " replace a model of that name", class_="check"),
    )


def first_rows(guess: Plan) -> Markup | None:
    """The first rows, with the text and the label marked."""
    if not guess.rows or guess.layout is None:
        return None
    names = list(dict.fromkeys(name for row in guess.rows for name in row))[:MOST_COLUMNS_SHOWN]
    roles = {guess.layout.text: " (text)", guess.layout.label: " (label)"}
    head = [f"{name}{roles.get(name, '')}" for name in names]
    rows = [
        [isolated("" if row.get(name) is None else row[name], width=SHOWN_CELL_WIDTH) for name in names]
        for row in guess.rows
    ]
    return element("div", table(head, rows, "The first rows", texts=len(names)), class_="rows") if names else None
