"""Filtering: which rows are kept for the label that a model gives them, by probability or because they are the best."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.errors import InputError, LabelError
from banbury.stats.softmax import log_differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.classifier import Classifier
    from banbury.distributed.sketch import Sketch


@dataclass(frozen=True)
class Rule:
    """Rows for which `keep` is predicted, or those where its probability, or its log-odds, reach a number."""

    keep: Any
    above: float | None = None
    top: float | None = None
    """The share of all rows that is to be kept: `by` makes it log-odds."""
    log_odds: float | None = None

    @classmethod
    def of(cls, model: Classifier, keep: Any, *, above: float | None = None, top: float | None = None) -> Rule:
        """The rule as a caller says it, where the model knows the label."""
        classes = model.model_.classes
        if keep not in classes:
            raise LabelError(f"there is no label {keep!r} to keep; this model knows {', '.join(map(repr, classes))}")
        if above is not None and top is not None:
            raise InputError("say above=… or top=…, not both")
        if above is not None and not 0 <= above <= 1:
            raise InputError(f"above is {above!r}; a probability lies between 0 and 1")
        if top is not None and not 0 < top <= 1:
            raise InputError(f"top is {top!r}; it is a share of the rows: 0.1 keeps the best tenth")
        return cls(classes[classes.index(keep)], above, top)

    def by(self, sketch: Sketch) -> Rule:
        """The rule that keeps this share of the rows whose scores were counted."""
        assert self.top is not None
        return replace(self, top=None, log_odds=sketch.threshold(self.top))

    @property
    def needs_scores(self) -> bool:
        """Whether all rows have to be scored before it is known which are kept."""
        return self.top is not None

    def scores(self, model: Classifier, documents: Any) -> NDArray[Any]:
        """The log-odds of the label against all others: precise where probabilities are all but 0 or 1."""
        logs = model.predict_log_proba(documents)
        class_id = model.model_.classes.index(self.keep)
        others = np.delete(logs, class_id, axis=1)
        if not others.shape[1]:
            return np.full(len(logs), np.inf)
        highest = others.max(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            among = np.where(np.isneginf(highest)[:, None], 0.0, np.exp(others - highest[:, None]))
            return log_differences(logs[:, class_id], highest + np.log(np.where(among.any(1), among.sum(1), 1)))

    def mask(self, model: Classifier, documents: Any) -> NDArray[np.bool_]:
        """Which documents are kept."""
        assert self.top is None
        if self.above is not None:
            return np.asarray(self.chances(model, documents) >= self.above)
        if self.log_odds is not None:
            return np.asarray(self.scores(model, documents) >= self.log_odds)
        return np.asarray(model.predict(documents) == self.keep)

    def chances(self, model: Classifier, documents: Any) -> NDArray[Any]:
        """The probability of the label for each document."""
        classes, probabilities = model.classes_and_probabilities(documents)
        chances: NDArray[Any] = probabilities[:, classes.index(self.keep)]
        return chances

    def to_json(self) -> str:
        """The rule as text, for workers."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Rule:
        """The rule of `to_json`."""
        return cls(**json.loads(text))
