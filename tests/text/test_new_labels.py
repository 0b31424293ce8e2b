"""A label that comes after the fit: the old ones stay as they are, and its start follows its documents."""

import copy
from pathlib import Path
from random import Random

import numpy as np
import pytest

import banbury
import trust_reference as twin
from banbury import Analyzer, Classifier, _kernel
from banbury.text.documents import class_numbers
from banbury.text.new_labels import asked_for
from banbury.text.trust import Later, Trust, centred_log_prior

OLD = ("sea", "wood")


def drawn(label: str, n: int, seed: int) -> list[str]:
    """Texts in which half of the words are of the label."""
    random = Random(f"{label} {seed}")
    own, common = [f"{label}{at}" for at in range(12)], [f"all{at}" for at in range(40)]
    return [" ".join(random.choice(own if random.random() < 0.3 else common) for _ in range(12)) for _ in range(n)]


def fitted() -> Classifier:
    texts = [text for label in OLD for text in drawn(label, 200, 0)]
    return Classifier(analyzer=Analyzer()).fit(texts, [label for label in OLD for _ in range(200)])


MODEL = fitted()
ASKED = [text for label in OLD for text in drawn(label, 100, 1)]


def trust(model: Classifier) -> Trust:
    found = model.model_.of_texts("").choice.trust
    assert found is not None
    return found


def test_few_documents_of_a_new_label_change_no_old_decision_and_many_are_told() -> None:
    model, before = copy.deepcopy(MODEL), MODEL.predict(ASKED)
    new, recalls = drawn("air", 100, 0), []
    for start, end in ((0, 1), (1, 10), (10, 100)):
        model.learn(new[start:end], ["air"] * (end - start))
        assert (model.predict(ASKED) == before).mean() > 0.98
        recalls.append((model.predict(drawn("air", 100, 1)) == "air").mean())
    assert recalls == sorted(recalls)
    assert recalls[-1] > 0.9
    (asked,) = trust(model).later
    assert asked.label == "air"
    assert asked.shift > 0


def test_a_new_label_never_starts_above_an_old_one_of_average_size() -> None:
    known = Trust(
        (), 1.0, (("a", 0.1), ("b", -0.1)), (), (), later=(Later("c", 5.0), Later("d", -1.0), Later("gone", 3.0))
    )
    log_priors = np.log([102, 52, 7, 7])
    gap = log_priors[:2].mean() - log_priors[2]
    assert known.growth(["a", "b", "c", "d"], [100, 50, 5, 5]) == pytest.approx([0.1, -0.1, gap, 0.0])
    assert known.growth(["a", "b", "c", "d"], [100, 50, 500, 5])[2] == pytest.approx(0.0)


def test_a_second_document_of_a_new_label_asks_for_what_the_formula_says() -> None:
    model, (first, second) = copy.deepcopy(MODEL), drawn("air", 2, 3)
    model.learn([first], ["air"])
    assert trust(model).later == ()  # of the first document of a label nothing is known
    model.learn([second], ["air"])
    # Without that document there is one of the label, with it there are two.
    known, classes, sizes = trust(MODEL), ["air", "sea", "wood"], [2, 200, 200]
    counts = model.model_.of_texts("").counts
    documents = _kernel.Documents(counts.kernel, [second], class_numbers(["air"], classes), None, 9, 1)
    left_out = documents.scores([known.curves], known.caps, 1)
    said = np.asarray(left_out.scores)[0] * known.factors(classes, sizes)
    words = int(np.asarray(left_out.lengths)[0])
    scores = said + centred_log_prior(sizes) + twin.growth(words) * np.array(known.growth(classes, sizes))
    missed = 1 - np.exp(scores[0]) / np.exp(scores).sum()
    expected = twin.asked_for(0.0, 0.0, words, missed, said[0])
    assert trust(model).later == (("air", *(pytest.approx(value, rel=1e-9) for value in expected)),)
    many = Later("air", 5.0, 0.3)
    for share, missed, said_there in ((0.5, 0.9, 1.5), (0.5, 0.9, 99.0), (0.1, 1.0, -99.0), (0.9, 0.0, 1.0)):
        expected = twin.asked_for(5.0, 0.3, round(16 * share / (1 - share)), missed, said_there)
        share = twin.growth(round(16 * share / (1 - share)))
        assert asked_for(many, share, missed, said_there)[1:] == pytest.approx(expected, rel=1e-12)


def test_few_documents_of_a_new_label_cannot_prove_that_its_evidence_is_worth_more() -> None:
    known = Trust((), 1.0, (("a", 0.0), ("b", 0.0)), (), (), later=(Later("c", 0.0, 1.0), Later("d", 0.0, -0.5)))
    for n in (1, 10, 30, 300):
        factors = known.factors(["a", "b", "c", "d", "e"], [100, 100, n, n, n])
        expected = [twin.factor(n, slope, few=6.0) for slope in (1.0, -0.5, 0.0)]
        assert factors == pytest.approx([1.0, 1.0, *expected])
    small = known.factors(["a", "b", "c"], [10, 20, 5])  # the old labels have few documents themselves
    assert small == pytest.approx([1.0, 1.0, twin.factor(5, 1.0, few=1.5)])


def test_a_shift_fades_as_the_share_of_its_label_moves_and_comes_back_with_it() -> None:
    known = Trust((), 1.0, (("a", 0.4), ("b", -0.4)), (), (), sizes=(10, 90))
    assert known.growth(["a", "b"], [10, 90]) == [0.4, -0.4]
    assert known.growth(["a", "b"], [20, 180]) == [0.4, -0.4]  # all grow alike
    assert known.growth(["a", "b", "c"], [10, 90, 900]) == [0.4, -0.4, 0.0]  # another label says nothing of these
    assert known.growth(["a"], [10]) == [0.4]
    expected = [twin.faded(0.4, 0.1, 0.5), twin.faded(-0.4, 0.9, 0.5)]
    assert known.growth(["a", "b"], [90, 90]) == pytest.approx(expected)
    model = copy.deepcopy(MODEL)
    more = drawn("sea", 60, 2)
    model.learn(more, ["sea"] * 60)
    now = model.model_.of_texts("").documents
    faded = [twin.faded(shift, 0.5, n / sum(now)) for (_, shift), n in zip(trust(MODEL).shifts, now, strict=True)]
    plain = [(trust(MODEL).prior - 1) * value for value in centred_log_prior(now)]
    assert trust(model).growth([*OLD], now) == pytest.approx(np.add(plain, faded))
    model.forget(more, ["sea"] * 60)
    np.testing.assert_array_equal(model.predict_proba(ASKED), MODEL.predict_proba(ASKED))


def test_a_class_that_grows_tenfold_is_told_as_by_a_fresh_fit() -> None:
    texts = [*drawn("sea", 20, 0), *drawn("wood", 200, 0)]
    grown = Classifier(analyzer=Analyzer()).fit(texts, ["sea"] * 20 + ["wood"] * 200)
    grown.learn(drawn("sea", 200, 0)[20:], ["sea"] * 180)
    asked = np.array(["sea"] * 100 + ["wood"] * 100)
    accuracy = [(model.predict(ASKED) == asked).mean() for model in (grown, MODEL)]
    assert accuracy[0] >= accuracy[1] - 0.02


def test_what_is_learned_at_once_or_in_any_order_gives_the_same_start() -> None:
    new = drawn("air", 20, 0)
    one, other = copy.deepcopy(MODEL), copy.deepcopy(MODEL)
    one.learn(new, ["air"] * 20)
    other.learn(new[::-1], ["air"] * 20)
    assert trust(one) == trust(other)
    np.testing.assert_array_equal(one.predict_proba(ASKED), other.predict_proba(ASKED))


def test_forgetting_the_label_brings_back_the_model() -> None:
    model, new = copy.deepcopy(MODEL), drawn("air", 20, 0)
    model.learn(new, ["air"] * 20)
    model.forget(new, ["air"] * 20)
    assert trust(model) == trust(MODEL)
    np.testing.assert_array_equal(model.predict_proba(ASKED), MODEL.predict_proba(ASKED))


def test_the_start_is_saved_and_chosen_again_with_the_settings(tmp_path: Path) -> None:
    model, new = copy.deepcopy(MODEL), drawn("air", 60, 0)
    model.learn(new, ["air"] * 60)
    model.save(tmp_path / "model")
    loaded = banbury.load(tmp_path / "model")
    assert trust(loaded) == trust(model)
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), model.predict_proba(ASKED))
    texts = [text for label in OLD for text in drawn(label, 200, 0)]
    model.refit_settings([*texts, *new], [*[label for label in OLD for _ in range(200)], *["air"] * 60])
    assert trust(model).later == ()
    assert "air" in dict(trust(model).shifts)


def test_a_merged_model_brings_the_start_of_its_new_label() -> None:
    theirs, new = copy.deepcopy(MODEL), drawn("air", 20, 0)
    theirs.learn(new, ["air"] * 20)
    ours = copy.deepcopy(MODEL).merge(theirs)
    assert trust(ours).later == trust(theirs).later
    again = copy.deepcopy(theirs).merge(MODEL)
    assert trust(again).later == trust(theirs).later


def test_the_report_says_what_it_speaks_of() -> None:
    model = copy.deepcopy(MODEL)
    assert "by now" not in model.report_.note
    more = drawn("sea", 40, 2)
    model.learn(more, ["sea"] * 40)
    assert "speaks of the 400 documents" in model.report_.note
    assert "by now it has 440" in model.report_.note
    assert "refit_settings" not in model.report_.note
    model.learn(drawn("air", 3, 0), ["air"] * 3)
    assert "a new label: air; refit_settings(texts, labels) would choose again" in model.report_.note
    model.forget(drawn("air", 3, 0), ["air"] * 3)
    model.forget(more, ["sea"] * 40)
    assert model.report_.note == MODEL.report_.note
