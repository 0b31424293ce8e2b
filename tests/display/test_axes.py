"""What all drawings share: axes, names, scales."""

import sys

import pytest
from matplotlib import pyplot

from banbury.display.axes import axes_for, drawn_name, titled, unframed, with_whole_numbers
from banbury.errors import MissingExtra


def test_axes_are_those_given_or_of_a_new_figure_of_the_size_asked_for() -> None:
    ax = axes_for(None, (3.0, 2.0))
    assert ax.figure.get_size_inches().tolist() == [3.0, 2.0]  # type: ignore[union-attr]
    n_figures = len(pyplot.get_fignums())
    assert axes_for(ax, (9.0, 9.0)) is ax
    assert len(pyplot.get_fignums()) == n_figures


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'banbury\[plot\]'"):
        axes_for(None, (3.0, 2.0))


@pytest.mark.parametrize("label, drawn", [("spam", "spam"), (7, "7"), ("$a$", r"\$a\$"), ("x" * 40, "x" * 27 + "…")])
def test_names_are_short_and_no_formulas(label: object, drawn: str) -> None:
    assert drawn_name(label) == drawn


def test_a_title_is_drawn_where_there_is_one() -> None:
    ax = axes_for(None, (3.0, 2.0))
    assert titled(ax, "") is ax
    assert ax.get_title(loc="left") == ""
    assert titled(unframed(ax), "costs $").get_title(loc="left") == r"costs \$"
    assert not ax.spines["top"].get_visible()
    assert ax.spines["left"].get_visible()


def test_a_logarithmic_axis_has_whole_numbers() -> None:
    ax = axes_for(None, (3.0, 2.0))
    ax.set_xscale("log")
    ax.set_xlim(1, 10_000)
    with_whole_numbers(ax.xaxis)
    ax.figure.canvas.draw()
    assert {"1", "10", "1,000", "10,000"} <= {text.get_text() for text in ax.get_xticklabels()}
