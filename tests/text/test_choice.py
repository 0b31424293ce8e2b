"""What leave-one-out has chosen for texts: which model predicts, and parts from which a choice comes back."""

from dataclasses import replace
from typing import Any

import pytest

from banbury import Classifier
from banbury.datasets import demo
from banbury.text.choice import TextChoice, uses_curves
from banbury.text.settings import Settings

TEXTS, LABELS = demo()


def test_one_class_is_read_by_the_plain_model() -> None:
    assert not uses_curves(Settings(), 1)
    assert uses_curves(Settings(), 2)
    assert not uses_curves(Settings("multinomial"), 2)


@pytest.mark.parametrize("options", [{}, {"likelihood": "bernoulli"}, {"effort": "best"}])
def test_a_choice_comes_back_from_its_parts_and_scales(options: dict[str, Any]) -> None:
    choice = Classifier(**options).fit(TEXTS, LABELS).model_.of_texts("").choice
    again = TextChoice.from_parts(*choice.parts())
    assert replace(again, correction=None) == replace(choice, correction=None)
    assert (again.correction is None) == (choice.correction is None)
    if choice.correction is not None:
        assert choice.scaled(0.5) is choice
