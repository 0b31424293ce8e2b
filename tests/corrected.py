"""Corpora that counts of single features cannot tell apart, and models with a correction that were fitted to them."""

import pickle
from functools import cache
from random import Random

import pytest

from banbury import Analyzer, Classifier
from strategies import Corpus

TWO, THREE = ("no", "yes"), ("no", "perhaps", "yes")
both = pytest.mark.parametrize("labels", [TWO, THREE])


def dependent(labels: tuple[str, ...], n: int = 600, *, seed: int = 0) -> Corpus:
    """Words that speak for a label, unless there is a reason for them: a reason alone says nothing.

    Counts of single features cannot tell that; weights that know of each other can.
    """
    random = Random(seed)
    texts, truth = [], []
    for _ in range(n):
        label, words = random.choice(labels), []
        for topic in "abcdef":
            if random.random() < 0.5:
                continue
            words.append((label if random.random() < 0.6 else random.choice(labels)) + topic)
            if random.random() < 0.7:
                brought = random.choice(labels) + topic
                words += [brought, f"because-{brought}"]
        random.shuffle(words)
        texts.append(" ".join(words))
        truth.append(label)
    return Corpus(texts, truth)


@cache
def fitted(labels: tuple[str, ...], effort: str = "best") -> bytes:
    """A model that has a correction, as bytes: every test gets its own."""
    corpus = dependent(labels)
    return pickle.dumps(Classifier(analyzer=Analyzer(), effort=effort).fit(corpus.texts, corpus.labels))


def best(labels: tuple[str, ...]) -> Classifier:
    model: Classifier = pickle.loads(fitted(labels))
    return model
