"""Pictures for papers and slides, with matplotlib (`pip install 'banbury[plot]'`). Plain data in, axes out.

Each function draws into `ax` where one is given, and makes a figure of a fitting size where not. Names are drawn as
they are: a `$` starts no formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from banbury.display.axes import AGAINST, FOR, INK, QUIET, axes_for, drawn_name, titled, unframed, with_whole_numbers
from banbury.errors import InputError
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

MOST_NUMBERED_CLASSES = 30  # classes; the cells of more have no numbers
STYLES = ("-", "--", ":", "-.")


def confusion_matrix(
    classes: Sequence[Any],
    counts: Sequence[Sequence[float]],
    *,
    shares: bool = False,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Confusion matrix: rows are true classes, columns predicted ones; with `shares` each row sums to 1.

    The tints are always the shares of a row, so that a small class is seen as well as a large one.

    >>> ax = confusion_matrix(["ham", "spam"], [[8, 2], [1, 9]])
    """
    table = np.asarray(counts, dtype=float)
    if table.shape != (len(classes), len(classes)):
        raise InputError(f"the confusion of {len(classes)} classes is a square of numbers, not of shape {table.shape}")
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
    n = len(classes)
    side = 2.2 + 0.42 * min(n, 60)
    ax = axes_for(ax, (side + 1.2, side))
    ax.imshow(share, cmap=_blues(), vmin=0, vmax=1)
    names = [drawn_name(label) for label in classes]
    short = max(map(len, names), default=0) * n <= 36
    ax.set_xticks(
        range(n), names, rotation=0 if short else 45, ha="center" if short else "right", rotation_mode="anchor"
    )
    ax.set_yticks(range(n), names)
    ax.set(xlabel="predicted", ylabel="true")
    if n <= MOST_NUMBERED_CLASSES:
        longest = max((len(f"{value:.0f}") for value in table.ravel()), default=1) if not shares else 4
        size = min(10.0, 26.0 / max(longest, 1) + 2)
        for row, column in np.ndindex(n, n):
            value = share[row, column] if shares else table[row, column]
            if value:
                shade = "white" if share[row, column] > 0.8 else INK
                text = f"{value:.2f}" if shares else f"{value:.0f}"
                ax.text(column, row, text, ha="center", va="center", color=shade, fontsize=size)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5 if n <= MOST_NUMBERED_CLASSES else 0.3)
    ax.tick_params(which="both", length=0)
    return titled(ax, title)


def reliability(
    probabilities: Sequence[float],
    shares: Sequence[float],
    counts: Sequence[float],
    *,
    low: Sequence[float] | None = None,
    high: Sequence[float] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Reliability diagram: accuracy against predicted probability; calibrated predictions lie on the diagonal.

    Of each bin: the mean probability, the share that was right, and how many predictions it has; empty bins are left
    out. `low` and `high` are the ends of an interval of the share.

    >>> ax = reliability([0.6, 0.9], [0.5, 0.95], [20, 80])
    """
    ax = axes_for(ax, (4.8, 4.6))
    mean, share, count = (np.asarray(values, dtype=float) for values in (probabilities, shares, counts))
    filled = count > 0
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=1, linestyle="--", label="calibrated")
    if low is not None and high is not None:
        ends = np.stack([share - np.asarray(low), np.asarray(high) - share]).clip(0)[:, filled]
        ax.errorbar(mean[filled], share[filled], ends, color=FOR, fmt="none", linewidth=1, capsize=2)
    sizes = 20 + 160 * count[filled] / max(count.max(initial=0), 1)
    ax.plot(mean[filled], share[filled], color=FOR, linewidth=1.5)
    ax.scatter(mean[filled], share[filled], sizes, color=FOR, edgecolor="white", zorder=3, label="predictions")
    ax.set(xlabel="probability", ylabel="share that was right", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    _percent(ax, x=True)
    ax.legend(frameon=False, loc="upper left", markerscale=0.6)
    return titled(unframed(ax), title)


def ranking_curves(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    *,
    names: tuple[str, str],
    title: str = "",
    legend: str = "",
    diagonal: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Named curves between 0 and 1, such as ROC; `diagonal` adds the one of a random order.

    >>> ax = ranking_curves([("spam", [0, 0, 1], [0, 1, 1])], names=("false positive rate", "recall"), diagonal=True)
    """
    ax = axes_for(ax, (4.8, 4.6))
    if diagonal:
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=1, linestyle="--")
    for (name, xs, ys), colour in zip(lines, (FOR, AGAINST, QUIET), strict=False):
        ax.plot(xs, ys, color=colour, linewidth=1.8, label=name)
    ax.set(xlabel=names[0], ylabel=names[1], xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    _percent(ax, x=True)
    if lines:
        ax.legend(frameon=False, title=legend or None, loc="lower left" if not diagonal else "lower right")
    return titled(unframed(ax), title)


def waterfall(
    steps: Sequence[tuple[str, float]],
    *,
    score: float | None = None,
    title: str = "",
    unit: str = "nats",
    ax: Axes | None = None,
) -> Axes:
    """Waterfall: named steps from 0 to their sum, each starting where the one before it ended.

    >>> ax = waterfall([("prior", 0.5), ("happy", 1.1), ("sad", -0.4)])
    """
    score = sum(change for _, change in steps) if score is None else score
    ax = axes_for(ax, (6.4, 1.1 + 0.28 * (len(steps) + 1)))
    places: list[tuple[float, float]] = []
    level = 0.0
    for _, change in steps:
        places.append((level, change if isfinite(change) else 0.0))
        level += change if isfinite(change) else 0.0
    ends = [0.0, *(start for start, _ in places), *(start + change for start, change in places)]
    reach = (max(ends) - min(ends)) or 1.0
    for row, ((_, change), (start, width)) in enumerate(zip(steps, places, strict=True)):
        if not isfinite(change):  # it leads to the edge and a little further
            width = (max(ends) + 0.1 * reach if change > 0 else min(ends) - 0.1 * reach) - start
        _bar(ax, row, start, width, change, AGAINST if change < 0 else FOR)
        if row:
            ax.plot([start, start], [row - 1, row], color=QUIET, linewidth=0.8, zorder=1)
    _bar(ax, len(steps), 0.0, score if isfinite(score) else reach, score, QUIET)
    return _named_rows(ax, [name for name, _ in steps] + ["total"], unit, title)


def bars(rows: Sequence[tuple[str, float]], *, title: str = "", x_title: str = "", ax: Axes | None = None) -> Axes:
    """Horizontal bars of named numbers, such as the weights of words; positive ones go to the right.

    >>> ax = bars([("happy", 1.1), ("sad", -0.4)])
    """
    ax = axes_for(ax, (6.4, 1.1 + 0.28 * max(len(rows), 1)))
    largest = max((abs(value) for _, value in rows if isfinite(value)), default=0.0) or 1.0
    for row, (_, value) in enumerate(rows):
        width = value if isfinite(value) else largest * (1.1 if value > 0 else -1.1)
        _bar(ax, row, 0.0, width, value, AGAINST if value < 0 else FOR)
    return _named_rows(ax, [name for name, _ in rows], x_title, title)


def curves(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    bands: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    x_title: str,
    y_title: str,
    title: str = "",
    logarithmic: bool = False,
    percent: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Named lines through points, some with a band: a learning curve, coverage against accuracy.

    >>> ax = curves({"model": ([100, 1000], [0.7, 0.8])}, x_title="documents", y_title="accuracy", logarithmic=True)
    """
    ax = axes_for(ax, (5.6, 3.9))
    colours = (FOR, AGAINST, QUIET, INK)
    for number, (name, (x, y)) in enumerate(lines.items()):
        colour = colours[number % len(colours)]
        style = STYLES[number % len(STYLES)]
        marker = "o" if len(x) <= 40 else None
        ax.plot(x, y, color=colour, linestyle=style, marker=marker, markersize=4, label=drawn_name(name))
        if bands is not None and name in bands:
            ax.fill_between(x, *bands[name], color=colour, alpha=0.15, linewidth=0)
    ax.set(xlabel=drawn_name(x_title), ylabel=drawn_name(y_title))
    if logarithmic:
        ax.set_xscale("log")
        with_whole_numbers(ax.xaxis, steps=(1, 2, 5))
    if percent:
        _percent(ax, x=False)
    if len(lines) > 1:
        ax.legend(frameon=False)
    return titled(unframed(ax), title)


def coverage(shares: Sequence[float], accuracies: Sequence[float], *, title: str = "", ax: Axes | None = None) -> Axes:
    """Accuracy against coverage: how accurate the surest predictions are, by the share that is kept.

    >>> ax = coverage([0.5, 1.0], [0.99, 0.9])
    """
    ax = curves({"model": (shares, accuracies)}, x_title="share that is kept", y_title="accuracy", title=title, ax=ax)
    ax.set_xlim(-0.02, 1.02)
    _percent(ax, x=True)
    return ax


def _bar(ax: Axes, row: int, start: float, width: float, value: float, colour: str) -> None:
    ax.barh(row, width, left=start, height=0.72, color=colour, zorder=2)
    end = start + width
    number = f"{value:+.2f}" if isfinite(value) else "+∞" if value > 0 else "−∞"
    ax.annotate(
        number,
        (end, row),
        xytext=(-3 if value < 0 else 3, 0),
        textcoords="offset points",
        ha="right" if value < 0 else "left",
        va="center",
        fontsize=8,
        color=INK,
    )


def _named_rows(ax: Axes, names: Sequence[str], x_title: str, title: str) -> Axes:
    ax.set_yticks(range(len(names)), [drawn_name(name) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.axvline(0, color=QUIET, linewidth=0.8)
    # Bars stick to the edge, which leaves numbers to the left of them no room.
    ax.use_sticky_edges = ax.dataLim.x0 >= 0
    ax.margins(x=0.14)
    ax.set_xlabel(drawn_name(x_title))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return titled(unframed(ax), title)


def _percent(ax: Axes, *, x: bool) -> None:
    for axis in (ax.yaxis, ax.xaxis)[: 1 + x]:
        axis.set_major_formatter(lambda share, _: f"{100 * share:.4g}%")


def _blues() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("banbury", ["#f4f7fa", FOR])
