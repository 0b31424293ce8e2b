"""MultiLabelClassifier: the front door, its laws, scikit-learn's contract, and what is refused."""

import pickle
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.utils import get_tags

import banbury
from banbury import Classifier, MultiLabelClassifier
from banbury.errors import BanburyError, CountError, FileFormatError, InputError, LabelError, NotFittedError
from label_sets import some_documents

GIVEN = some_documents()
TEXTS, SETS = GIVEN.texts, [list(labels) for labels in GIVEN.sets]


def fitted(**parameters: Any) -> MultiLabelClassifier:
    return MultiLabelClassifier(**parameters).fit(TEXTS, SETS)


def probabilities(model: MultiLabelClassifier) -> Any:
    return model.predict_proba(TEXTS).tolist()


def test_it_predicts_the_labels_and_none_where_there_are_none() -> None:
    model = fitted()
    assert model.predict("a joke, funny") == ["comic"]
    assert set(model.predict("tears and a quick joke")) == {"comic", "drama", "short"}
    assert model.predict("the year of the play") == []
    assert model.predict(["a joke", "number3"]) == [["comic"], []]
    assert model.classes_.tolist() == ["comic", "drama", "short"]
    assert model.documents_ == {name: sum(name in labels for labels in SETS) for name in model.classes_}
    assert model.n_documents_ == 60


def test_top_gives_so_many_the_most_probable_first() -> None:
    model = fitted()
    by_text = model.probabilities("tears, a joke")
    assert model.predict("tears, a joke", top=2) == list(by_text)[:2]
    assert list(by_text.values()) == sorted(by_text.values(), reverse=True)
    assert model.predict(["x"], top=9) == [list(model.probabilities("x"))]


def test_labels_and_probabilities_are_those_that_predict_gives_with_those_of_predict_proba() -> None:
    model = fitted()
    names, chances = model.classes_.tolist(), model.predict_proba(TEXTS)
    for how in ({}, {"top": 2}):
        given = model.labels_and_probabilities(TEXTS, **how)
        assert [list(row) for row in given] == model.predict(TEXTS, **how)
        for row, all_chances in zip(given, chances, strict=True):
            assert row == {label: all_chances[names.index(label)] for label in row}
    own = model.labels_and_probabilities(TEXTS, threshold={"comic": None, "drama": 0.0})
    assert not any("comic" in row for row in own)
    assert all("drama" in row for row in own)
    assert [list(row) for row in model.labels_and_probabilities(TEXTS)] == model.predict(TEXTS)
    with pytest.raises(InputError, match="threshold is 2"):
        model.labels_and_probabilities(TEXTS, threshold=2)


def test_a_copy_changes_on_its_own() -> None:
    model = fitted()
    before = probabilities(model)
    other = copy(model).learn(["alas, alas"], [["farce"]])
    assert probabilities(model) == before
    assert (model.n_documents_, other.n_documents_) == (60, 61)
    assert "farce" not in model.classes_
    assert probabilities(other.forget(["alas, alas"], [["farce"]])) == before
    assert not copy(MultiLabelClassifier()).__sklearn_is_fitted__()


def test_probabilities_are_those_of_the_log_odds() -> None:
    model = fitted()
    odds = model.decision_function(TEXTS)
    np.testing.assert_allclose(model.predict_proba(TEXTS), 1 / (1 + np.exp(-odds)))


@pytest.mark.parametrize("order", [slice(None, None, -1), [*range(30, 60), *range(30)]])
def test_the_order_of_documents_does_not_matter(order: Any, tmp_path: Path) -> None:
    rows = np.arange(60)[order]
    other = MultiLabelClassifier(threads=3).fit([TEXTS[row] for row in rows], [SETS[row] for row in rows])
    fitted(threads=1).save(tmp_path / "one")
    other.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_what_is_learned_and_forgotten_was_never_there_and_parts_are_the_whole() -> None:
    model = fitted()
    before = probabilities(model)
    model.learn(["a brand new thing"], [["new", "comic"]])
    assert "new" in model.classes_
    assert probabilities(model) != before
    model.forget(["a brand new thing"], [["new", "comic"]])
    assert probabilities(model) == before
    parts = [model.empty().learn(TEXTS[rows], SETS[rows]) for rows in (slice(0, 25), slice(25, 60))]
    assert probabilities(parts[0].merge(parts[1])) == before
    assert probabilities(parts[1].empty().merge(parts[0])) == before


def test_saved_and_loaded_is_identical(tmp_path: Path) -> None:
    model = fitted(threshold={"comic": 0.7, "drama": None})
    model.save(tmp_path / "model")
    for again in (banbury.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert isinstance(again, MultiLabelClassifier)
        assert probabilities(again) == probabilities(model)
        assert again.thresholds_ == model.thresholds_
        assert again.report_ == model.report_
        again.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    with pytest.raises(FileFormatError, match="it holds a multi-label classifier, not a classifier"):
        Classifier.load(tmp_path / "model")
    Classifier().fit(["a", "b"], ["x", "y"]).save(tmp_path / "other")
    with pytest.raises(FileFormatError, match="it holds a classifier, not a multi-label classifier"):
        MultiLabelClassifier.load(tmp_path / "other")


def test_a_threshold_takes_effect_at_once() -> None:
    model = fitted()
    assert model.set_params(threshold=1.0).predict(["a joke"]) == [[]]
    assert model.set_params(threshold=0.0).predict(["x"], top=None)[0] == list(model.probabilities("x"))
    assert model.set_params(threshold={"comic": None}).predict("a joke") == []
    assert model.set_params(threshold="micro_f1").predict("a joke") == ["comic"]
    with pytest.raises(InputError, match="there is no parameter 'alpha'; there is analyzer, threshold, threads"):
        model.set_params(alpha=1)
    assert repr(model) == "MultiLabelClassifier(threshold='micro_f1')"


def test_evaluate_knows_unknown_labels_and_weights() -> None:
    model = fitted()
    report = model.evaluate(["a joke", "tears"], [["comic"], ["drama", "new"]], [3, 1])
    assert report.unknown_labels == [("new", 1)]
    assert report.subset_accuracy == 0.75
    assert model.score(["a joke"], [["comic"]]) == 1.0
    assert model.evaluate(TEXTS, SETS).micro_f1 > 0.95


def test_refit_settings_chooses_again_and_keeps_the_counts() -> None:
    model = fitted()
    expected = model.counts_.parts()
    model.refit_settings(TEXTS[:40], SETS[:40])
    assert model.counts_.parts() == expected
    assert model.report_.n_documents <= 40
    with pytest.raises(LabelError, match="document 0 has label 'Comic', which is new; did you mean 'comic'"):
        model.refit_settings(["a"], [["Comic"]])


def test_groups_are_left_out_together() -> None:
    # Each group has a word of its own, which tells its label: without the group nothing tells it.
    texts = [f"only{row // 4} so so {row % 4}" for row in range(40)]
    sets = [["x"] if row // 4 % 2 else [] for row in range(40)]
    alone = MultiLabelClassifier(analyzer="words").fit(texts, sets)
    together = MultiLabelClassifier(analyzer="words").fit(texts, sets, groups=[row // 4 for row in range(40)])
    assert alone.report_.log_loss < 0.3 < together.report_.log_loss


def test_an_indicator_matrix_in_is_one_out() -> None:
    matrix = pd.DataFrame({name: [int(name in labels) for labels in SETS] for name in ("short", "never", "comic")})
    model = MultiLabelClassifier().fit(TEXTS, matrix)
    assert model.classes_.tolist() == ["short", "never", "comic"]
    found = model.predict(["a joke", "tears"])
    assert found.tolist() == [[0, 0, 1], [0, 0, 0]]
    assert model.predict_proba(TEXTS)[:, 1].tolist() == [0.0] * 60
    assert model.decision_function(["x"])[0, 1] == -np.inf
    assert model.predict("a joke") == ["comic"]
    assert model.evaluate(TEXTS, matrix).macro_f1 > 0.9
    with pytest.raises(LabelError, match="this model has 3 labels"):
        model.learn(["a"], np.array([[1]]))


def test_it_keeps_the_contract_of_scikit_learn() -> None:
    matrix = np.array([[int(name in labels) for name in ("comic", "drama", "short")] for labels in SETS])
    model = MultiLabelClassifier(analyzer="words")
    assert clone(model).get_params() == model.get_params()
    assert get_tags(model).classifier_tags.multi_label
    found = cross_val_predict(model, np.array(TEXTS), matrix, cv=3)
    assert f1_score(matrix, found, average="micro") > 0.9
    search = GridSearchCV(model, {"threshold": [0.5, "f1"]}, cv=2, scoring="f1_micro").fit(TEXTS, matrix)
    assert search.best_score_ > 0.8
    assert model.fit(np.array(TEXTS), matrix).partial_fit(["a joke"], [[1, 0, 0]]).n_documents_ == 61


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda model: model.predict(["a"]), NotFittedError, "has not learned anything yet"),
        (lambda model: model.fit("a text", [["x"]]), InputError, "expected a list of documents"),
        (lambda model: model.fit(["a"], ["x"]), LabelError, "one label and no list"),
        (lambda model: model.fit(["a"], [[]]), InputError, "no document has a label"),
        (lambda model: model.fit(["a"], [["x"], ["y"]]), InputError, "1 documents but 2 labels"),
        (lambda model: model.fit([], []), InputError, "no documents to learn from"),
        (lambda model: model.fit(["a", "b"], [["x"], [1]]), LabelError, "document 1 has label 1, of type int"),
        (
            lambda model: model.fit(["a", "b"], [["x"], None]),
            LabelError,
            r"document 1 has no labels \(None\); \[\] says",
        ),
        (lambda model: type(model)(effort="best"), TypeError, "unexpected keyword argument 'effort'"),
        (lambda model: model.set_params(effort="best"), InputError, "there is analyzer, threshold, threads"),
        (lambda model: model.fit(["a", None], [["x"], []]), BanburyError, "document 1 is None"),
        (lambda model: model.set_params(threshold=2).fit(["a"], [["x"]]), InputError, "threshold is 2"),
        (lambda model: model.fit(["a"], [["x"]], [0]), InputError, "no document has a label"),
        (lambda model: model.fit(["a"], [["x"]]).predict(["a"], top=0), InputError, "top is 0"),
        (lambda model: model.fit(["a"], [["x"]]).merge(Classifier()), InputError, "merge needs another Multi"),
        (lambda model: model.fit(["a"], [["x"]]).learn(["b"], [[3]]), LabelError, "of type int"),
        (lambda model: model.fit(["a"], [["x"]]).learn(["b"], [["X"]], new_labels="error"), LabelError, "did you mean"),
        (lambda model: model.fit(["a"], [["x"]]).learn(["b"], [["x"]], new_labels="ok"), InputError, "new_labels is"),
        (lambda model: model.fit(["a"], [["x"]]).forget(["b"], [["x"]]), CountError, "never added"),
        (lambda model: model.fit(["a"], [["x"]]).evaluate(["b"], [["x"], []]), InputError, "1 documents but 2 lists"),
    ],
)
def test_bad_input_is_one_clear_error(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(MultiLabelClassifier())


def test_a_label_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    twice = MultiLabelClassifier().fit(TEXTS, [[*labels, *labels[::-1]] for labels in SETS])
    twice.save(tmp_path / "twice")
    fitted().save(tmp_path / "once")
    assert (tmp_path / "twice").read_bytes() == (tmp_path / "once").read_bytes()
    twice.learn(["alas"], [["drama", "drama"]]).forget(["alas"], [["drama"]])
    assert twice.documents_ == fitted().documents_


def test_an_empty_list_of_labels_counts_outside_all_of_them() -> None:
    model = fitted()
    shares = model.probabilities("")
    model.learn(["nothing of it"] * 60, [[]] * 60)
    assert model.n_documents_ == 120
    assert model.documents_ == fitted().documents_
    assert all(chance < shares[label] for label, chance in model.probabilities("").items())


@pytest.mark.parametrize(
    "texts, sets",
    [(["a"], [["comic", 1]]), (["a"], [[2]]), (["a"], ["comic"]), (["a", None], [[], []]), (["a"], []), ("a", [[]])],
)
def test_bad_input_changes_nothing(texts: Any, sets: Any, tmp_path: Path) -> None:
    model = fitted()
    model.save(tmp_path / "before")
    for act in (model.learn, model.forget):
        with pytest.raises(BanburyError):
            act(texts, sets)
    model.save(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()


def test_one_document_of_each_kind_is_enough_and_everything_stays_finite() -> None:
    for sets in ([["x"]], [["x", "y"]], [["x"], []], [["x"], ["x"]], [[], [], ["x", "y"]]):
        model = MultiLabelClassifier().fit([f"text {row}" for row in range(len(sets))], sets)
        chances = model.predict_proba(["text 0", "", "never seen", "text " * 1000])
        assert np.isfinite(chances).all()
        assert np.isfinite([value for _, value, _ in model.report_.figures()]).all()


def test_a_model_that_has_forgotten_everything_says_so_and_learns_again() -> None:
    model = MultiLabelClassifier().fit(["a b"], [["x"]]).forget(["a b"], [["x"]])
    with pytest.raises(NotFittedError, match="knows no label"):
        model.predict("a")
    assert model.learn(["a b"], [["x"]]).classes_.tolist() == ["x"]


def test_words_and_explanations_speak_of_one_label() -> None:
    model = fitted()
    assert model.words("comic", top=3).rows()[0]["word"] in {"joke", "laugh", "funny", "a joke", "a laugh", "a funny"}
    explanation = model.explain("a joke", label="drama")
    assert explanation.label == "drama"
    assert explanation.probabilities["drama"] == pytest.approx(model.probabilities("a joke")["drama"])
