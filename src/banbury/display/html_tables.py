"""Figures of predictions as tables of HTML: plain data in, `Markup` out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from banbury.display.characters import NAME_WIDTH
from banbury.display.html import Markup, element, isolated, tint
from banbury.stats.intervals import Interval

LARGEST_CONFUSION = 60  # of a confusion as a whole: of more, the most frequent mistakes are listed
MOST_MISTAKES = 40
MOST_NAMED_CLASSES = 8  # classes whose names have room above a confusion; of more there are numbers


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str | None = None, texts: int = 1) -> Markup:
    """A table; its first `texts` columns are texts, and the first of them names the row.

    >>> table(["word", "nats"], [["happy", 1.5]]).html.count("<td")
    1
    """
    kinds = [(0 < column < texts and "text") or None for column in range(len(head))]
    heads = [
        element("th", name, class_="text" if column < texts else None, scope="col") for column, name in enumerate(head)
    ]
    body = [
        element(
            "tr",
            element("th", row[0], class_="text", scope="row"),
            [element("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)],
        )
        for row in rows
    ]
    title = None if caption is None else element("caption", caption)
    whole = element("table", title, element("thead", element("tr", heads)), element("tbody", body))
    return element("div", whole, class_="scroll", tabindex="0")


def figures_table(
    figures: Iterable[tuple[str, float, Interval | None]], caption: str, notes: Sequence[str] = ()
) -> Markup:
    """Named figures with their intervals, and notes below them."""
    rows = [
        (name, f"{value:.4f}", element("span", str(interval or ""), class_="quiet"))
        for name, value, interval in figures
    ]
    return element("div", table(("figure", "value", "95 % interval"), rows, caption), [element("p", n) for n in notes])


def classes_table(rows: Iterable[dict[str, Any]]) -> Markup:
    """Precision, recall and F1 of each class."""
    head = ("class", "precision", "recall", "F1", "ROC AUC", "documents", "predicted", "right")
    cells = [
        (
            isolated(row["label"], width=NAME_WIDTH),
            *(f"{row[name]:.4f}" for name in ("precision", "recall", "f1")),
            "" if row["roc_auc"] is None else f"{row['roc_auc']:.4f}",
            *(row[name] for name in ("documents", "predicted", "right")),
        )
        for row in rows
    ]
    return table(head, cells, "Class by class")


def confusion_table(
    classes: Sequence[Any],
    confusion: Sequence[Sequence[int]],
    cell: Callable[[Any, Any, int], Markup] | None = None,
) -> Markup:
    """The confusion as a heat map: blue where it is right, orange where it is wrong, by the share of the row.

    `cell` is a function from a true class, a predicted one and a count to what stands in the cell.

    >>> confusion_table(["ham", "spam"], [[8, 2], [0, 9]]).html.count("against-")
    1
    """
    if len(classes) > LARGEST_CONFUSION:
        return _confusions(classes, confusion)
    is_wide = len(classes) > MOST_NAMED_CLASSES
    columns = [str(column + 1) if is_wide else isolated(label, width=12) for column, label in enumerate(classes)]
    head = [element("th", "true ↓ predicted →", class_="text", scope="col")]
    head += [
        element("th", shown, scope="col", title=str(label) if is_wide else None)
        for shown, label in zip(columns, classes, strict=True)
    ]
    rows = []
    for number, (label, counts) in enumerate(zip(classes, confusion, strict=True)):
        total = max(sum(counts), 1)
        # The root, so that few mistakes are seen too.
        cells = [
            element(
                "td",
                cell(label, classes[column], n) if cell is not None else _count(n),
                class_=tint(n / total if column == number else -((n / total) ** 0.5)),
            )
            for column, n in enumerate(counts)
        ]
        name = [f"{number + 1}. " if is_wide else None, isolated(label, width=NAME_WIDTH)]
        rows.append(element("tr", element("th", name, class_="text", scope="row"), cells))
    caption = element("caption", "Documents by their true and their predicted class")
    body = (element("thead", element("tr", head)), element("tbody", rows))
    return element("div", element("table", caption, body, class_="confusion"), class_="scroll", tabindex="0")


def _count(n: int) -> Any:
    return str(n) if n else element("span", "·", class_="quiet")


def _confusions(classes: Sequence[Any], confusion: Sequence[Sequence[int]]) -> Markup:
    """The most frequent mistakes, as a list."""
    cells = [(-n, true, to) for true, row in enumerate(confusion) for to, n in enumerate(row) if n and true != to]
    rows = [
        (isolated(classes[true], width=NAME_WIDTH), isolated(classes[to], width=NAME_WIDTH), -n)
        for n, true, to in sorted(cells)[:MOST_MISTAKES]
    ]
    return table(("true", "predicted", "documents"), rows, "The most frequent mistakes", texts=2)
