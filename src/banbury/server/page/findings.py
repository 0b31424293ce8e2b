"""What training has found: figures, doubtful labels and duplicates, each with a button for what is to become of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.diagnosis.duplicates import Duplicates
from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_tables import classes_table, confusion_table
from banbury.report.evaluation_sections import cards, probabilities
from banbury.results.training_report import TrainingReport
from banbury.server.journal.entries import FORGET, LEARN, Change
from banbury.server.page import layout
from banbury.server.page.jobs import Job
from banbury.server.page.queues import shown
from banbury.server.page.visit import Visit, path_of, redirect
from banbury.server.problems import Problem
from banbury.server.requests import name_of

MOST_COPY_GROUPS = 20
MOST_IN_GROUP = 6
LONGEST_EXCERPT = 400  # characters of a document


@dataclass
class Trained:
    """A model that was trained here, and what was found on the way."""

    name: str
    classifier: Classifier
    report: TrainingReport | None
    n_rows: int
    skipped: int
    bad_rows: list[str]
    duplicates: Duplicates | None = None
    documents: dict[int, Any] = field(default_factory=dict)
    """The documents that are listed, by their rows: texts, or rows of a table by column."""
    labels: dict[int, Any] = field(default_factory=dict)
    """Their labels in the file."""
    decided: dict[int, str] = field(default_factory=dict)
    """What became of them."""
    unsaved: str | None = None
    """Why the model could not be written."""


def groups(repeated: Duplicates) -> list[list[int]]:
    """Groups of duplicates, those with different labels first; of each its first rows."""
    first = [group for group in repeated.conflicting if len(group) > 1]
    known = {group[0] for group in first}
    rest = [group for group in [*repeated.exact, *repeated.near] if group[0] not in known]
    return [group[:MOST_IN_GROUP] for group in [*first, *rest][:MOST_COPY_GROUPS]]


def sections(job: Job, trained: Trained) -> list[Any]:
    """The report of training, and the lists."""
    report, repeated = trained.report, trained.duplicates
    parts: list[Any] = []
    if report is not None:
        parts += [
            layout.note("Each row was predicted by a model that had not seen it (leave-one-out)."),
            cards(report),
            element("div", layout.card("Confusion", confusion_table(report.classes, report.confusion)),
                    layout.card("Class by class", classes_table(report.rows())), class_="by-width"),
        ]  # fmt: skip
        if report.reliability:
            parts.append(layout.card("Can the probabilities be believed?", probabilities(report)))
    names = [name_of(label) for label in trained.classifier.classes_.tolist()]
    if report is not None and report.doubtful:
        rows = [_row(job, trained, one.index, names, f"P = {one.probability:.1%}")
                for one in report.doubtful if one.index in trained.documents]  # fmt: skip
        parts.append(layout.card("Doubtful labels", layout.note("The model would say something else."), rows))
    if repeated is not None and (repeated.n_repeats or repeated.n_near):
        told = f"{repeated.n_repeats:,} rows repeat an earlier one, {repeated.n_near:,} nearly do."
        if repeated.conflicting:
            told += f" {len(repeated.conflicting):,} groups have different labels; they come first."
        listed = [
            element("div", [_row(job, trained, row, names, "") for row in group], class_="group")
            for group in groups(repeated)
        ]
        parts.append(layout.card("Duplicates", layout.note(told), listed))
    return parts


def _row(job: Job, trained: Trained, row: int, names: list[str], remark: str) -> Markup:
    labels, decided = trained.labels, trained.decided
    head = [element("b", isolated(name_of(labels[row]), width=30)), element("span", f" {remark} · row {row + 1:,}",
                                                                           class_="quiet")]  # fmt: skip
    text = shown(trained.documents[row])
    excerpt = element("div", text[:LONGEST_EXCERPT], "…" if len(text) > LONGEST_EXCERPT else "", class_="document")
    if row in decided:
        told = element("p", decided[row], class_="quiet")
        return element("article", element("p", head), excerpt, told, class_="case")
    others = [(name, name) for name in names if name != name_of(labels[row])]
    acts = control(
        "form",
        control("input", type="hidden", name="job", value=job.id),
        control("input", type="hidden", name="row", value=str(row)),
        control("label", element("span", "as "), choice("label", others, None), class_="inline"),
        control("button", "Relabel", name="act", value="relabel", class_="small"),
        control("button", "Drop", name="act", value="drop", class_="small"),
        control("button", "Keep", name="act", value="keep", class_="small plain"),
        action="correct",
        method="post",
        data_part="training",
        class_="acts",
    )
    return element("article", element("p", head), excerpt, acts, class_="case", id=f"row-{row}")


async def correct(visit: Visit) -> Response:
    """Relabel, drop or keep a row: the model forgets it, and learns it anew, through the journal."""
    job = visit.server.jobs.get(visit.field("job"))
    trained = job.result if job is not None else None
    row = int(visit.number("row", -1, -1, 2**53))
    if job is None or trained is None or row not in getattr(trained, "documents", {}):
        raise Problem(404, "this row is not known any more; train again")
    document, label, act = trained.documents[row], trained.labels[row], visit.field("act")
    back = path_of("train", [("job", job.id)]) + f"#row-{row}"
    if row in trained.decided:
        return redirect(back)
    if act == "keep":
        trained.decided[row] = "Kept as it is."
        return redirect(back)
    learner = visit.server.learner
    if learner is None:
        raise Problem(409, "this server has no journal, so nothing can be changed: start it with --journal FILE")
    model = visit.server.models.named(trained.name)
    key = f"page-{job.id}-{row}"
    size = len(shown(document))
    forget = Change(model.name, FORGET, [document], [label], key=f"{key}-forget", fingerprint=act)
    await learner.submit(forget, size)
    trained.decided[row] = "Dropped."
    if act == "relabel":
        known = {name_of(one): one for one in model.labels}
        new = known.get(visit.field("label"), visit.field("label"))
        await learner.submit(Change(model.name, LEARN, [document], [new], key=f"{key}-learn", fingerprint=act), size)
        trained.decided[row] = f"Relabelled as {name_of(new)}."
    return redirect(back)
