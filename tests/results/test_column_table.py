"""A table of a column: as text, as plain data, as a picture."""

from banbury.results.column_table import Cell, ColumnTable, Parameter
from banbury.stats.intervals import Interval

TABLE = ColumnTable(
    ("size",),
    "Number",
    0.5,
    ["no", "yes"],
    [Cell(("below 3",), (4, 1), (0.5, -0.75)), Cell(("3 or more",), (0, 2), (-0.25, 0.5))],
    [Parameter("mean", "no", 1.5, Interval(1.0, 2.0))],
)


def test_it_prints_cells_and_parameters() -> None:
    assert str(TABLE).splitlines() == [
        "size: Number, counts 0.500",
        "",
        "size       rows no  rows yes  nats no  nats yes",
        "below 3          4         1   +0.500    -0.750",
        "3 or more        0         2   -0.250    +0.500",
        "",
        "parameter  class  value  95 % interval",
        "mean          no    1.5         1 to 2",
    ]


def test_it_is_plain_data() -> None:
    assert TABLE.rows()[1] == {"size": "below 3", "label": "yes", "count": 1, "nats": -0.75}
    assert len(TABLE.rows()) == 4


def test_its_picture_compares_a_class_with_the_others() -> None:
    assert "+0.750" in TABLE.svg().html
    assert "+1.250" in TABLE.svg("no").html
    assert TABLE._repr_html_().count("<svg") == 1
