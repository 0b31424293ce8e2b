"""Spelling correction by noisy channel, in plain Python: slow and obvious."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import pairwise

WEIGHT = 50.0


def kind(meant: str, typed: str) -> str:
    if len(meant) == len(typed):
        return "substitution" if len(meant) == 1 else "transposition"
    longer = meant if len(meant) > len(typed) else typed
    name = "omission" if longer is meant else "insertion"
    return "double " + name if longer[0] == longer[1] else name


def log_edit(
    meant: str, typed: str, edits: Counter[tuple[str, str]], words: list[str], shares: dict[str, float]
) -> float:
    """log P(edit): counts of the edit, and of its kind as 50 places; `words` are the meant words of all pairs."""
    letters = Counter("".join("^" + word for word in words))
    pairs = Counter(a + b for word in words for a, b in pairwise("^" + word))
    doubles = sum(n for pair, n in pairs.items() if pair[0] == pair[1])
    singles = sum(pairs.values()) - doubles
    places = {
        "substitution": sum(letters.values()) - letters["^"],
        "insertion": sum(letters.values()),
        "double insertion": sum(letters.values()),
        "omission": singles,
        "double omission": doubles,
        "transposition": singles,
    }
    own = kind(meant, typed)
    made = sum(n for edit, n in edits.items() if kind(*edit) == own)
    rate = (made + 1) / (places[own] + 20)
    if own in ("substitution", "insertion"):
        rare = min(shares.values())
        other = 0.0 if meant == "^" else shares.get(meant, rare)
        rate *= shares.get(typed[-1], rare) / (1 - other)
    n_places = letters[meant] if len(meant) == 1 else pairs[meant]
    return math.log((edits[meant, typed] + WEIGHT * rate) / (n_places + WEIGHT))


def possible_edits(letters: str) -> list[tuple[str, str]]:
    """Every edit among these letters, as what was meant and what was typed."""
    edits = [(a, b) for a in letters for b in letters if a != b]
    edits += [(a + b, a) for a in "^" + letters for b in letters]
    edits += [(a, a + b) for a in "^" + letters for b in letters]
    return edits + [(a + b, b + a) for a in letters for b in letters if a != b]


def log_likelihood(meant: str, typed: str, weight: dict[tuple[str, str], float]) -> float:
    """The best sum of weights over all ways to get from one word to the other."""

    @cache
    def best(row: int, column: int) -> float:
        if row == column == 0:
            return 0.0
        options = []
        before = ("^" + meant)[row]
        if row and column:
            same = meant[row - 1] == typed[column - 1]
            options.append(best(row - 1, column - 1) + (0.0 if same else weight[meant[row - 1], typed[column - 1]]))
        if row:
            pair = ("^" + meant)[row - 1 : row + 1]
            options.append(best(row - 1, column) + weight[pair, pair[0]])
        if column:
            options.append(best(row, column - 1) + weight[before, before + typed[column - 1]])
        if row > 1 and column > 1 and meant[row - 2 : row] == typed[column - 2 : column][::-1]:
            pair = meant[row - 2 : row]
            if pair[0] != pair[1]:
                options.append(best(row - 2, column - 2) + weight[pair, pair[::-1]])
        return max(options)

    return best(len(meant), len(typed))


def letter_shares(counts: dict[str, int]) -> dict[str, float]:
    """Shares of letters in all words, with one more of each, and of one letter that was never seen."""
    letters: Counter[str] = Counter()
    for word, n in counts.items():
        for letter in word:
            letters[letter] += n
    total = sum(letters.values()) + len(letters) + 1
    return {letter: (n + 1) / total for letter, n in letters.items()}


def log_prior(word: str, counts: dict[str, int]) -> float:
    """Of a known word its share, less what Good and Turing leave to unknown ones."""
    total = sum(counts.values())
    unseen = (sum(n == 1 for n in counts.values()) + 1) / (total + 2)
    return math.log((1 - unseen) * counts[word] / total)
