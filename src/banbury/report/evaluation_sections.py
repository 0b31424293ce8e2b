"""Sections of a report page on how well a model predicts: figures, probabilities, words, mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from banbury.display.characters import NAME_WIDTH
from banbury.display.html import Markup, element, isolated
from banbury.display.html_tables import classes_table, figures_table, table
from banbury.display.svg import Line, bars, line_chart
from banbury.report.class_words import Keyword
from banbury.results.evaluation import MOST_CURVES, Evaluation
from banbury.results.explanation import Explanation
from banbury.results.metrics import Bin, Kept
from banbury.results.mistakes import Confused, Mistake, WordAtFault

WORD_WIDTH = 40
MOST_LISTED = 20  # words of a table
MOST_GROUPS = 10
MOST_BARS = 12


Place = Callable[[int], str]


def document_number(row: int) -> str:
    """Where a document stands, if nobody knows of a file: its number among those that were given, from 0 on."""
    return f"Document {row}"


def cards(evaluation: Evaluation) -> Markup:
    """The figures that matter most, at a glance."""
    shown = ("accuracy", "macro-F1", "ROC AUC", "log loss", "calibration error")
    return element(
        "dl",
        [
            element(
                "div",
                element("dt", figure.name),
                element(
                    "dd", f"{figure.value:.1%}" if figure.name == "accuracy" else f"{figure.value:.3f}", class_="big"
                ),
                element("dd", str(figure.interval) if figure.interval else "", class_="quiet"),
            )
            for figure in evaluation.figures()
            if figure.name in shown
        ],
        class_="cards",
    )


def figures(evaluation: Evaluation) -> list[Any]:
    """All figures with their intervals, and those of each class."""
    notes = evaluation.notes()
    caption = f"{evaluation.n_right} of {evaluation.n_documents} documents right"
    return [figures_table(evaluation.figures(), caption, notes), classes_table(evaluation.rows())]


def confused_groups(groups: Sequence[Confused]) -> list[Markup] | None:
    """Groups of classes that are taken for each other; None where there are none."""
    if not groups:
        return None
    return [
        element("h3", "Classes that are taken for each other"),
        element(
            "ul",
            [
                element("li", _labels(group.classes), f": {group.mistakes} mistakes, {group.share:.1%} of all")
                for group in groups[:MOST_GROUPS]
            ],
        ),
    ]


def _labels(labels: Sequence[Any]) -> list[Any]:
    return [
        part
        for number, label in enumerate(labels)
        for part in (", " if number else "", isolated(label, width=NAME_WIDTH))
    ]


def probabilities(evaluation: Evaluation) -> Markup | None:
    """The reliability diagram, and the accuracy of the surest documents; None where there are no probabilities."""
    if not evaluation.reliability:
        return None
    drawings = [reliability_figure(evaluation.reliability), _coverage(evaluation.coverage), *_ranking(evaluation)]
    return element("div", *drawings, class_="side")


def _ranking(evaluation: Evaluation) -> list[Markup]:
    """ROC and precision–recall curves of the largest classes; none where files kept no single documents."""
    if evaluation.predictions is None:
        return []
    curves = sorted(evaluation.curves(), key=lambda one: -one.share)
    if not curves:
        return []
    shown, of_largest = curves[:MOST_CURVES], f" The {MOST_CURVES} largest classes." if curves[MOST_CURVES:] else ""
    roc = [
        Line(f"{one.label}: area {one.area:.4f}", list(zip(one.false_positive_rates, one.recalls, strict=True)))
        for one in shown
    ]
    precision = [
        Line(
            f"{one.label}: average precision {one.average_precision:.4f}",
            list(zip(one.recalls, one.precisions, strict=True)),
        )
        for one in shown
    ]
    rows = [
        (isolated(one.label, width=NAME_WIDTH), f"{one.area:.4f}", f"{one.average_precision:.4f}", f"{one.share:.2%}")
        for one in curves[:MOST_LISTED]
    ]
    head = ("class", "ROC area", "average precision", "share")
    return [
        _curves(roc, "ROC", ("false positive rate", "recall"), f"Each class against the others.{of_largest}", True),
        _curves(
            precision,
            "Precision and recall",
            ("recall", "precision"),
            f"How pure a class is as more of it is found.{of_largest}",
            False,
            table(head, rows, "By class"),
        ),
    ]


def _curves(
    lines: Sequence[Line], title: str, names: tuple[str, str], caption: str, diagonal: bool, *more: Markup
) -> Markup:
    thin = [Line(one.name, one.points, sizes=[]) for one in lines]
    ends: Any = {"x_range": (0, 1), "y_range": (0, 1), "percent": True}
    drawing = line_chart(thin, title=title, x_title=names[0], y_title=names[1], diagonal=diagonal, **ends)
    return element("figure", drawing, element("figcaption", f"{title}. {caption}"), *more)


def reliability_figure(
    bins: Sequence[Bin],
    x_title: str = "probability of the predicted class",
    y_title: str = "share that is right",
    unit: str = "documents",
) -> Markup:
    """The reliability diagram, and its numbers; `unit` is what the bins count."""
    most = max(bin_.documents for bin_ in bins)
    line = Line(
        "model",
        [(bin_.probability, bin_.accuracy) for bin_ in bins],
        [bin_.interval.low for bin_ in bins],
        [bin_.interval.high for bin_ in bins],
        [(bin_.documents / most) ** 0.5 for bin_ in bins],
    )
    drawing = line_chart(
        [line],
        title="Reliability diagram",
        x_title=x_title,
        y_title=y_title,
        x_range=(0, 1),
        y_range=(0, 1),
        diagonal=True,
        percent=True,
    )
    rows = [
        (f"{bin_.low:.0%} to {bin_.high:.0%}", bin_.documents, f"{bin_.probability:.4f}", f"{bin_.accuracy:.4f}")
        for bin_ in bins
    ]
    return element(
        "figure",
        drawing,
        element("figcaption", "Dots on the line can be believed; the band has their 95 % intervals."),
        table(("probability", unit, "mean", "right"), rows, "By probability"),
    )


def _coverage(kept: Sequence[Kept]) -> Markup:
    lowest = min(point.accuracy for point in kept)
    drawing = line_chart(
        [Line("model", [(point.coverage, point.accuracy) for point in kept], sizes=[0.0] * len(kept))],
        title="Accuracy of the surest documents",
        x_title="share of the documents that is decided",
        y_title="accuracy",
        x_range=(0, 1),
        y_range=(max(int(lowest * 20) / 20 - 0.05, 0), 1),
        percent=True,
    )
    deciles = [next(point for point in kept if point.coverage >= share / 10 - 1e-9) for share in range(1, 11)]
    rows = [
        (f"{point.coverage:.1%}", f"{point.threshold:.4f}", f"{point.accuracy:.4f}") for point in dict.fromkeys(deciles)
    ]
    return element(
        "figure",
        drawing,
        element("figcaption", "How accurate it is when only the surest documents are decided."),
        table(("decided", "from", "accuracy"), rows, "By share of the documents"),
    )


def class_words(words: Mapping[Any, Sequence[Keyword]]) -> Markup:
    """The words that speak for each class most surely."""
    rows = [
        (
            isolated(label, width=NAME_WIDTH),
            element(
                "div",
                [
                    element(
                        "span",
                        isolated(keyword.word, width=WORD_WIDTH),
                        element("small", f" {keyword.weight:+.1f}", class_="quiet"),
                        title=f"in {keyword.documents} documents of the class and {keyword.others} others",
                    )
                    for keyword in some
                ],
                class_="words",
            ),
        )
        for label, some in words.items()
    ]
    caption = "The words that speak for each class most surely, with the weight of their presence in nats"
    return element("div", table(("class", "words"), rows, caption, texts=2), class_="wide")


def mistakes(surest: Sequence[Mistake], words: Sequence[WordAtFault], place: Place = document_number) -> list[Any]:
    """The surest mistakes, word by word, and the words at fault; `place` says where a document stands."""
    if not surest:
        return [element("p", "There are none.")]
    articles = [
        element(
            "article",
            element(
                "h3",
                isolated(place(mistake.index)),
                ": ",
                isolated(mistake.predicted, width=NAME_WIDTH),
                f" ({mistake.probability:.1%}), but it is ",
                isolated(mistake.label, width=NAME_WIDTH),
            ),
            _explained(mistake.explanation),
        )
        for mistake in surest
    ]
    return [
        element("p", "Those of which the model was surest. Blue speaks for the wrong class, orange against it."),
        articles,
        table_at_fault(words),
    ]


def _explained(explanation: Explanation) -> list[Any]:
    """The text with its words tinted, and the strongest of them as bars."""
    bars_of = explanation.steps(MOST_BARS)[1 : 1 + MOST_BARS]  # without the prior, and what is weaker
    return [
        explanation.highlighted(),
        *(
            element(
                "div",
                bars(bars_of, title="The strongest evidence, in nats", narrow=narrow),
                class_=class_,
                tabindex="0",
            )
            for narrow, class_ in ((False, "scroll wide-only"), (True, "scroll narrow-only"))
        ),
    ]


def table_at_fault(words: Sequence[WordAtFault]) -> Markup | None:
    """The table of words that speak most for wrong classes; None where there are none."""
    if not words:
        return None
    rows = [(isolated(word.word, width=WORD_WIDTH), word.documents, f"{word.nats:.2f}") for word in words[:MOST_LISTED]]
    caption = "Words that speak for the wrong class, over all mistakes"
    return table(("word", "mistakes", "nats"), rows, caption)
