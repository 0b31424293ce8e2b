"""The correction of the automatic model: the kernel finds the optimum, and the weights stay with their features."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize

import banbury
import correction_reference as twin
import reference
from banbury import Analyzer, Classifier, Counts, _kernel, storage
from banbury.errors import FileFormatError, InputError
from banbury.text.documents import class_numbers
from corrected import THREE, TWO, best, both, dependent
from strategies import LABELS, Corpus, corpora, documents
from trust_reference import document

PAIRS = Analyzer(words="python", min_length=2, ngrams=(1, 2))


def without(model: Classifier) -> Classifier:
    """The same counts and curves, and no correction."""
    model = copy.deepcopy(model)
    of_texts = model.model_.of_texts("a correction is of texts")
    of_texts.choice = replace(of_texts.choice, correction=None)
    return model


# The regression


@pytest.mark.parametrize("n_classes", [2, 3])
@settings(max_examples=15)
@given(st.data())
def test_the_kernel_finds_the_optimum_that_scipy_finds(n_classes: int, data: st.DataObject) -> None:
    drawn = data.draw(corpora(min_size=3, classes=n_classes))
    corpus = Corpus([*drawn.texts, *LABELS[:n_classes]], [*drawn.labels, *LABELS[:n_classes]])
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    found = _kernel.Documents(counts.kernel, corpus.texts, class_numbers(corpus.labels, counts.classes), None, 99, 1)
    n_scored = 1 if n_classes == 2 else n_classes
    offsets = np.random.default_rng(0).normal(size=(len(found.rows), n_scored))
    importance = np.array(found.weights) * np.linspace(0.5, 1.5, len(found.rows))
    penalty = data.draw(st.sampled_from([0.1, 1.0, 10.0]))
    ridge = _kernel.Ridge(found, importance, offsets.ravel())
    reached = ridge.fit(penalty, 300, 1)

    own = np.array(found.classes, np.intp)
    rows = [document(reference.python_words(corpus.texts[row])) for row in found.rows]
    presences = twin.Presences(rows, np.asarray(found.groups).tolist())
    of = (presences.matrix(rows), own, importance, offsets, penalty)
    start = np.zeros(len(presences.columns) * n_scored)
    if not start.size:  # no feature is in two groups: there is nothing to fit
        assert reached == pytest.approx(twin.loss(start, *of)[0])
        return
    optimum = minimize(twin.loss, start, of, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-14})
    assert reached == pytest.approx(optimum.fun, rel=1e-5, abs=1e-7)

    # A text that was not counted has every known feature, also those of one document.
    texts = [" ".join(data.draw(documents())), corpus.texts[0], "unheard of"]
    asked = _kernel.Documents(counts.kernel, texts, np.zeros(3, np.uint32), None, 99, 1)
    scores = np.asarray(ridge.scores(asked, 1))
    new = presences.matrix([document(reference.python_words(texts[row])) for row in asked.rows])
    np.testing.assert_allclose(scores, new @ optimum.x.reshape(-1, n_scored), atol=2e-3)


@pytest.mark.parametrize("n_scored", [1, 3])
def test_the_plain_gradient_is_that_of_the_plain_loss(n_scored: int) -> None:
    random = np.random.default_rng(1)
    own = random.integers(0, max(n_scored, 2), 7)
    of = (random.normal(size=(7, 4)), own, random.random(7), random.normal(size=(7, n_scored)), 0.7)
    at = random.normal(size=4 * n_scored)
    assert check_grad(lambda x: twin.loss(x, *of)[0], lambda x: twin.loss(x, *of)[1], at) < 1e-5


@both
def test_every_step_goes_down_and_a_smaller_penalty_fits_closer(labels: tuple[str, ...]) -> None:
    corpus = dependent(labels)
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    found = _kernel.Documents(counts.kernel, corpus.texts, class_numbers(corpus.labels, counts.classes), None, 999, 1)
    n = len(found.rows)
    ridge = _kernel.Ridge(found, np.ones(n), np.zeros(n if len(labels) == 2 else 3 * n))
    losses = [ridge.fit(10.0, 1, 2) for _ in range(6)]
    assert all(later < earlier for earlier, later in pairwise(losses))
    assert ridge.fit(1.0, 20, 2) < losses[-1]


@given(corpora(min_size=4))
def test_what_is_held_out_was_never_counted(corpus: Corpus) -> None:
    counts = Counts(PAIRS).add(corpus.texts, corpus.labels)
    found = _kernel.Documents(counts.kernel, corpus.texts, class_numbers(corpus.labels, counts.classes), None, 99, 1)
    n = found.whole_groups(len(found.rows) // 2)
    left, rest = found.held_out(n)
    places = np.asarray(found.places)
    kept = [at for at in range(len(corpus)) if places[at] >= n]
    again = counts.kernel.count(
        [corpus.texts[at] for at in kept],
        class_numbers([corpus.labels[at] for at in kept], counts.classes),
        None,
        len(counts.classes),
        1,
    )
    assert left.arrays() == again.arrays()
    assert rest.rows == found.rows[n:]


# The model


@both
def test_leave_one_out_is_that_of_the_counts_alone(labels: tuple[str, ...]) -> None:
    model, corpus = best(labels), dependent(labels)
    one, other = (each.diagnose(corpus.texts, corpus.labels).doubtful for each in (model, without(model)))
    assert one == other


@both
def test_an_explanation_sums_to_the_score(labels: tuple[str, ...]) -> None:
    model = best(labels)
    for text in dependent(labels, 20, seed=2).texts:
        explanation = model.explain(text)
        total = explanation.prior + sum(evidence.weight for evidence in explanation.evidence)
        assert total == pytest.approx(explanation.score, abs=1e-9)
        scores = np.sort(model.predict_log_proba([text])[0])
        assert explanation.score == pytest.approx(scores[-1] - scores[-2], abs=1e-9)


@both
def test_a_text_scores_the_same_alone_and_in_company(labels: tuple[str, ...]) -> None:
    texts = dependent(labels, 300, seed=3).texts
    # The first are looked up one by one; once enough were asked for, all weights are ready.
    alone = np.concatenate([best(labels).predict_proba([text]) for text in texts[:5]])
    np.testing.assert_array_equal(best(labels).predict_proba(texts)[:5], alone)


# What stays


def through_a_file(model: Classifier, folder: Path) -> Classifier:
    model.save(folder / "model")
    return Classifier.load(folder / "model")


@both
@pytest.mark.parametrize(
    "again",
    [through_a_file, lambda model, _: pickle.loads(pickle.dumps(model)), lambda model, _: copy.deepcopy(model)],
)
def test_a_copy_has_the_correction(
    labels: tuple[str, ...], again: Callable[[Classifier, Path], Classifier], tmp_path: Path
) -> None:
    model, texts = best(labels), dependent(labels, 50, seed=4).texts
    np.testing.assert_array_equal(again(model, tmp_path).predict_proba(texts), model.predict_proba(texts))
    assert not np.allclose(without(model).predict_proba(texts), model.predict_proba(texts))


@both
def test_what_is_forgotten_again_leaves_the_correction_as_it_was(labels: tuple[str, ...]) -> None:
    model, more = best(labels), dependent(labels, 50, seed=4)
    before = model.predict_proba(more.texts)
    new = [f"{text} never heard words" for text in more.texts]
    model.learn(new, more.labels)
    assert not np.array_equal(model.predict_proba(more.texts), before)
    np.testing.assert_array_equal(model.forget(new, more.labels).predict_proba(more.texts), before)


def weights_in(text: str, model: Classifier) -> dict[str, float]:
    evidence = model.explain(text, label="yes", against="no").evidence
    return {one.word: one.weight for one in reversed(evidence)}  # what comes again has no weight


@both
def test_pruning_takes_the_weights_of_what_is_gone_and_leaves_the_others(labels: tuple[str, ...]) -> None:
    model, text = best(labels), " ".join(dependent(labels, 3, seed=6).texts)
    corrected, plain = weights_in(text, model), weights_in(text, without(model))
    model.counts_.prune(min_documents=110 if labels == TWO else 72)
    assert 0 < model.counts_.n_features < best(labels).counts_.n_features
    left, left_plain = weights_in(text, model), weights_in(text, without(model))
    # In a document with fewer known features all weigh more or less by the same factor.
    ratios = [(left[word] - left_plain[word]) / (corrected[word] - plain[word]) for word in left]
    assert 1 < len(left) < len(corrected)

    correction = model.model_.of_texts("").choice.correction
    assert correction is not None
    _, typical, cap = correction.table.scale

    def scale(m: int) -> float:
        return float(min(m, cap) ** 0.5 / (min(m, cap) + typical) * min(1, cap / m))

    np.testing.assert_allclose(ratios, scale(len(left)) / scale(len(corrected)), rtol=1e-4)


@both
def test_merging_keeps_the_own_correction(labels: tuple[str, ...]) -> None:
    more = dependent(labels, 150, seed=7)
    other = Classifier(analyzer=best(labels).counts_.analyzer).fit(more.texts, more.labels)
    merged, learned = best(labels).merge(other), best(labels).learn(more.texts, more.labels)
    np.testing.assert_array_equal(merged.predict_proba(more.texts), learned.predict_proba(more.texts))


def test_a_new_class_has_no_correction_and_the_others_keep_theirs() -> None:
    model, texts = best(THREE), dependent(THREE, 30, seed=8).texts
    new = ["maybe so", "maybe not"] * 10
    model.learn(new, ["maybe"] * 20)
    assert model.predict_proba(texts).shape == (30, 4)
    for text in texts[:3]:
        given, plain = (one.explain(text, label="yes", against="no") for one in (model, without(model)))
        before, old = (one.explain(text, label="yes", against="no") for one in (best(THREE), without(best(THREE))))
        assert given.score - plain.score == pytest.approx(before.score - old.score, abs=1e-9)
    model.forget(new, ["maybe"] * 20)
    np.testing.assert_array_equal(model.predict_proba(texts), best(THREE).predict_proba(texts))


def test_a_third_class_of_two_has_no_correction_and_the_two_keep_theirs() -> None:
    corpus, new = dependent(TWO), Corpus(["maybe so", "maybe not"] * 5, ["maybe"] * 10)
    model = best(TWO).learn(new.texts, new.labels)
    text = corpus.texts[0]
    given, plain = (one.explain(text, label="yes", against="no") for one in (model, without(model)))
    before, old = (one.explain(text, label="yes", against="no") for one in (best(TWO), without(best(TWO))))
    assert given.score - plain.score == pytest.approx(before.score - old.score, abs=1e-6)
    assert model.predict(["maybe"]).tolist() == ["maybe"]
    again = copy.deepcopy(model).refit_settings([*corpus.texts, *new.texts], [*corpus.labels, *new.labels])
    assert again.model_.of_texts("").choice.correction is not None
    model.forget(new.texts, new.labels)
    np.testing.assert_array_equal(model.predict_proba(corpus.texts), best(TWO).predict_proba(corpus.texts))


def test_settings_chosen_again_are_those_of_the_effort() -> None:
    corpus = dependent(TWO)
    model = best(TWO).refit_settings(corpus.texts, corpus.labels)
    np.testing.assert_array_equal(model.predict_proba(corpus.texts), best(TWO).predict_proba(corpus.texts))
    model.set_params(effort="counting").refit_settings(corpus.texts, corpus.labels)
    assert model.model_.of_texts("").choice.correction is None
    pruned = best(TWO)
    pruned.counts_.prune(min_documents=5)
    assert pruned.refit_settings(corpus.texts, corpus.labels).model_.of_texts("").choice.correction is not None


# What is refused


@pytest.mark.parametrize(
    "change",
    [
        lambda chosen, arrays: arrays.pop("correction.weights"),
        lambda chosen, arrays: arrays.update({"correction.weights": arrays["correction.weights"][:-4]}),
        lambda chosen, arrays: arrays.update(
            {"correction.features": arrays["correction.features"].view(np.uint64)[::-1].copy()}
        ),
        lambda chosen, arrays: arrays["correction.weights"].view(np.float32).put(0, np.nan),
        lambda chosen, arrays: chosen["correction"].update(classes=["no", "perhaps"]),
        lambda chosen, arrays: chosen["correction"].update(classes=["no", "no", "yes"]),
        lambda chosen, arrays: chosen["correction"].update(scale=[1.0, 0.0, 1.0]),
        lambda chosen, arrays: chosen["correction"].update(scale=[1.0]),
        lambda chosen, arrays: chosen.pop("correction"),
    ],
)
def test_a_damaged_correction_is_refused(
    change: Callable[[dict[str, Any], dict[str, Any]], None], tmp_path: Path
) -> None:
    best(THREE).save(tmp_path / "model")
    file = storage.read(tmp_path / "model")
    arrays: dict[str, Any] = {name: np.array(array) for name, array in file.arrays.items()}
    change(file.settings["chosen"], arrays)
    storage.write(tmp_path / "damaged", file.settings, arrays)
    with pytest.raises(FileFormatError):
        banbury.load(tmp_path / "damaged")


def test_the_kernel_refuses_what_does_not_fit() -> None:
    counts = Counts(PAIRS).add(["a b", "b c"], ["x", "y"])
    found = _kernel.Documents(counts.kernel, ["a b", "b c"], class_numbers(["x", "y"], counts.classes), None, 9, 1)
    with pytest.raises(InputError, match="do not fit the documents"):
        _kernel.Ridge(found, np.ones(2), np.zeros(3))
    ridge = _kernel.Ridge(found, np.ones(2), np.zeros(2))
    table = ridge.correction(found, 1)
    with pytest.raises(InputError, match="no such column"):
        table.arranged([[(1, 1.0)]])
    counts.add(["d"], ["z"])
    with pytest.raises(InputError, match="the curves, or what scores start from"):
        _kernel.TrustScorer(counts.kernel, [0.0] * 98, [9.0, 9.0], table).scores(["a"], [0.0] * 3, 1)


@both
def test_the_file_holds_hashes_in_rising_order_and_a_row_of_weights_for_each(labels: tuple[str, ...]) -> None:
    _, arrays = best(labels).model_.parts()
    hashes = np.frombuffer(arrays["correction.features"], np.uint64)
    weights_of = np.frombuffer(arrays["correction.weights"], np.float32)
    assert (np.diff(hashes.astype(object)) > 0).all()
    assert len(weights_of) == len(hashes) * (1 if len(labels) == 2 else len(labels))
