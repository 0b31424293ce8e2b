"""What is chosen for columns: where scores start, files, texts in a table."""

import pytest
from numpy.testing import assert_allclose

from banbury import Classifier, Text
from banbury.errors import InputError
from banbury.tables.choice import ColumnChoice, check_text_settings, text_settings
from banbury.text.settings import Settings


def test_scores_start_at_the_prior_and_what_was_fitted_besides() -> None:
    choice = ColumnChoice(shifts=(("a", 0.5), ("b", -0.5)))
    a, b = choice.start(["a", "b"], [3000, 1000], "empirical")
    assert a - b == pytest.approx(1.0986 + 1.0, abs=5e-3)  # ln 3, and the two shifts
    even = choice.start(["a", "b"], [3000, 1000], "uniform")
    assert even[0] - even[1] == pytest.approx(1.0, abs=5e-3)
    later = choice.start(["a", "b", "c"], [3000, 1000, 2000], "empirical")
    assert later[2] - later[0] == pytest.approx(-0.4055 - 0.5, abs=5e-3)  # ln 2/3; a label that came later has none


def test_a_choice_comes_back_from_its_settings() -> None:
    choice = ColumnChoice((("x", 0.25),), (("a", 0.5),))
    assert ColumnChoice.from_settings(choice.settings()) == choice


def test_a_text_is_read_as_its_kind_says_or_else_as_the_classifier() -> None:
    assert text_settings(Text(), Settings()).likelihood == "automatic"
    assert text_settings(Text(likelihood="bernoulli", smoothing=0.5), Settings()).smoothing == 0.5
    assert text_settings(Text(), Settings("multinomial", 2.0))[:2] == ("multinomial", 2.0)
    with pytest.raises(InputError, match="column 'note'"):
        check_text_settings({"note": Text(likelihood="multinomial", smoothing=-1)}, Settings())


def test_the_report_of_a_table_of_one_text_is_that_of_the_text() -> None:
    texts, labels = ["so happy", "so sad", "happy day", "sad day"] * 20, ["up", "down", "up", "down"] * 20
    alone, column = Classifier().fit(texts, labels), Classifier(columns={"t": "text"}).fit({"t": texts}, labels)
    assert column.report_.accuracy == alone.report_.accuracy
    assert_allclose(column.predict_proba({"t": texts[:4]}), alone.predict_proba(texts[:4]))
    assert [one.name for one in column.report_.columns] == ["t"]
