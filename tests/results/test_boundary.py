"""The boundary of two columns as a picture."""

from banbury.results.boundary import Boundary


def test_the_line_is_where_a_class_is_as_probable_as_not() -> None:
    one_side = Boundary(("a", "b"), "yes", [0.0, 1.0], [0.0, 1.0], [[0.1, 0.2], [0.3, 0.4]])
    both = Boundary(("a", "b"), "yes", [0.0, 1.0], [0.0, 1.0], [[0.1, 0.9], [0.3, 0.4]])
    assert one_side.svg().html.count("currentColor") == 0
    assert both.svg().html.count("currentColor") == 2  # to the left of the corner and above it
    assert repr(both) == "<Boundary: P(yes) by a and b, 2 × 2 places>"
    assert "<svg" in both._repr_html_()
