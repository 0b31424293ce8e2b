"""The columns and classes of a model, and kinds of columns as the command line writes them."""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any
from banbury.errors import NotAvailable

if TYPE_CHECKING:
    from banbury.classifier import Classifier


def columns_of(model: Classifier) -> dict[str, Any] | None:
    """What the columns of a model of tables are; None for one of texts."""
    try:
        return model.columns_
    except NotAvailable:
        return None


def classes_of(model: Classifier) -> list[Any]:
    """The labels that a model knows, without an array where that is possible."""
    return list(model.model_.classes)


def kinds(text: str | None) -> dict[str, str] | None:
    """Columns and their kinds from `sender=text,links`; None for all."""
    if text is None:
        return None
    given: dict[str, str] = {}
    for part in text.split(","):
        name, _, kind = part.strip().partition("=")
        given[name.strip()] = kind.strip().lower() or "auto"
    return given
