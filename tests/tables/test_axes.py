"""What values say, each alone: it adds up to the score of a row, and a nomogram shows it."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from banbury import Classifier, Gaussian, Poisson
from banbury.datasets import demo
from banbury.errors import InputError, NotAvailable


def table(n: int = 400) -> tuple[dict[str, Any], list[str]]:
    rng = np.random.default_rng(2)
    left, right = rng.normal(size=n), rng.choice(["up", "down"], n)
    is_yes = (left > 0) ^ (right == "up") ^ (rng.random(n) < 0.1)
    found = {"left": left, "right": right, "count": rng.poisson(2 + 3 * is_yes), "member": rng.random(n) < 0.5}
    return found, np.where(is_yes, "yes", "no").tolist()


@pytest.fixture(scope="module")
def model() -> Classifier:
    return Classifier().fit(*table())


def odds(model: Classifier, row: dict[str, Any]) -> float:
    (no, yes) = model.predict_log_proba([row])[0]
    return float(yes - no)


def test_what_values_say_adds_up_to_the_odds_of_a_row(model: Classifier) -> None:
    nomogram = model.nomogram("yes", against="no", pairs=10)
    assert_allclose(odds(model, {}), nomogram.start, atol=1e-9)
    said = {(row["column"], row["value"]): row["nats"] for row in nomogram.rows()}
    assert_allclose(odds(model, {"right": "up"}), nomogram.start + said["right", "up"], atol=1e-9)
    assert_allclose(odds(model, {"member": True}), nomogram.start + said["member", "yes"], atol=1e-9)
    (pair,) = [axis for axis in nomogram.pairs if axis.name == "left & right"]
    # Both signs: neither column tells anything without the other.
    assert min(nats for _, nats in pair.marks) < -0.5
    assert max(nats for _, nats in pair.marks) > 0.5


def test_every_kind_has_an_axis() -> None:
    rows, labels = table()
    rows["amount"] = np.exp(rows["left"])
    kinds = {"left": "gaussian", "right": "categorical", "count": "poisson", "member": "bernoulli"}
    plain = Classifier.textbook(columns={**kinds, "amount": Gaussian(scale="log")}).fit(rows, labels)
    nomogram = plain.nomogram()
    assert {axis.name for axis in nomogram.columns} == {*kinds, "amount"}
    assert nomogram.pairs == []
    assert all(np.isfinite(row["nats"]) for row in nomogram.rows())
    histogram = Classifier.textbook(columns={"left": "histogram", "count": "number"}).fit(rows, labels)
    assert len(histogram.nomogram().columns) == 2


def test_top_and_pairs_limit_what_is_shown(model: Classifier) -> None:
    nomogram = model.nomogram(top=1, pairs=0)
    assert len(nomogram.columns) == 1
    assert nomogram.pairs == []
    assert nomogram.n_more == 3


def test_a_boundary_has_the_probabilities_of_the_model(model: Classifier) -> None:
    boundary = model.boundary("left", "count", "yes")
    assert len(boundary.x) == len(boundary.y) == 48
    row = {"left": boundary.x[5], "count": boundary.y[40]}
    assert_allclose(boundary.probabilities[40][5], model.predict_proba([row])[0][1], rtol=1e-9)


def test_a_boundary_asks_about_whole_numbers_where_counts_are_counted() -> None:
    columns, labels = table(200)
    counted = Classifier(columns={"count": Poisson(), "left": Gaussian()}).fit(columns, labels)
    boundary = counted.boundary("count", "left")
    assert boundary.x == [float(count) for count in range(len(boundary.x))]
    assert np.shape(boundary.probabilities) == (48, len(boundary.x))
    assert "as likely as not" in boundary._repr_html_()


def test_what_cannot_be_drawn_is_refused(model: Classifier) -> None:
    with pytest.raises(InputError, match="there is no class 'maybe'"):
        model.nomogram("maybe")
    with pytest.raises(InputError, match="different ones"):
        model.nomogram("yes", against="yes")
    with pytest.raises(InputError, match="'right' is no column of numbers that vary; there is 'count', 'left'"):
        model.boundary("left", "right")
    with pytest.raises(InputError, match="there is no class"):
        model.boundary("left", "count", "maybe")
    texts = Classifier().fit(*demo())
    for ask in (texts.nomogram, lambda: texts.boundary("a", "b")):
        with pytest.raises(NotAvailable, match="no columns"):
            ask()


def test_a_report_shows_the_columns(model: Classifier) -> None:
    page = model.evaluate(*table(100)).html(diagnose=False)
    assert 'id="columns"' in page
    assert "yes rather than no" in page
