"""Options by which a command decides: costs of mistakes, the cost of staying unsure, a promised share of mistakes."""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli import options as reading
from banbury.cli.console import note
from banbury.cli.declared import BadParameter, Float, Path, UsageError, option, together
from banbury.cli.tables import columns_of

if TYPE_CHECKING:
    from banbury.classifier import Classifier
    from banbury.results.decisions import Costs, Promise, Rule


COSTS = [
    option("--costs", metavar="TRUE:PREDICTED=COST,…", help="What mistakes cost; 1 each by default."),
    option("--unsure", type=Float(), metavar="COST", help="What it costs to decide nothing."),
]
RULES = [
    option("--margin", type=Float(), metavar="NATS", help="Unsure where the best label leads by no more; 0: in ties."),
    option("--promise", type=Float(), metavar="SHARE", help="At most so many wrong; needs --promised-on. Else unsure."),
    option(
        "--promised-on",
        type=Path(exists=True),
        metavar="FILE",
        help="Labelled rows, not trained on, that show what can be promised.",
    ),
]


def costs(command: Any) -> Any:
    """The options of a command that knows what mistakes cost."""
    return together(COSTS)(command)


def rules(command: Any) -> Any:
    """The options of a command that decides."""
    return together([*COSTS, *RULES])(command)


def rule_of(given: dict[str, Any], model: Classifier) -> Rule | None:
    """The rule that these options ask for; None for the most likely label."""
    by_cost = given["costs"] is not None or given["unsure"] is not None
    if given["margin"] is not None:
        if by_cost or given["promise"] is not None or given["above"] is not None:
            raise UsageError("--margin decides by itself: no --costs, --unsure, --promise or --above beside it.")
        from banbury.results.decisions import Margin

        return Margin.of(model.classes_.tolist(), given["margin"])
    if given["promise"] is None and given["promised_on"] is None:
        return costs_of(given, model.classes_.tolist()) if by_cost else None
    if by_cost:
        raise UsageError("Decide by --costs and --unsure, or by --promise, not by both.")
    if given["above"] is not None:
        raise UsageError("--promise finds the threshold that --above would set: give one of them.")
    if given["promise"] is None or given["promised_on"] is None:
        raise UsageError("A promise needs both: --promise SHARE and --promised-on FILE with labelled rows.")
    return _promise(given, model)


def costs_of(given: dict[str, Any], classes: list[Any]) -> Costs | None:
    """The costs that these options name; None where they name none."""
    if given["costs"] is None and given["unsure"] is None:
        return None
    from banbury.results.decisions import Costs

    pairs: dict[tuple[Any, Any], float] = {}
    for part in (given["costs"] or "").split(","):
        if not part.strip():
            continue
        names, _, cost = part.rpartition("=")
        true, colon, predicted = names.partition(":")
        try:
            number = float(cost)
        except ValueError:
            number = -1.0
        if not colon or not number >= 0:
            raise BadParameter(f"{part!r} is not TRUE:PREDICTED=COST, a cost of 0 or more", param_hint="--costs")
        pairs[reading.label_of(true.strip(), classes), reading.label_of(predicted.strip(), classes)] = number
    if given["unsure"] is not None and not given["unsure"] >= 0:
        raise BadParameter(f"it costs {given['unsure']:g}; a cost is 0 or more", param_hint="--unsure")
    return Costs.of(classes, pairs, unsure=given["unsure"])


def _promise(given: dict[str, Any], model: Classifier) -> Promise:
    from banbury.readers.typed import documents
    from banbury.results.decisions import promise

    reader = reading.reader_for(model, (given["promised_on"],), {}).needs_labels()
    batch = reader.whole()
    labels = reading.of_kind(batch.labels or [], model.classes_.tolist())
    rule = promise(model.evaluate(documents(batch, reader.layout, columns_of(model)), labels), error=given["promise"])
    note(str(rule))
    return rule
