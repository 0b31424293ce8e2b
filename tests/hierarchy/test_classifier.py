"""HierarchicalClassifier: the front door, its laws, scikit-learn's contract, and what is refused."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

import banbury
import hierarchy_reference as reference
from banbury import Classifier, HierarchicalClassifier
from banbury.errors import (
    BanburyError,
    CountError,
    FileFormatError,
    InputError,
    LabelError,
    NotAvailable,
    NotFittedError,
)
from tree_texts import LABELS, TEXTS


def fitted(**parameters: Any) -> HierarchicalClassifier:
    return HierarchicalClassifier(**parameters).fit(TEXTS, LABELS)


def probabilities(model: HierarchicalClassifier) -> Any:
    return model.predict_proba(TEXTS).tolist()


def test_probabilities_are_those_of_classifiers_of_each_level() -> None:
    model = fitted(analyzer="words")
    top = Classifier(analyzer="words").fit(TEXTS, [label.split("/")[0] for label in LABELS])
    leaves = Classifier(analyzer="words").fit(TEXTS, LABELS)
    by_label = reference.paths(sorted(set(LABELS)))
    weights = list(model.level_weights_.values())
    assert list(model.level_weights_) == ["level 1", "labels"]
    for text in ("a goal for the team", "the scene", "never seen", ""):
        expected = reference.pooled([top.probabilities(text), leaves.probabilities(text)], weights, by_label)
        found = model.probabilities(text)
        assert {label: found[label] for label in expected} == pytest.approx(expected)
        assert found["sport"] == pytest.approx(sum(found[label] for label in expected if label.startswith("sport/")))


def test_it_predicts_and_stops_where_it_is_no_longer_sure() -> None:
    model = fitted()
    assert model.predict("penalty, goal, keeper, team") == "sport/football"
    assert model.predict("match of the team, league win", sure=0.8) == "sport"
    assert model.predict("", sure=0.9) is None
    assert model.predict(["match team league win", ""], sure=0.8).tolist() == ["sport", None]
    assert model.predict("penalty goal", by="distance") == "sport/football"
    (node, chance), (top, certain) = model.predicted_with_probabilities(["match team league win", ""], sure=0.8)
    assert (node, top, certain) == ("sport", None, 1.0)
    assert chance == pytest.approx(model.probabilities("match team league win")["sport"])
    assert model.predict([]).tolist() == []


@pytest.mark.parametrize("order", [slice(None, None, -1), [*range(48, 96), *range(48)]])
def test_neither_order_nor_threads_matter(order: Any, tmp_path: Path) -> None:
    rows = np.arange(96)[order]
    other = HierarchicalClassifier(threads=3).fit([TEXTS[row] for row in rows], [LABELS[row] for row in rows])
    fitted(threads=1).save(tmp_path / "one")
    other.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_what_is_learned_and_forgotten_was_never_there_and_parts_are_the_whole() -> None:
    model = fitted()
    before = probabilities(model)
    model.learn(["a sonnet, an ode"], ["poem/short/sonnet"])
    assert model.documents_["poem"] == model.documents_["poem/short/sonnet"] == 1
    assert probabilities(model) != before
    model.forget(["a sonnet, an ode"], ["poem/short/sonnet"])
    assert probabilities(model) == before
    assert "poem" not in model.documents_
    parts = [model.empty().learn(TEXTS[rows], LABELS[rows]) for rows in (slice(0, 40), slice(40, 96))]
    assert probabilities(parts[0].merge(parts[1])) == before
    assert probabilities(parts[1].empty().merge(parts[0])) == before


def test_saved_and_loaded_is_identical(tmp_path: Path) -> None:
    parents = {label: label.split("/")[0] for label in LABELS if "/" in label}
    for model in (fitted(), fitted(parents=parents)):
        model.save(tmp_path / "model")
        for again in (banbury.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
            assert isinstance(again, HierarchicalClassifier)
            assert probabilities(again) == probabilities(model)
            assert again.report_ == model.report_
            assert again.parents == model.parents
            again.save(tmp_path / "again")
            assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    with pytest.raises(FileFormatError, match="it holds a hierarchical classifier, not a classifier"):
        Classifier.load(tmp_path / "model")
    settings, arrays = fitted().parts()
    for name, wrong in (("weights", [1.0]), ("weights", [-1.0, 1.0]), ("levels", settings["levels"][:1])):
        with pytest.raises(FileFormatError):
            HierarchicalClassifier.from_parts({**settings, name: wrong}, arrays)
    with pytest.raises(FileFormatError, match="other nodes than its labels"):
        HierarchicalClassifier.from_parts({**settings, "separator": "?"}, arrays)


def test_parents_give_the_same_model_as_names() -> None:
    parents = {label: label.split("/")[0] for label in LABELS if "/" in label}
    assert probabilities(fitted(parents=parents)) == probabilities(fitted())
    codes = {label: 10 * (1 + number) for number, label in enumerate(sorted(set(LABELS)))}
    tops = {codes[label]: 1 + sorted({*parents.values()}).index(parents[label]) for label in parents}
    numbers = HierarchicalClassifier(parents=tops).fit(TEXTS, [codes[label] for label in LABELS])
    assert probabilities(numbers) == probabilities(fitted())
    assert numbers.predict("goal penalty keeper") == codes["sport/football"]


def test_explanations_have_a_step_for_each_level_and_words_are_those_of_a_node() -> None:
    model = fitted(analyzer="words")
    steps = model.explain("a goal for the team", label="sport/football")
    assert [step.node for step in steps] == ["sport", "sport/football"]
    assert steps[0].probability == pytest.approx(model.probabilities("a goal for the team")["sport"])
    assert "team" in {evidence.word for evidence in steps[0].explanation.evidence}
    assert "this level counts" in str(steps[1])
    assert [step.node for step in model.explain("a goal", label="sport")] == ["sport"]
    assert model.explain("rain and wind")[-1].node == "weather"
    assert model.words("sport", top=4).rows()[0]["word"] in {"match", "team", "league", "win"}
    assert model.words("play/drama", top=1).rows()[0]["word"] in {"tears", "king", "dagger"}
    with pytest.raises(LabelError, match="no label or node 'sports'; did you mean 'sport'"):
        model.words("sports")
    deep = HierarchicalClassifier(analyzer="words").fit(TEXTS, [f"all/{label}" for label in LABELS])
    with pytest.raises(NotAvailable, match="'all' is the only node"):
        deep.words("all")


def test_evaluate_knows_levels_weights_and_unknown_labels() -> None:
    model = fitted()
    report = model.evaluate(TEXTS, LABELS)
    assert report.levels[0].accuracy >= report.levels[1].accuracy == report.accuracy
    assert report.accuracy == model.score(TEXTS, LABELS)
    careful = model.evaluate(TEXTS, LABELS, sure=0.9)
    assert careful.precision >= report.precision
    assert careful.levels[-1].reached < 1
    unknown = model.evaluate(["a goal for the team"], ["sport/rugby"])
    assert unknown.unknown_labels == [("sport/rugby", 1)]
    assert unknown.levels[0].accuracy == 1.0
    assert model.report_.n_documents == len(TEXTS)


def test_it_keeps_the_contract_of_scikit_learn() -> None:
    model = HierarchicalClassifier(analyzer="words")
    assert clone(model).get_params() == model.get_params()
    found = cross_val_predict(model, np.array(TEXTS), np.array(LABELS), cv=2)
    assert (found == LABELS).mean() > 0.7
    assert repr(model) == "HierarchicalClassifier(analyzer='words')"
    with pytest.raises(InputError, match="there is no parameter 'alpha'"):
        model.set_params(alpha=1)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda model: model.predict(["a"]), NotFittedError, "has not learned anything yet"),
        (lambda model: model.fit("a text", ["x"]), InputError, "expected a list of documents"),
        (lambda model: model.fit(["a", "b"], ["x", "x/y"]), LabelError, "'x' is a leaf and the parent of 'x/y'"),
        (lambda model: model.fit(["a"], [None]), LabelError, "document 0 has no label"),
        (lambda model: model.fit([], []), InputError, "no documents"),
        (lambda model: model.fit(["a"], ["x", "y"]), InputError, "1 documents but 2"),
        (lambda model: model.fit(["a", None], ["x", "y"]), BanburyError, "document 1 is None"),
        (lambda model: model.fit(["a"], ["x"]).learn(["b"], ["x/y"]), LabelError, "'x' is a leaf and the parent"),
        (lambda model: model.fit(["a"], ["x"]).learn(["b"], [3]), LabelError, "of type int"),
        (lambda model: model.fit(["a"], ["x"]).learn(["b"], ["X"], new_labels="error"), LabelError, "did you mean"),
        (lambda model: model.fit(["a"], ["x"]).learn(["b"], ["x"], new_labels="ok"), InputError, "new_labels is"),
        (lambda model: model.fit(["a"], ["x"]).forget(["b"], ["x"]), CountError, "never added"),
        (lambda model: model.fit(["a"], ["x"]).merge(Classifier()), InputError, "another HierarchicalClassifier"),
        (lambda model: model.fit(["a"], ["x"]).predict("a", sure=2), InputError, "sure is 2"),
        (lambda model: model.fit(["a"], ["x"]).predict("a", by="luck"), InputError, "by is 'luck'"),
        (lambda model: model.fit(["a"], ["x"]).predict("a", sure=0.5, by="distance"), InputError, "two ways"),
        (lambda model: model.fit(["a"], ["x"]).evaluate(["a"], ["x", "y"]), InputError, "1 documents but 2 labels"),
        (lambda model: model.fit(["a"], ["x"]).report_, NotAvailable, "there is no report_"),
    ],
)
def test_bad_input_is_one_clear_error(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(HierarchicalClassifier())


def test_bad_input_changes_nothing() -> None:
    model = fitted()
    before = model.parts()
    acts: list[Callable[[], Any]] = [
        lambda: model.learn(["x", "y"], ["weather", "weather/rain"]),
        lambda: model.forget(["never seen"], ["weather"]),
        lambda: model.forget([TEXTS[0]], ["nowhere"]),
        lambda: model.merge(HierarchicalClassifier().fit(["a", "b"], ["x", "y"])),
    ]
    for act in acts:
        with pytest.raises(BanburyError):
            act()
        assert model.parts() == before


def test_a_model_that_has_forgotten_everything_says_so_and_learns_again() -> None:
    model = HierarchicalClassifier().fit(["a b", "c"], ["x/1", "y"]).forget(["a b", "c"], ["x/1", "y"])
    with pytest.raises(NotFittedError, match="forgotten everything"):
        model.predict("a")
    assert model.learn(["a b"], ["x/1"]).predict("a") == "x/1"


def test_few_documents_lean_on_the_level_above() -> None:
    # Labels have some seven documents each, and words in common with the others of their node.
    few = HierarchicalClassifier(analyzer="words").fit(TEXTS[:40], LABELS[:40])
    flat = Classifier(analyzer="words").fit(TEXTS[:40], LABELS[:40])
    assert few.level_weights_["level 1"] > 0.1
    known = set(LABELS[:40])
    rest = [(text, label) for text, label in zip(TEXTS[40:], LABELS[40:], strict=True) if label in known]
    texts, labels = map(list, zip(*rest, strict=True))
    flat_loss = flat.evaluate(texts, labels).log_loss
    assert flat_loss is not None
    assert few.evaluate(texts, labels).log_loss < flat_loss
