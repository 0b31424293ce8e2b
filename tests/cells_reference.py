"""Evidence of cells, plainly: rows as tuples of codes, everything counted anew for every question.

A row is (codes, class, weight); a code is a path of six bits for a number, the category's number else, None for a value
that says nothing. `sizes` has 0 for a column of numbers, and the number of categories for others.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

Row = tuple[tuple[int | None, ...], int, int]
DEPTHS = {1: 6, 2: 4, 3: 3}
BEYOND = (3.0, 1.5)


def prior(rows: Sequence[Row], n_classes: int) -> list[float]:
    counts = [1 + sum(weight for _, own, weight in rows if own == c) for c in range(n_classes)]
    return [count / sum(counts) for count in counts]


def cell(
    codes: Sequence[int | None], columns: Sequence[int], sizes: Sequence[int], level: int
) -> tuple[int, ...] | None:
    found = []
    for column in columns:
        code = codes[column]
        if code is None:
            return None
        found.append(code if sizes[column] else code >> (6 - level))
    return tuple(found)


def counted(
    rows: Sequence[Row], codes: Sequence[int | None], columns: Sequence[int], sizes: Sequence[int], level: int, n: int
) -> list[int]:
    """By class: how many rows are in the same cell at a level."""
    here = cell(codes, columns, sizes, level)
    counts = [0] * n
    for others, own, weight in rows:
        if cell(others, columns, sizes, level) == here:
            counts[own] += weight
    return counts


def shares(
    rows: Sequence[Row],
    codes: Sequence[int | None],
    column: int,
    sizes: Sequence[int],
    smoothing: tuple[float, float],
    n: int,
    level: int,
) -> list[float]:
    """P(class | cell of a column at a level); a category has one level."""
    level = 1 if sizes[column] else level
    strength, growth = smoothing
    found = prior(rows, n)
    for one in range(1, level + 1):
        counts = counted(rows, codes, [column], sizes, one, n)
        k = strength * growth ** (one - 1)
        found = [(count + k * coarser) / (sum(counts) + k) for count, coarser in zip(counts, found, strict=True)]
    return found


def ratios(
    rows: Sequence[Row],
    codes: Sequence[int | None],
    columns: Sequence[int],
    sizes: Sequence[int],
    smoothing: Sequence[tuple[float, float]],
    n: int,
    level: int,
) -> list[float]:
    """What a pair or a triple multiplies the shares of its parts by."""
    pi = prior(rows, n)
    if all(sizes[column] for column in columns):
        level = 1
    found = [1.0] * n
    for one in range(1, level + 1):
        naive = list(pi)
        for column in columns:
            own = shares(rows, codes, column, sizes, smoothing[column], n, one)
            naive = [product * share / first for product, share, first in zip(naive, own, pi, strict=True)]
        if len(columns) == 3:
            a, b, c = columns
            for pair in ((a, b), (a, c), (b, c)):
                beyond = ratios(rows, codes, pair, sizes, smoothing, n, one)
                naive = [product * ratio for product, ratio in zip(naive, beyond, strict=True)]
        naive = [product / sum(naive) for product in naive]
        expected = [product * ratio for product, ratio in zip(naive, found, strict=True)]
        counts = counted(rows, codes, columns, sizes, one, n)
        k = BEYOND[0] * BEYOND[1] ** (one - 1)
        found = [
            (count + k * share / sum(expected)) / (sum(counts) + k) / product
            for count, share, product in zip(counts, expected, naive, strict=True)
        ]
    return found


def evidence(
    rows: Sequence[Row],
    codes: Sequence[int | None],
    columns: Sequence[int],
    sizes: Sequence[int],
    smoothing: Sequence[tuple[float, float]],
    n: int,
) -> list[float]:
    """What a term says of each class, in nats, by these rows."""
    if any(codes[column] is None for column in columns):
        return [0.0] * n
    level = DEPTHS[len(columns)]
    if len(columns) == 1:
        own = shares(rows, codes, columns[0], sizes, smoothing[columns[0]], n, level)
        return [math.log(share) - math.log(first) for share, first in zip(own, prior(rows, n), strict=True)]
    return [math.log(ratio) for ratio in ratios(rows, codes, columns, sizes, smoothing, n, level)]


def tree(values: Sequence[tuple[float, int]], depth: int = 6) -> dict[float, str]:
    """The path of each value, given with its number of rows: split where the rows before come closest to half."""
    counts: dict[float, int] = {}
    for value, weight in values:
        counts[value] = counts.get(value, 0) + weight
    if depth == 0 or len(counts) == 1:
        return dict.fromkeys(counts, "0" * depth)
    distinct = sorted(counts)
    half = Fraction(sum(counts.values()), 2)
    cuts = range(1, len(distinct))
    cut = min(cuts, key=lambda at: (abs(sum(counts[value] for value in distinct[:at]) - half), at))
    lower = [(value, counts[value]) for value in distinct[:cut]]
    upper = [(value, counts[value]) for value in distinct[cut:]]
    return {
        **{value: "0" + path for value, path in tree(lower, depth - 1).items()},
        **{value: "1" + path for value, path in tree(upper, depth - 1).items()},
    }
