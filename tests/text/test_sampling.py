"""Texts that are drawn follow the prior and the words of their class."""

import numpy as np
import pytest

from banbury import Classifier, Counts
from banbury.errors import InputError
from banbury.text import sampling
from banbury.text.likelihoods import scorer
from banbury.text.sampling import draw_class_ids, draw_texts

COUNTS = Counts().add(["a a a b", "c d"], ["x", "y"])


def test_a_drawn_text_has_a_limit_whatever_the_counts_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "LONGEST_DRAWN", 5)
    texts, _ = Classifier.textbook().fit(["a b " * 50], ["x"]).sample(3, seed=1)
    assert all(0 < len(text.split()) <= 5 for text in texts)


def test_classes_are_drawn_from_the_prior_or_all_the_same() -> None:
    drawn = draw_class_ids(np.random.default_rng(0), 4000, None, ["x", "y"], [1, 3], "empirical")
    assert np.bincount(drawn) / 4000 == pytest.approx([0.25, 0.75], abs=0.03)
    assert draw_class_ids(np.random.default_rng(0), 3, "y", ["x", "y"], [1, 3], "empirical").tolist() == [1, 1, 1]
    with pytest.raises(InputError, match="n is -1; it must be a number, 0 or more"):
        draw_class_ids(np.random.default_rng(0), -1, None, ["x", "y"], [1, 3], "empirical")
    with pytest.raises(InputError, match="there is no class 'z'"):
        draw_class_ids(np.random.default_rng(0), 1, "z", ["x", "y"], [1, 3], "empirical")


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
def test_without_smoothing_a_class_has_its_own_words_alone(likelihood: str) -> None:
    plain = scorer(COUNTS.kernel, likelihood, None, "shared")
    texts = draw_texts(np.random.default_rng(0), np.array([0] * 300), COUNTS, plain, likelihood)
    words = " ".join(texts).split()
    assert set(words) == {"a", "b"}
    if likelihood == "multinomial":  # three of four words are a, and a document has four
        assert words.count("a") / len(words) == pytest.approx(0.75, abs=0.05)
        assert len(words) / 300 == pytest.approx(4, abs=0.4)
    else:
        assert set(texts) == {"a b"}


def test_the_same_generator_gives_the_same_whatever_order_was_learned() -> None:
    other = Counts().add(["c d", "b a a a"], ["y", "x"])
    both = [
        draw_texts(np.random.default_rng(7), np.array([0, 1, 0]), counts, scorer(counts.kernel, *PLAIN), "multinomial")
        for counts in (COUNTS, other)
    ]
    assert both[0] == both[1]


PLAIN = ("multinomial", 1.0, "shared")
