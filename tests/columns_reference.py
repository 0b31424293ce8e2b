"""The likelihoods of typed columns, plainly: one column of one class at a time, lists, `math` and `fractions`.

What the fast code is compared with. Slow on purpose: every number is computed anew from the rows, those of numbers as
exact fractions. A row is (value, class, weight); a missing value is None.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

Row = tuple[float | None, int, float]
IMPOSSIBLE = -1e9


def of_class(rows: Sequence[Row], number: int) -> list[tuple[float, float]]:
    """Known values of a class with their weights."""
    return [(value, weight) for value, own, weight in rows if own == number and value is not None and weight > 0]


def known(rows: Sequence[Row]) -> list[tuple[float, float]]:
    return [(value, weight) for value, _, weight in rows if value is not None and weight > 0]


def share(part: float, whole: float) -> float:
    if whole == 0:
        return 0.0
    return math.log(part / whole) if part > 0 else IMPOSSIBLE


def bernoulli(rows: Sequence[Row], number: int, value: float, smoothing: float = 1.0) -> float:
    seen = of_class(rows, number)
    if not seen and smoothing == 0:
        return math.log(0.5)
    same = sum(weight for one, weight in seen if one == value)
    return share(same + smoothing, sum(weight for _, weight in seen) + 2 * smoothing)


def categorical(rows: Sequence[Row], number: int, value: float, smoothing: float = 1.0) -> float:
    seen = of_class(rows, number)
    categories = len({one for one, _ in known(rows)})
    same = sum(weight for one, weight in seen if one == value)
    return share(same + smoothing, sum(weight for _, weight in seen) + smoothing * categories)


def poisson(rows: Sequence[Row], number: int, value: float, *, predictive: bool = False) -> float:
    """A gamma prior as if one more row had been seen, at the overall rate."""
    seen, everything = of_class(rows, number), known(rows)
    rate = (sum(one * weight for one, weight in everything) + 0.5) / (sum(weight for _, weight in everything) + 1)
    shape, scale = rate + sum(one * weight for one, weight in seen), 1 + sum(weight for _, weight in seen)
    if predictive:
        choose = math.lgamma(shape + value) - math.lgamma(shape) - math.lgamma(value + 1)
        return choose + shape * math.log(scale / (scale + 1)) + value * math.log(1 / (scale + 1))
    return value * math.log(shape / scale) - shape / scale - math.lgamma(value + 1)


def moments(values: Sequence[tuple[float, float]]) -> tuple[Fraction, Fraction, Fraction]:
    """Number, mean and Σ (x − mean)², exactly."""
    n = sum((Fraction(weight) for _, weight in values), Fraction(0))
    if n == 0:
        return n, n, n
    mean = sum((Fraction(one) * Fraction(weight) for one, weight in values), Fraction(0)) / n
    return n, mean, sum(((Fraction(one) - mean) ** 2 * Fraction(weight) for one, weight in values), Fraction(0))


def gaussian(
    rows: Sequence[Row], number: int, value: float, *, variance: str = "prior", predictive: bool = False
) -> float:
    """Normal-inverse-gamma: the mean counts as a tenth of a row, the variance as one."""
    n, mean, spread = moments(of_class(rows, number))
    n_all, mean_all, spread_all = moments(known(rows))
    if spread_all == 0:  # never varied
        n, wide = Fraction(0), Fraction(1)
    else:
        wide = spread_all / n_all
    if n == 0:
        mean, spread = mean_all, Fraction(0)
    if variance == "biased":
        var = wide if n == 0 else spread / n + Fraction(1e-9) * wide
        return -0.5 * math.log(2 * math.pi * var) - float((Fraction(value) - mean) ** 2 / (2 * var))
    tenth = Fraction(0.1)
    centre = (tenth * mean_all + n * mean) / (tenth + n)
    freedom = 1 + n
    var = (wide + spread + tenth * n / (tenth + n) * (mean - mean_all) ** 2) / freedom
    if not predictive:
        return -0.5 * math.log(2 * math.pi * var) - float((Fraction(value) - centre) ** 2 / (2 * var))
    var *= 1 + 1 / (tenth + n)
    nu = float(freedom)
    norm = math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2) - 0.5 * math.log(nu * math.pi * var)
    return norm - (nu + 1) / 2 * math.log1p(float((Fraction(value) - centre) ** 2 / var) / nu)


def log_gaussian(rows: Sequence[Row], number: int, value: float) -> float:
    """The logarithm is Gaussian, 0 is a value of its own."""
    zeros = [sum(weight for one, weight in some if one == 0) for some in (of_class(rows, number), known(rows))]
    others = [sum(weight for one, weight in some if one > 0) for some in (of_class(rows, number), known(rows))]
    average = (zeros[1] + 0.5) / (zeros[1] + others[1] + 1)
    chance = (zeros[0] + average) / (zeros[0] + others[0] + 1)
    if value == 0:
        return math.log(chance)
    logs = [(math.log(one) if one else None, own, weight) for one, own, weight in rows if one is not None]
    return math.log(1 - chance) + gaussian(logs, number, math.log(value)) - math.log(value)


def histogram(rows: Sequence[Row], number: int, value: float, edges: Sequence[float], smoothing: float = 0.5) -> float:
    """Bins between the edges, and an exponential tail on either side."""
    cell = bin_of(value, edges)
    seen = of_class(rows, number)
    same = sum(weight for one, weight in seen if bin_of(one, edges) == cell)
    mass = share(same + smoothing, sum(weight for _, weight in seen) + smoothing * (len(edges) + 1))
    scale = edges[-1] - edges[0]
    if cell == 0:
        return mass - math.log(scale) - (edges[0] - value) / scale
    if cell == len(edges):
        return mass - math.log(scale) - (value - edges[-1]) / scale
    return mass - math.log(edges[cell] - edges[cell - 1])


def bin_of(value: float, edges: Sequence[float]) -> int:
    return sum(value >= edge for edge in edges)


def multinomial(
    rows: Sequence[tuple[Sequence[float], int, float]],
    number: int,
    values: Sequence[float],
    smoothing: float = 1.0,
    *,
    predictive: bool = False,
) -> float:
    """Of a whole row of counts, in one order."""
    counts = [
        smoothing + sum(row[column] * weight for row, own, weight in rows if own == number)
        for column in range(len(values))
    ]
    if sum(counts) == 0:
        counts = [1.0] * len(values)
    if not predictive:
        return sum(value * share(count, sum(counts)) for value, count in zip(values, counts, strict=True))
    total, step = 0.0, 0
    for column, value in enumerate(values):
        for time in range(int(value)):  # Pólya's urn: each draw adds one more of its kind
            total += math.log(counts[column] + time) if counts[column] else IMPOSSIBLE
            total -= math.log(sum(counts) + step)
            step += 1
    return total


COLUMNS: dict[str, Callable[..., float]] = {
    "bernoulli": bernoulli,
    "categorical": categorical,
    "gaussian": gaussian,
    "log_gaussian": log_gaussian,
    "poisson": poisson,
}
