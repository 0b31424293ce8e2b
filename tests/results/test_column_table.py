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


def picture(table: ColumnTable, label: str | None = None) -> str:
    drawn = table.svg(label)
    assert drawn is not None
    return drawn.html


def test_its_picture_compares_a_class_with_the_others() -> None:
    assert "+0.750" in picture(TABLE)
    assert "+1.250" in picture(TABLE, "no")
    assert TABLE._repr_html_().count("<svg") == 1


def test_a_pair_is_a_table_in_colours() -> None:
    cells = [Cell(("= 1", "below 4"), (1, 2), (0.5, -0.5)), Cell(("= 2", "4 or more"), (3, 0), (-0.25, 0.25))]
    pair = picture(ColumnTable(("class", "age"), "what they say beyond each", 0.5, ["no", "yes"], cells, []))
    assert pair.count("<rect") == 4  # two of which nobody is in
    assert pair.count("nobody") == 2
    assert "= 1 &amp; below 4: -1.000" in pair
    assert "+0.50" in pair


def of_parameters(*parameters: tuple[str, str, float], kind: str = "Gaussian") -> ColumnTable:
    made = [Parameter(name, label, value, Interval(0.0, 1.0)) for name, label, value in parameters]
    return ColumnTable(("x",), kind, 1.0, ["no", "yes"], [], made)


def test_a_column_without_cells_is_drawn_as_its_distribution() -> None:
    bells = (("mean", "no", 0.0), ("variance", "no", 1.0), ("mean", "yes", 2.0), ("variance", "yes", 4.0))
    assert picture(of_parameters(*bells)).count("<polyline") == 2
    assert "log x" in picture(of_parameters(*bells, kind="Number, log"))
    assert "probability" in picture(of_parameters(("rate", "no", 2.0), ("rate", "yes", 7.0), kind="Poisson"))
    shares = picture(of_parameters(("P(a)", "no", 0.25), ("P(a)", "yes", 0.75), kind="Categorical"))
    assert "P(a) in yes" in shares
    assert of_parameters().svg() is None
    # A class that has no spread has a density of one point.
    assert "<svg" in picture(of_parameters(("mean", "no", 1.0), ("variance", "no", 0.0), *bells[2:]))


def test_a_pair_is_drawn_in_the_order_of_its_values() -> None:
    cells = [Cell(("1", "9 or more"), (1, 2), (0.1, -0.1)), Cell(("2", "below 5"), (3, 0), (0.3, -0.3))]
    values = (("1", "2", "3"), ("below 5", "5–9", "9 or more"))
    html = ColumnTable(("a", "b"), "pair", 1.0, ["x", "y"], cells, [], values).svg().html  # type: ignore[union-attr]
    assert html.index("below 5") < html.index("9 or more")
    assert "5–9" not in html  # nobody is in it


def test_a_curve_has_no_dots_and_counts_stand_at_whole_numbers() -> None:
    interval = Interval(0.0, 1.0)
    bell = [Parameter(name, label, 1.0, interval) for name in ("mean", "variance") for label in "xy"]
    assert "<circle" not in ColumnTable(("a",), "Gaussian", 1.0, ["x", "y"], [], bell).svg().html  # type: ignore[union-attr]
    rates = [Parameter("rate", label, 5.0, interval) for label in "xy"]
    html = ColumnTable(("a",), "Poisson", 1.0, ["x", "y"], [], rates).svg().html  # type: ignore[union-attr]
    assert "<circle" in html
    assert ">2.5<" not in html
