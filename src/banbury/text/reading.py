"""TextReading: counts and settings made ready to score texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from banbury import _kernel
from banbury.errors import InputError
from banbury.lazy import numpy as np
from banbury.results.terms import Term
from banbury.text.analyzer import Analyzer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.documents import Texts


class TextReading(NamedTuple):
    """How texts are scored. It is never changed, so that it stays whole while another thread learns."""

    classes: list[Any]
    analyzer: Analyzer
    scorer: _kernel.Scorer | _kernel.TrustScorer
    start: list[float]
    """The score of each class before the first word."""
    scale: float = 1.0
    """The calibration of a plain likelihood multiplies scores by `scale`, then adds `shift`; None: not calibrated."""
    shift: list[float] | None = None
    is_automatic: bool = False
    """Whether the automatic model scores, not a plain likelihood."""

    def is_one(self, texts: Texts) -> bool:
        """Whether this is one document rather than several."""
        return isinstance(texts, str)

    def one(self, text: object) -> str:
        """One document, checked."""
        if not isinstance(text, str):
            raise InputError(f"expected one text, a str, not one of type {type(text).__name__}")
        return text

    def shown(self, text: str) -> str:
        """A document as people read it."""
        return text

    def best_one(self, text: str) -> int:
        """The class id with the highest score, the first of equal ones."""
        if self.shift is None:
            return self.scorer.best_one(text, self.start)
        return int(self.scores([text], 1).argmax())

    def best(self, texts: Texts, threads: int) -> NDArray[Any]:
        """The class id with the highest score, for each text."""
        if self.shift is None:
            return np.asarray(self.scorer.best(texts, self.start, threads))
        best: NDArray[Any] = self.scores(texts, threads).argmax(axis=1)
        return best

    def scores(self, texts: Texts, threads: int) -> NDArray[np.float64]:
        """The score of each text and class, up to a number that the classes share."""
        scores = np.asarray(self.scorer.scores(texts, self.start, threads))
        return scores if self.shift is None else scores * self.scale + np.array(self.shift)

    def evidence(self, texts: Texts, threads: int) -> NDArray[np.float64]:
        """What the words alone say: scores that start at 0, not calibrated."""
        return np.asarray(self.scorer.scores(texts, [0.0] * len(self.classes), threads))

    def scores_of(self, text: str) -> list[float]:
        """The score of each class for one text, without NumPy."""
        scores: list[float] = self.scorer.scores([text], self.start, 1).tolist()[0]
        if self.shift is None:
            return scores
        return [score * self.scale + shift for score, shift in zip(scores, self.shift, strict=True)]

    def terms(self, text: str) -> tuple[list[float], list[Term]]:
        """The terms that the scores of a text are the sums of: one start for each class, one term for each feature."""
        # The empty text has all that belongs to no word: the prior, and for Bernoulli the absence of every word.
        start: list[float] = self.scores([""], 1)[0].tolist()
        features, weights = self.analyzer.features(text), self.scorer.terms(text)
        n_words = len(features) if self.analyzer.characters is None else self.analyzer.n_words(text)
        terms = [
            Term(
                feature.text,
                feature.start,
                feature.end,
                None if by_class is None else [self.scale * weight for weight in by_class],
                "word" if position < n_words else "characters",
            )
            for position, (feature, by_class) in enumerate(zip(features, weights, strict=True))
        ]
        return start, terms
