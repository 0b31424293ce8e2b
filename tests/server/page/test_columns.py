"""Columns: what a model of a table has learned."""

from accessibility import violations
from browsing import Watched


def test_columns_come_in_the_order_of_what_they_matter(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=passengers")
    assert page.inner_text("h1") == "Columns of passengers"
    assert page.locator(".columns h2 bdi").first.inner_text() == "cabin"
    assert "P(first)" in page.inner_text(".columns section >> nth=0")
    assert violations(page) == []


def test_a_nomogram_has_an_axis_for_each_column(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/words?model=passengers")
    drawing = page.text_content(".nomogram svg")
    assert all(name in drawing for name in ("age", "cabin", "fare", "first", "third"))
