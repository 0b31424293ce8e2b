"""SpellingCorrector: the word that was meant, from the word that was typed.

The noisy channel (Kernighan, Church and Gale 1990) is Bayes' rule with a class for each known word w, and the typed
word t as its evidence: P(w | t) ∝ P(w) P(t | w). P(w) comes from counts of words, P(t | w) from counts of edits. The
score of a word is a sum of logarithms that can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banbury import _kernel, storage
from banbury.apps.edits import EditCounts, EditModel
from banbury.apps.noisy_channel import CORRECTABLE_WORD, LONGEST, Channel, Suggestion, Vocabulary
from banbury.errors import MALFORMED, FileFormatError, InputError
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import check_many

if TYPE_CHECKING:
    from os import PathLike

WORD_ANALYZER = Analyzer(
    urls="remove", handles="remove", emails="remove", tags="remove", punctuation="none", emoticons=False
)
ONLY_CLASS = "words"  # counts have classes; here all words are of one


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of a text that was probably meant to be another: `text[start:end]` is what was typed."""

    start: int
    end: int
    typed: str
    suggestion: Suggestion


class SpellingCorrector:
    """Corrects words by counts of words and of edits.

    Parameters
    ----------
    texts
        What the words are counted in: texts, or a mapping from words to counts.
    pairs
        Mistakes to learn edits from: pairs (typed, meant). Without any, all edits of a kind are equally likely.
    error_rate
        The share of words that are typed wrongly.
    max_edits
        How many edits away a suggestion may be.

    >>> corrector = SpellingCorrector(["the spelling of words", "spelling bees", "words and the spilling of milk"])
    >>> corrector.correct("The speling of wrods")
    'The spelling of words'
    >>> for suggestion in corrector.suggest("speling", top=2):
    ...     print(f"{suggestion.word} {suggestion.probability:.3f}")
    spelling 0.997
    spilling 0.003
    """

    def __init__(
        self,
        texts: Any = (),
        *,
        pairs: Any = (),
        error_rate: float = 0.05,
        max_edits: int = 3,
    ) -> None:
        if not isinstance(error_rate, (int, float)) or not 0 < error_rate < 1:
            raise InputError(f"error_rate is {error_rate!r}; it must lie between 0 and 1, such as 0.05")
        if type(max_edits) is not int or not 1 <= max_edits <= 10:
            raise InputError(f"max_edits is {max_edits!r}; it must be a whole number from 1 to 10")
        self.error_rate = float(error_rate)
        self.max_edits = max_edits
        self.counts = Counts(WORD_ANALYZER)
        self.edit_counts = EditCounts()
        self._latest: tuple[Any, Channel] | None = None
        self.learn(texts, pairs=pairs)

    def __repr__(self) -> str:
        return f"<SpellingCorrector of {self.counts.n_features} words, {self.edit_counts.n_pairs} pairs>"

    def learn(self, texts: Any = (), *, pairs: Any = ()) -> SpellingCorrector:
        """Count more words, and the edits of more pairs (typed, meant). Bad input changes nothing."""
        mistakes = _as_pairs(pairs)
        documents, labels, weights = _as_documents(texts)
        self.counts.add(documents, labels, weights=weights)
        self.edit_counts.add(mistakes)
        return self

    def forget(self, texts: Any = (), *, pairs: Any = ()) -> SpellingCorrector:
        """Take texts and pairs away again. What was never learned is a `CountError`, and nothing changes."""
        documents, labels, weights = _as_documents(texts)
        counts = EditCounts().merge(self.edit_counts).remove(_as_pairs(pairs))
        self.counts.remove(documents, labels, weights=weights)
        self.edit_counts = counts
        return self

    def merge(self, other: SpellingCorrector) -> SpellingCorrector:
        """Add what another has counted."""
        self.counts.merge(other.counts)
        self.edit_counts = EditCounts().merge(self.edit_counts).merge(other.edit_counts)
        return self

    def suggest(self, word: str, *, top: int = 5, is_wrong: bool = False) -> list[Suggestion]:
        """The likeliest words, the best first; the typed one is among them, unless it `is_wrong` for certain.

        >>> corrector = SpellingCorrector({"form": 40, "from": 400})
        >>> [suggestion.word for suggestion in corrector.suggest("form")]
        ['form', 'from']
        >>> [suggestion.word for suggestion in corrector.suggest("form", is_wrong=True)]
        ['from']
        """
        if not isinstance(word, str):
            raise InputError(f"a word must be a str, not of type {type(word).__name__}")
        if type(top) is not int or top < 1:
            raise InputError(f"top is {top!r}; it must be a whole number, 1 or more")
        if not 0 < len(word.split()) < 2:
            raise InputError(f"{word!r} is not one word; `correct` takes a text")
        return self._channel().suggest(word.strip().lower(), top, self.max_edits, self.error_rate, is_wrong)

    def corrections(self, text: str) -> list[Correction]:
        """The words of a text that are less likely to be meant than another, each with its best suggestion."""
        corrections = []
        for token in WORD_ANALYZER.tokens(text):
            typed = text[token.start : token.end]
            if CORRECTABLE_WORD.fullmatch(typed) and len(typed) <= LONGEST:
                best = self.suggest(typed, top=1)
                if best and best[0].edits:
                    corrections.append(Correction(token.start, token.end, typed, best[0]))
        return corrections

    def correct(self, text: str) -> str:
        """The text with its corrections made; upper case stays upper case, all else stays as it is."""
        pieces, end = [], 0
        for correction in self.corrections(text):
            pieces += [text[end : correction.start], _in_case_of(correction.typed, correction.suggestion.word)]
            end = correction.end
        return "".join([*pieces, text[end:]])

    def save(self, path: str | PathLike[str]) -> None:
        """Write counts and settings to a file."""
        settings, arrays = self.counts.parts()
        spelling = {"error_rate": self.error_rate, "max_edits": self.max_edits, **self.edit_counts.parts()}
        storage.write(path, {"kind": "spelling", "spelling": spelling, **settings}, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> SpellingCorrector:
        """The corrector in a file.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     SpellingCorrector(["so it is"]).save(folder + "/english.banbury")
        ...     SpellingCorrector.load(folder + "/english.banbury").correct("osit")
        'osit'
        """
        file = storage.read(path)
        try:
            if file.settings["kind"] != "spelling":
                raise FileFormatError(f"it holds a {file.settings['kind']}, not a spelling corrector")
            parts = file.settings["spelling"]
            corrector = cls(error_rate=parts["error_rate"], max_edits=parts["max_edits"])
            corrector.counts = Counts.from_parts(file.settings, file.arrays)
            corrector.edit_counts = EditCounts.from_parts(parts)
            if corrector.counts.analyzer != WORD_ANALYZER or len(corrector.counts.classes) > 1:
                raise FileFormatError("its words were not counted for spelling")
        except MALFORMED as error:
            raise FileFormatError(f"{path}: not a corrector of this version of banbury: {error}") from error
        return corrector

    def _channel(self) -> Channel:
        """The words and the probabilities of edits, made anew when something was learned."""
        kernel, edits = self.counts.kernel, self.edit_counts
        state = (kernel, kernel.version, edits, edits.n_pairs)
        if self._latest is None or self._latest[0] != state:
            vocabulary = Vocabulary(self.counts)
            self._latest = (state, Channel(vocabulary, EditModel(edits, vocabulary.letter_shares)))
        return self._latest[1]


def _as_documents(texts: Any) -> tuple[Any, list[str], list[int] | None]:
    """Texts, their labels and their weights, from texts or from counts of words."""
    if isinstance(texts, Mapping):
        for word, n in texts.items():
            if not isinstance(word, str) or type(n) is not int or not 0 <= n < 2**32:
                raise InputError(f"the count of {word!r} is {n!r}; words are str, counts whole numbers, 0 or more")
        return list(texts), [ONLY_CLASS] * len(texts), list(texts.values())
    check_many(texts)
    held = _kernel.hold(texts)
    return held, [ONLY_CLASS] * _kernel.measure(held)[0], None


def _as_pairs(pairs: Any) -> list[tuple[str, str]]:
    """Pairs (typed, meant), each a word in lower case."""
    checked = []
    for number, pair in enumerate(pairs):
        match pair:
            case (str(typed), str(meant)) if CORRECTABLE_WORD.fullmatch(meant) and 0 < len(typed.split()) < 2:
                checked.append((typed.strip().lower(), meant.lower()))
            case _:
                raise InputError(f"pair {number} is {pair!r}; a pair is (typed, meant), two words")
    return checked


def _in_case_of(typed: str, word: str) -> str:
    """A word in the case of another: all upper, first upper, or as it is."""
    if len(typed) > 1 and typed.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if typed[0].isupper() else word
