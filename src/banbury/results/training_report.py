"""Report on training by leave-one-out: each document predicted by the model that has not seen it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from banbury.display.characters import NAME_WIDTH, shorten
from banbury.display.html import element, isolated
from banbury.display.html_tables import table
from banbury.errors import FileFormatError
from banbury.results.doubtful import Doubtful, doubtful_labels
from banbury.results.evaluation import Evaluation, evaluate
from banbury.results.metrics import Bin, Kept
from banbury.results.trials import ByLength, Seen, Tried
from banbury.stats.intervals import Interval
from banbury.surrogates import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from banbury.display.html import Markup

MOST_DOUBTFUL = 20
MOST_IN_A_CELL = 2**53  # of a confusion matrix: more cannot be counted one by one
LARGEST_FIGURE = 1e300  # of any figure in a file


@dataclass(frozen=True)
class ColumnUse:
    """The kind and the weight of a column of a table."""

    name: str
    kind: str
    weight: float
    importance: float | None = None
    """Nats that a row costs more where the column is missing, with all that it says together with others."""
    importance_interval: Interval | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TrainingReport(Evaluation):
    """Evaluation by leave-one-out, with the settings that were tried and chosen."""

    log_loss: float
    calibration_error: float
    chosen: str
    tried: list[Tried]
    note: str
    doubtful: list[Doubtful] = field(default_factory=list)
    """The documents that look mislabelled, the most doubtful first; files and copies do not keep them."""
    columns: list[ColumnUse] = field(default_factory=list)
    """The columns of a table."""
    by_length: list[ByLength] = field(default_factory=list)
    """How well documents, and parts of them, are predicted by the number of their words."""
    n_learned: int = 0
    """How many documents the model had learned when this was reported."""

    def __str__(self) -> str:
        lines = ["each document predicted by a model that has not seen it", f"chosen: {self.chosen}"]
        lines += [f"note: {self.note}"] if self.note else []
        lines.append(self.scorecard())
        if len(self.tried) > 1:
            width = max(len(tried.name) for tried in self.tried)
            lines += ["", f"{'tried':{width}}  log loss  accuracy"]
            lines += [f"{tried.name:{width}}  {tried.log_loss:8.4f}  {tried.accuracy:8.4f}" for tried in self.tried]
        if self.by_length:
            lines += ["", "words of a text (documents and parts of them)  texts  accuracy  log loss"]
            lines += [
                f"{entry.name:>45}  {entry.texts:5}  {entry.accuracy:8.4f}  {entry.log_loss:8.4f}"
                for entry in self.by_length
            ]
        if self.columns:
            width = max(len(entry.name) for entry in self.columns)
            lines += ["", f"{'column':{width}}  counts  nats lost without it  as"]
            lines += [
                f"{entry.name:{width}}  {entry.weight:6.3f}  {_importance(entry):>20}  {entry.kind}"
                for entry in self.columns
            ]
        if self.doubtful:
            lines += ["", "doubtful labels"]
            lines += [
                f"{entry.index:>8}  {shorten(str(entry.label), NAME_WIDTH)} ({entry.probability:.2%})  "
                f"{shorten(' '.join(entry.text.split()), 72)}"
                for entry in self.doubtful
            ]
        return without_surrogates("\n".join(lines))

    def _tables(self) -> list[Markup]:
        """What a notebook shows: as much as is printed."""
        head = [
            element(
                "p", "Each document predicted by a model that has not seen it. Chosen: ", element("b", self.chosen)
            ),
            *([element("p", f"Note: {self.note}")] if self.note else []),
        ]
        tables = []
        if len(self.tried) > 1:
            rows = [(entry.name, f"{entry.log_loss:.4f}", f"{entry.accuracy:.4f}") for entry in self.tried]
            tables.append(table(("tried", "log loss", "accuracy"), rows, "What was tried; the least log loss is best"))
        if self.by_length:
            lengths = [
                (entry.name, entry.texts, f"{entry.accuracy:.4f}", f"{entry.log_loss:.4f}") for entry in self.by_length
            ]
            caption = "By the number of words: documents, and parts of them"
            tables.append(table(("words", "texts", "accuracy", "log loss"), lengths, caption))
        if self.columns:
            uses = [
                (
                    isolated(entry.name, width=NAME_WIDTH),
                    f"{entry.weight:.3f}",
                    _importance(entry),
                    isolated(entry.kind),
                )
                for entry in self.columns
            ]
            tables.append(table(("column", "counts", "nats lost without it", "as"), uses, "Columns"))
        if self.doubtful:
            doubts = [
                (
                    str(entry.index),
                    element("span", isolated(entry.label, width=NAME_WIDTH), f" ({entry.probability:.2%})"),
                    isolated(" ".join(entry.text.split()), width=90),
                )
                for entry in self.doubtful
            ]
            tables.append(table(("document", "label", "text"), doubts, "Doubtful labels", texts=3))
        return [*head, *super()._tables(), *tables]

    def since(self, classes: list[Any], documents: list[int]) -> TrainingReport:
        """The report with a note on what the model has learned since it was made."""
        n_documents, new = sum(documents), [label for label in classes if label not in self.classes]
        if not self.n_learned or (n_documents == self.n_learned and not new):
            return self
        then = f"the {self.n_learned} documents that the model had learned then"
        note = f"this speaks of {then}; by now it has {n_documents}"
        if new:
            note += (
                f", and {'a new label' if len(new) == 1 else f'{len(new)} new labels'}: {', '.join(map(str, new[:3]))}"
            )
        if new or n_documents >= 2 * self.n_learned:
            note += "; refit_settings(texts, labels) would choose again"
        return replace(self, note=f"{self.note}; {note}" if self.note else note)

    def with_prior(self, measured: Any, prior: Any) -> TrainingReport:
        """The report with a note where its figures were measured with another prior than the model now has."""
        if measured == prior:
            return self
        note = f"these figures were measured with prior={measured!r}, not with the prior that the model now has"
        return replace(self, note=f"{self.note}; {note}" if self.note else note)

    def settings(self) -> dict[str, Any]:
        """The report as plain data, for a file: all but the documents."""
        left_out = ("doubtful", "predictions")
        return {entry.name: _plain(getattr(self, entry.name)) for entry in fields(self) if entry.name not in left_out}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> TrainingReport:
        """The report that `settings` came from."""
        values: dict[str, Any] = {
            **settings,
            "tried": [Tried(**entry) for entry in settings["tried"]],
            "by_length": [ByLength(**entry) for entry in settings["by_length"]],
            "columns": [_column_use(entry) for entry in settings["columns"]],
            "reliability": [Bin(**entry) for entry in settings["reliability"]],
            "coverage": [Kept(**entry) for entry in settings["coverage"]],
            "unknown_labels": [tuple(entry) for entry in settings["unknown_labels"]],
        }
        for name in ("log_loss_interval", "brier_interval"):
            values[name] = None if settings[name] is None else Interval(*settings[name])
        report = cls(**values)
        if type(report.n_learned) is not int or not _is_sound(report):
            raise FileFormatError("its report says what no report says")
        return report


def _is_sound(report: TrainingReport) -> bool:
    """Whether what comes from a file is what a report consists of, so that it can be shown."""
    n_classes = len(report.classes)
    details: list[dict[str, Any]] = []
    for parts in (report.tried, report.reliability, report.coverage, report.columns):
        details += [asdict(part) for part in parts]
    texts = [report.chosen, report.note]
    figures = [number for one in report.tried for number in (one.log_loss, one.accuracy)]
    figures += [number for part in report.reliability for number in asdict(part).values()]
    figures += [number for part in report.coverage for number in asdict(part).values()]
    for by_length in report.by_length:
        figures += [by_length.least, by_length.texts, by_length.accuracy, by_length.log_loss]
    figures += [column.weight for column in report.columns]
    figures += [report.log_loss, report.calibration_error, report.n_repeats]
    intervals = [report.log_loss_interval, report.brier_interval, *(use.importance_interval for use in report.columns)]
    figures += [end for interval in intervals if interval is not None for end in interval]
    texts += [detail.pop(name) for detail in details for name in ("name", "kind") if name in detail]
    numbers = [report.brier, report.roc_auc, *report.roc_aucs]
    for detail in details:
        for value in detail.values():
            numbers += value if isinstance(value, tuple | list) else [value]
    cells = [cell for row in report.confusion for cell in row]
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(label, str | int | float) for label in report.classes)
        and [len(row) for row in report.confusion] == [n_classes] * n_classes
        and all(_is_number(cell) and 0 <= cell <= MOST_IN_A_CELL for cell in cells)
        and sum(cells) > 0
        and len(report.roc_aucs) in (0, n_classes)
        and all(len(entry) == 2 and _is_number(entry[1]) for entry in report.unknown_labels)
        and all(_is_number(number) for number in figures)
        and all(number is None or _is_number(number) for number in numbers)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST_FIGURE < value < LARGEST_FIGURE


def _column_use(settings: Mapping[str, Any]) -> ColumnUse:
    interval = settings["importance_interval"]
    return ColumnUse(**{**settings, "importance_interval": None if interval is None else Interval(*interval)})


def _importance(column: ColumnUse) -> str:
    """A column's importance, and how far its interval goes."""
    if column.importance is None or column.importance_interval is None:
        return ""
    return f"{column.importance:.4f} ± {(column.importance_interval.high - column.importance_interval.low) / 2:.4f}"


def _plain(value: Any) -> Any:
    if isinstance(value, Interval):
        return list(value)
    if isinstance(value, list):
        return [
            asdict(entry) if isinstance(entry, (Bin, ByLength, ColumnUse, Kept, Tried)) else entry for entry in value
        ]
    return value


def training_report(
    classes: list[Any],
    seen: Seen,
    text: Callable[[int], str],
    *,
    doubts: Seen | None = None,
    n_learned: int = 0,
) -> TrainingReport:
    """The report on leave-one-out predictions; `text` is a function from a row to its text.

    Doubtful labels are looked for in `doubts`, where more documents were seen there. The model has learned `n_learned`
    documents.
    """
    columns = seen.by_column(classes)
    evaluation = evaluate(
        [columns[number] for number in seen.class_ids.tolist()],
        log_probabilities=seen.log_probabilities,
        classes=columns,
        weights=seen.weights,
        rows=list(seen.rows),
    )
    return TrainingReport(
        **{field_.name: getattr(evaluation, field_.name) for field_ in fields(evaluation)},
        chosen=seen.chosen,
        tried=[tried for tried in seen.tried if isfinite(tried.log_loss)],
        note=seen.note,
        doubtful=_doubtful(classes, doubts or seen, text),
        by_length=seen.by_length,
        n_learned=n_learned,
    )


def _doubtful(classes: list[Any], seen: Seen, text: Callable[[int], str]) -> list[Doubtful]:
    columns = seen.by_column(classes)
    return doubtful_labels(
        seen.class_ids,
        seen.log_probabilities,
        label=lambda place: columns[seen.class_ids[place]],
        text=lambda place: text(seen.rows[place]),
        rows=seen.rows,
        most=MOST_DOUBTFUL,
    )
