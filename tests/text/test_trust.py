"""The automatic model: the kernel equals the plain formulas, and the laws hold for it too."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import banbury
import reference
import trust_reference as twin
from banbury import Analyzer, Classifier, Counts, _kernel
from banbury.datasets import demo
from banbury.errors import InputError, NotAvailable
from banbury.text.documents import class_numbers
from banbury.text.trust import LEVEL_SD, MULTIPLIER_SD, _level_precision
from strategies import LABELS, Corpus, corpora, plain_texts

COMMON = [f"common{i}" for i in range(20)]
PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))


def documents(corpus: Corpus) -> list[twin.Document]:
    return [twin.document(reference.python_words(text)) for text in corpus.texts]


def looked_up(corpus: Corpus, counts: Counts) -> _kernel.Documents:
    return _kernel.Documents(counts.kernel, corpus.texts, class_numbers(corpus.labels, counts.classes), None, 10**9, 2)


def with_labels(corpus: Corpus, n: int) -> Corpus:
    return Corpus([*corpus.texts, *LABELS[:n]], [*corpus.labels, *LABELS[:n]])


def curves_for(n_classes: int) -> list[float]:
    """Some curves, each knot another number."""
    return [((7 * at) % 11 - 4) / 10 for at in range(35 if n_classes == 2 else 98)]


@pytest.mark.parametrize("n_classes", [2, 3])
@given(st.data())
def test_the_basis_is_that_of_counting_all_other_documents(n_classes: int, data: st.DataObject) -> None:
    corpus = with_labels(data.draw(corpora(classes=n_classes)), n_classes)
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    found = looked_up(corpus, counts)
    values = np.asarray(found.basis(2))[np.asarray(found.places)]
    expected = np.array(twin.leave_one_out(documents(corpus), corpus.labels))
    expected = expected[:, 1:] if n_classes == 2 else expected - expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@given(st.data())
def test_a_score_is_the_basis_times_the_curves(n_classes: int, data: st.DataObject) -> None:
    corpus = with_labels(data.draw(corpora(classes=n_classes)), n_classes)
    text = data.draw(plain_texts())
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    curves, start = curves_for(n_classes), [0.1, -0.2, 0.3][:n_classes]
    scorer = _kernel.TrustScorer(counts.kernel, curves)
    found = np.asarray(scorer.scores([text], start, 1))[0]
    tables = twin.count(documents(corpus), corpus.labels, counts.classes)
    one = twin.document(reference.python_words(text))
    scores = [float(np.dot(twin.basis(tables, one, label), curves)) for label in counts.classes]
    expected = np.array(scores) + start
    np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-9, atol=1e-9)
    # The second look finds weights that were kept, and the same numbers.
    for _ in range(3):
        assert np.asarray(scorer.scores([text, text], start, 1)).tolist() == [found.tolist(), found.tolist()]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_runs_of_three_words_weigh_the_same_once_their_weights_are_kept(n_classes: int) -> None:
    texts = [
        f"so {much} the {better} of {much} it" for much in ("much", "little", "far") for better in ("better", "worse")
    ]
    labels = [LABELS[at % n_classes] for at in range(len(texts))]
    model = Classifier(analyzer=Analyzer(ngrams=(1, 3)), effort="counting").fit(texts, labels)
    first = model.predict_proba(["so much the worse of it"])
    assert model.predict_proba(texts).shape == (len(texts), n_classes)  # which looks up more than all features
    np.testing.assert_array_equal(model.predict_proba(["so much the worse of it"]), first)
    without_runs = model.predict_proba(["so of much it the worse"])
    assert not np.allclose(first, without_runs)


@settings(max_examples=25)
@given(corpora(min_size=2), plain_texts(), st.randoms(use_true_random=False))
def test_order_threads_and_batches_change_no_bit(corpus: Corpus, text: str, random: Any) -> None:
    order = list(range(len(corpus)))
    random.shuffle(order)
    mixed = corpus.pick(order)
    ours = Classifier(threads=1).fit(corpus.texts, corpus.labels)
    theirs = Classifier(threads=3).fit(mixed.texts, mixed.labels)
    asked = [text, *corpus.texts]
    together = ours.predict_proba(asked)
    assert np.array_equal(together, theirs.predict_proba(asked))
    assert np.array_equal(together, np.concatenate([ours.predict_proba([one]) for one in asked]))
    np.testing.assert_allclose(together.sum(axis=1), 1, atol=1e-12)


@settings(max_examples=25)
@given(corpora(min_size=2, max_size=6))
def test_a_weight_is_a_repetition(corpus: Corpus) -> None:
    weighted = Classifier().fit(corpus.texts, corpus.labels, [2] * len(corpus))
    repeated = Classifier().fit(corpus.texts * 2, corpus.labels * 2)
    assert np.array_equal(weighted.predict_proba(corpus.texts), repeated.predict_proba(corpus.texts))


@settings(max_examples=25)
@given(corpora(), plain_texts())
def test_an_explanation_sums_to_the_score(corpus: Corpus, text: str) -> None:
    for n in (2, 3):
        some = with_labels(corpus, n) if n == 3 else with_labels(Corpus([], []), 2)
        model = Classifier().fit(some.texts, some.labels)
        explanation = model.explain(text + " unheard")
        total = explanation.prior + sum(evidence.weight for evidence in explanation.evidence)
        assert total == pytest.approx(explanation.score, abs=1e-12)
        chances = dict(zip(model.classes_.tolist(), model.predict_proba([text + " unheard"])[0], strict=True))
        odds = np.log(chances[explanation.label] / chances[explanation.against])
        assert odds == pytest.approx(explanation.score, abs=1e-9)


TEXTS, SIGNS = demo()
ASKED = ["What a lovely day", "late again", "", "unheard-of"]


@pytest.mark.parametrize("make", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_has_the_curves(make: Callable[[Classifier], Classifier]) -> None:
    model = Classifier().fit(TEXTS, SIGNS)
    other = make(model)
    assert np.array_equal(model.predict_proba(ASKED), other.predict_proba(ASKED))
    assert other.report_ == replace(model.report_, doubtful=[])


def test_the_file_has_the_curves_and_the_report_but_no_documents(tmp_path: Path) -> None:
    model = Classifier().fit(TEXTS, SIGNS)
    model.save(tmp_path / "mood.banbury")
    other = banbury.load(tmp_path / "mood.banbury")
    assert np.array_equal(model.predict_proba(ASKED), other.predict_proba(ASKED))
    assert other.report_.log_loss == model.report_.log_loss
    assert model.report_.doubtful
    assert other.report_.doubtful == []
    other.save(tmp_path / "again.banbury")
    assert (tmp_path / "again.banbury").read_bytes() != b""


def test_learning_and_forgetting_keep_the_curves_and_change_the_counts() -> None:
    model = Classifier().fit(TEXTS, SIGNS)
    before = model.predict_proba(ASKED)
    model.learn(["late late train", "never late"], ["negative", "positive"])
    assert not np.array_equal(model.predict_proba(ASKED), before)
    model.forget(["late late train", "never late"], ["negative", "positive"])
    assert np.array_equal(model.predict_proba(ASKED), before)


def test_a_third_class_can_come_later_and_settings_can_be_chosen_again() -> None:
    model = Classifier().fit(TEXTS, SIGNS)
    more = ["the table is made of wood", "it is made of wood and has four legs"] * 3
    model.learn(more, ["neutral"] * 6)
    assert model.predict("a table of wood") == "neutral"
    model.refit_settings([*TEXTS, *more], [*SIGNS, *["neutral"] * 6])
    assert model.predict("a table of wood") == "neutral"
    assert model.report_.classes == ["negative", "neutral", "positive"]


def test_the_report_says_how_well_it_does_and_what_was_chosen() -> None:
    report = Classifier().fit(TEXTS, SIGNS).report_
    assert 0.7 < report.accuracy < 1
    assert report.n_documents == 600
    assert 0 < report.log_loss < 0.6
    assert report.calibration_error < 0.15
    assert report.chosen in [tried.name for tried in report.tried]
    worst = report.doubtful[0]
    assert (TEXTS[worst.index], SIGNS[worst.index]) == (worst.text, worst.label)
    assert worst.probability < 0.5
    for part in ("has not seen it", "log loss", "chosen: words", "doubtful labels", worst.label):
        assert part in str(report)


def test_a_given_prior_moves_calibrated_probabilities_by_bayes_rule() -> None:
    for model in (Classifier(), Classifier(likelihood="multinomial", smoothing=1.0)):
        model.fit(TEXTS, SIGNS)
        before = model.predict_proba(ASKED)
        after = model.predict_proba(ASKED, prior={"negative": 0.9, "positive": 0.1})
        np.testing.assert_allclose(after[:, 0] / after[:, 1], 9 * before[:, 0] / before[:, 1], rtol=1e-9)
        sure = model.predict(ASKED, prior={"negative": 0, "positive": 1})
        assert sure.tolist() == ["positive"] * 4


def test_without_calibration_it_is_the_plain_posterior() -> None:
    plain = Classifier(likelihood="multinomial", smoothing=1.0, calibration=None, analyzer=PAIRS).fit(TEXTS, SIGNS)
    textbook = Classifier.textbook(analyzer=PAIRS).fit(TEXTS, SIGNS)
    assert np.array_equal(plain.predict_proba(ASKED), textbook.predict_proba(ASKED))
    with pytest.raises(NotAvailable, match="no report"):
        _ = textbook.report_


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "complement"])
def test_a_plain_likelihood_is_calibrated_by_leave_one_out(likelihood: str) -> None:
    model = Classifier(likelihood=likelihood, smoothing=1.0).fit(TEXTS, SIGNS)
    assert "calibrated" in model.report_.chosen
    explanation = model.explain("What a lovely day")
    total = explanation.prior + sum(evidence.weight for evidence in explanation.evidence)
    assert total == pytest.approx(explanation.score, abs=1e-12)
    assert model.predict(ASKED).tolist() == model.classes_[model.predict_proba(ASKED).argmax(axis=1)].tolist()
    chosen = Classifier(likelihood=likelihood).fit(TEXTS, SIGNS).report_
    assert chosen.log_loss <= model.report_.log_loss + 1e-12
    assert len(chosen.tried) > 1


@pytest.mark.parametrize(
    "texts, labels",
    [
        (["a", "b"], ["x", "y"]),
        (["a b", "a c", "b d"], ["x", "x", "y"]),
        (["a", "a", "a"], ["x", "y", "z"]),
        (["a", "a"], ["x", "x"]),
        (["", ""], ["x", "y"]),
        (["", "", "one word", ""], ["x", "y", "z", "z"]),
        (["same"] * 20, ["x", "y"] * 10),
        (["a b c"], ["x"]),
    ],
)
def test_little_data_breaks_nothing(texts: list[str], labels: list[str], tmp_path: Path) -> None:
    choices: list[dict[str, Any]] = [
        {},
        {"likelihood": "multinomial", "smoothing": 1.0},
        {"likelihood": "multinomial", "smoothing": None},
        {"likelihood": "multinomial", "calibration": None},
        {"analyzer": "characters"},
    ]
    for options in choices:
        model = Classifier(**options).fit(texts, labels)
        chances = model.predict_proba([*texts, "", "unheard"])
        assert np.isfinite(chances).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-12)
        model.save(tmp_path / "model")
        assert np.array_equal(banbury.load(tmp_path / "model").predict_proba(texts), chances[: len(texts)])


def test_too_many_classes_are_read_by_the_plain_model_which_is_chosen_and_calibrated_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("banbury.text.trust.MOST_CLASSES", 100)
    numbers = range(101)
    texts = [f"word{i} and{i} some{i % 7} more{j}" for j in range(3) for i in numbers]
    labels = [f"label{i}" for _ in range(3) for i in numbers]
    model = Classifier().fit(texts, labels)
    assert model.report_.chosen.startswith("multinomial, smoothing")
    assert model.report_.accuracy > 0.9
    assert model.report_.log_loss < 1
    assert model.predict("word7") == "label7"
    np.testing.assert_allclose(model.predict_proba(["word7", ""]).sum(axis=1), 1)
    fewer = model.forget(texts[:: len(numbers)], labels[:: len(numbers)])
    assert fewer.predict("word7") == "label7"  # by the universal curves, until settings are chosen again


def test_leave_one_out_tells_the_truth_of_many_classes_with_few_documents() -> None:
    def drawn(seed: int) -> tuple[list[str], list[int]]:
        random = Random(seed)
        texts = [" ".join(random.choices([f"w{i}", f"v{i}", *COMMON], k=12)) for _ in range(8) for i in range(120)]
        return texts, [i for _ in range(8) for i in range(120)]

    model = Classifier().fit(*drawn(1))
    new = model.evaluate(*drawn(2))
    assert "fitted curves" in model.report_.chosen
    assert abs(model.report_.accuracy - new.accuracy) < 0.04
    assert (new.calibration_error or 1) < 0.03


@pytest.mark.parametrize(
    "options, message",
    [
        ({"effort": "much"}, "effort is 'much'; it can be 'counting'"),
        ({"calibration": "isotonic"}, "calibration is 'isotonic'; it can be 'auto' or None"),
    ],
)
def test_a_wrong_setting_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier(**options).fit(["a", "b"], ["x", "y"])


@pytest.mark.parametrize(
    "name, accuracy, log_loss",
    [("trec6", 0.88, 0.36), ("sms_spam", 0.985, 0.05), ("rt_polarity", 0.77, 0.47)],
)
def test_real_texts_are_predicted_as_well_as_measured(
    read_set: Callable[[str], list[dict[str, str]]], name: str, accuracy: float, log_loss: float
) -> None:
    rows = read_set(name)
    is_test = [row["split"] == "test" if "split" in row else at % 5 == 0 for at, row in enumerate(rows)]
    training = [row for row, test in zip(rows, is_test, strict=True) if not test]
    held_out = [row for row, test in zip(rows, is_test, strict=True) if test]
    model = Classifier().fit([row["text"] for row in training], [row["label"] for row in training])
    logs = model.predict_log_proba([row["text"] for row in held_out])
    numbers = {label: number for number, label in enumerate(model.classes_.tolist())}
    own = np.array([numbers[row["label"]] for row in held_out])
    assert (logs.argmax(axis=1) == own).mean() >= accuracy
    assert -logs[np.arange(len(own)), own].mean() <= log_loss


@pytest.mark.parametrize("name", ["rt_polarity", "sms_spam", "trec6"])
@pytest.mark.parametrize("effort", ["counting", "best"])
def test_few_documents_are_not_believed_too_much(
    read_set: Callable[[str], list[dict[str, str]]], name: str, effort: str
) -> None:
    rows = read_set(name)
    Random(7).shuffle(rows)
    own = [row["label"] for row in rows]
    for size in (60, 200):
        few, rest = rows[:size], [row for row in rows[size : size + 500] if row["label"] in own[:size]]
        model = Classifier(effort=effort).fit([row["text"] for row in few], own[:size])
        plain = make_pipeline(CountVectorizer(), MultinomialNB()).fit([row["text"] for row in few], own[:size])
        texts, at = [row["text"] for row in rest], np.searchsorted(model.classes_, [row["label"] for row in rest])
        losses = [-one.predict_log_proba(texts)[np.arange(len(at)), at].mean() for one in (model, plain)]
        assert losses[0] < losses[1]
        # No worse than to know nothing but how frequent the classes are.
        shares = np.log([np.mean(np.array(own[:size]) == label) for label in model.classes_])
        assert losses[0] < -shares[at].mean() + 0.02


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_multipliers_of_blocks_have_a_deviation_of_their_own_and_one_in_common(n: int) -> None:
    covariance = np.eye(n) * MULTIPLIER_SD**2 + LEVEL_SD**2
    np.testing.assert_allclose(np.reshape(_level_precision(n), (n, n)) @ covariance, np.eye(n), atol=1e-9)


def test_with_one_document_of_each_class_a_word_speaks_for_its_own() -> None:
    model = Classifier().fit(["so happy", "so sad"], ["positive", "negative"])
    assert model.predict(["happy", "sad"]).tolist() == ["positive", "negative"]
    assert "2 documents are few" in model.report_.note


def test_a_prior_that_has_moved_is_found_and_one_that_has_not_is_left() -> None:
    model = Classifier().fit(TEXTS[:400], SIGNS[:400])
    rest = list(zip(TEXTS[400:], SIGNS[400:], strict=True))
    same = model.estimate_prior([text for text, _ in rest])
    assert same.prior["negative"] == pytest.approx(0.5, abs=0.12)
    assert not same.moved
    glad = [text for text, sign in rest if sign == "positive"]
    shifted = model.estimate_prior([*glad, *[text for text, sign in rest if sign == "negative"][:5]])
    assert shifted.moved
    assert shifted.prior["positive"] > 0.85
    assert sum(shifted.prior.values()) == pytest.approx(1)
    assert model.predict_proba([]).shape == (0, 2)
    with pytest.raises(InputError, match="no documents"):
        model.estimate_prior([])
    assert Classifier().fit(["a"], ["x"]).estimate_prior(["b"]).prior == {"x": 1}
