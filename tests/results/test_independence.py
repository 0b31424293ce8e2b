"""The full joint model beside the naive one: by the formulas, and where independence holds."""

from math import log
from random import Random
from typing import Any

import pytest

from banbury import Categorical, Classifier
from banbury.errors import InputError
from banbury.results.independence import independence

WEATHER = [
    {"hot": True, "sunny": True, "go": "yes"},
    {"hot": True, "sunny": True, "go": "yes"},
    {"hot": False, "sunny": False, "go": "yes"},
    {"hot": False, "sunny": True, "go": "no"},
    {"hot": False, "sunny": False, "go": "no"},
]


def test_by_hand() -> None:
    both = independence(WEATHER, "go")
    assert both.n_parameters == (7, 5)  # 2·2·2 − 1; 1 + 2D with D = 2
    # hot, sunny, yes: (3 + 1)/(5 + 2) · (2 + 1)/(3 + 4), and naively · (2 + 1)/(3 + 2) twice
    first = (log(4 / 7 * 3 / 7), log(4 / 7 * 3 / 5 * 3 / 5))
    # not hot, not sunny, yes: (1 + 1)/(3 + 4); (1 + 1)/(3 + 2) twice
    third = (log(4 / 7 * 2 / 7), log(4 / 7 * 2 / 5 * 2 / 5))
    # not hot, sunny, no: (1 + 1)/(2 + 4); (2 + 1)/(2 + 2) · (1 + 1)/(2 + 2)
    fourth = (log(3 / 7 * 2 / 6), log(3 / 7 * 3 / 4 * 2 / 4))
    for model in (0, 1):
        expected = (2 * first[model] + third[model] + 2 * fourth[model]) / 5
        assert both.log_likelihood[model] == pytest.approx(expected)
    # yes: 2/3 log((2/3) / (2/3)²) + 1/3 log((1/3) / (1/3)²); in no the two columns say nothing of each other
    assert both.dependence == pytest.approx(3 / 5 * (2 / 3 * log(3 / 2) + 1 / 3 * log(3)))


def test_the_naive_model_is_that_of_a_classifier() -> None:
    rows = [{"hot": row["hot"], "sunny": row["sunny"]} for row in WEATHER]
    labels = [row["go"] for row in WEATHER]
    kinds: dict[str, Any] = {name: Categorical(smoothing=1.0) for name in ("hot", "sunny")}
    logs = []
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        model = Classifier.textbook(columns=kinds, prior="uniform").fit(
            rows[:at] + rows[at + 1 :], labels[:at] + labels[at + 1 :]
        )
        # Laplace's smoothing of the classes too
        n = dict(zip(model.classes_.tolist(), model.documents_, strict=True))
        prior = {one: (count + 1) / (4 + 2) for one, count in n.items()}
        logs.append(log(model.predict_proba([row], prior=prior)[0][model.classes_.tolist().index(label)]))
    assert independence(WEATHER, "go").log_loss[1] == pytest.approx(-sum(logs) / 5)


def test_the_joint_model_wins_where_columns_depend_and_loses_where_they_do_not() -> None:
    random = Random(0)
    tied, free = [], []
    for _ in range(600):
        label, coin = random.random() < 0.5, random.random() < 0.5
        tied.append({"a": coin, "b": coin == label, "label": label})  # only both together tell the label
        free.append({**{name: random.random() < (0.7 if label else 0.3) for name in "abcdefgh"}, "label": label})
    dependent, independent = independence(tied, "label"), independence(free, "label")
    assert dependent.accuracy[0] == 1
    assert dependent.accuracy[1] < 0.8  # a sum of weights has at most three of the four combinations right
    assert dependent.dependence == pytest.approx(log(2), abs=0.02)
    assert independent.held_out_log_likelihood[1] > independent.held_out_log_likelihood[0]
    assert independent.log_loss[1] < independent.log_loss[0]


def test_it_prints_both_models_side_by_side() -> None:
    lines = str(independence(WEATHER, "go")).splitlines()
    assert lines[0].startswith("5 rows; the columns share 0.38")
    assert lines[1].split() == ["full", "joint", "naive"]
    assert lines[2].split() == ["parameters", "7", "5"]
    assert "<table" in independence(WEATHER, "go")._repr_html_()


@pytest.mark.parametrize(
    "table, options, message",
    [
        ([], {}, "no rows"),
        (WEATHER, {"label": "weather"}, "row 0 has no column 'weather'"),
        (WEATHER, {"columns": ["cold"]}, "row 0 has no column 'cold'"),
        (WEATHER, {"smoothing": 0}, "smoothing is 0"),
        ([{"go": 1}], {}, "no columns beside the label 'go'"),
        ([{"a": [1], "go": 1}], {}, r"row 0 has \[1\]"),
    ],
)
def test_bad_input_is_one_clear_error(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        independence(table, **{"label": "go", **options})
