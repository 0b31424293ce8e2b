"""Naive Bayes: text in, a classifier out that trains by counting and whose every decision can be read.

>>> import banbury
>>> model = banbury.Classifier.textbook().fit(["I am happy", "I am sad"], ["positive", "negative"])
>>> model.predict("so happy")
'positive'
"""

from banbury.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from banbury.apps.ranking import Ranker
    from banbury.apps.senses import SenseTagger
    from banbury.apps.spam import SpamFilter
    from banbury.apps.spelling import SpellingCorrector
    from banbury.classifier import Classifier
    from banbury.errors import BanburyError
    from banbury.hierarchy.classifier import HierarchicalClassifier
    from banbury.labels.classifier import MultiLabelClassifier
    from banbury.loading import load
    from banbury.readers import read
    from banbury.stream.classifier import StreamClassifier
    from banbury.tables.kinds.bernoulli import Bernoulli
    from banbury.tables.kinds.by_name import Text
    from banbury.tables.kinds.by_parts import Date, Id
    from banbury.tables.kinds.categorical import Categorical
    from banbury.tables.kinds.gaussian import Gaussian
    from banbury.tables.kinds.histogram import Histogram
    from banbury.tables.kinds.multinomial import Multinomial
    from banbury.tables.kinds.number import Number
    from banbury.tables.kinds.poisson import Poisson
    from banbury.text.analyzer import Analyzer
    from banbury.text.counts import Counts
    from banbury.text.likelihoods import Dirichlet
    from banbury.text.tokens import Tokens

    __version__: str

__all__ = [
    "Analyzer",
    "BanburyError",
    "Bernoulli",
    "Categorical",
    "Classifier",
    "Counts",
    "Date",
    "Dirichlet",
    "Gaussian",
    "HierarchicalClassifier",
    "Histogram",
    "Id",
    "MultiLabelClassifier",
    "Multinomial",
    "Number",
    "Poisson",
    "Ranker",
    "SenseTagger",
    "SpamFilter",
    "SpellingCorrector",
    "StreamClassifier",
    "Text",
    "Tokens",
    "load",
    "read",
]

__getattr__ = lazy_names(
    __name__,
    {
        "__version__": "_kernel",
        "Analyzer": "text.analyzer",
        "BanburyError": "errors",
        "Bernoulli": "tables.kinds",
        "Categorical": "tables.kinds",
        "Classifier": "classifier",
        "Counts": "text.counts",
        "Date": "tables.kinds",
        "Dirichlet": "text.likelihoods",
        "Gaussian": "tables.kinds",
        "HierarchicalClassifier": "hierarchy.classifier",
        "Histogram": "tables.kinds",
        "Id": "tables.kinds",
        "MultiLabelClassifier": "labels.classifier",
        "Multinomial": "tables.kinds",
        "Number": "tables.kinds",
        "Poisson": "tables.kinds",
        "Ranker": "apps.ranking",
        "SenseTagger": "apps.senses",
        "SpamFilter": "apps.spam",
        "SpellingCorrector": "apps.spelling",
        "StreamClassifier": "stream.classifier",
        "Text": "tables.kinds",
        "Tokens": "text.tokens",
        "load": "loading",
        "read": "readers",
    },
)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
