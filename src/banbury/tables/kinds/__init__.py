"""The kinds of columns that a table can have, a file for each.

A kind says what a column's values look like within one class. Its statistics are sums over rows, so rows are added and
removed, and two tables merged, by arithmetic; log-probabilities follow from the sums.

>>> from banbury.tables.kinds import Bernoulli
>>> statistics = Bernoulli(smoothing=1).statistics(n_features=1, n_classes=2)
>>> statistics = statistics.add([[1], [1], [0]], [0, 0, 1])
>>> statistics.scores([[1]]).round(3).tolist()  # log ¾ and log ⅓
[[-0.288, -1.099]]
"""

from banbury.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from banbury.tables.kinds.bernoulli import Bernoulli
    from banbury.tables.kinds.by_name import Text, kind_from_settings, statistics_from_parts
    from banbury.tables.kinds.by_parts import Date, Id
    from banbury.tables.kinds.categorical import Categorical
    from banbury.tables.kinds.gaussian import Gaussian
    from banbury.tables.kinds.histogram import Histogram
    from banbury.tables.kinds.multinomial import Multinomial
    from banbury.tables.kinds.number import Number
    from banbury.tables.kinds.poisson import Poisson
    from banbury.tables.kinds.statistics import Kind, Statistics

__all__ = [
    "Bernoulli",
    "Categorical",
    "Date",
    "Gaussian",
    "Histogram",
    "Id",
    "Kind",
    "Multinomial",
    "Number",
    "Poisson",
    "Statistics",
    "Text",
    "kind_from_settings",
    "statistics_from_parts",
]

# Where the names live: these files need NumPy, which texts alone do not.
__getattr__ = lazy_names(
    __name__,
    {
        "Bernoulli": "bernoulli",
        "Categorical": "categorical",
        "Date": "by_parts",
        "Gaussian": "gaussian",
        "Histogram": "histogram",
        "Id": "by_parts",
        "Kind": "statistics",
        "Multinomial": "multinomial",
        "Number": "number",
        "Poisson": "poisson",
        "Statistics": "statistics",
        "Text": "by_name",
        "kind_from_settings": "by_name",
        "statistics_from_parts": "by_name",
    },
)
