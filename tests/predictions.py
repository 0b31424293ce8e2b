"""Predictions for tests: labels, and probabilities of four classes."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

LABELS = ["a", "b", "c", "d"]


@st.composite
def predictions(draw: st.DrawFn) -> tuple[list[str], list[str], np.ndarray[Any, Any]]:
    """Labels, the classes of a model that knows them all, and its probabilities as shares; many of them are equal."""
    classes = LABELS[: draw(st.integers(2, 4))]
    truth = draw(st.lists(st.sampled_from(classes), min_size=1, max_size=25))
    rows = st.lists(st.integers(1, 6), min_size=len(classes), max_size=len(classes))
    return truth, classes, np.array(draw(st.lists(rows, min_size=len(truth), max_size=len(truth))))


def drawn_chances(shares: Any) -> Any:
    return shares / shares.sum(axis=1, keepdims=True)
