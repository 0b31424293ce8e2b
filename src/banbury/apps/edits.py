"""EditCounts: which mistakes were made in typing, and how often; the error model of spelling correction.

An edit turns a piece of the word that was meant into a piece of the word that was typed (Kernighan, Church and Gale
1990). An omission and an insertion are counted with the letter before them, since a doubled letter is dropped more
often than another one.

| edit | meant | typed |
| --- | --- | --- |
| substitution | `a` | `e` |
| omission of `b` after `a` | `ab` | `a` |
| insertion of `b` after `a` | `a` | `ab` |
| transposition | `ab` | `ba` |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log
from typing import Any

from banbury.errors import CountError, InputError

START = "^"  # stands before the first letter; no letter of a word is one

# Pseudo-counts: what is known of an edit before a pair was seen. 50 was chosen among 5, 20, 50 and 100 by five folds of
# the development part of a public list of misspellings; from 20 to 100 the folds hardly differ.
KIND_WEIGHT = 50.0
"""How many places the rate of the edit's kind counts for."""
FIRST_EDITS, FIRST_PLACES = 1.0, 20.0
"""Each kind of edit starts as if it had been seen once in twenty places."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One mistake: what was meant and what was typed, both with the letter before an omission or an insertion."""

    meant: str
    typed: str

    @property
    def kind(self) -> str:
        """`"substitution"`, `"omission"`, `"insertion"`, `"transposition"`; `"double …"` where a letter repeats.

        >>> Edit("ll", "l").kind, Edit("^", "^k").kind, Edit("ie", "ei").kind
        ('double omission', 'insertion', 'transposition')
        """
        if len(self.meant) == len(self.typed):
            return "substitution" if len(self.meant) == 1 else "transposition"
        longer = max(self.meant, self.typed, key=len)
        kind = "omission" if longer == self.meant else "insertion"
        return f"double {kind}" if longer[0] == longer[1] else kind

    def __str__(self) -> str:
        """The edit in words.

        >>> str(Edit("ll", "l")), str(Edit("a", "e")), str(Edit("^", "^k"))
        ('l after l left out', 'e for a', 'k before the first letter')
        """
        if len(self.meant) == len(self.typed):
            return f"{self.typed} for {self.meant}"
        longer = max(self.meant, self.typed, key=len)
        where = "before the first letter" if longer[0] == START else f"after {longer[0]}"
        if longer == self.meant:
            return f"first letter {longer[1]} left out" if longer[0] == START else f"{longer[1]} {where} left out"
        return f"{longer[1]} {where}"


def align(meant: str, typed: str, weight: Callable[[Edit], float]) -> tuple[float, list[Edit]]:
    """The heaviest series of edits from one word to another: the sum of their weights, and the edits in order.

    Letters that stay weigh 0. Of equally heavy series the one with the earliest choice in the table above is taken.

    >>> align("receive", "recieve", lambda edit: -1.0)
    (-1.0, [Edit(meant='ei', typed='ie')])
    """
    best: dict[tuple[int, int], tuple[float, tuple[int, int], Edit | None]] = {(0, 0): (0.0, (0, 0), None)}
    padded = START + meant
    for row in range(len(meant) + 1):
        for column in range(len(typed) + 1):
            options: list[tuple[tuple[int, int], Edit | None]] = []
            if row and column:
                is_same = meant[row - 1] == typed[column - 1]
                substitution = None if is_same else Edit(meant[row - 1], typed[column - 1])
                options.append(((row - 1, column - 1), substitution))
            if (
                row > 1
                and column > 1
                and meant[row - 2 : row] == typed[column - 2 : column][::-1] != meant[row - 1] * 2
            ):
                pair = meant[row - 2 : row]
                options.append(((row - 2, column - 2), Edit(pair, pair[::-1])))
            if row:
                options.append(((row - 1, column), Edit(padded[row - 1 : row + 1], padded[row - 1])))
            if column:
                options.append(((row, column - 1), Edit(padded[row], padded[row] + typed[column - 1])))
            for place, edit in options:
                total = best[place][0] + (0.0 if edit is None else weight(edit))
                if (row, column) not in best or total > best[row, column][0]:
                    best[row, column] = (total, place, edit)
    edits, place = [], (len(meant), len(typed))
    while place != (0, 0):
        _, place, edit = best[place]
        if edit is not None:
            edits.append(edit)
    return best[len(meant), len(typed)][0], edits[::-1]


class EditCounts:
    """How often each edit was made in pairs of what was typed and what was meant, and how often it could have been.

    >>> counts = EditCounts().add([("speling", "spelling")])
    >>> counts.edits
    Counter({Edit(meant='ll', typed='l'): 1})
    >>> counts.remove([("speling", "spelling")]).n_pairs
    0
    """

    def __init__(self) -> None:
        self.n_pairs = 0
        self.edits: Counter[Edit] = Counter()
        self.places: Counter[str] = Counter()
        """How often each letter, and each letter after another, was meant."""

    def add(self, pairs: Iterable[tuple[str, str]]) -> EditCounts:
        """Count the edits of pairs (typed, meant)."""
        edits, places, n_pairs = _counted(pairs)
        self.edits, self.places, self.n_pairs = self.edits + edits, self.places + places, self.n_pairs + n_pairs
        return self

    def remove(self, pairs: Iterable[tuple[str, str]]) -> EditCounts:
        """Take pairs away again; one that was never added is a `CountError`, and nothing changes."""
        edits, places, n_pairs = _counted(pairs)
        if n_pairs > self.n_pairs or edits - self.edits or places - self.places:
            raise CountError("these pairs were not all learned; nothing was changed")
        self.edits, self.places, self.n_pairs = self.edits - edits, self.places - places, self.n_pairs - n_pairs
        return self

    def merge(self, other: EditCounts) -> EditCounts:
        """Add what another has counted."""
        self.edits, self.places = self.edits + other.edits, self.places + other.places
        self.n_pairs += other.n_pairs
        return self

    def parts(self) -> dict[str, Any]:
        """The counts as plain data, for a file."""
        edits = sorted([edit.meant, edit.typed, n] for edit, n in self.edits.items())
        return {"pairs": self.n_pairs, "edits": edits, "places": dict(sorted(self.places.items()))}

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> EditCounts:
        """The counts that `parts` were taken from."""
        counts = cls()
        counts.n_pairs = _count(parts["pairs"])
        counts.edits = Counter({Edit(str(meant), str(typed)): _count(n) for meant, typed, n in parts["edits"]})
        counts.places = Counter({str(place): _count(n) for place, n in parts["places"].items()})
        return counts


class EditModel:
    """The probability of each edit, from counts of edits and the shares of the letters.

    The rate of a kind is (edits of the kind + 1) / (places for it + 20). An edit starts with the rate of its kind,
    shared out among letters by their shares of the words, as if that had been seen in 50 places:

        P(edit) = (n + 50 · P(kind)) / (places + 50)
    """

    def __init__(self, counts: EditCounts, letter_shares: Mapping[str, float]) -> None:
        self._counts = counts
        self._shares = letter_shares
        self._rare = min(letter_shares.values(), default=1.0)  # for letters that no known word has
        self._rates = _rates(counts)

    def log_probability(self, edit: Edit) -> float:
        """log P(edit), where the edit could be made."""
        rate = self._rates[edit.kind]
        if edit.kind in ("substitution", "insertion"):
            rate *= self._share(edit.typed[-1]) / (1.0 - self._share(edit.meant))
        n, places = self._counts.edits[edit], self._counts.places[edit.meant]
        return log((n + KIND_WEIGHT * rate) / (places + KIND_WEIGHT))

    def _share(self, letter: str) -> float:
        return 0.0 if letter == START else min(self._shares.get(letter, self._rare), 0.5)


def _rates(counts: EditCounts) -> dict[str, float]:
    """Edits of each kind for each place where one could be made."""
    made: Counter[str] = Counter()
    for edit, n in counts.edits.items():
        made[edit.kind] += n
    letters = sum(n for place, n in counts.places.items() if len(place) == 1)
    pairs = sum(n for place, n in counts.places.items() if len(place) == 2)
    doubles = sum(n for place, n in counts.places.items() if len(place) == 2 and place[0] == place[1])
    places = {
        "substitution": letters - counts.places[START],
        "insertion": letters,
        "double insertion": letters,
        "omission": pairs - doubles,
        "double omission": doubles,
        "transposition": pairs - doubles,
    }
    return {kind: (made[kind] + FIRST_EDITS) / (n + FIRST_PLACES) for kind, n in places.items()}


def _counted(pairs: Iterable[tuple[str, str]]) -> tuple[Counter[Edit], Counter[str], int]:
    edits: Counter[Edit] = Counter()
    places: Counter[str] = Counter()
    n_pairs = 0
    for typed, meant in pairs:
        edits.update(align(meant, typed, _plain_weight)[1])
        places.update(START + meant)
        places.update(first + second for first, second in pairwise(START + meant))
        n_pairs += 1
    return edits, places, n_pairs


def _plain_weight(edit: Edit) -> float:
    """The fewest edits weigh least, whatever was learned before: counts must not depend on the order of learning.

    Of the two l of *spelling* it could be either that is missing in *speling*; the second is taken.
    """
    return -0.999 if edit.kind.startswith("double") else -1.0


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < inf:
        raise InputError(f"a count is {value!r}; it must be a whole number, 0 or more")
    return value
