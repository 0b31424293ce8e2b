"""Train: a dropped file becomes a model, with its report and what is doubtful in the file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.responses import Response

from banbury import _kernel
from banbury.apps.spam import MAIL_COLUMNS
from banbury.classifier import Classifier
from banbury.diagnosis.duplicates import Duplicates, duplicates, repeated_rows
from banbury.display.forms import control
from banbury.display.html import Markup, element, isolated
from banbury.readers import Batch, Reader
from banbury.readers.formats import MAIL
from banbury.readers.typed import labels_to_learn, left_to_learn, to_learn
from banbury.server.models import Learned, labels_of
from banbury.server.page import findings, layout, plans
from banbury.server.page.dropping import drop_zone, file_list, progress
from banbury.server.page.files import opened
from banbury.server.page.findings import Trained
from banbury.server.page.jobs import Job
from banbury.server.page.visit import Visit, answer, path_of, redirect
from banbury.server.problems import Problem
from banbury.storage import ENDING
from banbury.tables.frame import Table
from banbury.tables.frame import read as as_table

# Bytes of texts in which duplicates are looked for: of a million rows they would need a gigabyte.
MOST_COMPARED_BYTES = 16 << 20
# Cells of a table from which everything is chosen, 8 bytes each; rows beyond them are counted, batch by batch.
MOST_TABLE_CELLS = 20_000_000
MODEL_NAME = re.compile(r"[\w][\w .-]{0,59}")


async def show(visit: Visit) -> Response:
    """The room: a file to choose, the guess of its columns, progress, the result."""
    files = visit.server.files
    if files.home is None:
        told = "Models are trained into a folder: start with banbury studio, or banbury serve FOLDER."
        return answer(layout.page(visit, "train", "Train", layout.empty("There is no folder", element("p", told))))
    title = element("h1", "Train")
    if visit.field("job"):
        return await _show_job(visit, title)
    if not visit.field("file"):
        zone = element("div", drop_zone(visit, "train", "Drop a file with examples and their labels"), class_="card")
        return answer(layout.page(visit, "train", "Train", title, zone, file_list(visit, "train")))
    path = files.path(visit.field("file"))
    if visit.request.method == "POST" and not visit.field("look"):
        return redirect(path_of("train", [("job", _start(visit, path).id)]))
    guess = await visit.server.workers.run(lambda: plans.plan(visit, path))
    name = visit.field("name") or _free_name(visit, path)
    card = layout.card(["What is in ", isolated(path.name, width=60)], plans.form(visit, path, guess, name))
    rows = layout.card("Is this right?", plans.first_rows(guess) or layout.note("No rows can be shown."))
    return answer(layout.page(visit, "train", "Train", title, card, rows))


def _free_name(visit: Visit, path: Path) -> str:
    stem = re.sub(r"[^\w-]+", "-", path.name.partition(".")[0]).strip("-")[:50] or "model"
    name, number = stem, 1
    while name in visit.server.models:
        number += 1
        name = f"{stem}-{number}"
    return name


# The work


def _start(visit: Visit, path: Path) -> Job:
    name = visit.field("name").strip()
    if not MODEL_NAME.fullmatch(name):
        raise Problem(422, f"{name[:60]!r} cannot be the name of a model: letters, digits, spaces, dots and dashes can")
    home = visit.server.files.home
    assert home is not None
    target = home / f"{name}{ENDING}"
    is_elsewhere = name in visit.server.models and visit.server.models[name].path != target
    if is_elsewhere or (target.exists() and not visit.field("replace")):
        raise Problem(409, f"there is a model {name!r} already: choose another name, or replace it")
    how = {**plans.options_of(visit), "bad_rows": visit.field("bad_rows") or "skip"}
    reader = opened(path, **how)
    try:
        reader.needs_labels()
    except ValueError as error:
        raise Problem(422, str(error).replace(str(path), path.name)) from None
    learn, effort = visit.field("learn"), "best" if visit.field("effort") == "best" else "counting"

    def work(job: Job) -> Trained:
        classifier = Classifier(effort=effort)
        is_mail = learn == "mail" and reader.layout.format in MAIL
        trained = table_model(job, reader, classifier, name, is_mail) if learn in ("table", "mail") else _texts(
            job, reader, classifier, name)  # fmt: skip
        job.doing = "Writing the model"
        try:
            classifier.save(target)
        except OSError as error:
            trained.unsaved = f"{target.name}: {error.strerror or error}"
        return trained

    return visit.server.jobs.start(f"train {name}", work)


def _texts(job: Job, reader: Reader, classifier: Classifier, name: str) -> Trained:
    rows = _Rows(job, reader)
    classifier.fit_batches(rows)
    trained = _trained(name, classifier, reader)
    job.doing, job.share = "Looking for duplicates", None
    if trained.report is not None:
        trained.documents |= {one.index: one.text for one in trained.report.doubtful}
        trained.labels |= {one.index: one.label for one in trained.report.doubtful}
    if rows.kept is not None:
        texts = [text for batch in rows.kept for text in batch.texts]
        labels = [label for batch in rows.kept for label in batch.labels or []]
        trained.duplicates = duplicates(texts, labels)
        for group in findings.groups(trained.duplicates):
            trained.documents |= {row: texts[row] for row in group}
            trained.labels |= {row: labels[row] for row in group}
    return trained


def table_model(
    job: Job,
    reader: Reader,
    classifier: Classifier,
    name: str,
    is_mail: bool = False,
    most_cells: int = MOST_TABLE_CELLS,
) -> Trained:
    """A model of all rows; of a table that is too large for memory, the settings are those of rows spread over it."""
    columns: Any = MAIL_COLUMNS if is_mail else None
    rows = _Rows(job, reader)
    n_rows = sum(map(len, rows))
    every = max(1, -(-n_rows * len(reader.layout.columns) // most_cells))
    labels = labels_to_learn(rows, every)
    table = as_table(to_learn(rows, reader.layout, columns, [], every))
    job.doing, job.share = "Choosing what each column is", None
    classifier.columns = columns
    classifier.fit(table, labels)
    if every > 1:
        for some, some_labels in left_to_learn(rows, reader.layout, classifier.columns_, every):
            classifier.learn(some, some_labels)
    trained = _trained(name, classifier, reader)
    if not is_mail:
        _list_rows(trained, table, labels, every)
    return trained


def _list_rows(trained: Trained, table: Table, labels: list[Any], every: int) -> None:
    """Note the doubtful rows and the repeated ones, by their places in the file."""
    doubtful = trained.report.doubtful if trained.report is not None else []
    repeated = repeated_rows(table, labels)
    in_groups = (row for group in findings.groups(repeated) for row in group)
    for row in {*(one.index for one in doubtful), *in_groups}:
        trained.documents[row * every] = {name: _as_json(cell) for name, cell in table.row(row).items()}
        trained.labels[row * every] = labels[row]
    if trained.report is not None:
        moved = [replace(one, index=one.index * every) for one in doubtful]
        trained.report = replace(trained.report, doubtful=moved)
    places = [[[row * every for row in group] for group in groups] for groups in (repeated.exact, repeated.conflicting)]
    trained.duplicates = Duplicates(repeated.n_documents, places[0], [], places[1])


def _as_json(cell: Any) -> Any:
    """A cell as the journal writes it: a date as a text, which a column of dates reads."""
    return cell.isoformat() if hasattr(cell, "isoformat") else cell


def _trained(name: str, classifier: Classifier, reader: Reader) -> Trained:
    report = getattr(classifier, "report_", None)
    bad = [f"line {one.line}: {one.reason}" for one in reader.bad_rows]
    return Trained(name, classifier, report, reader.n_rows, reader.skipped, bad)


class _Rows:
    """The batches of a reader, which tell a job how far they are; few of them are kept, for finding duplicates."""

    def __init__(self, job: Job, reader: Reader) -> None:
        self._job, self._reader = job, reader
        self.can_be_read_again = reader.can_be_read_again
        self.kept: list[Batch] | None = []

    def __iter__(self) -> Iterator[Batch]:
        self.kept, size = [], 0
        for batch in self._reader:
            size += 0 if batch.texts is None else _kernel.size(batch.texts)
            if size > MOST_COMPARED_BYTES or batch.texts is None:
                self.kept = None
            if self.kept is not None:
                self.kept.append(batch)
            self._job.doing = f"Reading: {self._reader.n_rows:,} rows"
            self._job.share = min(self._reader.position / self._reader.size, 1.0) if self._reader.size else None
            yield batch
        self._job.doing, self._job.share = (
            f"Choosing the settings by leaving out each of {self._reader.n_rows:,} rows",
            None,
        )


# The result


async def _show_job(visit: Visit, title: Markup) -> Response:
    job = visit.server.jobs.get(visit.field("job"))
    if job is None:
        told = "The server was started anew since, or the training is long ago. The file is still here: begin again."
        again = control("a", "To the files", href="train", class_="button main")
        return answer(
            layout.page(visit, "train", "Train", title, layout.empty("This is not known", element("p", told), again))
        )
    here = path_of("train", [("job", job.id)])
    if not job.is_done:
        shown = progress(job, "training", here)
    elif job.failure is not None:
        back = control("a", "Back to the files", href="train", class_="button")
        body = layout.card("It could not be trained", element("p", job.failure, class_="wrong"), back, role="alert")
        shown = control("div", body, id="training")
    else:
        trained: Trained = job.result
        if trained.unsaved is None and trained.name not in visit.server.models:
            await visit.server.watcher.look()
        shown = await visit.server.workers.run(lambda: control("div", _result(job, trained), id="training"))
    return answer(shown if visit.part == "training" else layout.page(visit, "train", "Train", title, shown))


def _result(job: Job, trained: Trained) -> list[Any]:
    model = trained.name
    told = f"{trained.n_rows:,} rows, {len(labels_of(trained.classifier))} labels"
    told += f", {trained.skipped:,} bad rows left out" if trained.skipped else ""
    links = [
        control("a", "Download it", href=path_of("download", [("job", job.id)]), class_="button main", download=True),
        *(control("a", what, href=path_of(room, [("model", model)]), class_="button")
          for room, what in (("try", "Try it"), ("words", "What it learned"), ("teach", "Teach it more"))
          if trained.unsaved is None),
    ]  # fmt: skip
    return [
        layout.card(
            [isolated(model, width=60), " is trained"],
            element("p", told, class_="quiet"),
            element("p", f"It could not be kept here: {trained.unsaved}. Download it, or it is lost.", class_="wrong")
            if trained.unsaved
            else None,
            element("div", links, class_="acts"),
            element("details", element("summary", "Bad rows"), element("ul", [element("li", one) for one in
                                                                              trained.bad_rows[:50]]))
            if trained.bad_rows
            else None,
        ),
        findings.sections(job, trained),
    ]  # fmt: skip


async def download(visit: Visit) -> Response:
    """A model as a file: one that was trained here, or one that is served."""
    classifier: Learned
    if visit.field("job"):
        job = visit.server.jobs.get(visit.field("job"))
        if job is None or not isinstance(job.result, Trained):
            raise Problem(404, "this training is not known any more; the model is among the others, if it was kept")
        name, classifier = job.result.name, job.result.classifier
    else:
        name, classifier = visit.model.name, visit.model.learned

    def work() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            classifier.save(path)
            return path.read_bytes()

    content = await visit.server.workers.run(work)
    ascii_name = re.sub(r"[^A-Za-z0-9._-]", "-", name)
    headers = {"content-disposition": f'attachment; filename="{ascii_name}{ENDING}"', "cache-control": "no-store"}
    return Response(content, headers=headers, media_type="application/octet-stream")
