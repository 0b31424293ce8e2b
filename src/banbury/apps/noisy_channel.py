"""The noisy channel: known words scored by what was typed, all of them at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import exp, inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from banbury.apps.edits import START, Edit, EditModel, align

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from banbury.text.counts import Counts

CORRECTABLE_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
LONGEST = 40  # letters of a word that is corrected or suggested
LETTER_BINS = 32  # into which letters are counted when words far away are left out


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that may have been meant."""

    word: str
    probability: float
    """P(word | what was typed), among the words with few enough edits."""
    score: float
    """log P(word) + log P(an error, or none) + Σ log P(edit), in nats."""
    log_prior: float
    """log P(word), from its count."""
    edits: tuple[Edit, ...]
    """What went wrong, if this is what was meant; none for the typed word itself."""
    edit_weights: tuple[float, ...]
    """log P of each edit."""

    def __str__(self) -> str:
        """The sum that the score is, line by line."""
        named = [(f"log P({self.word})", self.log_prior)]
        channel = self.score - self.log_prior - sum(self.edit_weights)
        named.append(("typed wrongly" if self.edits else "typed rightly", channel))
        named += [(str(edit), weight) for edit, weight in zip(self.edits, self.edit_weights, strict=True)]
        named.append(("total", self.score))
        width = max(len(name) for name, _ in named)
        lines = [f"{self.word} ({self.probability:.3f})"]
        return "\n".join(lines + [f"  {name:{width}} {weight:+8.3f}" for name, weight in named])


class Vocabulary:
    """The words that can be suggested, as arrays: letters by number, pairs of letters by number, log P(w)."""

    def __init__(self, counts: Counts) -> None:
        postings = counts.kernel.postings()
        known = [
            (name, n)
            for name, n in zip(postings.names, np.asarray(postings.occurrences).tolist(), strict=True)
            if len(name) <= LONGEST and CORRECTABLE_WORD.fullmatch(name)
        ]
        known.sort(key=lambda entry: (len(entry[0]), entry[0]))  # words of like length lie side by side
        self.words = [name for name, _ in known]
        self.places = {word: place for place, word in enumerate(self.words)}
        self.lengths = np.array([len(word) for word in self.words], dtype=np.int32)
        n_each = np.array([n for _, n in known], dtype=float)
        total, n_once = float(n_each.sum()), float((n_each == 1).sum())

        width = int(self.lengths.max(initial=0))
        is_letter = np.arange(width + 1) <= self.lengths[:, None]
        is_letter[:, 0] = False
        code_points = np.frombuffer("".join(self.words).encode("utf-32-le"), np.uint32)
        alphabet, numbers = np.unique(code_points, return_inverse=True)
        self.alphabet = [START, *map(chr, alphabet.tolist())]
        self.letters: NDArray[Any] = np.zeros((len(self.words), width + 1), dtype=np.int32)  # column 0: START
        self.letters[is_letter] = numbers + 1
        before = self.letters[:, :-1][is_letter[:, 1:]].astype(np.int64)
        used, pair_numbers = np.unique(before * len(self.alphabet) + numbers + 1, return_inverse=True)
        self.pairs: NDArray[Any] = np.zeros((len(self.words), width), dtype=np.int32)
        self.pairs[is_letter[:, 1:]] = pair_numbers
        self.pair_names = [
            self.alphabet[first] + self.alphabet[second]
            for first, second in zip(*(part.tolist() for part in np.divmod(used, len(self.alphabet))), strict=True)
        ]
        self.bins: NDArray[Any] = np.zeros((len(self.words), LETTER_BINS), dtype=np.int8)
        np.add.at(self.bins, (np.nonzero(is_letter)[0], code_points % LETTER_BINS), 1)

        # Good–Turing: new words are as frequent as those seen once. Which of them comes is up to its letters.
        self.unseen = (n_once + 1) / (total + 2)
        self.log_prior = np.log(n_each * (1 - self.unseen) / max(total, 1.0))
        shares = np.bincount(numbers, np.repeat(n_each, self.lengths), minlength=len(alphabet)) + 1
        self.letter_shares = dict(zip(self.alphabet[1:], (shares / (shares.sum() + 1)).tolist(), strict=True))
        self.end_share = total / max(float((n_each * self.lengths).sum()) + total, 1.0)

    def log_prior_of(self, word: str) -> float:
        """log P(word), of any string of letters."""
        if word in self.places:
            return float(self.log_prior[self.places[word]])
        rare = min(self.letter_shares.values(), default=0.5)
        end = min(max(self.end_share, 1e-3), 0.5)
        letters = sum(log((1 - end) * self.letter_shares.get(letter, rare)) for letter in word)
        return log(self.unseen) + letters + log(end)

    def near(self, word: str, most: int) -> NDArray[Any]:
        """The places of all words that may be so many edits away, and of some more.

        An edit changes the length by at most 1, and the letters as a bag by at most one in and one out.
        """
        bins = np.bincount([ord(letter) % LETTER_BINS for letter in word], minlength=LETTER_BINS).astype(np.int8)
        first, last = np.searchsorted(self.lengths, [len(word) - most, len(word) + most + 1]).tolist()
        moved = np.abs(self.bins[first:last] - bins).sum(axis=1, dtype=np.int32)
        moved += np.abs(self.lengths[first:last] - len(word))
        near: NDArray[Any] = first + np.flatnonzero(moved <= 2 * most)
        return near


class Channel:
    """Known words scored by what was typed."""

    def __init__(self, vocabulary: Vocabulary, model: EditModel) -> None:
        self._vocabulary, self._model = vocabulary, model
        names = vocabulary.pair_names
        self._omissions = np.array([self._log(pair, pair[0]) for pair in names])
        self._transpositions = np.array([self._log(pair, pair[::-1]) for pair in names])
        self._columns: dict[str, tuple[Any, Any]] = {}

    def suggest(self, typed: str, top: int, most: int, error_rate: float, is_wrong: bool) -> list[Suggestion]:
        """The `top` best of the words at most so many edits away, and the typed one unless it `is_wrong`."""
        vocabulary = self._vocabulary
        near = vocabulary.near(typed, most) if len(typed) <= LONGEST + most else np.zeros(0, dtype=np.intp)
        near = near[near != vocabulary.places.get(typed, -1)]
        wrong = 0.0 if is_wrong else log(error_rate)
        scores = vocabulary.log_prior[near] + wrong + self._log_likelihoods(near, typed)
        best: list[tuple[float, str, tuple[Edit, ...]]] = []
        for rank in np.lexsort((near, -scores)).tolist():
            if len(best) == top:
                break
            word = vocabulary.words[near[rank]]
            _, edits = align(word, typed, self._model.log_probability)
            if len(edits) <= most:
                best.append((float(scores[rank]), word, tuple(edits)))
        total = float(np.logaddexp.reduce(scores, initial=-inf))
        if not is_wrong:
            unchanged = vocabulary.log_prior_of(typed) + log(1 - error_rate)
            total = float(np.logaddexp(total, unchanged))
            best = sorted([*best, (unchanged, typed, ())], key=lambda entry: (-entry[0], entry[1]))[:top]
        return [self._suggestion(word, score, edits, total) for score, word, edits in best]

    def _suggestion(self, word: str, score: float, edits: tuple[Edit, ...], total: float) -> Suggestion:
        weights = tuple(map(self._model.log_probability, edits))
        probability = min(1.0, exp(score - total))
        return Suggestion(word, probability, score, self._vocabulary.log_prior_of(word), edits, weights)

    def _log_likelihoods(self, near: NDArray[Any], typed: str) -> NDArray[Any]:
        """Weight of the best edits from each near word to what was typed: as `align`, for all words at once."""
        letters, pairs = self._vocabulary.letters[near], self._vocabulary.pairs[near]
        lengths = self._vocabulary.lengths[near]
        substitutions, insertions = zip(*map(self._column, typed), strict=True) if typed else ((), ())
        number = {letter: place for place, letter in enumerate(self._vocabulary.alphabet)}
        typed_numbers = [number.get(letter, -1) for letter in typed]
        result = np.full(len(near), -inf)
        rows: list[NDArray[Any]] = []  # one for each letter meant: by letter typed, all words side by side
        for row in range(int(lengths.max(initial=0)) + 1):
            here = np.full((len(typed) + 1, len(near)), -inf)
            here[0] = rows[-1][0] + self._omissions[pairs[:, row - 1]] if row else 0.0
            for column in range(1, len(typed) + 1):
                best = here[column - 1] + insertions[column - 1][letters[:, row]]
                if row:
                    best = np.maximum(best, rows[-1][column - 1] + substitutions[column - 1][letters[:, row]])
                    best = np.maximum(best, rows[-1][column] + self._omissions[pairs[:, row - 1]])
                if row > 1 and column > 1:
                    first, second = typed_numbers[column - 2 : column]
                    if first != second:
                        is_turned = (letters[:, row - 1] == second) & (letters[:, row] == first)
                        turned = rows[-2][column - 2] + self._transpositions[pairs[:, row - 1]]
                        best = np.where(is_turned, np.maximum(best, turned), best)
                here[column] = best
            is_whole = lengths == row
            result[is_whole] = here[len(typed), is_whole]
            rows.append(here)
        return result

    def _column(self, letter: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each letter of the alphabet: log P(`letter` typed for it), log P(`letter` typed after it)."""
        if letter not in self._columns:
            alphabet = self._vocabulary.alphabet
            typed_for = [0.0 if meant == letter else self._log(meant, letter) for meant in alphabet]
            typed_after = [self._log(meant, meant + letter) for meant in alphabet]
            self._columns[letter] = np.array(typed_for), np.array(typed_after)
        return self._columns[letter]

    def _log(self, meant: str, typed: str) -> float:
        return self._model.log_probability(Edit(meant, typed))
