"""The parameters of a classifier: their names, changes of single ones, what can be used."""

import inspect
from typing import Any

import pytest

from banbury import Analyzer, Classifier
from banbury.errors import InputError
from banbury.parameters import PARAMETERS, Estimator, changed_parameters, check_parameters, parameters_of, shown
from banbury.text.settings import Settings


def test_a_classifier_has_these_parameters_in_this_order() -> None:
    assert tuple(inspect.signature(Classifier).parameters) == PARAMETERS


def test_the_textbook_takes_every_parameter() -> None:
    given: dict[str, Any] = {
        "columns": ["legs"],
        "analyzer": "words",
        "likelihood": "bernoulli",
        "smoothing": 0.5,
        "vocabulary": "class",
        "prior": "uniform",
        "effort": "best",
        "calibration": "auto",
        "exact_forget": True,
        "threads": 2,
    }
    assert parameters_of(Classifier.textbook(**given)) == given


def test_settings_of_the_analyzer_are_parameters_too() -> None:
    model = Classifier(analyzer=Analyzer(ngrams=(1, 2)))
    assert parameters_of(model).keys() == set(PARAMETERS)
    assert parameters_of(model, deep=True)["analyzer__ngrams"] == (1, 2)
    assert not any("__" in name for name in parameters_of(Classifier(), deep=True))


def test_a_change_of_the_analyzer_and_of_a_setting_of_it_are_one_change() -> None:
    changes = {"analyzer__lowercase": False, "analyzer": Analyzer(ngrams=(1, 3))}
    assert changed_parameters("words", changes) == {"analyzer": Analyzer(ngrams=(1, 3), lowercase=False)}
    assert changed_parameters(Analyzer(ngrams=(1, 2)), {"threads": 2}) == {"threads": 2}


@pytest.mark.parametrize("name", ["alpha", "prior__ham", "__ngrams", "analyser__ngrams"])
def test_an_unknown_parameter_is_an_error_that_names_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no parameter '{name}'; there is columns, analyzer, likelihood"):
        changed_parameters(None, {name: 1})


def test_what_is_shown_is_what_differs_from_the_defaults() -> None:
    assert shown(Classifier(), Classifier()) == "Classifier()"
    assert shown(Classifier(threads=2, prior="uniform"), Classifier()) == "Classifier(prior='uniform', threads=2)"


def test_settings_and_effort_are_checked() -> None:
    assert check_parameters(Settings(), "best") == Settings()
    with pytest.raises(InputError, match="effort is 'much'; it can be 'counting' or 'best'"):
        check_parameters(Settings(), "much")
    with pytest.raises(InputError, match="likelihood is 'gaussian'"):
        check_parameters(Settings("gaussian"), "best")


def test_an_estimator_reads_changes_and_shows_its_parameters() -> None:
    class Kept(Estimator):
        parameter_names = ("times", "name")

        def __init__(self, *, times: int = 2, name: str = "a") -> None:
            self.times, self.name = times, name

    kept = Kept(name="b")
    assert kept.get_params() == {"times": 2, "name": "b"}
    assert repr(kept.set_params(times=5)) == "Kept(times=5, name='b')"
    with pytest.raises(InputError, match="no parameter 'speed'; there is times, name"):
        kept.set_params(times=6, speed=1)
    assert kept.times == 5
