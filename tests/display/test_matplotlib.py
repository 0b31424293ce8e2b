"""Pictures with matplotlib: they draw any names and numbers, and what they draw is right."""

import io
import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from banbury import Classifier
from banbury.display import matplotlib as pictures
from banbury.errors import InputError, MissingExtra
from hostile import HOSTILE
from small_texts import signs

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def drawn(ax: Any) -> str:
    """The picture as SVG, rendered whole: what cannot be drawn fails here."""
    file = io.StringIO()
    ax.figure.savefig(file, format="svg")
    return file.getvalue()


def texts_of(ax: Any) -> list[str]:
    labels = [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts]
    return [text.get_text() for text in labels]


@pytest.mark.parametrize("n", [1, 2, 20, 40])
@pytest.mark.parametrize("shares", [False, True])
def test_a_confusion_matrix_has_its_numbers(n: int, shares: bool) -> None:
    counts = np.arange(1, n * n + 1).reshape(n, n)
    ax: Any = pictures.confusion_matrix(
        [f"a class with a long name {i}" for i in range(n)], counts.tolist(), shares=shares
    )
    drawn(ax)
    numbers = {text.get_text() for text in ax.texts}
    if n > pictures.MOST_NUMBERED_CLASSES:
        assert not numbers
    else:
        assert len(ax.texts) == n * n
        assert (f"{counts[0, 0] / counts[0].sum():.2f}" if shares else "1") in numbers
    with pytest.raises(InputError, match=r"of 3 classes is a square of numbers, not of shape \(1, 2\)"):
        pictures.confusion_matrix(["a", "b", "c"], [[1, 2]])


def test_reliability_leaves_empty_bins_out() -> None:
    ax: Any = pictures.reliability(
        [0.1, 0.5, 0.9], [0.2, math.nan, 0.8], [10, 0, 30], low=[0.1, 0, 0.6], high=[0.4, 1, 0.9]
    )
    drawn(ax)
    assert [0.1, 0.9] in [list(line.get_xdata()) for line in ax.lines]
    assert len(ax.collections[-1].get_offsets()) == 2


def test_a_waterfall_ends_at_its_sum() -> None:
    explanation = signs().explain("happy love weather, sad")
    ax: Any = explanation.plot()
    drawn(ax)
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    for (_, end), (start, _) in pairwise(ends[:-1]):
        assert start == pytest.approx(end)
    assert ends[-2][1] == pytest.approx(explanation.score) == pytest.approx(ends[-1][1])
    assert ax.get_yticklabels()[0].get_text() == "prior"


def test_an_impossibility_leads_over_the_edge() -> None:
    ax: Any = signs(smoothing=0).explain("happy sad weather").plot()
    drawn(ax)
    assert {"+∞", "−∞"} <= set(texts_of(ax))
    assert "+∞" in texts_of(pictures.bars([("a", math.inf), ("b", 1.0)]))


def test_the_words_of_a_class_draw_themselves() -> None:
    ax: Any = signs().words("positive").plot(most=4)
    drawn(ax)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["happy", "love", "hate", "sad"]


def test_curves_and_coverage_draw_lines_and_bands() -> None:
    lines = {"words": ([10, 100, 1000], [0.6, 0.7, 0.8]), "pairs": ([10, 100, 1000], [0.5, 0.7, 0.9])}
    bands = {"words": ([0.5, 0.6, 0.7], [0.7, 0.8, 0.9])}
    ax: Any = pictures.curves(
        lines, bands=bands, x_title="documents", y_title="accuracy", logarithmic=True, percent=True
    )
    drawn(ax)
    assert [line.get_label() for line in ax.lines] == ["words", "pairs"]
    assert len(ax.collections) == 1
    assert "100%" in texts_of(drawn_first(pictures.coverage([0.1, 1.0], [1.0, 0.9])))


def drawn_first(ax: Any) -> Any:
    drawn(ax)
    return ax


def test_axes_that_are_given_are_drawn_into() -> None:
    figure, axes = plt.subplots(2, 3)
    drawings: list[Callable[[Any], Any]] = [
        lambda ax: pictures.confusion_matrix(["a", "b"], [[1, 0], [0, 1]], ax=ax),
        lambda ax: pictures.reliability([0.5], [0.5], [1], ax=ax),
        lambda ax: pictures.waterfall([("a", 1.0)], ax=ax),
        lambda ax: pictures.bars([], ax=ax),
        lambda ax: pictures.coverage([1.0], [1.0], ax=ax),
        lambda ax: signs().explain("happy").plot(ax),
    ]
    for ax, draw in zip(axes.ravel(), drawings, strict=True):
        assert draw(ax) is ax
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("name", HOSTILE[::3])
@pytest.mark.filterwarnings("ignore:Glyph")  # the font has no such letter
@pytest.mark.filterwarnings("ignore:Matplotlib currently does not support")
def test_no_name_breaks_a_picture(name: str) -> None:
    drawn(pictures.confusion_matrix([name, "b"], [[1, 2], [3, 4]], title=name))
    ax: Any = pictures.waterfall([(name, 1.0)], title=name, unit=name)
    drawn(ax)
    drawn(pictures.curves({name: ([1, 2], [3, 4]), "b": ([1], [2])}, x_title=name, y_title=name, title=name))


def test_a_dollar_sign_is_a_dollar_sign() -> None:
    ax: Any = Classifier.textbook().fit(["a", "b"], ["$x^2$", "cost_$"]).explain("a").plot()
    assert "^2" not in drawn(ax).split("<!--")[0]
    assert ax.get_title(loc="left").startswith(r"\$x^2\$")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'banbury\[plot\]'"):
        pictures.bars([("a", 1.0)])
