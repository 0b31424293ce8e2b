"""How accuracy grows with the number of documents."""

from typing import Any

import pytest

from banbury import Classifier
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.report.learning_curve import learning_curve
from hostile import assert_harmless


def test_a_curve_grows_and_is_the_same_each_time() -> None:
    texts, labels = demo()
    model = Classifier.textbook(analyzer="tweets")
    curve = learning_curve(model, texts, labels)
    assert curve.sizes == sorted(set(curve.sizes))
    assert curve.sizes[-1] + curve.n_tested == len(texts)
    assert curve.accuracies[-1] > curve.accuracies[0] + 0.1
    for low, accuracy, high in zip(curve.low, curve.accuracies, curve.high, strict=True):
        assert low < accuracy < high
    assert learning_curve(model, texts, labels) == curve
    assert learning_curve(model, texts, labels, seed=1) != curve
    assert not model.__sklearn_is_fitted__()


def test_the_last_point_is_the_model_of_all_documents() -> None:
    texts, labels = demo()
    curve = learning_curve(Classifier.textbook(), texts[::2], labels[::2], test=(texts[1::2], labels[1::2]))
    whole = Classifier.textbook().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
    assert curve.sizes[-1] == 300 == curve.n_tested
    assert curve.accuracies[-1] == whole.accuracy
    assert curve.log_losses[-1] == pytest.approx(whole.log_loss)


def test_a_curve_shows_itself() -> None:
    curve = learning_curve(Classifier.textbook(), *demo(), sizes=[50, 10])
    assert [row["documents"] for row in curve.rows()] == [10, 50] == curve.sizes
    assert str(curve).splitlines()[0] == "documents  accuracy     95% interval  log loss"
    assert_harmless(curve._repr_html_())
    ax: Any = curve.plot()
    assert list(ax.lines[0].get_xdata()) == [10, 50]
    ax.figure.canvas.draw()


def test_every_class_is_learned_from_the_beginning() -> None:
    labels = ["a"] * 50 + ["b"] * 3 + ["c"]
    curve = learning_curve(Classifier.textbook(), [f"word{label}" for label in labels], labels, sizes=[3])
    assert curve.accuracies == [1.0]


@pytest.mark.parametrize(
    "texts, labels, options, message",
    [
        (["a", "b"], ["x"], {}, "2 documents but 1 labels"),
        (["a", "b"], ["x", "x"], {}, "needs two classes at least; these documents have 1"),
        ([], [], {}, "these documents have 0"),
        (["a", "b"], ["x", "y"], {}, "nothing to test on"),
        (["a", "b"] * 9, ["x", "y"] * 9, {"sizes": [1]}, "sizes has 1; with these documents it can be from 2 to 14"),
        (["a", "b"] * 9, ["x", "y"] * 9, {"sizes": [99]}, "sizes has 99"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    texts: list[str], labels: list[str], options: dict[str, list[int]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        learning_curve(Classifier.textbook(), texts, labels, sizes=options.get("sizes"))
