"""The number of free parameters of the columns of a table, within one class."""

from __future__ import annotations

from typing import Any

from banbury.errors import NotAvailable
from banbury.tables.columns import Group
from banbury.tables.kinds import Bernoulli, Categorical, Gaussian, Histogram, Multinomial, Poisson


def n_parameters(group: Group) -> int:
    """Free parameters of columns of one kind: 1 for a yes and no, values − 1 for categories, a mean and a variance …"""
    n_columns = len(group.names)
    match group.kind:
        case Bernoulli() | Poisson():
            return n_columns
        case Gaussian():
            return 2 * n_columns
        case Multinomial():
            return n_columns - 1
        case Categorical() | Histogram():
            return sum(max(size - 1, 0) for size in _sizes(group))
    kind = type(group.kind).__name__
    raise NotAvailable(f"the number of parameters of {group.names[0]!r} depends on the form that {kind} has chosen")


def _sizes(group: Group) -> list[int]:
    if group.categories is not None:
        return [len(known) for known in group.categories]
    statistics: Any = group.statistics
    sizes: list[int] = statistics.n_categories().tolist()
    return sizes
