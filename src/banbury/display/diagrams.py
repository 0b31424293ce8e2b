"""Diagrams for teaching, with matplotlib: a Venn diagram, a tree of Bayes' rule, words by their counts in two classes,
documents by what two classes say of them. Plain data in, axes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, log10, pi, sqrt
from typing import TYPE_CHECKING, Any

from banbury.display.axes import AGAINST, FOR, INK, QUIET, axes_for, drawn_name, titled, unframed, with_whole_numbers
from banbury.errors import InputError
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DOTS = 5_000  # dots of a class that are drawn; of more, every so manieth
ELLIPSES = (2.0, 3.0)  # standard deviations


def venn(
    both: float,
    only_first: float,
    only_second: float,
    neither: float,
    *,
    names: Sequence[str],
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Two circles whose areas, and that of their overlap, are as large as the counts; the frame is everything.

    >>> ax = venn(4, 31, 1, 64, names=("positive", "amazing"))
    """
    counts = (both, only_first, only_second, neither)
    if min(counts) < 0 or both + only_first <= 0 or both + only_second <= 0:
        raise InputError(f"the counts are {counts}; none is negative, and each of the two events happens")
    ax = axes_for(ax, (6.0, 4.2))
    first, second = sqrt((both + only_first) / pi), sqrt((both + only_second) / pi)
    unit = max(first, second)
    first, second = first / unit, second / unit
    distance = circle_distance(first, second, both / unit**2)
    left, right = -first, distance + second
    for centre, radius, colour in ((0.0, first, FOR), (distance, second, AGAINST)):
        ax.add_patch(_circle(centre, radius, colour))
    top = max(first, second)
    for name, centre, radius, colour, side in (
        (names[0], 0.0, first, FOR, "right"),
        (names[1], distance, second, AGAINST, "left"),
    ):
        shift = -0.5 * radius if side == "right" else 0.5 * radius
        ax.annotate(
            drawn_name(name), (centre + shift, sqrt(max(radius**2 - shift**2, 0.0))),
            (centre + 1.6 * shift, top + 0.18), ha="center", va="bottom", color=colour,
            fontsize=11, arrowprops={"arrowstyle": "-", "color": colour},
        )  # fmt: skip
    inner = (max(-first, distance - second), min(first, distance + second))  # the overlap, on the line of the centres
    regions = [
        (only_first, (left + min(inner[0], first)) / 2 if distance > 0 else 0.0, min(inner[0], first) - left),
        (both, sum(inner) / 2, inner[1] - inner[0]),
        (only_second, (max(inner[1], distance - second) + right) / 2, right - max(inner[1], distance - second)),
    ]
    total = sum(counts)
    below = -top - 0.3
    for number, (count, middle, width) in enumerate(regions):
        label = f"{count:g}\n{100 * count / total:.3g}%"
        if width > 0.42:
            ax.text(middle, 0.0, label, ha="center", va="center", color=INK)
        elif count:
            ax.annotate(label, (middle, 0.0), (middle + (number - 1) * 0.55, below), ha="center", va="top", color=INK,
                        arrowprops={"arrowstyle": "-", "color": QUIET})  # fmt: skip
    rest = f"neither\n{neither:g}\n{100 * neither / total:.3g}%"
    ax.text(left - 0.22, below - 0.3, rest, ha="left", va="bottom", color=INK)
    ax.set(xlim=(left - 0.3, right + 0.6), ylim=(below - 0.35, top + 0.55), xticks=[], yticks=[], aspect="equal")
    return titled(ax, title)


def bayes_tree(
    branches: Sequence[tuple[str, float, float]], *, evidence: str, title: str = "", ax: Axes | None = None
) -> Axes:
    """Bayes' rule as a tree: from each class, with its prior, to what is seen or not seen; the ends are products.

    A branch is (name, P(class), P(evidence | class)). What is seen is drawn bold: its share in all that is bold is the
    posterior, which stands at the end.

    >>> ax = bayes_tree([("ill", 0.01, 0.9), ("healthy", 0.99, 0.05)], evidence="positive")
    """
    if abs(sum(prior for _, prior, _ in branches) - 1) > 1e-9:
        raise InputError(f"the priors sum to {sum(prior for _, prior, _ in branches)!r}; they must sum to 1")
    if any(not 0 <= value <= 1 for _, prior, likelihood in branches for value in (prior, likelihood)):
        raise InputError("priors and likelihoods are probabilities, between 0 and 1")
    ax = axes_for(ax, (7.4, 0.8 + 1.1 * len(branches)))
    total = sum(prior * likelihood for _, prior, likelihood in branches)
    middle = (len(branches) * 2 - 1) / 2
    fork = 1.15 + 0.075 * max(len(drawn_name(name, 18)) for name, _, _ in branches)  # to the right of the longest name
    for number, (name, prior, likelihood) in enumerate(branches):
        y = 2 * number + 0.5
        _edge(ax, (0.0, middle), (1.0, y), f"{prior:.4g}", QUIET)
        ax.text(1.04, y, drawn_name(name, 18), va="center", ha="left", color=INK, fontweight="bold")
        for is_seen in (True, False):
            chance = likelihood if is_seen else 1 - likelihood
            end, colour = y + (-0.45 if is_seen else 0.45), FOR if is_seen else QUIET
            _edge(ax, (fork, y), (fork + 1.0, end), f"{chance:.4g}", colour, 2.0 if is_seen else 1.0)
            what = f"{prior:.4g} × {chance:.4g} = {prior * chance:.4g}"
            if is_seen and total:
                what += f"\nP({drawn_name(name, 18)} | {drawn_name(evidence, 18)}) = {prior * chance / total:.4g}"
            seen = f"{'' if is_seen else 'not '}{drawn_name(evidence, 18)}:  {what}"
            ax.text(fork + 1.05, end, seen, va="center", ha="left",
                    color=INK if is_seen else QUIET, fontweight="bold" if is_seen else None, fontsize=9)  # fmt: skip
    ax.set(xlim=(-0.1, fork + 3.6), ylim=(2 * len(branches) - 0.4, -0.6), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return titled(ax, title)


def count_scatter(
    words: Sequence[str], first: Sequence[float], second: Sequence[float], *,
    names: Sequence[str], most: int = 24, title: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Words by how often each stands in one class and in the other, both scales logarithmic; 1 is added to each count.

    On the diagonal a word says nothing; `most` words far from it, or frequent, have their names.

    >>> ax = count_scatter(["happy", "sad", "the"], [20, 1, 50], [2, 18, 51], names=("positive", "negative"))
    """
    x, y = (np.asarray(counts, dtype=float) + 1 for counts in (first, second))
    if x.shape != (len(words),) or y.shape != x.shape:
        raise InputError(f"{len(words)} words, but {len(x)} and {len(y)} counts")
    ax = axes_for(ax, (6.0, 5.6))
    strength = np.log(x / y) * np.sqrt(np.minimum(x, 50) / 50 + np.minimum(y, 50) / 50)
    ends = (0.8, 1.6 * max(x.max(initial=1), y.max(initial=1)))
    ax.plot(ends, ends, color=QUIET, linewidth=1, linestyle="--", zorder=1)
    colours = np.where(x > y, FOR, np.where(x < y, AGAINST, QUIET))
    ax.scatter(x, y, 10, c=colours, alpha=0.55, linewidths=0, zorder=2)
    strongest = np.argsort(-np.abs(strength), kind="stable")[: max(most * 3 // 4, 1)]
    frequent = np.argsort(-(x + y), kind="stable")[: most - len(strongest)]
    _place_names(
        ax,
        [(str(words[place]), x[place], y[place]) for place in dict.fromkeys([*strongest.tolist(), *frequent.tolist()])],
    )
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal")
    ax.set(xlabel=f"count in {drawn_name(names[0])}, plus 1", ylabel=f"count in {drawn_name(names[1])}, plus 1")
    for axis in (ax.xaxis, ax.yaxis):
        with_whole_numbers(axis)
    return titled(unframed(ax), title)


def class_plane(
    first: Sequence[float], second: Sequence[float], labels: Sequence[Any], *,
    names: Sequence[Any], title: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Documents by log P(document | class) of two classes, with ellipses of 2 and 3 standard deviations of each class.

    On the diagonal both are equally likely. Documents of other labels than the two are left out.

    >>> ax = class_plane([-3, -4, -9], [-5, -6, -4], ["spam", "spam", "ham"], names=("spam", "ham"))
    """
    x, y = (np.asarray(values, dtype=float) for values in (first, second))
    finite = np.isfinite(x) & np.isfinite(y)
    ax = axes_for(ax, (6.2, 5.6))
    shown = np.zeros(len(x), dtype=bool)
    for label, colour in zip(names, (FOR, AGAINST), strict=True):
        is_label = finite & np.array([other == label for other in labels], dtype=bool)
        shown |= is_label
        rows = np.flatnonzero(is_label)
        dots = rows[:: max(len(rows) // MOST_DOTS, 1)]
        ax.scatter(x[dots], y[dots], 9, color=colour, alpha=0.45, linewidths=0, label=drawn_name(label), zorder=2)
        if len(rows) > 2:
            for deviations, style in zip(ELLIPSES, ("-", "--"), strict=True):
                ax.add_patch(_ellipse(x[rows], y[rows], deviations, colour, style))
    if shown.any():
        ends = (min(x[shown].min(), y[shown].min()), max(x[shown].max(), y[shown].max()))
        ax.plot(ends, ends, color=QUIET, linewidth=1, linestyle=":", zorder=1)
        room = 0.04 * ((ends[1] - ends[0]) or 1.0)
        ax.set(xlim=(ends[0] - room, ends[1] + room), ylim=(ends[0] - room, ends[1] + room), aspect="equal")
    ax.set(xlabel=f"log P(document | {drawn_name(names[0])})", ylabel=f"log P(document | {drawn_name(names[1])})")
    ax.legend(frameon=False, loc="upper left")
    return titled(unframed(ax), title)


def circle_distance(first: float, second: float, overlap: float) -> float:
    """How far apart the centres of two circles are whose overlap has this area."""
    near, far = abs(first - second), first + second
    if overlap >= pi * min(first, second) ** 2 * (1 - 1e-12):
        return near
    if overlap <= 0:
        return far + 0.08 * max(first, second)
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (middle, far) if circle_overlap(first, second, middle) > overlap else (near, middle)
    return (near + far) / 2


def circle_overlap(first: float, second: float, distance: float) -> float:
    """The area that two circles share."""
    if distance >= first + second:
        return 0.0
    if distance <= abs(first - second):
        return pi * min(first, second) ** 2
    cosine = (distance**2 + first**2 - second**2) / (2 * distance * first)
    other_cosine = (distance**2 + second**2 - first**2) / (2 * distance * second)
    kite = (-distance + first + second) * (distance + first - second)
    kite *= (distance - first + second) * (distance + first + second)
    return first**2 * acos(cosine) + second**2 * acos(other_cosine) - sqrt(max(kite, 0.0)) / 2


def _circle(centre: float, radius: float, colour: str) -> Any:
    from matplotlib.patches import Circle

    return Circle((centre, 0.0), radius, facecolor=colour, edgecolor=colour, alpha=0.35, linewidth=1.5)


def _ellipse(x: Any, y: Any, deviations: float, colour: str, style: str) -> Any:
    """The ellipse within so many standard deviations of the mean, along the axes of the covariance."""
    from matplotlib.patches import Ellipse

    variances, axes = np.linalg.eigh(np.cov(x, y))
    width, height = 2 * deviations * np.sqrt(np.maximum(variances[::-1], 0.0))
    angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
    return Ellipse((x.mean(), y.mean()), width, height, angle=angle, fill=False, edgecolor=colour, linestyle=style,
                   linewidth=1.3, zorder=3)  # fmt: skip


def _edge(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], text: str, colour: str, width: float = 1.0
) -> None:
    ax.plot(*zip(start, end, strict=True), color=colour, linewidth=width)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    ax.text(*middle, text, ha="center", va="center", color=INK, fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2})  # fmt: skip


def _place_names(ax: Axes, points: Sequence[tuple[str, float, float]]) -> None:
    """Names beside points on logarithmic scales; one that would lie on another is left out."""
    taken: list[tuple[float, float, float]] = []
    for name, x, y in points:
        left, height, width = log10(x), log10(y), 0.05 * len(name)
        if any(abs(height - other) < 0.06 and left < end and start < left + width for start, end, other in taken):
            continue
        taken.append((left, left + width, height))
        ax.annotate(
            drawn_name(name, 18), (x, y), xytext=(3, 1), textcoords="offset points", fontsize=8, color=INK, zorder=4
        )
