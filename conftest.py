"""What tests and the examples in docstrings share."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _no_figure_is_left_open() -> Iterator[None]:
    """pyplot keeps every figure until it is closed, and warns from the twentieth on."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
