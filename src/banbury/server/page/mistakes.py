"""Mistakes: how well a model predicts a labelled file, the documents behind it, and what a threshold would do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from starlette.responses import Response

from banbury.classifier import Classifier
from banbury.display.forms import choice, control
from banbury.display.html import Markup, element, isolated
from banbury.display.html_bars import steps_table
from banbury.display.html_tables import classes_table, confusion_table, table
from banbury.lazy import numpy as np
from banbury.report.evaluation_sections import cards, probabilities
from banbury.report.report import Report
from banbury.results.decisions import Costs
from banbury.results.thresholds import Thresholds
from banbury.server.models import ServedModel
from banbury.server.page import layout
from banbury.server.page.dropping import drop_zone, file_list, progress
from banbury.server.page.files import rows_for
from banbury.server.page.jobs import Job
from banbury.server.page.visit import Visit, answer, redirect
from banbury.server.problems import Problem
from banbury.server.reading import LARGE, PAGE_POLICY
from banbury.server.requests import name_of

MOST_EVALUATED_ROWS = 200_000  # that are read of a file
MOST_CASES = 8  # documents behind a cell
MOST_CASE_STEPS = 6
LONGEST_DOCUMENT = 5_000  # characters of a document


@dataclass
class Evaluated:
    """A model as it was, and how well it predicted a file."""

    report: Report
    sequence: int
    is_cut: bool

    @cached_property
    def probabilities(self) -> Any:
        """Probabilities, by document and class."""
        predictions = self.report.predictions
        assert predictions.log_probabilities is not None
        return np.exp(predictions.log_probabilities)

    def thresholds(self, label: Any) -> Thresholds:
        """Thresholds on the probability of one class."""
        predictions = self.report.predictions
        chances = self.probabilities[:, predictions.classes.index(label)]
        return Thresholds.of(chances, [true == label for true in predictions.truth])


async def show(visit: Visit) -> Response:
    """The room: a file to choose, its progress, its result."""
    if not visit.models:
        return redirect("try")
    model, file = visit.model, visit.field("file")
    if not model.labels:
        return answer(layout.page(visit, "mistakes", "Mistakes", layout.knows_nothing(visit)))
    title = element("h1", "Mistakes of ", isolated(model.name, width=40))
    if not file:
        return answer(layout.page(visit, "mistakes", "Mistakes", title, _begin(visit)))
    path = visit.server.files.path(file)
    jobs = visit.server.jobs
    name = f"evaluate {model.name} {model.file} {file} {visit.field('text')} {visit.field('label_column')}"
    job = jobs.latest(name)
    if job is None or visit.field("again"):
        job = await _started(visit, model, path, name)
        if visit.field("again"):
            return redirect(_here(visit))
    if not job.is_done:
        cell = {name: visit.field(name) or None for name in ("true", "predicted")}
        shown = progress(job, "evaluation", _here(visit, **cell))
        return answer(shown if visit.part == "evaluation" else layout.page(visit, "mistakes", "Mistakes", title, shown))
    if job.failure is not None:
        return answer(_failed(visit, title, job.failure), 200)
    evaluated: Evaluated = job.result
    if visit.part == "costs":
        return answer(_costs(visit, evaluated))
    shown = await visit.server.workers.run(lambda: _result(visit, model, evaluated))
    if visit.part == "evaluation":
        return answer(shown)
    return answer(layout.page(visit, "mistakes", "Mistakes", title, shown))


async def keep(visit: Visit) -> Response:
    """The report in one file, to keep."""
    model, file = visit.model, visit.field("file")
    name = f"evaluate {model.name} {model.file} {file} {visit.field('text')} {visit.field('label_column')}"
    job = visit.server.jobs.latest(name)
    if job is None or job.result is None:
        raise Problem(404, "there is no evaluation of this file; make it first")
    report: Report = job.result.report
    page = await visit.server.workers.run(lambda: report.html(title=f"{model.name} on {file}", diagnose=False))
    headers = {"content-security-policy": PAGE_POLICY, "content-disposition": 'attachment; filename="report.html"'}
    return answer(page, 200, headers)


def _here(visit: Visit, **fields: Any) -> str:
    kept = {name: visit.field(name) or None for name in ("file", "text", "label_column")}
    return visit.address("mistakes", **(kept | fields))


def _begin(visit: Visit) -> list[Any]:
    if not visit.can("learn"):
        return [layout.note("Sending files needs a key of scope learn."), file_list(visit, "mistakes")]
    return [
        element(
            "div",
            drop_zone(visit, "mistakes", "Drop a labelled file"),
            layout.note(f"Of a longer file, the first {MOST_EVALUATED_ROWS:,} rows."),
            class_="card",
        ),
        file_list(visit, "mistakes"),
    ]


def _failed(visit: Visit, title: Markup, failure: str) -> Markup:
    body = element("div", element("p", failure, class_="wrong"), class_="card", role="alert")
    whole = control("div", body, _columns(visit, None), _begin(visit), id="evaluation")
    return layout.page(visit, "mistakes", "Mistakes", title, whole)


async def _started(visit: Visit, model: ServedModel, path: Path, name: str) -> Job:
    """Evaluate a copy: the model itself goes on answering and learning."""
    parts = await model.read(LARGE, lambda classifier: classifier.parts(), visit.server.workers)
    sequence = visit.server.sequence
    text, label = visit.field("text") or None, visit.field("label_column") or None

    def work(job: Job) -> Evaluated:
        job.doing = f"Reading {path.name}"
        rows = rows_for(model, path, most=MOST_EVALUATED_ROWS, with_labels=True, text=text, label=label)
        job.doing = f"Predicting {rows.n_rows:,} documents"
        classifier = Classifier.from_parts(*parts)
        return Evaluated(classifier.evaluate(rows.documents, rows.labels), sequence, rows.is_cut)

    return visit.server.jobs.start(name, work)


# The result


def _result(visit: Visit, model: ServedModel, evaluated: Evaluated) -> Markup:
    report = evaluated.report
    return control(
        "div",
        _about(visit, evaluated),
        cards(report),
        control(
            "div",
            layout.card(
                "Confusion",
                _confusion(visit, report),
                layout.note("Click a cell to see its documents."),
                class_="card stays",
            ),
            control("div", _behind(visit, evaluated), id="cell"),
            class_="pair",
        ),
        layout.card("Class by class", classes_table(report.rows())),
        _costs(visit, evaluated),
        layout.card("Can the probabilities be believed?", probabilities(report)),
        _columns(visit, report),
        id="evaluation",
    )


def _about(visit: Visit, evaluated: Evaluated) -> Markup:
    notes = [f"{evaluated.report.n_documents:,} documents of {visit.field('file')}."]
    if evaluated.is_cut:
        notes.append(f" The file has more; the first {MOST_EVALUATED_ROWS:,} were read.")
    if evaluated.sequence < visit.server.sequence:
        notes.append(" The model has learned since.")
    if evaluated.report.unknown_labels:
        notes.append(f" {evaluated.report.unknown_note()}")
    return element(
        "div",
        control("a", "The report in one file", href=_here_report(visit), class_="button", download=True),
        control("a", "Evaluate again", href=_here(visit, again=1), class_="button"),
        control("a", "Another file", href=visit.address("mistakes"), class_="button"),
        element("span", notes, class_="quiet"),
        class_="acts above",
    )


def _here_report(visit: Visit) -> str:
    kept = {name: visit.field(name) or None for name in ("file", "text", "label_column")}
    return visit.address("report", **kept)


def _confusion(visit: Visit, report: Report) -> Markup:
    chosen = (visit.field("true"), visit.field("predicted"))

    def cell(true: Any, predicted: Any, n: int) -> Markup:
        if not n:
            return element("span", "·", class_="quiet")
        names = name_of(true), name_of(predicted)
        return control(
            "a",
            f"{n:,}",
            href=_here(visit, true=names[0], predicted=names[1]) + "#cell",
            aria_label=f"{n} documents of {names[0]}, predicted as {names[1]}",
            aria_current="true" if names == chosen else None,
        )

    return confusion_table(report.classes, report.confusion, cell)


def _behind(visit: Visit, evaluated: Evaluated) -> Markup:
    """The documents of a cell of the confusion, the surest first, each with its reasons."""
    report, predictions = evaluated.report, evaluated.report.predictions
    by_name = {name_of(label): label for label in report.classes}
    true, predicted = by_name.get(visit.field("true")), by_name.get(visit.field("predicted"))
    if true is None or predicted is None:
        mistakes = [row for row, is_right in enumerate(predictions.is_right.tolist()) if not is_right]
        title: list[Any] = ["The surest mistakes"]
    else:
        pairs = zip(predictions.truth, predictions.predicted, strict=True)
        mistakes = [row for row, pair in enumerate(pairs) if pair == (true, predicted)]
        title = [isolated(name_of(true), width=28), " predicted as ", isolated(name_of(predicted), width=28)]
    confidence = predictions.confidence
    mistakes.sort(key=lambda row: -confidence[row])
    cases = [_case(evaluated, row) for row in mistakes[:MOST_CASES]]
    more = layout.note(f"{len(mistakes) - MOST_CASES:,} more") if len(mistakes) > MOST_CASES else None
    return layout.card(title, cases or element("p", "There are none."), more)


def _case(evaluated: Evaluated, row: int) -> Markup:
    report, predictions = evaluated.report, evaluated.report.predictions
    true, predicted = predictions.truth[row], predictions.predicted[row]
    is_known = true in predictions.classes
    against = true if is_known and true != predicted else None
    document = report.document(predictions.rows[row])
    if isinstance(document, str):
        document = document[:LONGEST_DOCUMENT]
    explained = report.model.explain(document, label=predicted, against=against)
    return element(
        "article",
        element("p", element("b", isolated(name_of(predicted), width=28), class_="for"),
                f" {predictions.confidence[row]:.1%}, is ", element("b", isolated(name_of(true), width=28)),
                element("span", f" · row {predictions.rows[row] + 1:,}", class_="quiet")),
        explained.highlighted_words(),
        element("details", element("summary", "Reasons"),
                steps_table(explained.steps(MOST_CASE_STEPS), "From the prior to the sum", score=explained.score)),
        class_="case",
    )  # fmt: skip


# Costs


def _costs(visit: Visit, evaluated: Evaluated) -> Markup:
    """Sliders of what mistakes cost, the threshold that follows, and what it catches and loses."""
    labels = evaluated.report.predictions.classes
    names = {name_of(label): label for label in labels}
    label = names.get(visit.field("of"), labels[-1])
    miss, alarm = (visit.number(name, 0.0, -2.0, 2.0) for name in ("miss", "alarm"))
    rule = Costs.of([False, True], {(True, False): 10**miss, (False, True): 10**alarm})
    threshold = 10**alarm / (10**miss + 10**alarm)
    thresholds = evaluated.thresholds(label)
    now, plain = thresholds.at(threshold), thresholds.at(0.5)
    roc, precision_recall = thresholds.drawings(threshold)
    rows = [
        (what, f"{mine:,}", f"{usual:,}")
        for what, mine, usual in (
            ("caught", now.caught, plain.caught),
            ("missed", now.missed, plain.missed),
            ("false alarms", now.false_alarms, plain.false_alarms),
            ("let through rightly", now.passed, plain.passed),
        )
    ]
    cost = rule.table[1][0] * now.missed + rule.table[0][1] * now.false_alarms
    usual = rule.table[1][0] * plain.missed + rule.table[0][1] * plain.false_alarms
    rows.append(("cost", f"{cost:,.1f}", f"{usual:,.1f}"))
    form = control(
        "form",
        *(control("input", type="hidden", name=name, value=visit.field(name))
          for name in ("file", "text", "label_column") if visit.field(name)),
        control("input", type="hidden", name="model", value=visit.model.name),
        layout.field("To be caught", choice("of", [(name, name) for name in names], name_of(label))),
        _slider("A miss costs", "miss", miss),
        _slider("A false alarm costs", "alarm", alarm),
        control("noscript", control("button", "Show")),
        action="mistakes",
        method="post",
        data_live="costs",
        id="cost-form",
    )  # fmt: skip
    claim = [
        "Decide for ", element("b", isolated(name_of(label), width=28)), " where its probability is at least ",
        element("b", f"{threshold:.1%}"), ".",
    ]  # fmt: skip
    figures = control(
        "div",
        element("p", claim),
        table(("documents", "so", "at 50 %"), rows),
        element("div", element("figure", roc), element("figure", precision_recall), class_="duo"),
        id="costs",
        aria_live="polite",
    )
    if visit.part == "costs":
        return figures
    return layout.card("What mistakes cost", element("div", form, figures, class_="split"))


def _slider(name: str, field: str, value: float) -> Markup:
    shown = 10**value
    return layout.field(
        name,
        control("input", type="range", name=field, min="-2", max="2", step="0.05", value=f"{value:.2f}",
                data_bar="power"),
        control("output", f"{shown:.3g}"),
    )  # fmt: skip


def _columns(visit: Visit, report: Report | None) -> Markup:
    """Which columns of the file are read, where the guess was wrong."""
    form = control(
        "form",
        control("input", type="hidden", name="file", value=visit.field("file")),
        control("input", type="hidden", name="model", value=visit.model.name),
        element(
            "div",
            [layout.field(f"Column of the {what}",
                          control("input", name=name, value=visit.field(name), placeholder="guessed"))
             for what, name in (("text", "text"), ("label", "label_column"))],
            control("button", "Read it so"),
            class_="options",
        ),
        action="mistakes",
        method="get",
    )  # fmt: skip
    return control("details", element("summary", "Other columns"), form, class_="card", open=report is None)
