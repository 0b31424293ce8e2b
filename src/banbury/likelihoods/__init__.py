"""Likelihoods: how counts of words are read, and the kinds of columns that a table can have.

A kind says what a column's values look like within one class. Its statistics are sums over rows, so rows are added and
removed, and two tables merged, by arithmetic; log-probabilities follow from the sums.

>>> from banbury.likelihoods import Bernoulli
>>> statistics = Bernoulli(smoothing=1).statistics(n_features=1, n_classes=2)
>>> statistics = statistics.add([[1], [1], [0]], [0, 0, 1])
>>> statistics.scores([[1]]).round(3).tolist()  # log ¾ and log ⅓
[[-0.288, -1.099]]
"""

from importlib import import_module

from banbury.likelihoods.text import LIKELIHOODS, VOCABULARIES, log_prior, pseudo_counts, scorer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from banbury.likelihoods.bernoulli import Bernoulli
    from banbury.likelihoods.categorical import Categorical
    from banbury.likelihoods.gaussian import Gaussian
    from banbury.likelihoods.histogram import Histogram
    from banbury.likelihoods.kinds import Text, kind_from_settings, statistics_from_parts
    from banbury.likelihoods.multinomial import Multinomial
    from banbury.likelihoods.number import Number
    from banbury.likelihoods.poisson import Poisson
    from banbury.likelihoods.statistics import Kind, Statistics, Summary

__all__ = [
    "LIKELIHOODS",
    "VOCABULARIES",
    "Bernoulli",
    "Categorical",
    "Gaussian",
    "Histogram",
    "Kind",
    "Multinomial",
    "Number",
    "Poisson",
    "Statistics",
    "Summary",
    "Text",
    "kind_from_settings",
    "log_prior",
    "pseudo_counts",
    "scorer",
    "statistics_from_parts",
]

# Where the other names live: these files need NumPy, which texts alone do not.
_HOMES = {
    "Bernoulli": "bernoulli",
    "Categorical": "categorical",
    "Gaussian": "gaussian",
    "Histogram": "histogram",
    "Kind": "statistics",
    "Multinomial": "multinomial",
    "Number": "number",
    "Poisson": "poisson",
    "Statistics": "statistics",
    "Summary": "statistics",
    "Text": "kinds",
    "kind_from_settings": "kinds",
    "statistics_from_parts": "kinds",
}


def __getattr__(name: str) -> object:
    """The kinds and their statistics, each imported when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
