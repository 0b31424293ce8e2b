"""`--fail-under accuracy=0.9`: thresholds on figures, for scripts and CI."""

from __future__ import annotations

from math import isnan, nan

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli.console import note
from banbury.cli.declared import Own, option
from banbury.errors import InputError

if TYPE_CHECKING:
    from banbury.results.evaluation import Evaluation
    from banbury.results.many_classes import ManyClassEvaluation

FAILED = 1

CHECKED_FIGURES = ("accuracy", "macro-f1", "mcc", "roc-auc", "log-loss", "brier-score", "calibration-error")


class Bound(Own):
    """A figure and a number that it is compared with."""

    name = "FIGURE=NUMBER"

    def read(self, text: str) -> tuple[str, float]:
        """The figure and its bound, from `accuracy=0.9`."""
        name, _, number = text.partition("=")
        name = name.strip().lower().replace(" ", "-").replace("_", "-")
        try:
            bound = float(number)
        except ValueError:
            bound = nan
        if name not in CHECKED_FIGURES or isnan(bound):
            raise ValueError(f"{text!r} is not FIGURE=NUMBER; the figures are {', '.join(CHECKED_FIGURES)}")
        return name, bound


fail_under = option("--fail-under", multiple=True, type=Bound(), help="Exit with 1 below it: accuracy=0.9.")
fail_over = option("--fail-over", multiple=True, type=Bound(), help="Exit with 1 above it: log-loss=0.3.")


def check(evaluation: Evaluation | ManyClassEvaluation | None, given: dict[str, Any]) -> int:
    """0 where all figures are good enough, else 1, and each that is not is named."""
    asked = [(*limit, "below") for limit in given["fail_under"]] + [(*limit, "above") for limit in given["fail_over"]]
    if not asked:
        return 0
    if evaluation is None:
        raise InputError("there are no figures to check: nothing was chosen by leave-one-out (see --plain)")
    known = {figure.name.lower().replace(" ", "-"): figure.value for figure in evaluation.figures()}
    code = 0
    for name, bound, side in asked:
        if name not in known:
            raise InputError(f"there is no {name} of these rows; there is {', '.join(known)}")
        if known[name] < bound if side == "below" else known[name] > bound:
            note(f"{name} is {known[name]:.4f}, {side} {bound:g}")
            code = FAILED
    return code
