"""Dependent pairs of words: planted ones are found, and no others."""

import numpy as np
import pytest

import diagnosis_reference as reference
from banbury import Analyzer
from banbury.datasets import demo
from banbury.diagnosis.dependence import dependent_pairs

TEXTS, LABELS = demo()


def _generated(seed: int, *, planted: bool, n: int = 900) -> tuple[list[str], list[str]]:
    """Documents of very different lengths in three classes, of words drawn on their own, but for what is planted."""
    random = np.random.default_rng(seed)
    rates = random.dirichlet(np.full(150, 0.5), 3)
    texts, labels = [], []
    for _ in range(n):
        number = int(random.integers(3))
        words = [f"w{at}" for at in random.choice(150, 1 + int(random.lognormal(3, 0.8)), p=rates[number])]
        if planted and number == 1 and random.random() < 0.3:
            words += ["sunny", "hot"]
        if planted and random.random() < (0.05, 0.05, 0.3)[number]:
            words += ["sahara"] + ["desert"] * (random.random() < 0.9)
        texts.append(" ".join(random.permutation(words)))
        labels.append(str(number))
    return texts, labels


def test_planted_pairs_are_found_and_no_others() -> None:
    for seed in range(3):
        found = dependent_pairs(*_generated(seed, planted=True))
        assert {(pair.first, pair.second) for pair in found} == {("hot", "sunny"), ("desert", "sahara")}
        assert all(pair.ratio > 1.5 and pair.nats > 20 for pair in found)


def test_words_drawn_on_their_own_are_not_found_whatever_the_lengths() -> None:
    assert sum(len(dependent_pairs(*_generated(seed, planted=False))) for seed in range(6)) == 0


def test_observed_expected_and_counted_twice_are_what_they_are_defined_to_be() -> None:
    texts, labels = _generated(5, planted=True, n=300)
    documents = [text.split() for text in texts]
    for pair in dependent_pairs(texts, labels):
        of = (pair.first, pair.second)
        assert pair.documents == reference.together(documents, *of)
        # Documents of nearly the same length are put together, which changes little.
        assert pair.expected == pytest.approx(reference.expected(documents, labels, *of), rel=0.01)
        assert pair.nats == pytest.approx(reference.counted_twice(documents, labels, *of))
        assert pair.p_value >= 0


def test_dependence_needs_words() -> None:
    assert dependent_pairs(TEXTS, LABELS, analyzer=Analyzer.preset("characters")) == []
    assert dependent_pairs(["a", "b"], ["x", "y"]) == []
