"""Documents without labels: what is learned from them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banbury
import reference
from banbury import Analyzer, Classifier
from banbury.errors import InputError, NotAvailable
from banbury.text.unlabelled import best_scale
from strategies import documents

WORDS = Analyzer()


def topics(n: int, seed: int, *, noise: float = 0.0) -> tuple[list[str], list[str]]:
    """Texts of two topics; each has words of the thirty of its topic, by chance of the other's, and common ones."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(n):
        of = np.where(random.random(4) < noise, 1 - number % 2, number % 2)
        own = ["ab"[topic] + str(word) for topic, word in zip(of, random.integers(0, 30, 4), strict=True)]
        texts.append(" ".join([*own, *(f"c{word}" for word in random.integers(0, 30, 4))]))
        labels.append("ab"[number % 2])
    return texts, labels


SETTINGS: list[dict[str, Any]] = [
    {},
    {"effort": "best"},
    {"likelihood": "multinomial", "smoothing": 0.5},
    {"likelihood": "bernoulli"},
    {"likelihood": "multinomial", "smoothing": 1.0, "calibration": None},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_documents_without_labels_teach_words_that_no_labelled_one_has(settings: dict[str, Any]) -> None:
    texts, labels = topics(8, 0)
    unlabelled, _ = topics(400, 1)
    asked, truth = topics(400, 2)
    model = Classifier(analyzer=WORDS, **settings).fit(texts, labels, unlabelled=unlabelled, sure=0.6)
    alone = Classifier(analyzer=WORDS, **settings).fit(texts, labels)
    assert model.score(asked, truth) > alone.score(asked, truth) + 0.1


@pytest.mark.parametrize("weights", [None, [2] * 20])
def test_the_model_has_counted_what_it_says_it_has(weights: list[int] | None) -> None:
    texts, labels = topics(20, 0, noise=0.2)
    unlabelled, _ = topics(60, 1, noise=0.2)
    model = Classifier(analyzer=WORDS).fit(texts, labels, weights, unlabelled=unlabelled, sure=0.9)
    given = model.unlabelled_.labels
    counted = [(text, label) for text, label in zip(unlabelled, given, strict=True) if label is not None]
    expected = Classifier(analyzer=WORDS).fit(texts, labels, weights)
    expected.learn([text for text, _ in counted], [label for _, label in counted])
    assert 0 < len(counted) < 60
    assert model.counts_.parts() == expected.counts_.parts()
    assert str(model.unlabelled_).startswith(f"{len(counted)} of 60 documents without labels were counted")
    # So it can be forgotten again.
    model.forget([text for text, _ in counted], [label for _, label in counted])
    assert model.counts_.parts() == Classifier(analyzer=WORDS).fit(texts, labels, weights).counts_.parts()


@pytest.mark.parametrize("sure", [0.5501, 0.8003])  # no posterior of a few words is just that
@given(
    st.lists(documents(4).filter(bool), min_size=2, max_size=6),
    st.lists(documents(4), max_size=8),
)
def test_the_labels_are_those_of_plain_expectation_maximisation(
    sure: float, labelled: list[list[str]], unlabelled: list[list[str]]
) -> None:
    labels = ["ab"[row % 2] for row in range(len(labelled))]
    expected = reference.labels_of_unlabelled(labelled, labels, unlabelled, sure)
    texts, others = ([" ".join(one) for one in several] for several in (labelled, unlabelled))
    model = Classifier.textbook(analyzer=Analyzer(lowercase=False))
    assert model.fit(texts, labels, unlabelled=others, sure=sure).unlabelled_.labels == expected


def test_the_labels_are_those_that_the_model_gives_in_the_end() -> None:
    texts, labels = topics(40, 0, noise=0.2)
    unlabelled, _ = topics(200, 1, noise=0.2)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=unlabelled, sure=0.8)
    predicted = model.predict(unlabelled).tolist()
    given = model.unlabelled_.labels
    counted = [row for row, label in enumerate(given) if label is not None]
    assert 100 < len(counted) < 200
    assert sum(given[row] != predicted[row] for row in counted) <= 2  # a few may change in the last round
    surest = model.predict_proba(unlabelled).max(axis=1)
    assert surest[counted].mean() > np.delete(surest, counted).mean()


def test_how_sure_to_be_is_chosen_on_documents_that_are_held_out() -> None:
    texts, labels = topics(40, 0)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=topics(200, 1)[0])
    found = model.unlabelled_
    assert [tried.name for tried in found.tried] == [
        "labelled documents only",
        "and those of which it is 50% sure",
        "and those of which it is 90% sure",
    ]
    best = max(range(3), key=lambda at: (found.tried[at].accuracy, -at))
    assert found.sure == (None, 0.5, 0.9)[best]
    assert "held out" in str(found)


def test_documents_that_would_do_harm_are_left_out() -> None:
    texts, labels = topics(60, 0)
    # Words of either topic side by side: whatever they are called, they say the opposite of what is true.
    noise = [" ".join(f"a{word} b{(word + 7) % 30} c{word}" for word in range(at, at + 4)) for at in range(24)] * 20
    asked, truth = topics(400, 2)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=noise)
    assert model.score(asked, truth) >= Classifier(analyzer=WORDS).fit(texts, labels).score(asked, truth) - 0.02


def loss(report: Any) -> float:
    return float(report.log_loss)


def test_probabilities_are_as_sure_as_they_should_be() -> None:
    texts, labels = topics(40, 0, noise=0.1)
    asked, truth = topics(1000, 2, noise=0.1)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=topics(600, 1, noise=0.1)[0])
    report = model.evaluate(asked, truth)
    assert model.unlabelled_.sure is not None
    assert report.calibration_error is not None
    assert report.calibration_error < 0.03
    assert loss(report) < 0.5 * loss(Classifier(analyzer=WORDS).fit(texts, labels).evaluate(asked, truth))
    assert np.allclose(model.predict_proba(asked).sum(axis=1), 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_scale_is_where_the_likelihood_is_highest(seed: int) -> None:
    random = np.random.default_rng(seed)
    logs = np.sort(np.log(random.dirichlet(np.ones(4), size=50)), axis=1)[:, ::-1]
    logs[::3] = logs[::3, ::-1]  # the first is the most probable, but now and then the least
    weights = random.integers(1, 4, 50).astype(float)

    def penalised(scale: float) -> float:
        total = (scale - 1) ** 2 / (2 * 0.5**2)
        for row, weight in zip(logs, weights, strict=True):
            odds = np.exp(scale * row)
            total -= weight * float(np.log(odds[0] / odds.sum()))
        return total

    scale = best_scale(logs, weights)
    assert all(penalised(scale) <= penalised(other) for other in (0.05, scale * 0.99, scale * 1.01, 1.0))


def test_nothing_is_counted_where_nothing_is_sure_enough() -> None:
    texts, labels = topics(8, 0)
    certain = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=["unheard of", "c1 c2"], sure=1.0)
    assert certain.unlabelled_.labels == [None, None]
    none = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=["a1"], sure=None)
    assert (none.unlabelled_.labels, none.unlabelled_.sure) == ([None], None)
    assert Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=[]).unlabelled_.labels == []
    one = Classifier(analyzer=WORDS).fit(["a1", "b1"], ["a", "b"], unlabelled=["a1 b2"])  # too few to hold any out
    assert (one.unlabelled_.tried, one.unlabelled_.sure) == ([], None)


@pytest.mark.parametrize("sure", ["auto", 0.5])
@pytest.mark.parametrize(
    "others", [[""] * 30, [" ", "?!"], ["unheard of"] * 30, []], ids=["empty", "blank", "new", "none"]
)
def test_texts_without_a_known_word_teach_nothing(others: list[str], sure: float | str) -> None:
    texts, labels = topics(9, 0)  # five of one topic, four of the other: whatever is not known looks like the first
    alone = Classifier(analyzer=WORDS).fit(texts, labels)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=others, sure=sure)
    assert model.unlabelled_.labels == [None] * len(others)
    assert (model.predict_proba([*texts, ""]) == alone.predict_proba([*texts, ""])).all()


def test_a_class_of_one_document_and_a_single_class() -> None:
    texts, labels = topics(40, 0)
    unlabelled, _ = topics(100, 1)
    model = Classifier(analyzer=WORDS).fit([*texts, "d1 d2"], [*labels, "d"], unlabelled=[*unlabelled, "d2 d3"])
    assert model.classes_.tolist() == ["a", "b", "d"]
    assert model.predict("d1 d2") == "d"
    one = Classifier(analyzer=WORDS).fit(texts[::2], labels[::2], unlabelled=unlabelled)
    assert one.predict(unlabelled).tolist() == ["a"] * 100


def test_the_order_of_documents_does_not_matter() -> None:
    texts, labels = topics(40, 0)
    unlabelled, _ = topics(200, 1)
    asked, _ = topics(50, 2)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=unlabelled, sure=0.8)
    backwards = Classifier(analyzer=WORDS).fit(texts[::-1], labels[::-1], unlabelled=unlabelled[::-1], sure=0.8)
    assert backwards.unlabelled_.labels == model.unlabelled_.labels[::-1]
    assert backwards.counts_.parts() == model.counts_.parts()
    assert (backwards.predict(asked) == model.predict(asked)).all()


def test_texts_of_any_library_and_labels_of_any_kind() -> None:
    pandas = pytest.importorskip("pandas")
    texts, labels = topics(40, 0)
    unlabelled, _ = topics(100, 1)
    numbers = [label == "a" for label in labels]
    expected = Classifier(analyzer=WORDS).fit(texts, numbers, unlabelled=unlabelled)
    model = Classifier(analyzer=WORDS).fit(
        pandas.Series(texts), pandas.Series(numbers), unlabelled=pandas.Series(unlabelled)
    )
    assert model.unlabelled_ == expected.unlabelled_
    assert set(model.unlabelled_.labels) <= {True, False, None}


def test_the_result_is_the_same_for_any_number_of_threads() -> None:
    texts, labels = topics(40, 0)
    unlabelled, _ = topics(300, 1)
    models = [Classifier(threads=n).fit(texts, labels, unlabelled=unlabelled) for n in (1, 3)]
    assert models[0].unlabelled_ == models[1].unlabelled_
    assert (models[0].predict_proba(unlabelled) == models[1].predict_proba(unlabelled)).all()


def test_the_model_is_saved_as_it_is(tmp_path: Any) -> None:
    texts, labels = topics(40, 0)
    unlabelled, _ = topics(200, 1)
    model = Classifier(analyzer=WORDS).fit(texts, labels, unlabelled=unlabelled)
    model.save(tmp_path / "model.banbury")
    loaded = banbury.load(tmp_path / "model.banbury")
    assert (loaded.predict_proba(unlabelled) == model.predict_proba(unlabelled)).all()
    with pytest.raises(NotAvailable, match="without unlabelled documents"):
        _ = loaded.unlabelled_


@pytest.mark.parametrize(
    "act, message",
    [
        (
            lambda: Classifier().fit(["a"], ["x"], unlabelled=[], sure=2),
            "sure is 2; it must be a probability, None, or",
        ),
        (lambda: Classifier().fit(["a"], ["x"], unlabelled=[], sure="very"), "sure is 'very'"),
        (lambda: Classifier().fit(["a"], ["x", "y"], unlabelled=[]), "1 documents but 2 labels"),
        (lambda: Classifier().fit([], [], unlabelled=["a"]), "no documents to learn from"),
        (lambda: Classifier().fit(["a"], ["x"], unlabelled="a text"), "unlabelled: expected a list of documents"),
        (lambda: Classifier().fit(["a"], ["x"], unlabelled=["b", None]), "unlabelled: document 1 is None"),
        (
            lambda: Classifier().fit({"n": [1]}, ["x"], unlabelled=["b"]),
            "help where documents are texts; this is a table",
        ),
        (lambda: Classifier().fit(["a"], ["x"], [1, 2], unlabelled=["b"]), "1 documents but 2 weights"),
    ],
)
def test_it_says_what_is_wrong(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()


def test_bad_input_changes_nothing() -> None:
    model = Classifier().fit(["so happy", "so sad"], ["yes", "no"])
    with pytest.raises(InputError):
        model.fit(["a", "b"], ["x", "y"], unlabelled=[3])
    assert model.classes_.tolist() == ["no", "yes"]
