"""TextReading: counts and settings made ready to score texts."""

from __future__ import annotations

from functools import partial
from itertools import chain, repeat

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, NamedTuple
from banbury.lazy import numpy as np
from banbury.results.terms import LONG_TEXT, AbsentWords, Change, PairTerms, Term
from banbury.text.analyzer import Analyzer
from banbury.text.documents import check_collected
from banbury.text.tokens import as_document, is_document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.documents import Texts


def terms_of(
    scorer: _kernel.Scorer,
    analyzer: Analyzer,
    text: str,
    start: list[float],
    growth: list[float] | None,
    version: int | None,
) -> tuple[list[float], list[Term]]:
    """The scores before the first feature, and a term for each feature of a text.

    In a text of more than `LONG_TEXT` characters each feature is one term, at its first place, with the sum of its
    weights: an object for every place would take a thousand times the memory of the text.
    """
    weights: list[list[float] | None]
    if len(text) > LONG_TEXT:
        (first, weights), features, n_words = scorer.listed_terms(text, start, growth, version)
    else:
        first, weights = scorer.terms(text, start, growth, version)
        features = analyzer.compiled().features(text)
        n_words = len(features) if analyzer.characters is None else analyzer.n_words(text)
    kinds = chain(repeat("word", n_words), repeat("characters", len(features) - n_words))
    # A text has hundreds of features: tuples are made without the detour by `Term(…)`, which takes twice as long.
    new = partial(tuple.__new__, Term)
    return first, [
        new((word, begin, end, by_class, kind, None))
        for (word, begin, end), by_class, kind in zip(features, weights, kinds, strict=True)
    ]


class TextReading(NamedTuple):
    """How texts are scored. It is never changed, so that it stays whole while another thread learns."""

    classes: list[Any]
    analyzer: Analyzer
    scorer: _kernel.PlainScorer | _kernel.TrustScorer
    start: list[float]
    """The score of each class before the first word."""
    growth: list[float] | None = None
    """What the score of each class gets besides as a text grows longer; None for a score that is not calibrated."""
    is_automatic: bool = False
    """Whether the automatic model scores, not a plain likelihood."""
    counts_absence: bool = False
    """Whether words that a text has not count, too: with the Bernoulli likelihood."""
    version: int | None = None
    """The version of the counts that this is for; where they have another by now, scoring is a `ChangedError`."""

    def is_one(self, texts: Texts) -> bool:
        """Whether this is one document rather than several."""
        return is_document(texts)

    def one(self, text: object) -> str:
        """One document, checked: a text, or tokens."""
        return as_document(text, "the text")

    def shown(self, text: str) -> str:
        """A document as people read it."""
        return str(text)

    def best_one(self, text: str) -> int:
        """The class id with the highest score, the first of equal ones."""
        return self.scorer.best_one(as_document(text), self.start, self.growth, self.version)

    def labeller(self, made_from: tuple[Any, ...]) -> _kernel.Labeller | None:
        """What labels single texts; None where the counts have changed since, or where there are none."""
        if self.version is None:
            return None
        return self.scorer.labeller(self.version, self.classes, self.start, self.growth, made_from)

    def best(self, texts: Texts, threads: int) -> NDArray[Any]:
        """The class id with the highest score, for each text."""
        check_collected(texts)
        return np.asarray(self.scorer.best(texts, self.start, threads, self.growth, self.version))

    def scores(self, texts: Texts, threads: int) -> NDArray[np.float64]:
        """The score of each text and class, up to a number that the classes share."""
        check_collected(texts)
        return np.asarray(self.scorer.scores(texts, self.start, threads, self.growth, self.version))

    def evidence(self, texts: Texts, threads: int) -> NDArray[np.float64]:
        """What the words alone say: scores that start at 0, so that those of an empty text are 0."""
        start = [0.0] * len(self.classes)
        return np.asarray(self.scorer.scores(texts, start, threads, self.growth, self.version))

    def scores_of(self, text: str) -> list[float]:
        """The score of each class for one text, without NumPy."""
        text = self.one(text)
        scores: list[float] = self.scorer.scores([text], self.start, 1, self.growth, self.version).tolist()[0]
        return scores

    def terms(self, text: str) -> tuple[list[float], list[Term]]:
        """The terms that the scores of a text are the sums of: one start for each class, one term for each feature."""
        # What belongs to no word: the prior, what grows with the length, and for Bernoulli the absence of every word.
        return terms_of(self.scorer, self.analyzer, text, self.start, self.growth, self.version)

    def pair_terms(self, text: str, ours: int, theirs: int) -> PairTerms | None:
        """What each feature says for one class against another; None where words that a text has not count, too."""
        if self.counts_absence or not isinstance(self.scorer, _kernel.Scorer):
            return None
        how = (self.start, self.growth, self.version)
        start, weights, places = self.scorer.pair_terms(text, (ours, theirs), *how)
        return PairTerms(start, np.asarray(weights), np.asarray(places))

    def all_terms(self, text: str) -> tuple[list[float], list[Term], list[AbsentWords]]:
        """`terms`, and with the Bernoulli likelihood the absent words: then they are not in the start.

        Then a word adds log P(word | class), and one that is absent log(1 − P(word | class)).
        """
        start, terms = self.terms(text)
        if not self.counts_absence:
            return start, terms, []
        scorer: Any = self.scorer
        table = scorer.table(None, 1)
        is_characters = np.asarray(scorer.lengths(None, 1)) == 0
        logs = np.asarray(table.log_probabilities)
        with np.errstate(divide="ignore"):
            absence = np.log1p(-np.exp(np.minimum(logs, 0.0)))
        numbers = {key: number for number, key in enumerate(zip(table.names, is_characters.tolist(), strict=True))}
        factor = 1.0
        if self.growth is not None:  # calibrated: how much absence counts depends on the length of the text
            no_start = [0.0] * len(self.classes)
            said, _ = terms_of(scorer, self.analyzer, text, no_start, None, None)
            sums = absence.sum(axis=0)
            largest = int(np.abs(sums).argmax())
            factor = said[largest] / sums[largest] if sums[largest] else 0.0
            start = (np.array(start) - factor * sums).tolist()
        else:
            start = list(self.start)
        is_present = np.zeros(len(absence), dtype=bool)
        for place, term in enumerate(terms):
            if term.weights is None:
                continue
            number = numbers[term.word, term.kind == "characters"]
            is_present[number] = True
            if term.weights:  # not a repeat
                weights = logs[number] if self.growth is None else np.array(term.weights) + factor * absence[number]
                terms[place] = term._replace(weights=weights.tolist())
        names = [name for name, present in zip(table.names, is_present.tolist(), strict=True) if not present]
        return start, terms, [AbsentWords(names, factor * absence[~is_present])]

    def changes(self, text: str) -> list[Change]:
        """What preprocessing leaves out of a text, and what it counts under another name."""
        from banbury.text.preprocessing import changes  # nothing that predicts needs it

        return changes(self.analyzer, text)
