"""`--fail-under accuracy=0.9`: figures that have to be good enough, for scripts and CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from banbury.cli.console import note
from banbury.errors import InputError

if TYPE_CHECKING:
    from banbury.evaluation import Evaluation

FAILED = 1

fail_under = click.option(
    "--fail-under", multiple=True, metavar="FIGURE=NUMBER", help="Exit with 1 where a figure is below: accuracy=0.9."
)
fail_over = click.option(
    "--fail-over", multiple=True, metavar="FIGURE=NUMBER", help="Exit with 1 where a figure is above: log-loss=0.3."
)


def check(evaluation: Evaluation | None, given: dict[str, Any]) -> int:
    """0 where all figures are good enough, else 1, and each that is not is named."""
    asked = [(text, "below") for text in given["fail_under"]] + [(text, "above") for text in given["fail_over"]]
    if not asked:
        return 0
    if evaluation is None:
        raise InputError("there are no figures to check: nothing was chosen by leave-one-out (see --plain)")
    known = {one.name.lower().replace(" ", "-"): one.value for one in evaluation.figures()}
    code = 0
    for text, side in asked:
        name, bound = _parsed(text, known)
        if known[name] < bound if side == "below" else known[name] > bound:
            note(f"{name} is {known[name]:.4f}, {side} {bound:g}")
            code = FAILED
    return code


def _parsed(text: str, known: dict[str, float]) -> tuple[str, float]:
    name, _, number = text.partition("=")
    name = name.strip().lower().replace(" ", "-").replace("_", "-")
    try:
        bound = float(number)
    except ValueError:
        bound = None
    if name not in known or bound is None:
        raise click.UsageError(f"{text!r} is not FIGURE=NUMBER; the figures are {', '.join(known)}.")
    return name, bound
