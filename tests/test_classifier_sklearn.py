"""scikit-learn's tools take the classifier for one of theirs, and it does not need them."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from banbury import Analyzer, Classifier
from banbury.datasets import demo
from banbury.errors import InputError, LabelError

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.metrics import ConfusionMatrixDisplay  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import Pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

TEXTS, LABELS = demo()


def lower(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


def test_parameters_can_be_read_set_and_cloned() -> None:
    model = Classifier.textbook(smoothing=0.5, analyzer=Analyzer(ngrams=(1, 2)), prior={"x": 0.5, "y": 0.5})
    parameters = model.get_params(deep=False)
    names = [
        "columns",
        "analyzer",
        "likelihood",
        "smoothing",
        "vocabulary",
        "prior",
        "effort",
        "calibration",
        "exact_forget",
        "threads",
    ]
    assert list(parameters) == names
    assert Classifier(**parameters).get_params(deep=False) == parameters
    model.fit(["a", "b"], ["x", "y"])
    twin = clone(model)
    assert twin.get_params(deep=False) == parameters
    assert twin.set_params(smoothing=2).smoothing == 2
    assert not hasattr(twin, "counts_")
    with pytest.raises(ValueError, match="no parameter 'alpha'"):
        twin.set_params(alpha=1)


def test_it_is_a_classifier_and_says_whether_it_is_fitted() -> None:
    model = Classifier()
    assert is_classifier(model)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    check_is_fitted(model.fit(["a"], ["x"]))


@pytest.mark.parametrize("jobs", [None, 2])
def test_cross_validation_takes_lists_and_arrays(jobs: int | None) -> None:
    scores = cross_val_score(Classifier(threads=1), TEXTS, LABELS, cv=3, n_jobs=jobs)
    assert scores.shape == (3,)
    assert scores.mean() > 0.6
    as_arrays = cross_val_score(Classifier(), np.array(TEXTS, dtype=object), np.array(LABELS), cv=3)
    assert as_arrays.tolist() == scores.tolist()


def test_any_score_of_scikit_learn_can_be_asked_for() -> None:
    for name in ("roc_auc", "neg_log_loss", "f1_macro"):
        assert np.isfinite(cross_val_score(Classifier(), TEXTS, LABELS, cv=2, scoring=name)).all()


def test_a_grid_search_tries_smoothing_and_analyzers() -> None:
    analyzers = [Analyzer(), Analyzer(ngrams=(1, 2)), "characters"]
    grid = {"smoothing": np.array([0.1, 1.0]), "analyzer": analyzers, "likelihood": ["multinomial", "complement"]}
    search = GridSearchCV(Classifier.textbook(), grid, cv=2).fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 12
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = Classifier.textbook(**search.best_params_).fit(TEXTS, LABELS)
    assert search.predict(TEXTS).tolist() == best.predict(TEXTS).tolist()


def test_a_pipeline_may_change_the_texts_before() -> None:
    pipeline = Pipeline(
        [
            ("lower", FunctionTransformer(lower)),
            ("model", Classifier.textbook(analyzer=Analyzer(lowercase=False))),
        ]
    )
    pipeline.set_params(model__smoothing=0.5).fit(TEXTS, LABELS)
    plain = Classifier.textbook(smoothing=0.5).fit(TEXTS, LABELS)
    np.testing.assert_allclose(pipeline.predict_proba(TEXTS), plain.predict_proba(TEXTS), rtol=1e-9)
    assert pipeline.score(TEXTS, LABELS) == plain.score(TEXTS, LABELS)
    assert pipeline.classes_.tolist() == ["negative", "positive"]
    assert clone(pipeline).get_params()["model__smoothing"] == 0.5


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_its_probabilities_can_be_calibrated(method: str) -> None:
    model = CalibratedClassifierCV(Classifier(), method=method, cv=3).fit(TEXTS, LABELS)
    chances = model.predict_proba(TEXTS)
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(TEXTS)))
    assert model.classes_.tolist() == ["negative", "positive"]


def test_its_confusion_can_be_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    model = Classifier().fit(TEXTS, LABELS)
    display = ConfusionMatrixDisplay.from_estimator(model, TEXTS, LABELS)
    assert display.confusion_matrix.tolist() == model.evaluate(TEXTS, LABELS).confusion
    matplotlib.pyplot.close(display.figure_)


def test_errors_are_those_that_scikit_learn_would_raise() -> None:
    with pytest.raises(ValueError, match="no documents"):
        Classifier().fit([], [])
    with pytest.raises(AttributeError, match="call fit"):
        Classifier().predict(["a"])
    assert issubclass(InputError, ValueError)


# Without scikit-learn ------------------------------------------------------------------------------------------------


def loaded_after(code: str) -> set[str]:
    """The modules that a new interpreter has loaded after this code."""
    program = f"import sys\n{code}\nprint(*(name.partition('.')[0] for name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code, absent",
    [
        ("import banbury", {"numpy", "click", "rich", "sklearn", "json"}),
        ("import banbury; banbury.Analyzer().tokens('a')", {"numpy", "click", "rich", "sklearn"}),
        ("import banbury; banbury.Classifier().fit(['a'], ['x']).predict('a')", {"numpy", "click", "sklearn"}),
        ("import banbury; banbury.Classifier().fit(['a'], ['x']).predict_proba(['a'])", {"click", "sklearn", "scipy"}),
        ("import banbury.cli", {"numpy", "rich", "sklearn"}),
    ],
)
def test_nothing_is_imported_that_is_not_needed(code: str, absent: set[str]) -> None:
    assert not loaded_after(code) & absent


def test_every_public_name_is_there() -> None:
    import banbury

    names: dict[str, Any] = {name: getattr(banbury, name) for name in banbury.__all__}
    assert names["Classifier"] is Classifier
    assert set(dir(banbury)) == {*banbury.__all__, "__version__"}
    with pytest.raises(AttributeError, match="has no attribute 'Regressor'"):
        _ = banbury.Regressor


def test_a_grid_can_name_settings_of_the_analyzer() -> None:
    grid = {"analyzer__ngrams": [(1, 1), (1, 2)], "analyzer__negation": [True, False]}
    search = GridSearchCV(Classifier.textbook(), grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_estimator_.analyzer == Analyzer().with_settings(
        ngrams=search.best_params_["analyzer__ngrams"], negation=search.best_params_["analyzer__negation"]
    )
    model = Classifier(analyzer="tweets")
    assert model.get_params()["analyzer__negation"] is True
    assert "analyzer__negation" not in Classifier().get_params()
    assert model.set_params(analyzer__ngrams=(1, 1)).analyzer == Analyzer(negation=True)
    for name in ("analyzer__fonts", "threads__n", "prior__x"):
        with pytest.raises(InputError, match=r"no (parameter|setting)"):
            model.set_params(**{name: 1})


def test_partial_fit_is_learn() -> None:
    model = Classifier.textbook().partial_fit(TEXTS[:300], LABELS[:300], classes=["negative", "positive"])
    model.partial_fit(TEXTS[300:], LABELS[300:], sample_weight=[1] * len(TEXTS[300:]))
    assert model.counts_.parts() == Classifier.textbook().fit(TEXTS, LABELS).counts_.parts()
    with pytest.raises(LabelError, match="document 0 has label 'other', which is not among classes"):
        model.partial_fit(["a"], ["other"], classes=["negative", "positive"])
