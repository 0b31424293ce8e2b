"""Fixtures of the tests of Spark: one session for each module, and a model of one machine."""

from collections.abc import Iterator
from typing import Any

import pytest

from banbury import Classifier
from sparking import LABELS, TEXTS, local_spark


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with local_spark() as session:
        yield session


@pytest.fixture(scope="module")
def model() -> Classifier:
    return Classifier().fit(TEXTS, LABELS)
