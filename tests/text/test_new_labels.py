"""A label that comes after the fit: the old ones stay as they are, and its start follows its documents."""

import copy
from pathlib import Path
from random import Random

import numpy as np
import pytest

import banbury
from banbury import Analyzer, Classifier
from banbury.text.trust import Trust

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
    assert dict(trust(model).later)["air"] > 0


def test_a_new_label_never_starts_above_an_old_one_of_average_size() -> None:
    known = Trust((), 1.0, (("a", 0.1), ("b", -0.1)), (), (), later=(("c", 5.0), ("d", -1.0), ("gone", 3.0)))
    log_priors = np.log([102, 52, 7, 7])
    gap = log_priors[:2].mean() - log_priors[2]
    assert known.growth(["a", "b", "c", "d"], [100, 50, 5, 5]) == pytest.approx([0.1, -0.1, gap, 0.0])
    assert known.growth(["a", "b", "c", "d"], [100, 50, 500, 5])[2] == pytest.approx(0.0)


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
