"""What all drawings with matplotlib share: axes of a fitting size, colours, names, and scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from banbury.display.characters import NAME_WIDTH, shorten
from banbury.display.html import LIGHT
from banbury.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

FOR, AGAINST, QUIET, INK = LIGHT["for"], LIGHT["against"], LIGHT["quiet"], LIGHT["ink"]


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes to draw into: those given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # only a new figure needs it
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'banbury[plot]'") from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def drawn_name(label: object, width: int = NAME_WIDTH) -> str:
    r"""A name as matplotlib shall draw it, shortened; matplotlib takes what stands between two `$` for a formula.

    >>> drawn_name("$5 to $10")
    '\\$5 to \\$10'
    """
    return shorten(str(label), width).replace("$", r"\$")


def unframed(ax: Axes) -> Axes:
    """The axes without a line at the top and to the right."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def titled(ax: Axes, title: str) -> Axes:
    """The axes with a title, where it is not empty."""
    if title:
        ax.set_title(drawn_name(title, 60), fontsize=10, loc="left")
    return ax


def with_whole_numbers(axis: Axis, steps: Sequence[float] = (1.0,)) -> None:
    """Write whole numbers at the powers of ten of a logarithmic axis, times each of the steps."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.set_minor_formatter(NullFormatter())
