"""A nomogram as text, as data and as a picture."""

from banbury.display.nomogram import Axis
from banbury.results.nomogram import Nomogram

NOMOGRAM = Nomogram(
    "yes",
    "no",
    -0.5,
    [Axis("sex", [("male", -1.0), ("female", 1.25)])],
    [Axis("sex & age", [("= male & below 5", 0.75)])],
    3,
)


def test_it_prints_what_each_value_says() -> None:
    assert str(NOMOGRAM).splitlines() == [
        "yes rather than no, in nats; without any value -0.500",
        "column                value    nats",
        "sex                    male  -1.000",
        "sex                  female  +1.250",
        "sex & age  = male & below 5  +0.750",
        "a pair's nats are what it says beyond what each of its columns says; 3 more columns and pairs are not shown",
    ]


def test_it_is_plain_data_and_a_picture() -> None:
    assert NOMOGRAM.rows()[1] == {"column": "sex", "value": "female", "nats": 1.25}
    picture = NOMOGRAM.svg().html
    assert "P(yes)" in picture
    assert "= male &amp; below 5" in picture
    assert NOMOGRAM._repr_html_().count("<svg") == 1
