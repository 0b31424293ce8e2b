"""Naive Bayes: text in, a classifier out that trains by counting and whose every decision can be read.

>>> import banbury
>>> model = banbury.Classifier.textbook().fit(["I am happy", "I am sad"], ["positive", "negative"])
>>> model.predict("so happy")
'positive'
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from banbury.classifier import Classifier, load
    from banbury.counts import Counts
    from banbury.errors import BanburyError
    from banbury.likelihoods.bernoulli import Bernoulli
    from banbury.likelihoods.categorical import Categorical
    from banbury.likelihoods.gaussian import Gaussian
    from banbury.likelihoods.histogram import Histogram
    from banbury.likelihoods.kinds import Text
    from banbury.likelihoods.multinomial import Multinomial
    from banbury.likelihoods.number import Number
    from banbury.likelihoods.poisson import Poisson
    from banbury.ranking import Ranker
    from banbury.readers import read
    from banbury.senses import SenseTagger
    from banbury.spam import SpamFilter
    from banbury.text import Analyzer

__version__ = "0.1.0"
__all__ = [
    "Analyzer",
    "BanburyError",
    "Bernoulli",
    "Categorical",
    "Classifier",
    "Counts",
    "Gaussian",
    "Histogram",
    "Multinomial",
    "Number",
    "Poisson",
    "Ranker",
    "SenseTagger",
    "SpamFilter",
    "Text",
    "load",
    "read",
]

_HOMES = {
    "Analyzer": "text",
    "BanburyError": "errors",
    "Bernoulli": "likelihoods",
    "Categorical": "likelihoods",
    "Classifier": "classifier",
    "Counts": "counts",
    "Gaussian": "likelihoods",
    "Histogram": "likelihoods",
    "Multinomial": "likelihoods",
    "Number": "likelihoods",
    "Poisson": "likelihoods",
    "Ranker": "ranking",
    "SenseTagger": "senses",
    "SpamFilter": "spam",
    "Text": "likelihoods",
    "load": "classifier",
    "read": "readers",
}


def __getattr__(name: str) -> object:
    """The public names, each imported when it is first used: a command that needs one of them waits for no other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
