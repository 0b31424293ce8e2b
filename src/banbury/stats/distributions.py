"""The log-gamma function, and quantiles of the beta, gamma and Student's t distributions, for arrays, without SciPy.

A quantile is found by Newton's method on the logarithm of the smaller tail, in a coordinate from −∞ to ∞, inside a
bracket that only shrinks: the method cannot diverge, and small tails keep their digits. The distribution functions are
computed by a power series or a continued fraction, whichever converges. These take √n steps for counts of n; from
`LARGE_COUNTS` on quantiles are those of the normal distribution, corrected for skewness and kurtosis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.errors import InputError
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

STIRLING_SHIFT = 10  # from here on Stirling's series has 16 digits
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
HALF_LOG_2_PI = 0.9189385332046727
TINY, MOST_TERMS = 1e-300, 5_000  # a continued fraction takes some √(a + b) steps
LARGEST_COORDINATE = 745.0  # exp(-745) is the smallest number above 0
LARGE_COUNTS = 1e5  # from here on the expansion around the normal distribution has 7 digits of the width, or more
FAR_TAIL = 1e-12  # … as long as it is not asked for less than this


def log_gamma(x: ArrayLike) -> Array:
    """log Γ(x) for x > 0; exactly 0 for 1 and 2, whatever the rounding of the logarithms that NumPy has.

    >>> log_gamma([1.0, 2.0, 5.0]).round(12).tolist() == [0.0, 0.0, round(float(np.log(24)), 12)]
    True
    """
    x = np.asarray(x, dtype=float)
    up = x + STIRLING_SHIFT
    with np.errstate(divide="ignore"):
        steps = np.log(x)
    for k in range(1, STIRLING_SHIFT):
        steps = steps + np.log(x + k)
    logs = (up - 0.5) * np.log(up) - up + HALF_LOG_2_PI + _series(up) - steps
    return np.where((x == 1) | (x == 2), 0.0, logs)


def log_rising(x: ArrayLike, n: ArrayLike) -> Array:
    """log Γ(x + n) − log Γ(x) for x > 0 and n ≥ 0, without the digits that the difference of the two would lose.

    For whole n that is log x(x + 1)…(x + n − 1):

    >>> float(np.exp(log_rising(3.0, 2.0)).round(12))
    12.0
    """
    x, n = np.asarray(x, dtype=float), np.asarray(n, dtype=float)
    up = x + STIRLING_SHIFT
    logs = (up - 0.5) * np.log1p(n / up) + n * np.log(up + n) - n + (_series(up + n) - _series(up))
    shares = x / (x + n)
    for k in range(1, STIRLING_SHIFT):
        shares = shares * ((x + k) / (x + n + k))
    return np.asarray(logs + np.log(shares))


def _series(x: Array) -> Array:
    """The correction series of Stirling's formula."""
    inverse = 1 / (x * x)
    total = np.zeros_like(x)
    for term in reversed(STIRLING):
        total = total * inverse + term
    return np.asarray(total / x)


def beta_quantile(chance: ArrayLike, successes: ArrayLike, failures: ArrayLike) -> Array:
    """Quantile of Beta(successes, failures): what it falls below with this probability. Arrays give arrays.

    Without successes the distribution is the number 0, without failures 1, without either uniform.

    >>> round(float(beta_quantile(0.5, 1, 1)), 12)
    0.5
    """
    chance, a, b = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (chance, successes, failures)))
    if not (np.all((a >= 0) & (b >= 0)) and np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError("successes and failures must be finite numbers, 0 or more")
    _check_chances(chance)
    quantiles = np.select([(a == 0) & (b == 0), a == 0, b == 0], [chance, 0.0, 1.0], np.nan)
    inside = (a > 0) & (b > 0)
    quantiles[inside] = _beta_quantiles(chance[inside], a[inside], b[inside])
    return quantiles[()]


def gamma_quantile(chance: ArrayLike, shape: ArrayLike) -> Array:
    """Quantile of the gamma distribution of this shape and scale 1. Arrays give arrays.

    >>> round(float(gamma_quantile(0.5, 1)), 6) == round(float(np.log(2)), 6)
    True
    """
    chance, shape = np.broadcast_arrays(np.asarray(chance, dtype=float), np.asarray(shape, dtype=float))
    if not (np.all(shape >= 0) and np.isfinite(shape).all()):
        raise InputError("the shape must be a finite number, 0 or more")
    _check_chances(chance)
    quantiles = np.zeros(shape.shape)
    quantiles[shape > 0] = _gamma_quantiles(chance[shape > 0], shape[shape > 0])
    return quantiles[()]


def student_quantile(chance: ArrayLike, freedom: ArrayLike) -> Array:
    """Quantile of Student's t distribution with so many degrees of freedom. Arrays give arrays.

    >>> round(float(student_quantile(0.975, 10)), 3)
    2.228
    """
    chance, freedom = np.broadcast_arrays(np.asarray(chance, dtype=float), np.asarray(freedom, dtype=float))
    if not np.all(freedom > 0):
        raise InputError("the degrees of freedom must be above 0")
    _check_chances(chance)
    return _student_quantiles(chance.ravel(), freedom.ravel()).reshape(chance.shape)[()]


def _check_chances(chances: Array) -> None:
    if not ((chances >= 0) & (chances <= 1)).all():
        raise InputError("a probability lies between 0 and 1")


def _beta_quantiles(chance: Array, a: Array, b: Array) -> Array:
    """Quantiles of Beta(a, b), for a, b > 0; flat arrays of one length."""
    is_near_normal = _is_near_normal(chance, np.minimum(a, b))
    if not is_near_normal.any():
        return _exact_beta_quantiles(chance, a, b)
    quantiles = np.empty_like(a)
    rest = ~is_near_normal
    quantiles[rest] = _exact_beta_quantiles(chance[rest], a[rest], b[rest])
    quantiles[is_near_normal] = _near_normal_beta(*(one[is_near_normal] for one in (chance, a, b)))
    return quantiles


def _is_near_normal(chance: Array, smaller: Array) -> NDArray[np.bool_]:
    return np.asarray((smaller > LARGE_COUNTS) & (np.minimum(chance, 1 - chance) > FAR_TAIL))


def _near_normal_beta(chance: Array, a: Array, b: Array) -> Array:
    p, q = 1 / (1 + b / a), 1 / (1 + a / b)
    n = np.minimum(a, 1e300) + np.minimum(b, 1e300)
    skewness = 2 * (q - p) / np.sqrt(n * p * q)
    excess = 6 * ((p - q) ** 2 / (p * q) - 1) / n
    return np.asarray(p + np.sqrt(p * q / (n + 1)) * _cornish_fisher(chance, skewness, excess))


def _cornish_fisher(chance: Array, skewness: Array, excess: Array) -> Array:
    """Quantiles of a distribution near the normal one, as standard deviations from its mean (Cornish & Fisher 1938)."""
    from statistics import NormalDist  # half as long to import as all of banbury

    z = np.array([NormalDist().inv_cdf(one) for one in chance.tolist()])
    skewed = (z**2 - 1) * skewness / 6 - (2 * z**3 - 5 * z) * skewness**2 / 36
    return np.asarray(z + skewed + (z**3 - 3 * z) * excess / 24)


def _exact_beta_quantiles(chance: Array, a: Array, b: Array) -> Array:
    from_one = log_rising(np.maximum(a, b), np.minimum(a, b)) - log_gamma(np.minimum(a, b))  # −log B(a, b)
    place = _solve(
        chance,
        lambda t, i: _log_beta_tails(t, a[i], b[i], from_one[i]),
        lambda t, i: from_one[i] - a[i] * np.logaddexp(0, -t) - b[i] * np.logaddexp(0, t),
        np.log(a) - np.log(b),
        1 / a + 1 / b,
    )
    return np.asarray(np.exp(-np.logaddexp(0, -place)))


def _gamma_quantiles(chance: Array, shape: Array) -> Array:
    """Quantiles of the gamma distribution of scale 1, for shapes > 0; flat arrays of one length."""
    is_near_normal = _is_near_normal(chance, shape)
    quantiles = np.empty_like(shape)
    quantiles[~is_near_normal] = _exact_gamma_quantiles(chance[~is_near_normal], shape[~is_near_normal])
    large = shape[is_near_normal]
    away = _cornish_fisher(chance[is_near_normal], 2 / np.sqrt(large), 6 / large)
    quantiles[is_near_normal] = large + np.sqrt(large) * away
    return quantiles


def _exact_gamma_quantiles(chance: Array, shape: Array) -> Array:
    norm = log_gamma(shape)
    place = _solve(
        chance,
        lambda t, i: _log_gamma_tails(t, shape[i], norm[i]),
        lambda t, i: shape[i] * t - np.exp(t) - norm[i],
        np.log(shape),
        1 / shape,
    )
    quantiles: Array = np.exp(place)
    quantiles[chance == 1] = np.inf
    return quantiles


def _student_quantiles(chance: Array, freedom: Array) -> Array:
    """Quantiles of Student's t; flat arrays of one length. ν / (ν + t²) is Beta(ν/2, ½)."""
    freedom = np.minimum(freedom, 1e8)  # from there on it is the normal distribution, to 8 digits
    half = np.full(freedom.shape, 0.5)
    # The smaller of the share and its complement keeps the digits of t: both quantiles are of the same distribution.
    outside = 2 * np.minimum(chance, 1 - chance)
    share = _beta_quantiles(outside, freedom / 2, half)
    rest = _beta_quantiles(1 - outside, half, freedom / 2)
    with np.errstate(divide="ignore"):
        size = np.sqrt(freedom) * np.sqrt(rest / share)
    return np.asarray(np.where(chance < 0.5, -size, size))


def _log_beta_tails(t: Array, a: Array, b: Array, from_one: Array) -> tuple[Array, Array]:
    """The logarithms of P(x < logistic(t)) and P(x > logistic(t)) under Beta(a, b)."""
    log_x, log_y = -np.logaddexp(0, -t), -np.logaddexp(0, t)
    x = np.exp(log_x)
    turned = x > (a + 1) / (a + b + 2)  # there the fraction of the other tail converges
    front = from_one + a * log_x + b * log_y - np.log(np.where(turned, b, a))
    inner = np.where(turned, np.exp(log_y), x)
    fraction = _beta_fraction(inner, np.where(turned, b, a), np.where(turned, a, b))
    return _two_tails(front + np.log(fraction), turned)


def _beta_fraction(x: Array, a: Array, b: Array) -> Array:
    """The continued fraction of the incomplete beta function, by Lentz's method."""

    def terms(m: int, x: Array, a: Array, b: Array) -> tuple[tuple[Array, Array], ...]:
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        ones = np.ones_like(x)
        return (even, ones), (odd, ones)

    d = 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    return _lentz(np.ones_like(x), d, d.copy(), terms, x, a, b)


def _log_gamma_tails(t: Array, shape: Array, norm: Array) -> tuple[Array, Array]:
    """The logarithms of P(x < exp(t)) and P(x > exp(t)) under the gamma distribution of this shape."""
    x = np.exp(t)
    turned = x > shape + 1
    front = shape * t - x - norm
    logs = np.empty_like(x)
    low, high = ~turned, turned
    logs[low] = front[low] + np.log(_gamma_series(x[low], shape[low]))
    logs[high] = front[high] + np.log(_gamma_fraction(x[high], shape[high]))
    return _two_tails(logs, turned)


def _gamma_series(x: Array, shape: Array) -> Array:
    result, left = np.empty_like(x), np.arange(len(x))
    total = term = 1 / shape
    for k in range(1, MOST_TERMS):
        term = term * x / (shape + k)
        total = total + term
        if k % 8 == 0:
            going = term > total * 1e-17
            result[left] = total
            left, x, shape, term, total = left[going], x[going], shape[going], term[going], total[going]
            if not len(left):
                break
    return result


def _gamma_fraction(x: Array, shape: Array) -> Array:
    def terms(m: int, x: Array, shape: Array) -> tuple[tuple[Array, Array], ...]:
        return ((-m * (m - shape), x + 2 * m + 1 - shape),)

    d = 1 / _away_from_0(x + 1 - shape)
    return _lentz(np.full_like(x, 1 / TINY), d, d.copy(), terms, x, shape)


def _lentz(c: Array, d: Array, value: Array, terms: Callable[..., Any], *parameters: Array) -> Array:
    """The value of continued fractions; those that have converged are left alone."""
    result, left = value.copy(), np.arange(len(value))
    for m in range(1, MOST_TERMS):
        if not len(left):
            break
        change = np.ones_like(value)
        for numerator, constant in terms(m, *parameters):
            d = 1 / _away_from_0(constant + numerator * d)
            c = _away_from_0(constant + numerator / c)
            change = c * d
            value = value * change
        result[left] = value
        going = np.abs(change - 1) > 1e-15
        if m % 8 == 0:
            left, c, d, value = left[going], c[going], d[going], value[going]
            parameters = tuple(array[going] for array in parameters)
        elif not going.any():
            break
    return result


def _away_from_0(x: Array) -> Array:
    return np.where(np.abs(x) < TINY, TINY, x)


def _two_tails(logs: Array, turned: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Both tails from the logarithm of one of them, the upper one where `turned`."""
    logs = np.minimum(logs, -1e-320)
    with np.errstate(divide="ignore"):
        others = np.log(-np.expm1(logs))
    return np.where(turned, others, logs), np.where(turned, logs, others)


def _solve(
    chance: Array,
    log_tails: Callable[[Array, NDArray[np.intp]], tuple[Array, Array]],
    log_density: Callable[[Array, NDArray[np.intp]], Array],
    centre: Array,
    variance: Array,
) -> Array:
    """Quantiles in the coordinate t.

    The two functions take values of t and the numbers of the distributions they belong to.
    """
    upper = chance > 0.5
    with np.errstate(divide="ignore"):
        goal = np.log(np.where(upper, 1 - chance, chance))
    low, high = np.full_like(chance, -LARGEST_COORDINATE), np.full_like(chance, LARGEST_COORDINATE)
    # In the far tails the logarithm is all but straight, so it is enough to start nearby.
    place = centre + np.where(upper, 1.5, -1.5) * np.minimum(np.sqrt(variance), 2)
    place[chance == 0], place[chance == 1] = -np.inf, np.inf
    left = np.flatnonzero((chance > 0) & (chance < 1))
    for _ in range(200):
        if not len(left):
            break
        t, is_upper = place[left], upper[left]
        below, above = log_tails(t, left)
        tail = np.where(is_upper, above, below)
        short = np.where(is_upper, goal[left] < tail, tail < goal[left])  # the place is too far to the left
        low[left], high[left] = np.where(short, t, low[left]), np.where(short, high[left], t)
        with np.errstate(over="ignore", invalid="ignore"):
            step = (tail - goal[left]) * np.exp(tail - log_density(t, left)) * np.where(is_upper, 1, -1)
        new = t + step
        outside = ~((new > low[left]) & (new < high[left]))
        new[outside] = (low[left][outside] + high[left][outside]) / 2
        place[left] = new
        left = left[np.abs(new - t) > 1e-15 * np.maximum(1, np.abs(t))]
    return np.asarray(place)
