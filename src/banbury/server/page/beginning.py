"""How teaching begins: documents to label from a file or from what came in, or a new model that knows nothing yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.display.forms import control
from banbury.display.html import Markup, element
from banbury.server.limits import LABEL
from banbury.server.models import ServedModel
from banbury.server.page import layout
from banbury.server.page.dropping import drop_zone, file_list
from banbury.server.page.notes import NOTES_FOLDER, Notes
from banbury.server.page.training import MODEL_NAME
from banbury.server.page.visit import Visit, path_of, redirect
from banbury.server.problems import Problem
from banbury.storage import ENDING

INCOMING = "incoming"  # the source of what came in over HTTP
MOST_QUEUED_ROWS = 50_000  # of a queue
MOST_LABELS = 50  # that can be planned


def notes_of(visit: Visit, model: str) -> Notes:
    """What teaching remembers of a model."""
    files = visit.server.files
    return Notes((files.home or files.folder) / NOTES_FOLDER / f"{model}.jsonl")


def begin(visit: Visit, model: ServedModel) -> list[Any]:
    """A queue to choose for a model."""
    n = len(model.incoming)
    told = f"{n:,} documents were predicted over HTTP since the server started, and are remembered here."
    came = layout.card(
        "What came in",
        element("p", told if n else "Nothing was predicted over HTTP since the server started."),
        control("a", "Label them", href=visit.address("teach", file=INCOMING), class_="button main") if n else None,
    )
    zone = element(
        "div",
        drop_zone(visit, "teach", "Drop a file of documents to label"),
        layout.note(f"Of a longer file, the first {MOST_QUEUED_ROWS:,} documents."),
        class_="card",
    )
    return [zone, came, file_list(visit, "teach"), _another(visit)]


def _another(visit: Visit) -> Markup | None:
    if not can_begin(visit):
        return None
    return element("details", element("summary", "Begin a new model"), new_model(visit), class_="card")


def can_begin(visit: Visit) -> bool:
    """Whether a model can be begun: there is a folder for it, and whoever asks may."""
    return visit.server.files.home is not None and visit.can("admin")


def new_model(visit: Visit) -> Markup:
    """The form for a model that knows nothing yet."""
    name = control("input", name="name", value=visit.field("name"), maxlength=60, required=True, autocomplete="off")
    labels = control("input", name="labels", value=visit.field("labels"), maxlength=2_000, required=True,
                     placeholder="spam, ham", autocomplete="off")  # fmt: skip
    return control(
        "form",
        element("p", "You have texts, and no labels yet? Name the labels, then give them one by one with single keys. "
                "The model learns with each, and more labels can be added on the way."),
        element("div", layout.field("Name of the model", name),
                layout.field("Labels", labels, hint="separated by commas"), class_="options"),
        control("input", type="hidden", name="act", value="begin"),
        control("button", "Begin", class_="main"),
        action="teach",
        method="post",
    )  # fmt: skip


def first_page(visit: Visit) -> Markup:
    """The room where there is no model."""
    title = element("h1", "Teach")
    if not can_begin(visit):
        told = "There is no model here to teach, and none can be begun: that needs a folder, and a key of scope admin."
        return layout.page(visit, "teach", "Teach", title, layout.empty("There is no model yet", element("p", told)))
    return layout.page(visit, "teach", "Teach", title, layout.card("Begin a model", new_model(visit)))


async def begun(visit: Visit) -> Response:
    """Make a model that knows nothing, and go on to what it is to be taught."""
    if not can_begin(visit):
        raise Problem(403, "a model cannot be begun here: that needs a folder, and a key of scope admin")
    name = visit.field("name").strip()
    labels = list(dict.fromkeys(one.strip()[:LABEL] for one in visit.field("labels").split(",") if one.strip()))
    if not MODEL_NAME.fullmatch(name):
        raise Problem(422, f"{name[:60]!r} cannot be the name of a model: letters, digits, spaces, dots and dashes can")
    if not 1 <= len(labels) <= MOST_LABELS:
        raise Problem(422, f"name at least one label, and at most {MOST_LABELS}; there are {len(labels)}")
    home = visit.server.files.home
    assert home is not None
    target = home / f"{name}{ENDING}"
    if name in visit.server.models or target.exists():
        raise Problem(409, f"there is a model {name!r} already: choose another name")
    await visit.server.workers.run(lambda: _write_empty(target))
    notes_of(visit, name).write({"labels": labels})
    await visit.server.watcher.look()
    return redirect(path_of("teach", [("model", name)]))


def _write_empty(target: Path) -> None:
    """A model that has learned something and forgotten it again: it knows nothing, and can learn."""
    try:
        Classifier().fit(["nothing"], ["nothing"]).forget(["nothing"], ["nothing"]).save(target)
    except OSError as error:
        raise Problem(507, f"the model could not be written: {error.strerror or error}") from None
