"""Kinds and statistics from plain data, and damage to it."""

from typing import Any

import numpy as np
import pytest

from banbury import Bernoulli, Gaussian, Histogram, Number
from banbury.errors import FileFormatError
from banbury.tables.kinds import kind_from_settings, statistics_from_parts


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda settings, arrays: arrays.update(counts=arrays["counts"][:, :, :2]), "shape"),
        (lambda settings, arrays: arrays.update(counts=-arrays["counts"]), "negative or not finite"),
        (lambda settings, arrays: arrays.update(counts=arrays["counts"] * np.nan), "negative or not finite"),
        (lambda settings, arrays: arrays.update(edges=arrays["edges"][::-1]), "not in order"),
        (lambda settings, arrays: arrays.update(edges=arrays["edges"][:-1]), "not those of its columns"),
        (lambda settings, arrays: settings.update(edges=[2, 2]), "not those of its columns"),
        (lambda settings, arrays: settings["kind"].update(kind="unheard of"), "no kind of column 'unheard of'"),
        (lambda settings, arrays: settings["kind"].update(colour="red"), "no setting 'colour'"),
        (lambda settings, arrays: settings["kind"].update(bins=-1), "cannot be so: bins is -1"),
    ],
)
def test_damaged_parts_are_refused(damage: Any, message: str) -> None:
    settings, arrays = Histogram(bins=2).statistics(1, 1).add([[1.0], [2.0], [3.0]], [0] * 3).parts()
    damage(settings, arrays)
    with pytest.raises(FileFormatError, match=message):
        statistics_from_parts(settings, arrays)


def test_kinds_are_values() -> None:
    kinds = [Bernoulli(smoothing=(1.0, 2.0)), Histogram(bins=(0.0, 1.0)), Gaussian(scale="log"), Number(bins=5)]
    for kind in kinds:
        assert kind_from_settings(kind.settings()) == kind
    assert len({*kinds, *kinds}) == 4


def test_a_switch_of_a_kind_is_true_or_false() -> None:
    with pytest.raises(FileFormatError, match="Poisson has fractions 'x'"):
        kind_from_settings({"kind": "poisson", "fractions": "x"})


def test_pseudo_counts_that_sums_could_not_hold_are_refused() -> None:
    with pytest.raises(FileFormatError, match="at most 1e"):
        kind_from_settings({"kind": "bernoulli", "smoothing": 1e308})
