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
from banbury.errors import InputError
from banbury.text.documents import class_numbers
from strategies import LABELS, Corpus, corpora, plain_texts

COMMON = [f"common{i}" for i in range(20)]
PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))


def documents(corpus: Corpus) -> list[twin.Document]:
    return [twin.document(reference.python_words(text)) for text in corpus.texts]


def looked_up(corpus: Corpus, counts: Counts) -> _kernel.Documents:
    return _kernel.Documents(counts.kernel, corpus.texts, class_numbers(corpus.labels, counts.classes), None, 10**9, 2)


def with_labels(corpus: Corpus, n: int) -> Corpus:
    return Corpus([*corpus.texts, *LABELS[:n]], [*corpus.labels, *LABELS[:n]])


def some_curves() -> list[float]:
    """Some curves of words and pairs, each knot another number."""
    return [((7 * at) % 11 - 4) / 10 for at in range(98)]


def centred(values: list[list[float]]) -> Any:
    """By class and number, as the kernel has it: of two classes the second, of more less their mean."""
    array = np.array(values)
    return array[1:] if len(array) == 2 else array - array.mean(axis=0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_grouped", [False, True])
@given(st.data())
def test_the_basis_is_that_of_counting_all_others(is_grouped: bool, n_classes: int, data: st.DataObject) -> None:
    corpus = with_labels(data.draw(corpora(classes=n_classes)), n_classes)
    texts, labels = corpus.texts, corpus.labels
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(texts), max_size=len(texts)))
    groups = data.draw(st.lists(st.sampled_from("abcdef"), min_size=len(texts), max_size=len(texts)))
    counts = Counts(PAIRS).add(texts, labels, weights=weights)
    found = _kernel.Documents(
        counts.kernel,
        texts,
        class_numbers(labels, counts.classes),
        np.array(weights, np.uint32),
        10**9,
        2,
        groups=groups if is_grouped else None,
        windows=True,
    )
    caps = [3.0, 2.0]
    basis = found.basis(2)
    values = np.asarray(basis.features(caps))
    row_of = [at for at, weight in enumerate(weights) for _ in range(weight)]
    counted = [(twin.document(reference.python_words(texts[at])), labels[at]) for at in row_of]
    places = np.asarray(found.places)
    for row, text in enumerate(texts):

        def is_left_out(at: int, row: int = row, text: str = text) -> bool:
            return texts[row_of[at]] == text or (is_grouped and groups[row_of[at]] == groups[row])

        tables = twin.without([one for one, _ in counted], [label for _, label in counted], is_left_out)
        one = twin.document(reference.python_words(text))
        expected = centred([twin.basis(tables, one, label, caps, two=n_classes == 2) for label in counts.classes])
        np.testing.assert_allclose(values[places[row]], expected, rtol=1e-9, atol=1e-9)
        assert np.asarray(basis.lengths)[places[row]].tolist() == twin.lengths(tables, one)
        # The window of a document is one of its parts.
        window = values[len(found.rows) + places[row]]
        parts = (
            centred([twin.basis(tables, part, label, caps, two=n_classes == 2) for label in counts.classes])
            for part in twin.windows(reference.python_words(text))
        )
        assert any(np.allclose(window, part, rtol=1e-9, atol=1e-9) for part in parts)


def test_listed_classes_have_what_all_have() -> None:
    texts = [f"w{i % 7} v{i % 5} u{i % 3} so {i % 4}" for i in range(60)]
    labels = [LABELS[i % 3] for i in range(60)]
    counts = Counts(PAIRS).add(texts, labels)
    found = _kernel.Documents(counts.kernel, texts, class_numbers(labels, counts.classes), None, 99, 1, windows=True)
    whole = np.asarray(found.basis(1).features([5.0, 5.0]))
    own = np.tile(found.classes, 2)
    lists = np.column_stack([own, (own + 1) % 3]).astype(np.uint32)
    listed = np.asarray(found.basis(2, lists.ravel()).features([5.0, 5.0]))
    picked = np.take_along_axis(whole, lists[:, :, None].astype(np.intp), axis=1)
    np.testing.assert_allclose(listed, picked - picked.mean(axis=1, keepdims=True), atol=1e-12)


def many_classes(n: int) -> tuple[list[str], list[str]]:
    """Two documents a class, with a word of their own, one that some share, and one that all have."""
    texts = [f"own{i // 2} some{i % 11} so w{i % 3} v{i % 5}" for i in range(2 * n)]
    return texts, [f"c{i // 2:04}" for i in range(2 * n)]


def test_long_rows_of_listed_classes_are_those_of_all() -> None:
    texts, labels = many_classes(200)
    counts = Counts(PAIRS).add(texts, labels)
    numbers = class_numbers(labels, counts.classes)
    found = _kernel.Documents(counts.kernel, texts, numbers, None, 30, 1, groups=[f"g{i % 90}" for i in range(400)])
    whole = np.asarray(found.basis(1).features([5.0, 5.0]))
    own = np.array(found.classes)
    lists = np.column_stack([own, (own + 1) % 200, (own + 77) % 200]).astype(np.uint32)
    listed = np.asarray(found.basis(1, lists.ravel()).features([5.0, 5.0]))
    picked = np.take_along_axis(whole, lists[:, :, None].astype(np.intp), axis=1)
    np.testing.assert_allclose(listed, picked - picked.mean(axis=1, keepdims=True), atol=1e-12)


def test_a_list_has_the_own_class_the_likeliest_others_and_some_at_random() -> None:
    texts, labels = many_classes(40)
    counts = Counts(PAIRS).add(texts, labels)
    numbers = class_numbers(labels, counts.classes)
    found = _kernel.Documents(counts.kernel, texts, numbers, None, 999, 1, windows=True)
    start, growth = np.linspace(-1, 1, 40), np.linspace(0.5, -0.5, 40)
    how = (some_curves(), [1e9, 1e9], start, growth, (1, 4, 9))
    lists = np.asarray(found.listed(*how, 2))
    assert np.array_equal(lists, np.asarray(found.listed(*how, 1)))
    assert lists.shape == (2 * len(found.rows), 9)
    assert lists[:, 0].tolist() == [*found.classes, *found.classes]
    assert all(len(set(row)) == 9 for row in lists.tolist())
    scorer = _kernel.TrustScorer(counts.kernel, some_curves(), [1e9, 1e9])
    chosen = [texts[row] for row in found.rows]
    scores = np.asarray(scorer.scores(chosen, start.tolist(), 1, growth.tolist()))
    for row, by_class, own in zip(lists.tolist(), scores, found.classes, strict=False):
        others = sorted(by_class[[c for c in range(40) if c != own]], reverse=True)
        np.testing.assert_allclose(by_class[row[1:4]], others[:3], atol=1e-9)
    with pytest.raises(InputError, match="not those of these counts"):
        found.listed(some_curves(), [1e9, 1e9], start, growth, (1, 4, 41), 1)
    with pytest.raises(InputError, match="not those of these counts"):
        found.listed(some_curves(), [1e9, 1e9], start[1:], growth, (1, 4, 9), 1)


@pytest.mark.parametrize("n_classes", [2, 3])
@given(st.data())
def test_a_score_is_the_basis_times_the_curves(n_classes: int, data: st.DataObject) -> None:
    corpus = with_labels(data.draw(corpora(classes=n_classes)), n_classes)
    text = data.draw(plain_texts())
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    curves, caps = some_curves(), [3.0, 2.0]
    start, more = [0.1, -0.2, 0.3][:n_classes], [0.5, 0.7, -0.9][:n_classes]
    scorer = _kernel.TrustScorer(counts.kernel, curves, caps)
    found = np.asarray(scorer.scores([text], start, 1, more))[0]
    tables = twin.count(documents(corpus), corpus.labels, counts.classes)
    one = twin.document(reference.python_words(text))
    scores = [float(np.dot(twin.basis(tables, one, label, caps, two=False), curves)) for label in counts.classes]
    expected = np.array(scores) + start + twin.growth(twin.lengths(tables, one)[0]) * np.array(more)
    # Weights have seven digits.
    np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-5, atol=1e-5)
    # The second look finds weights that were kept, and the same numbers.
    for _ in range(3):
        assert np.asarray(scorer.scores([text, text], start, 1, more)).tolist() == [found.tolist(), found.tolist()]
    first, terms = scorer.terms(text, start, more)
    total = np.array(first) + sum(np.array(term) for term in terms if term)
    np.testing.assert_allclose(total - total[0], found - found[0], atol=1e-9)


@given(st.data())
def test_leaving_out_gives_the_scores_of_a_model_of_all_others(data: st.DataObject) -> None:
    n_classes = data.draw(st.sampled_from([2, 3]))
    corpus = with_labels(data.draw(corpora(classes=n_classes)), n_classes)
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    found = looked_up(corpus, counts)
    left_out = found.scores([some_curves()], [3.0, 2.0], 2)
    scores = np.asarray(left_out.scores)[np.asarray(found.places)]
    for row, text in enumerate(corpus.texts):
        rest = [at for at, other in enumerate(corpus.texts) if other != text]
        others = counts.kernel.count(
            [corpus.texts[at] for at in rest],
            class_numbers([corpus.labels[at] for at in rest], counts.classes),
            None,
            n_classes,
            1,
        )
        again = np.asarray(_kernel.TrustScorer(others, some_curves(), [3.0, 2.0]).scores([text], [0.0] * n_classes, 1))
        ours = np.array([-scores[row, 0], scores[row, 0]]) if n_classes == 2 else scores[row]
        np.testing.assert_allclose(ours - ours[0], again[0] - again[0, 0], rtol=1e-5, atol=1e-5)


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


def test_a_copy_has_the_curves() -> None:
    model = Classifier().fit(TEXTS, SIGNS)
    same, pickled = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(ASKED), same.predict_proba(ASKED))
    assert np.array_equal(model.predict_proba(ASKED), pickled.predict_proba(ASKED))
    assert same.report_ == model.report_
    assert pickled.report_ == replace(model.report_, doubtful=[])


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
    for part in ("has not seen it", "log loss", "chosen: words", "doubtful labels", str(worst.label)):
        assert part in str(report)


def test_a_given_prior_moves_calibrated_probabilities_by_bayes_rule() -> None:
    for model in (Classifier(), Classifier(likelihood="multinomial", smoothing=1.0)):
        model.fit(TEXTS, SIGNS)
        before = model.predict_proba(ASKED)
        after = model.predict_proba(ASKED, prior={"negative": 0.9, "positive": 0.1})
        np.testing.assert_allclose(after[:, 0] / after[:, 1], 9 * before[:, 0] / before[:, 1], rtol=1e-9)
        sure = model.predict(ASKED, prior={"negative": 0, "positive": 1})
        assert sure.tolist() == ["positive"] * 4


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


def test_very_many_classes_have_no_shifts_and_a_report_of_the_classes_that_documents_list(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("banbury.text.curves.MANY_CLASSES", 100)
    numbers = range(101)
    texts = [f"word{i} and{i} some{i % 7} more{j}" for j in range(3) for i in numbers]
    labels = [f"label{i:03}" for _ in range(3) for i in numbers]
    model = Classifier(threads=1).fit(texts, labels)
    report = model.report_
    assert "fitted curves" in report.chosen
    assert "of 101 classes, each document was told from the likeliest" in report.note
    assert report.accuracy > 0.9
    assert 0 < report.log_loss < 1
    assert set(report.classes) <= set(labels)
    assert model.predict("word7") == "label007"
    np.testing.assert_allclose(model.predict_proba(["word7", ""]).sum(axis=1), 1)
    model.save(tmp_path / "model")
    backwards = Classifier(threads=3).fit(texts[::-1], labels[::-1])
    backwards.save(tmp_path / "backwards")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "backwards").read_bytes()
    uniform = Classifier(prior="uniform").fit(texts, labels)
    assert uniform.report_.accuracy == report.accuracy  # the classes have as many documents each


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


def test_with_one_document_of_each_class_a_word_speaks_for_its_own() -> None:
    model = Classifier().fit(["so happy", "so sad"], ["positive", "negative"])
    assert model.predict(["happy", "sad"]).tolist() == ["positive", "negative"]
    assert "2 documents are few" in model.report_.note


# Where the world moves, and bad input


def test_an_empty_text_has_the_prior_and_so_has_one_without_a_known_word() -> None:
    choices: list[dict[str, Any]] = [{}, {"likelihood": "multinomial"}, {"likelihood": "bernoulli"}]
    for options in choices:
        model = Classifier(**options).fit(TEXTS[:450], [*SIGNS[:300], *["other"] * 150])
        log_prior = np.log(np.array(model.model_.documents) + (2.0 if not options else 0.0))
        expected = np.exp(log_prior) / np.exp(log_prior).sum()
        # Characters of a word may be known where the word is not.
        asked = ["", "   "] if not options else ["", "xqzqx wvjjv"]
        for row in model.predict_proba(asked):
            np.testing.assert_allclose(row, expected, atol=1e-9)


def test_rows_twice_and_weights_of_two_give_the_same_honest_report() -> None:
    once, twice = Classifier().fit(TEXTS, SIGNS), Classifier().fit(TEXTS * 2, SIGNS * 2)
    weighted = Classifier().fit(TEXTS, SIGNS, [2] * len(TEXTS))
    assert np.array_equal(twice.predict_proba(ASKED), weighted.predict_proba(ASKED))
    assert abs(once.report_.accuracy - twice.report_.accuracy) < 0.02
    assert "600 of 1200 documents repeat others" in twice.report_.note
    assert "repeat" not in once.report_.note


def test_a_weighted_class_is_told_more_often_and_the_report_says_what_that_costs() -> None:
    weights = [20 if sign == SIGNS[0] else 1 for sign in SIGNS]
    once, weighted = Classifier().fit(TEXTS, SIGNS), Classifier().fit(TEXTS, SIGNS, weights)
    told = [(model.predict(ASKED) == SIGNS[0]).sum() for model in (once, weighted)]
    assert told[1] >= told[0]
    predictions = weighted.report_.predictions
    assert predictions is not None
    accuracy = predictions.is_right.mean()
    assert weighted.report_.accuracy - accuracy > 0.01
    assert f"with each document counted once the accuracy is {accuracy:.4f}" in weighted.report_.note
    assert "counted once" not in once.report_.note


def test_a_text_repeated_a_million_times_is_one_document() -> None:
    texts, labels = ["the same again"] * 1_000_000, ["x"] * 1_000_000
    model = Classifier(analyzer=Analyzer(ngrams=(1, 2))).fit([*texts, *TEXTS], [*labels, *SIGNS])
    assert model.predict("the same again") == "x"
    assert "999999 of" in model.report_.note
    assert np.isfinite(model.predict_proba(ASKED)).all()


def test_one_class_only_is_always_told() -> None:
    model = Classifier().fit(["a b", "c"], ["x", "x"], groups=["g", "h"])
    assert model.predict_proba(["a", ""]).tolist() == [[1.0], [1.0]]


def test_a_document_of_weight_0_is_not_there() -> None:
    weights = [0] * 10 + [1] * (len(TEXTS) - 10)
    model, other = Classifier().fit(TEXTS, SIGNS, weights), Classifier().fit(TEXTS[10:], SIGNS[10:])
    assert np.array_equal(model.predict_proba(ASKED), other.predict_proba(ASKED))
    with pytest.raises(InputError, match="no documents to learn from"):
        Classifier().fit(["a", "b"], ["x", "y"], [0, 0])


def test_a_group_that_is_a_whole_class_says_so_and_is_learned_from() -> None:
    groups = ["one" if sign == "positive" else str(at) for at, sign in enumerate(SIGNS)]
    model = Classifier().fit(TEXTS, SIGNS, groups=groups)
    assert "all of 'positive' leave with one group" in model.report_.note
    assert model.predict("What a lovely day") == "positive"
    whole = Classifier().fit(TEXTS, SIGNS, groups=SIGNS)  # nothing can be learned of how far to trust
    assert np.isfinite(whole.predict_proba(ASKED)).all()


def test_groups_are_left_out_together_and_the_report_is_less_sure() -> None:
    random = Random(3)
    names = [f"thread{at}" for at in range(80)]
    quotes = {name: " ".join(random.choices([f"q{at}" for at in range(400)], k=8)) for name in names}
    own = {name: random.choice(LABELS[:2]) for name in names}
    rows = [name for name in names for _ in range(5)]
    texts = [f"{quotes[name]} {' '.join(random.choices(COMMON, k=5))}" for name in rows]
    labels = [own[name] for name in rows]
    alone, together = Classifier().fit(texts, labels), Classifier().fit(texts, labels, groups=rows)
    assert alone.report_.accuracy > 0.95
    assert together.report_.accuracy < 0.7
    assert "80 groups of 400 documents" in together.report_.note
    shuffled = Random(1).sample(range(400), 400)
    again = Classifier(threads=3).fit(
        [texts[at] for at in shuffled], [labels[at] for at in shuffled], groups=[rows[at] for at in shuffled]
    )
    assert np.array_equal(again.predict_proba(texts), together.predict_proba(texts))


@pytest.mark.parametrize(
    "groups, message", [(["a"], "2 documents but 1 groups"), (["a", None], "document 1 has group None")]
)
def test_wrong_groups_are_named(groups: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier().fit(["a b", "c d"], ["x", "y"], groups=groups)
