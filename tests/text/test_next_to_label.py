"""What to label next: by uncertainty, and by what a label would teach."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from banbury import Analyzer, Classifier
from banbury.datasets import demo
from banbury.errors import InputError
from banbury.text.next_to_label import length_share

WORDS = Analyzer()
TEXTS, LABELS = demo()


def by_the_formula(model: Classifier, analyzer: Analyzer, labelled: list[str], texts: list[str], top: int) -> list[int]:
    documents, known = (
        [[token.text for token in analyzer.features(text)] for text in many] for many in (texts, labelled)
    )
    margins = None
    if labelled and len(model.classes_) > 1:
        chances = [sorted(model.probabilities(text).values()) for text in texts]
        margins = [several[-1] - several[-2] for several in chances]
    return reference.next_to_label(documents, known, margins, top)


@pytest.mark.parametrize("n_labelled", [0, 2, 20])
def test_the_gain_is_that_of_the_formula(n_labelled: int) -> None:
    labelled, texts = TEXTS[:n_labelled], TEXTS[100:160]
    model = Classifier(analyzer=WORDS)
    if labelled:
        model.fit(labelled, LABELS[:n_labelled])
    assert model.what_to_label_next(texts, top=12) == by_the_formula(model, WORDS, labelled, texts, 12)


@pytest.mark.parametrize("is_rising", [True, False])
def test_where_the_model_is_surer_of_long_texts_length_is_held_less_against_them(is_rising: bool) -> None:
    model = Classifier.textbook(analyzer=WORDS).fit(["good", "bad"], ["yes", "no"])
    own = [" ".join(f"w{word}" for word in range(size)) for size in range(1, 10)]
    texts = [" ".join(["good"] * (size if is_rising else 10 - size) + [one]) for size, one in enumerate(own, 1)] * 2
    assert model.what_to_label_next(texts, top=18) == by_the_formula(model, WORDS, ["good", "bad"], texts, 18)
    sizes, margins = np.arange(1.0, 10), np.linspace(0, 0.9, 9)
    assert length_share(1 - (margins if is_rising else margins[::-1]), sizes) == (0.5 if is_rising else 1.0)
    assert length_share(np.full(9, 0.5), sizes) == length_share(margins, np.ones(9)) == 1.0  # nothing is known of it


def test_where_a_model_counts_characters_these_are_what_is_learned() -> None:
    labelled, texts = TEXTS[:20], TEXTS[100:140]
    model = Classifier(analyzer=Analyzer(ngrams=(1, 2), characters=(2, 4))).fit(labelled, LABELS[:20])
    letters = Analyzer(words=None, characters=(2, 4))
    assert model.what_to_label_next(texts, top=8) == by_the_formula(model, letters, labelled, texts, 8)


@given(st.lists(st.sampled_from(TEXTS[:40]), max_size=12), st.integers(0, 15), st.sampled_from(["gain", "uncertainty"]))
def test_every_text_is_named_once_and_more_begin_with_the_same(texts: list[str], top: int, by: str) -> None:
    model = Classifier(analyzer=WORDS).fit(TEXTS[100:120], LABELS[100:120])
    best = model.what_to_label_next(texts, top=top, by=by)
    assert len(best) == len(set(best)) == min(top, len(texts))
    assert set(best) <= set(range(len(texts)))
    assert model.what_to_label_next(texts, top=len(texts), by=by)[:top] == best


def test_the_order_of_texts_does_not_matter_where_none_are_equally_good() -> None:
    texts = TEXTS[100:180]
    model = Classifier(analyzer=WORDS).fit(TEXTS[:40], LABELS[:40])
    backwards = texts[::-1]
    for by in ("gain", "uncertainty"):
        best = [texts[at] for at in model.what_to_label_next(texts, top=5, by=by)]
        assert [backwards[at] for at in model.what_to_label_next(backwards, top=5, by=by)] == best


@pytest.mark.parametrize("by", ["gain", "uncertainty"])
def test_the_choice_is_the_same_for_any_number_of_threads(by: str) -> None:
    texts = [" ".join(TEXTS[at : at + 40]) for at in range(100, 300)]  # long enough to be shared among threads
    chosen = [
        Classifier(threads=n).fit(TEXTS[:40], LABELS[:40]).what_to_label_next(texts, top=20, by=by) for n in (1, 3)
    ]
    assert chosen[0] == chosen[1]


def test_empty_texts_come_last_and_are_no_error() -> None:
    model = Classifier(analyzer=WORDS).fit(TEXTS[:40], LABELS[:40])
    assert model.what_to_label_next(["", TEXTS[50], "?!", TEXTS[50]], top=4) == [1, 3, 0, 2]
    assert Classifier().what_to_label_next(["", ""], top=2) == [0, 1]


def test_by_uncertainty_the_two_most_probable_labels_are_closest() -> None:
    model = Classifier.textbook(analyzer=WORDS).fit(["good", "bad"], ["yes", "no"])
    assert model.what_to_label_next(["good good", "bad", "good bad"], top=2, by="uncertainty") == [2, 1]


def test_what_one_text_will_teach_is_not_asked_of_the_next() -> None:
    assert Classifier().what_to_label_next(["a b", "a b", "c d", "c d"], top=2) == [0, 2]


def test_the_analyzer_of_the_model_says_what_words_are() -> None:
    texts = ["running", "runs", "jumped", "other things"]
    stems = Classifier(analyzer=Analyzer(stemmer="english"))
    assert stems.what_to_label_next(texts, top=1) == [0]
    letters = Classifier(analyzer="characters").fit(["aaa", "bbb"], ["x", "y"])
    assert letters.what_to_label_next(["abab", "xyz", "xyz xyz"], top=1) == [1]


def test_a_model_of_one_class_is_asked_by_gain() -> None:
    model = Classifier(analyzer=WORDS).fit(["old news"], ["x"])
    assert model.what_to_label_next(["old news", "new things", "old news", "new things"], top=1) == [1]


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: Classifier().what_to_label_next(["a"], top=-1), "top is -1; it must be a number, 0 or more"),
        (lambda: Classifier().what_to_label_next(["a"], by="luck"), "by is 'luck'; it can be 'gain' or 'uncertainty'"),
        (lambda: Classifier().what_to_label_next(["a"], by="uncertainty"), "knows 0 classes.*choose by gain"),
        (lambda: Classifier().what_to_label_next("a text"), "list of documents, not one str"),
        (lambda: Classifier().what_to_label_next(["a", None]), "document 1 is None"),
        (
            lambda: Classifier().fit({"legs": [2, 4]}, ["bird", "cat"]).what_to_label_next(["a"]),
            "a model of a table; documents to label next are texts",
        ),
    ],
)
def test_it_says_what_is_wrong(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()


def test_chosen_labels_teach_more_than_as_many_at_random() -> None:
    """Six topics with words of their own, which few texts name, and common words that all have."""
    random = np.random.default_rng(0)
    texts, labels = [], []
    for number in range(900):
        topic = number % 6
        own = [f"topic{topic}word{word}" for word in random.integers(0, 40, 3)]
        texts.append(" ".join([*own, *(f"common{word}" for word in random.integers(0, 60, 8))]))
        labels.append(f"topic{topic}")
    pool, asked = list(range(600)), slice(600, None)

    def accuracy(rows: list[int]) -> float:
        model = Classifier(analyzer=WORDS).fit([texts[row] for row in rows], [labels[row] for row in rows])
        return model.score(texts[asked], labels[asked])

    chosen = random.permutation(600)[:30].tolist()
    at_random = random.permutation(600)[:90].tolist()
    for _ in range(6):
        model = Classifier(analyzer=WORDS).fit([texts[row] for row in chosen], [labels[row] for row in chosen])
        left = [row for row in pool if row not in chosen]
        chosen += [left[at] for at in model.what_to_label_next([texts[row] for row in left], top=10)]
    assert len(chosen) == len(at_random)
    assert accuracy(chosen) > accuracy(at_random)
