"""Findings of training, as text and as JSON: figures, choices, strongest words, doubtful rows.

What needs NumPy is imported inside functions: a plain model has no such findings, and its command does not wait for it.
"""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli.blocks import Block, Blocks
from banbury.display.characters import shorten
from banbury.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from banbury.classifier import Classifier
    from banbury.diagnosis.duplicates import Duplicates
    from banbury.diagnosis.leaks import Leak
    from banbury.results.training_report import TrainingReport

MOST_LABELS_SEARCHED = 20  # whose words are looked for
MOST_STRONGEST = 10  # words of a label; half as many are shown where there are more than a few labels
FEW_LABELS = 4
MOST_EXAMPLES = 5  # doubtful rows
MOST_SHOWN_COLUMNS = 12  # of a table that are shown
TEXT_WIDTH = 60
FILE_WIDTH = 40
HEAD = ("", "log loss", "accuracy", "")


class Findings(Record):
    """What is worth telling about a model and the rows that it was trained on."""

    report: TrainingReport | None
    place: Callable[[int], int | str]
    """From the number of a row, from 0 on, to its line or its file."""
    place_name: str
    """What that is: `"line"`, `"row"` or `"file"`."""
    strongest: dict[str, list[str]]
    leaks: list[Leak] | None
    """Words that give a class away; None where they were not looked for."""
    duplicates: Duplicates | None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        plain: dict[str, Any] = {}
        if (report := self.report) is not None:
            plain |= {"leave_one_out": report.to_dict(), "chosen": report.chosen, "note": report.note}
            plain["doubtful_labels"] = [
                {self.place_name: self.place(doubt.index), "label": doubt.label, "probability": doubt.probability,
                 "text": doubt.text}
                for doubt in report.doubtful
            ]  # fmt: skip
        plain["strongest_words"] = self.strongest
        if self.leaks is not None:
            plain["leaks"] = [leak._asdict() for leak in self.leaks]
        if (repeated := self.duplicates) is not None:
            plain["duplicates"] = {
                "repeats": repeated.n_repeats,
                "near": repeated.n_near,
                "conflicting": repeated.conflicting,
            }
        return plain

    def blocks(self) -> Blocks:
        """The findings as blocks of text, a screen or two."""
        blocks = [] if self.report is None else list(self._chosen(self.report))
        if self.strongest:
            n_words = MOST_STRONGEST if len(self.strongest) <= FEW_LABELS else MOST_STRONGEST // 2
            rows = [(label, ", ".join(words[:n_words])) for label, words in self.strongest.items()]
            blocks.append(Block("strongest words", rows))
        blocks += [] if self.report is None else self._doubtful(self.report)
        faults = [*self._giving_away(), *self._repeated()]
        blocks += [Block("worth a second look", faults)] if faults else []
        return Blocks(blocks)

    def _chosen(self, report: TrainingReport) -> list[Block]:
        if len(report.tried) > 1:
            rows: list[tuple[str, ...]] = [HEAD]
            marked = None
            for number, tried in enumerate(report.tried, 1):
                marked = number if tried.name == report.chosen else marked
                chosen = "chosen" * (number == marked)
                rows.append((tried.name, f"{tried.log_loss:.4f}", f"{tried.accuracy:.4f}", chosen))
            blocks = [Block("what was tried; the least log loss is best", rows, right=(1, 2), marked=marked)]
        else:
            blocks = [Block(f"chosen: {report.chosen}")]
        if report.columns:
            columns = sorted(report.columns, key=lambda column: -column.weight)
            heaviest = columns[:MOST_SHOWN_COLUMNS]
            rows = [(column.name, f"{column.weight:.3f}", column.kind.split("(")[0]) for column in heaviest]
            most = f" most: {MOST_SHOWN_COLUMNS} of {len(columns)}" if len(columns) > MOST_SHOWN_COLUMNS else ""
            blocks.append(Block(f"columns that count{most}", rows, right=(1,)))
        return blocks

    def _doubtful(self, report: TrainingReport) -> list[Block]:
        if not report.doubtful:
            return []
        from banbury.results.training_report import MOST_DOUBTFUL

        number = f"{MOST_DOUBTFUL} or more" if len(report.doubtful) == MOST_DOUBTFUL else str(len(report.doubtful))
        heading = f"doubtful labels: {number}" + (
            "; the least probable" if len(report.doubtful) > MOST_EXAMPLES else ""
        )
        rows: list[tuple[str, ...]] = [
            (
                shorten(str(self.place(doubt.index)), FILE_WIDTH)
                if self.place_name == "file"
                else f"{self.place_name} {self.place(doubt.index)}",
                shorten(str(doubt.label), 20),
                f"{doubt.probability:.1%}",
                shorten(" ".join(doubt.text.split()), TEXT_WIDTH),
            )
            for doubt in report.doubtful[:MOST_EXAMPLES]
        ]
        return [Block(heading, rows, right=(2,), is_cut=True)]

    def _giving_away(self) -> list[tuple[str, ...]]:
        if not self.leaks:
            return []
        shown = ", ".join(f"{leak.word} ({leak.label})" for leak in self.leaks[:MOST_EXAMPLES])
        such = "such as " if len(self.leaks) > MOST_EXAMPLES else ""
        return [("words that give a class away", f"{len(self.leaks)}, {such}{shown}")]

    def _repeated(self) -> list[tuple[str, ...]]:
        repeated = self.duplicates
        if repeated is None or not (repeated.n_repeats or repeated.n_near):
            return []
        told = f"of rows before them: {repeated.n_repeats} exact, {repeated.n_near} near"
        if repeated.conflicting:
            told += f"; groups with different labels: {len(repeated.conflicting)}"
        return [("duplicates", told)]


def strongest_words(classifier: Classifier) -> dict[str, list[str]]:
    """The words that speak for each label most surely, as in the page of a report; none of very many labels."""
    counts = classifier.counts_
    if len(counts.classes) > MOST_LABELS_SEARCHED:
        return {}
    from banbury.report.class_words import keywords

    return {str(label): [one.word for one in words] for label, words in keywords(counts).items()}


def giving_away(classifier: Classifier) -> list[Leak] | None:
    """Words that give a class away; None where the model has no words."""
    from banbury.diagnosis.dependence import words_only
    from banbury.diagnosis.leaks import leaks

    counts = classifier.counts_
    words = words_only(counts.analyzer)
    return None if words is None else leaks(counts if words == counts.analyzer else counts.narrowed(words))
