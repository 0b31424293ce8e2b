"""Tables of figures in HTML: every number is there, in its row, and names are only text."""

from banbury.display.html import piece
from banbury.display.html_tables import (
    LARGEST_CONFUSION,
    classes_table,
    confusion_table,
    figures_table,
    table,
)
from banbury.stats.intervals import Interval
from hostile import HOSTILE, Look, assert_harmless


def rows_of(html: str) -> list[list[str]]:
    """The texts of each row of the tables."""
    return [Look(row).texts for row in html.split("<tr>")[1:]]


def test_the_first_columns_are_texts_and_the_first_cell_names_the_row() -> None:
    html = table(["word", "label", "nats"], [["happy", "yes", 1.5]], "Words", texts=2).html
    assert html.count('class="text" scope="col"') == 2
    assert '<th class="text" scope="row">happy</th><td class="text">yes</td><td>1.5</td>' in html
    assert "<caption>Words</caption>" in html


def test_figures_have_four_places_and_their_intervals() -> None:
    html = figures_table([("accuracy", 0.75, Interval(0.5, 0.9)), ("MCC", 0.5, None)], "two", ["a note"]).html
    assert rows_of(html)[1:] == [
        ["accuracy", "0.7500", "0.5000 to 0.9000"],
        ["MCC", "0.5000", "a note"],  # the note stands below the table
    ]


def test_a_class_without_an_area_has_an_empty_cell() -> None:
    row = {"label": "a", "precision": 1, "recall": 0.5, "f1": 2 / 3, "roc_auc": None}
    row |= {"documents": 2, "predicted": 1, "right": 1}
    assert rows_of(classes_table([row]).html)[1] == ["a", "1.0000", "0.5000", "0.6667", "2", "1", "1"]


def test_right_and_wrong_have_their_colours_by_the_share_of_the_row() -> None:
    html = confusion_table(["ham", "spam"], [[8, 2], [0, 9]]).html
    assert '<td class="for-7">8</td>' in html  # 8 of 10, in steps of an eighth
    assert '<td class="against-4">2</td>' in html  # the root of 2 of 10
    assert '<td class="for-8">9</td>' in html


def test_of_very_many_classes_the_most_frequent_mistakes_are_listed() -> None:
    n = LARGEST_CONFUSION + 1
    confusion = [[0] * n for _ in range(n)]
    confusion[3][5], confusion[7][1] = 4, 9
    rows = rows_of(confusion_table([f"c{number}" for number in range(n)], confusion).html)
    assert rows[1:] == [["c7", "c1", "9"], ["c3", "c5", "4"]]


def test_names_are_never_markup() -> None:
    for count in (2, 20):
        names = (HOSTILE * 3)[:count]
        assert_harmless(piece(confusion_table(names, [[1] * count] * count)))
