"""A table of eight rows for tests: four kinds of columns, with missing values; and any rows of the same columns."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from banbury import Bernoulli, Categorical, Classifier, Gaussian, Text

COLOURS = ["red", "red", "blue", "green", None, "red", "blue", "blue"]
SIZES = [1.0, 1.5, None, 7.0, 6.5, 2.0, 8.0, 7.5]
FLAGS = [True, True, True, False, None, True, False, False]
NOTES = ["so happy", "happy day", None, "so sad", "sad sad day", "", "sad", "so so"]
LABELS = ["yes", "yes", "yes", "no", "no", "yes", "no", "no"]
TABLE: dict[str, list[Any]] = {"colour": COLOURS, "size": SIZES, "flag": FLAGS, "note": NOTES}
KINDS: dict[str, Any] = {"colour": Categorical(), "size": Gaussian(), "flag": Bernoulli(), "note": Text()}
ROWS = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]


def textbook(**columns: Any) -> Classifier:
    """Every column counts once, and nothing is chosen."""
    return Classifier.textbook(columns=columns or KINDS)


def some_rows(min_size: int = 0) -> st.SearchStrategy[list[tuple[dict[str, Any], str]]]:
    """Rows of the same columns, with labels."""
    row = st.fixed_dictionaries(
        {
            "colour": st.sampled_from([None, "red", "green", "blue"]),
            "size": st.none() | st.floats(-50, 50).map(lambda x: round(x, 1)),
            "flag": st.sampled_from([None, True, False]),
            "note": st.sampled_from([None, "", "so happy", "so sad", "sad day, happy day"]),
        }
    )
    return st.lists(st.tuples(row, st.sampled_from("abc")), min_size=min_size, max_size=12)


def unzipped(pairs: list[tuple[dict[str, Any], str]]) -> tuple[list[dict[str, Any]], list[str]]:
    return [row for row, _ in pairs], [label for _, label in pairs]


def noisy(n: int, *, seed: int = 0) -> tuple[dict[str, Any], list[str]]:
    """A table of one column that tells the label, one that says little, one that says nothing."""
    rng = np.random.default_rng(seed)
    is_yes = rng.random(n) < 0.5
    table = {
        "good": np.where(is_yes, rng.normal(0, 1, n), rng.normal(1.5, 1, n)),
        "weak": np.where(rng.random(n) < 0.6, is_yes, ~is_yes),
        "none": rng.choice(["a", "b", "c"], n),
    }
    return table, np.where(is_yes, "yes", "no").tolist()
