"""What a classifier has once it is fitted: the kind of model, its reading, its report, its way through a file."""

from typing import Any

import pytest

from banbury import Classifier, Dirichlet
from banbury.errors import FileFormatError, InputError, NotAvailable, NotFittedError
from banbury.fitted import Fitted, fitted, parameters_and_fitted
from banbury.tables.model import TableModel
from banbury.text.model import TextModel
from banbury.text.settings import Settings

TEXTS, TABLE, LABELS = ["so happy", "so sad"], {"legs": [2, 4]}, ["x", "y"]


def learned(documents: Any = TEXTS, settings: Settings | None = None, **options: Any) -> Fitted:
    usual = {"columns": None, "analyzer": None, "effort": "counting", "threads": 1}
    return fitted(documents, LABELS, None, settings or Settings(), **{**usual, **options})


def test_documents_or_columns_decide_which_model_is_fitted() -> None:
    assert type(learned().model) is TextModel
    assert type(learned(TABLE).model) is TableModel
    assert type(learned({"a": TEXTS}, columns=["a"]).model) is TableModel


@pytest.mark.parametrize(
    "documents, options, message",
    [
        (TABLE, {"unlabelled": ["a"]}, "documents without labels help where documents are texts; this is a table"),
        (TEXTS, {"unlabelled": ["a"], "groups": ["a", "b"]}, "groups and unlabelled cannot be given together"),
    ],
)
def test_what_does_not_apply_is_refused(documents: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        learned(documents, **options)


def test_a_reading_is_kept_as_long_as_counts_settings_and_prior_are_the_same() -> None:
    known, settings = learned(), Settings()
    prior: dict[str, Any] = {"x": 0.5, "y": 0.5}
    first = known.reading(settings, prior)
    assert known.reading(settings, {**prior}) is first
    prior |= {"x": 0.25, "y": 0.75}  # the same object, with other values
    assert known.reading(settings, prior) is not first
    assert known.reading(settings, None).scores_of("so") != known.reading(settings, prior).scores_of("so")
    before = known.reading(settings._replace(prior=Dirichlet(1)), None)
    known.model.add(["happy"], ["x"], None, threads=1)
    assert known.reading(settings._replace(prior=Dirichlet(1)), None) is not before
    with pytest.raises(InputError, match="prior"):
        known.reading(settings, 7)  # type: ignore[arg-type]


def test_a_report_speaks_of_the_settings_that_it_was_measured_with() -> None:
    known = learned()
    assert known.report(Settings()).n_documents == 2
    assert "measured with prior='empirical'" in known.report(Settings(prior="uniform")).note
    plain = Settings("multinomial", 1.0)
    with pytest.raises(NotAvailable, match="any more: likelihood was 'automatic' and is 'multinomial'"):
        known.report(plain)
    known.set_report(plain, None)
    with pytest.raises(NotAvailable, match="nothing to choose"):
        known.report(plain)
    with pytest.raises(NotAvailable, match="fitted without unlabelled documents"):
        _ = known.unlabelled


def test_a_model_that_has_forgotten_everything_knows_no_class() -> None:
    known = learned()
    known.model.remove(TEXTS, LABELS, None, threads=1)
    with pytest.raises(NotFittedError, match="has forgotten everything"):
        known.reading(Settings(), None)


@pytest.mark.parametrize("documents", [TEXTS, TABLE])
def test_parts_give_back_model_report_and_parameters(documents: Any) -> None:
    model = Classifier(effort="best").fit(documents, LABELS)
    parameters, again = parameters_and_fitted(*model.parts())
    assert parameters["effort"] == "best"
    assert parameters.keys() < model.get_params(deep=False).keys()
    assert again.parts()[0] == Fitted.from_parts(*again.parts()).parts()[0]
    settings, arrays = model.parts()
    for faulty in ({**settings, "kind": "ranker"}, {**settings, "model": {}}, {**settings, "report": []}):
        with pytest.raises(
            FileFormatError, match=r"^mood.banbury: (it holds a ranker|not a model of this version|its report is no)"
        ):
            parameters_and_fitted(faulty, arrays, "mood.banbury")


@pytest.mark.parametrize("documents", [TEXTS, TABLE])
def test_the_report_of_a_file_is_read_when_it_is_asked_for(documents: Any) -> None:
    model = Classifier().fit(documents, LABELS)
    settings, arrays = model.parts()
    _, stored = parameters_and_fitted(settings, arrays)
    assert stored.parts()[0]["report"] == settings["report"]  # before it is read, and after
    assert stored.report(model.settings).settings() == model.report_.settings()
    assert stored.parts()[0]["report"] == settings["report"]
    _, faulty = parameters_and_fitted({**settings, "report": {"chosen": 3}}, arrays)
    assert faulty.known().classes == LABELS
    with pytest.raises(FileFormatError, match="the report of this model is not one of this version"):
        faulty.report(model.settings)


def test_single_texts_are_labelled_by_what_is_kept_only_as_long_as_nothing_changes() -> None:
    known, settings = learned(), Settings()
    given: Any = tuple(settings)
    assert known.labeller(*given) is None
    known.reading(settings, None)
    labeller = known.labeller(*given)
    assert labeller is not None
    model: Any = known.model
    counts, choice = model.counts.learned, model.choice
    assert labeller.label("so happy", counts, choice, *given) == "x"
    others: list[Any] = [counts, choice, *given]
    for at in range(len(others)):
        changed = [*others[:at], object(), *others[at + 1 :]]
        assert labeller.label("so happy", *changed) is None
        assert not labeller.is_from(*changed)
    reading = known.reading(settings, None)
    assert labeller.scores("so happy") == (reading.classes, reading.scores_of("so happy"))
    assert labeller.scores("so happy " * 100_000) is None  # a long one is for others
    assert known.labeller(*(*given[:3], "uniform", given[4])) is None
    known.model.choose(TEXTS, LABELS, None, settings, effort="counting", threads=1)
    assert known.labeller(*given) is None
    known.reading(settings, {"x": 0.5, "y": 0.5})
    assert known.labeller(*given) is None  # a dictionary can change without a trace


def test_rows_and_weights_that_were_given_have_no_labeller() -> None:
    for model in (
        Classifier().fit(TABLE, LABELS),
        Classifier.from_log_ratios({"happy": 1.0}, classes=["x", "y"]),
    ):
        one = {"legs": 2} if model.model_.of_table() else "happy"
        assert model.predict(one) == model.predict(one)
        assert model.model_.reading(model.settings).labeller((None,) * 7) is None
        assert not model.model_.is_in(model.model_.state())
