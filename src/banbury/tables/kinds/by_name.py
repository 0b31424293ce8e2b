"""The kinds of columns by their names, and the one whose values are counted by the kernel: text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from banbury.errors import FileFormatError, InputError
from banbury.text.analyzer import Analyzer

NAMED_KINDS = ("Bernoulli", "Categorical", "Gaussian", "Histogram", "Multinomial", "Number", "Poisson")


@dataclass(frozen=True, kw_only=True)
class Text:
    """A column of texts: its features are counted as `Classifier` counts those of documents.

    >>> Text(likelihood="bernoulli", smoothing=0.5)
    Text(analyzer=None, likelihood='bernoulli', smoothing=0.5)
    """

    analyzer: Analyzer | str | None = None
    """What the features of a text are: an `Analyzer`, or the name of a preset; None for what a `Classifier` takes."""
    likelihood: str | None = None
    """`"automatic"`, `"multinomial"`, `"bernoulli"` or `"complement"`; None for that of the classifier."""
    smoothing: float | str | None = "auto"
    """Of a plain likelihood, as in a `Classifier`. `"auto"`: the classifier's; where it is automatic, leave-one-out
    chooses."""


def kind_from_settings(settings: Mapping[str, Any]) -> Any:
    """The kind that these settings came from.

    >>> from banbury.tables.kinds import Poisson
    >>> kind_from_settings(Poisson(rows=2).settings())
    Poisson(rows=2, events=None, fractions=False, predictive=False)
    """
    for name in NAMED_KINDS:
        if settings["kind"] == name.lower():
            try:
                return getattr(import_module("banbury.tables.kinds"), name).from_settings(settings)
            except InputError as error:
                raise FileFormatError(f"a column of kind {name} cannot be so: {error}") from None
    raise FileFormatError(f"there is no kind of column {settings['kind']!r}")


def statistics_from_parts(settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Any:
    """The statistics that `Statistics.parts` were taken from, of whichever kind.

    >>> from banbury.tables.kinds import Poisson
    >>> parts = Poisson().statistics(1, 1).add([[3], [4]], [0, 0]).parts()
    >>> statistics_from_parts(*parts).sums["events"].tolist()
    [[7.0]]
    """
    return kind_from_settings(settings["kind"]).statistics_from_parts(settings, arrays)
