"""Diagrams: areas are as large as counts, numbers are those given."""

from math import pi
from typing import Any

import pytest
from matplotlib import pyplot

from banbury import Classifier
from banbury.display.diagrams import bayes_tree, circle_distance, circle_overlap, class_plane, count_scatter, venn
from banbury.errors import InputError
from banbury.results.contingency import TwoByTwo


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    pyplot.close("all")


def texts_of(ax: Any) -> str:
    return "\n".join(text.get_text() for text in ax.texts)


def test_the_circles_of_a_venn_diagram_overlap_as_the_counts_do() -> None:
    ax: Any = venn(4, 31, 1, 64, names=("positive", "amazing"))
    first, second = ax.patches
    assert (first.radius / second.radius) ** 2 == pytest.approx(35 / 5)
    overlap = circle_overlap(first.radius, second.radius, second.center[0] - first.center[0])
    assert overlap / (pi * first.radius**2) == pytest.approx(4 / 35, rel=1e-6)
    assert all(
        text in texts_of(ax) for text in ("positive", "amazing", "31\n31%", "4\n4%", "1\n1%", "neither\n64\n64%")
    )


@pytest.mark.parametrize("both, only_first, only_second", [(0, 5, 3), (3, 5, 0), (3, 0, 0)])
def test_circles_that_lie_apart_or_in_each_other(both: int, only_first: int, only_second: int) -> None:
    ax: Any = venn(both, only_first, only_second, 1, names=("a", "b"))
    first, second = ax.patches
    distance = second.center[0] - first.center[0]
    assert (distance > first.radius + second.radius) == (both == 0)
    assert both == 0 or distance == pytest.approx(abs(first.radius - second.radius))


def test_the_distance_of_circles_gives_their_overlap() -> None:
    for overlap in (0.1, 0.5, 1.0):
        assert circle_overlap(1.0, 0.7, circle_distance(1.0, 0.7, overlap)) == pytest.approx(overlap, abs=1e-9)


def test_the_tree_has_the_numbers_of_bayes_rule() -> None:
    ax: Any = bayes_tree([("ill", 0.01, 0.9), ("healthy", 0.99, 0.05)], evidence="positive")
    shown = texts_of(ax)
    assert "0.01 × 0.9 = 0.009" in shown
    assert "0.99 × 0.05 = 0.0495" in shown
    assert "P(ill | positive) = 0.1538" in shown
    assert "P(positive | amazing) = 0.8" in texts_of(TwoByTwo(4, 31, 1, 64, names=("positive", "amazing")).plot_tree())


def test_words_lie_where_their_counts_are() -> None:
    ax: Any = count_scatter(["happy", "sad", "the"], [20, 1, 50], [2, 18, 51], names=("positive", "negative"))
    assert ax.collections[0].get_offsets().tolist() == [[21, 3], [2, 19], [51, 52]]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert {"happy", "sad", "the"} <= set(texts_of(ax).splitlines())


def test_a_table_of_words_and_a_report_draw_themselves() -> None:
    texts, labels = ["so happy", "so sad", "very happy", "so very sad", "happy", "sad"], ["yes", "no"] * 3
    model = Classifier.textbook().fit(texts, labels)
    assert model.words("yes").plot_counts().get_xlabel() == "count in yes, plus 1"
    assert model.words().plot_counts().get_ylabel() == "count in no, plus 1"
    ax: Any = model.evaluate(texts, labels).plot_plane()
    assert ax.get_xlabel() == "log P(document | yes)"
    logs = model.joint_log_likelihood(texts[:1])[0] - model.log_prior_
    assert ax.collections[0].get_offsets()[0].tolist() == pytest.approx([logs[1], logs[0]])


def test_ellipses_hold_two_and_three_deviations() -> None:
    x, y = [-1.0, 1.0, -1.0, 1.0], [-2.0, -2.0, 2.0, 2.0]
    ax: Any = class_plane(x, y, ["a"] * 4, names=("a", "b"))
    widths = sorted((ellipse.width, ellipse.height) for ellipse in ax.patches)
    deviations = ((4 / 3) ** 0.5, (16 / 3) ** 0.5)
    for (width, height), times in zip(widths, (2, 3), strict=True):
        assert sorted((width, height)) == pytest.approx([2 * times * one for one in deviations])


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda: venn(-1, 2, 3, 4, names=("a", "b")), "none is negative"),
        (lambda: bayes_tree([("a", 0.5, 0.5)], evidence="b"), "sum to 0.5"),
        (lambda: bayes_tree([("a", 1.0, 1.5)], evidence="b"), "between 0 and 1"),
        (lambda: count_scatter(["a"], [1, 2], [1, 2], names=("a", "b")), "1 words, but 2 and 2 counts"),
    ],
)
def test_bad_input_is_one_clear_error(wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wrong()


def test_of_three_classes_two_have_to_be_named() -> None:
    model = Classifier.textbook().fit(["a", "b", "c"], ["x", "y", "z"])
    report = model.evaluate(["a", "b", "c"], ["x", "y", "z"])
    with pytest.raises(InputError, match="of which two classes"):
        report.plot_plane()
    with pytest.raises(InputError, match="no class 'w'"):
        report.plot_plane("x", "w")
    assert report.plot_plane("x", "y").get_xlabel() == "log P(document | x)"
    with pytest.raises(InputError, match="counts of which class"):
        model.words().plot_counts()
    assert model.words("x").plot_counts().get_ylabel() == "count in the other classes, plus 1"
