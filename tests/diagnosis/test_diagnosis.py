"""What is wrong with documents is found where it was planted, and not elsewhere."""

import pytest

from banbury import Classifier, Counts
from banbury.datasets import demo
from banbury.diagnosis.diagnosis import class_balance, new_vocabulary
from hostile import Look


def test_the_shares_of_two_samples_are_compared_as_in_the_books() -> None:
    from scipy import stats

    counts = Counts().add(["x"] * 100, ["no"] * 70 + ["yes"] * 30)
    found = class_balance(counts, ["no"] * 25 + ["yes"] * 25, lambda: pytest.fail("not asked"))
    table = [[70, 30], [25, 25]]
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
    assert found.p_value == pytest.approx(expected)
    assert class_balance(counts, ["maybe"] * 50, lambda: pytest.fail("not asked")).here["maybe"] == 1


def test_new_words_are_counted_with_their_repetitions() -> None:
    counts = Counts().add(["one two two", "three"], ["x", "y"])
    found = new_vocabulary(counts, ["one four four", "five two"])
    assert found.share == pytest.approx(3 / 5)
    assert found.expected == pytest.approx(2 / 4)
    assert found.words == [("four", 2), ("five", 1)]


def test_a_notebook_shows_as_much_as_is_printed() -> None:
    texts, labels = demo()
    texts, labels = [*texts, texts[0]], [*labels, "positive" if labels[0] == "negative" else "negative"]
    found = Classifier().fit(texts, labels).diagnose(texts, labels)
    shown = " ".join(" ".join(Look(found._repr_html_()).texts).split())
    for line in str(found).splitlines():
        assert " ".join(line.split()) in shown
