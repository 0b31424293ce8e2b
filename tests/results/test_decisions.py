"""Decisions: the cheapest ones, and promises that are kept."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluation_reference as reference
from banbury import Classifier
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.results.decisions import Costs, Margin, decision_cost, promise
from banbury.results.evaluation import Evaluation, evaluate

MAIL = {("ham", "spam"): 10, ("spam", "ham"): 1}


def test_a_false_positive_that_costs_ten_needs_98_per_cent() -> None:
    costs = Costs.of(["ham", "spam"], MAIL, unsure=0.2)
    assert costs.ranges() == [("ham", 0.0, 0.2), (None, 0.2, pytest.approx(0.98)), ("spam", pytest.approx(0.98), 1.0)]
    chances = [0.0, 0.19, 0.21, 0.97, 0.99, 1.0]
    assert costs.decide([[1 - p, p] for p in chances]) == ["ham", "ham", None, None, "spam", "spam"]
    without = Costs.of(["ham", "spam"], MAIL)
    assert without.ranges() == [("ham", 0.0, pytest.approx(10 / 11)), ("spam", pytest.approx(10 / 11), 1.0)]


def test_without_costs_the_most_probable_class_is_the_cheapest() -> None:
    texts, labels = demo()
    model = Classifier().fit(texts[::2], labels[::2])
    assert model.decide(texts[1::2]) == model.predict(texts[1::2]).tolist()


numbers = st.floats(0, 10).map(lambda value: round(value, 2))


@given(st.integers(2, 4), st.data())
def test_a_decision_is_the_one_with_the_least_expected_cost(n: int, data: st.DataObject) -> None:
    table = data.draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n, max_size=n))
    unsure = data.draw(st.none() | numbers)
    shares = np.array(data.draw(st.lists(st.lists(st.integers(1, 9), min_size=n, max_size=n), min_size=1, max_size=5)))
    chances = shares / shares.sum(axis=1, keepdims=True)
    costs = Costs.of(range(n), table, unsure=unsure)
    for row, decided in zip(chances.tolist(), costs.decide(chances), strict=True):
        cheapest = reference.cheapest(row, table, unsure)
        means = costs.expected([row])[0]
        # Equally cheap ones may be told apart by rounding.
        assert means[n if decided is None else decided] == pytest.approx(means[n if cheapest is None else cheapest])


@given(st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=2, max_size=2), st.none() | numbers)
def test_the_ranges_say_what_is_decided(table: list[list[float]], unsure: float | None) -> None:
    costs = Costs.of(["no", "yes"], table, unsure=unsure)
    ranges = costs.ranges()
    assert (ranges[0][1], ranges[-1][2]) == (0, 1)
    for label, low, high in ranges:
        middle = (low + high) / 2
        assert costs.decide([[1 - middle, middle]]) == [label]
    assert str(costs)


def test_costs_are_summed_over_decisions() -> None:
    costs = Costs.of(["ham", "spam"], MAIL, unsure=0.2)
    assert costs.total(["ham", "ham", "spam", "spam"], ["ham", "spam", None, "ham"]) == pytest.approx(11.2)
    with pytest.raises(InputError, match="document 0 is 'eggs'"):
        costs.total(["eggs"], ["ham"])


def test_deciding_by_costs_costs_less_than_the_most_probable_class() -> None:
    texts, labels = demo()
    model = Classifier().fit(texts[::2], labels[::2])
    costs = Costs.of(model.classes_.tolist(), {("negative", "positive"): 10}, unsure=0.3)
    decided = model.decide(texts[1::2], costs)
    assert decided == model.decide(texts[1::2], costs={("negative", "positive"): 10}, unsure=0.3)
    truth = labels[1::2]
    assert costs.total(truth, decided) < costs.total(truth, model.predict(texts[1::2]).tolist())


@pytest.mark.parametrize(
    "costs, options, message",
    [
        ({"ham": 3}, {}, "each key is a pair of labels"),
        ({("ham", "eggs"): 3}, {}, "costs names 'eggs'; the classes are 'ham', 'spam'"),
        ({("ham", "spam"): "much"}, {}, "is 'much'; a cost is a number"),
        ([[0, 1]], {}, "costs must have 2 rows of 2 numbers"),
        (None, {"unsure": float("nan")}, "the cost of 'unsure' is nan"),
    ],
)
def test_wrong_costs_are_named(costs: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Costs.of(["ham", "spam"], costs, **options)


def test_a_rule_for_other_classes_is_refused() -> None:
    model = Classifier().fit(["so happy", "so sad"], ["yes", "no"])
    with pytest.raises(InputError, match="the rule is for the classes"):
        model.decide(["happy"], Costs.of(["ham", "spam"]))
    with pytest.raises(InputError, match="not both"):
        model.decide(["happy"], Costs.of(["no", "yes"]), unsure=1)
    with pytest.raises(InputError, match="not one str"):
        model.decide("happy")


# Promises -------------------------------------------------------------------------------------------------------------


def _drawn(random: Any, n: int, overconfident: float) -> Evaluation:
    """Documents whose best class has a probability that is too high by a power, so that calibration cannot help."""
    chances = random.beta(4, 1, n) * 0.5 + 0.5
    right = random.random(n) < chances**overconfident
    logs = np.log(np.column_stack([1 - chances, chances]))
    logs[:, 0] = np.maximum(logs[:, 0], -700)
    return evaluate(["yes" if is_right else "no" for is_right in right], log_probabilities=logs, classes=["no", "yes"])


@pytest.mark.parametrize("overconfident", [1.0, 1.6])
def test_a_promise_is_broken_as_rarely_as_it_says(overconfident: float) -> None:
    """Of promises with 80 % confidence at most a fifth may be broken; measured on documents without end."""
    random = np.random.default_rng(0)
    plenty = random.beta(4, 1, 200_000) * 0.5 + 0.5
    broken = made = 0
    for _ in range(300):
        found = promise(_drawn(random, 300, overconfident), error=0.1, confidence=0.8)
        if found.threshold is not None:
            kept = plenty[plenty >= found.threshold]
            broken += float(1 - (kept**overconfident).mean()) > 0.1
            made += 1
    assert broken <= 0.2 * 300
    assert made > 100


def test_more_documents_promise_more() -> None:
    random = np.random.default_rng(2)
    few, many = (promise(_drawn(random, n, 1.0), error=0.05) for n in (200, 20_000))
    assert few.coverage < many.coverage
    assert many.bound <= 0.05
    assert promise(_drawn(random, 10, 1.0), error=0.05).threshold is None


def test_what_cannot_be_promised_is_left_undecided() -> None:
    truth = ["no", "yes"] * 100
    logs = np.log(np.full((200, 2), 0.5))
    found = promise(evaluate(truth, log_probabilities=logs, classes=["no", "yes"]), error=0.1)
    assert found.threshold is None
    assert found.decide([[0.1, 0.9]]) == [None]
    assert "nothing can be promised" in str(found)


def test_a_promise_decides_where_the_model_is_sure_enough() -> None:
    texts, labels = demo()
    model = Classifier().fit(texts, labels)
    made = promise(model.report_, error=0.05)
    assert made.threshold is not None
    chances = model.predict_proba(texts)
    decided = model.decide(texts, made)
    for row, label in zip(chances, decided, strict=True):
        expected = model.classes_[row.argmax()] if row.max() >= made.threshold else None
        assert label == expected
    assert f"{made.n_kept} of 600 documents" in str(made)


@pytest.mark.parametrize("options", [{"error": 0}, {"error": 1.5}, {"error": 0.1, "confidence": float("nan")}])
def test_a_promise_needs_shares(options: Any) -> None:
    with pytest.raises(InputError, match="must be between 0 and 1"):
        promise(Classifier().fit(*demo()).report_, **options)


def test_a_promise_needs_single_documents() -> None:
    with pytest.raises(InputError, match="probabilities of single documents"):
        promise(evaluate(["a"], ["a"]), error=0.1)


# Margins


def test_a_tie_is_the_first_label_or_by_choice_none() -> None:
    model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
    texts = ["so so", "happy sad", "happy", "zzz"]
    assert model.predict(texts).tolist() == ["negative", "negative", "positive", "negative"]
    assert model.predict(texts, margin=0).tolist() == [None, None, "positive", None]
    assert [model.predict(text, margin=0) for text in texts] == [None, None, "positive", None]


@given(st.floats(0, 3), st.lists(st.integers(1, 99), min_size=2, max_size=4))
def test_what_leads_by_no_more_than_the_margin_is_not_decided(nats: float, shares: list[int]) -> None:
    chances = [share / sum(shares) for share in shares]
    best, second = sorted(chances)[::-1][:2]
    lead = np.log(best / second)
    decided = Margin.of(range(len(shares)), nats).decide([chances])[0]
    if abs(lead - nats) > 1e-6:
        assert decided == (chances.index(best) if lead > nats else None)


def test_a_margin_is_one_of_scores_with_a_prior_and_of_tables_too() -> None:
    model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
    odds = model.decision_function(["happy"])[0]
    assert model.predict(["happy"], margin=odds - 1e-6).tolist() == ["positive"]
    assert model.predict(["happy"], margin=odds + 1e-6).tolist() == [None]
    assert model.predict("so", margin=0, prior={"positive": 0.7, "negative": 0.3}) == "positive"
    rows = Classifier().fit({"legs": [2, 2, 4, 4]}, ["bird", "bird", "cat", "cat"])
    assert rows.predict({"legs": [2, None]}, margin=0).tolist() == ["bird", None]
    assert rows.predict({"legs": None}, margin=0) is None
    assert Classifier.textbook().fit(["a"], ["only"]).predict("b", margin=1) == "only"


@pytest.mark.parametrize("margin", [-1, float("nan"), float("inf"), "1", True])
def test_a_wrong_margin_is_one_clear_error(margin: Any) -> None:
    with pytest.raises(InputError, match=r"margin is .*; it must be a number of nats, 0 or more"):
        Classifier.textbook().fit(["a", "b"], ["x", "y"]).predict(["a"], margin=margin)


# What decisions cost


@pytest.mark.parametrize("costs, unsure", [({("ham", "spam"): -1}, None), ([[0, -1], [1, 0]], None), (None, -0.1)])
def test_a_negative_cost_is_refused(costs: Any, unsure: float | None) -> None:
    with pytest.raises(InputError, match="a cost is a number, 0 or more"):
        Costs.of(["ham", "spam"], costs, unsure=unsure)


def test_the_cost_of_decisions_is_the_mean_of_their_costs() -> None:
    chances = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.02, 0.98]]
    truth = ["ham", "ham", "spam", "spam"]
    evaluation = evaluate(truth, log_probabilities=np.log(chances), classes=["ham", "spam"])
    rule = Costs.of(["ham", "spam"], {("ham", "spam"): 9}, unsure=0.5)
    found = decision_cost(evaluation, rule)
    assert rule.decide(chances) == ["ham", None, None, "spam"]
    assert found.per_document == pytest.approx((0 + 0.5 + 0.5 + 0) / 4)
    assert found.most_likely == 9 / 4
    assert found.always == ("ham", 0.5)
    assert found.n_unsure == 2
    assert str(found).splitlines()[1] == "  decided by these costs  0.2500  (2 undecided)"


def test_costs_of_documents_that_nobody_kept_or_knows_are_an_error() -> None:
    rule = Costs.of(["ham", "spam"])
    with pytest.raises(InputError, match="costs need the probabilities of single documents"):
        decision_cost(evaluate(["ham"], ["spam"]), rule)
    strange = evaluate(["x"], log_probabilities=np.log([[0.5, 0.5]]), classes=["ham", "spam"])
    with pytest.raises(InputError, match="no document has a label that costs are known of"):
        decision_cost(strange, rule)
