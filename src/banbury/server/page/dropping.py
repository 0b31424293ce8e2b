"""Where files are dropped or chosen, and the list of those that are here."""

from __future__ import annotations

from time import localtime, strftime
from typing import Any

from banbury.display.forms import control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_tables import table
from banbury.server.page.jobs import Job
from banbury.server.page.visit import Visit

ACCEPTED_FORMATS = "CSV, TSV, JSON Lines, Parquet, mbox, fastText, plain lines, or a zip of folders; compressed or not"


def drop_zone(visit: Visit, room: str, what: str) -> Markup:
    """A form for one file; with a script, files can also be dropped on it."""
    model = visit.models[0].name if visit.models else ""
    return control(
        "form",
        element("h2", what),
        element("p", ACCEPTED_FORMATS, class_="quiet"),
        control("input", type="hidden", name="room", value=room),
        control("input", type="hidden", name="model", value=model) if room != "train" else None,
        element(
            "div",
            control(
                "label",
                element("span", "File ", class_="quiet"),
                control("input", type="file", name="file", required=True),
            ),
            control("button", "Send it", class_="main"),
            class_="acts",
        ),
        element("div", class_="sending", role="status"),
        action="files",
        method="post",
        enctype="multipart/form-data",
        data_drop=True,
        class_="drop",
    )


def file_list(visit: Visit, room: str) -> Markup | None:
    """The files that are here, each with a way to use it and to remove it."""
    files = visit.server.files.list()
    if not files:
        return None
    rows = [
        (
            control("a", isolated(one.name, width=60), href=visit.address(room, file=one.name)),
            _size(one.size),
            strftime("%Y-%m-%d %H:%M", localtime(one.written)),
            control(
                "form",
                control("input", type="hidden", name="file", value=one.name),
                control("input", type="hidden", name="room", value=room),
                control("button", "Remove", class_="plain small", aria_label=f"Remove {one.name}"),
                action="remove",
                method="post",
            ),
        )
        for one in files
    ]
    return element(
        "div", element("h2", "Files that are here"), table(("file", "size", "came", "act"), rows), class_="card files"
    )


def _size(size: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size //= 1000
    return f"{size} GB"


def progress(job: Job, part: str, address: str, *children: Any) -> Markup:
    """How far a job is; a script asks again, without one a link does."""
    bar = (
        control("progress", value=f"{job.share:.3f}", max=1, aria_label=job.doing)
        if job.share is not None
        else control("progress", aria_label=job.doing)
    )
    return control(
        "div",
        control("section", element("h2", f"{job.doing} …"), bar, children,
                control("noscript", control("a", "Look again", href=address, class_="button")), class_="card"),
        id=part,
        data_poll=address,
        role="status",
    )  # fmt: skip
