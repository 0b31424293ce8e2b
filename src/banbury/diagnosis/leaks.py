"""Leaks: words that give a class away without having to do with its subject."""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from banbury.stats.intervals import least

if TYPE_CHECKING:
    from banbury.text.counts import Counts
    from banbury.text.documents import Label

TIMES = 10.0
ANY_FALSE_LEAK = 0.01
FEWEST_OF_CLASS = 10  # documents of the class that have the word: fewer are an accident, not a leak


class Leak(NamedTuple):
    """A word that gives a class away."""

    word: str
    label: Label
    documents: int
    """Documents of this class that have the word."""
    others: int
    """Documents of other classes that have it."""
    weight: float
    """Lower bound of log P(word | class) / P(word | other classes), in nats, over presences."""
    kind: str
    """What it looks like: an `"address"`, a `"part of an address"`, a `"number"` or a `"word"`.

    Addresses, hosts, names in them and numbers rarely say what a document is about: they say where it comes from.
    """


def leaks(counts: Counts, *, times: float = TIMES) -> list[Leak]:
    """Words that are at least `times` times as frequent in one class as in all others together.

    The probability of finding any such word by chance, in the whole vocabulary, is at most 1 %. Words with the most
    evidence, summed over their documents, come first.

    >>> from banbury import Counts
    >>> texts = [f"x{i} mail from boss@example.org" for i in range(90)] + [f"y{i} see you soon" for i in range(90)]
    >>> found = leaks(Counts().add(texts, ["work"] * 90 + ["home"] * 90))
    >>> sorted(leak.word for leak in found), {leak.word: leak.kind for leak in found}["boss@example.org"]
    (['boss@example.org', 'from', 'mail', 'see', 'soon', 'you'], 'address')
    """
    classes, sizes = counts.classes, np.array(counts.documents, dtype=float)
    if len(classes) < 2:
        return []
    words = counts.features(min_documents=FEWEST_OF_CLASS)
    names, table = words.names, np.asarray(words.documents).astype(float)
    best = (table / np.maximum(sizes, 1)).argmax(axis=1)
    inside_counts = table[np.arange(len(table)), best]
    whole = table.sum(axis=1)
    inside, outside = sizes[best], sizes.sum() - sizes[best]
    # Of the documents that have the word, those of the class are a share q; then the ratio of the two frequencies is
    # q / (1 - q) over that of the sizes.
    some = np.flatnonzero(
        (inside_counts >= FEWEST_OF_CLASS) & (inside_counts * outside > times * (whole - inside_counts) * inside)
    )
    share = least(inside_counts[some], whole[some], ANY_FALSE_LEAK / max(len(table), 1))
    weights = np.log(share / np.maximum(1 - share, 1e-300)) - np.log(inside[some] / outside[some])
    kept = np.flatnonzero(weights >= log(times))
    order = sorted(kept.tolist(), key=lambda place: (-inside_counts[some[place]] * weights[place], names[some[place]]))
    in_addresses = _in_addresses(names, whole.tolist())
    return [
        Leak(
            word=names[row],
            label=classes[best[row]],
            documents=int(inside_counts[row]),
            others=int(whole[row] - inside_counts[row]),
            weight=float(weights[place]),
            kind=_kind(names[row], in_addresses.get(names[row], 0.0) / whole[row]),
        )
        for place in order
        for row in [int(some[place])]
    ]


def _in_addresses(names: list[str], documents: list[float]) -> dict[str, float]:
    """Document frequency of the parts of addresses."""
    sums: dict[str, float] = {}
    for name, n in zip(names, documents, strict=True):
        if "@" in name[1:-1]:
            for part in set(re.split(r"[@.]", name)):
                sums[part] = sums.get(part, 0.0) + n
    return sums


def _kind(word: str, share_in_addresses: float) -> str:
    if "@" in word[1:-1]:
        return "address"
    if share_in_addresses >= 0.5:
        return "part of an address"
    return "number" if any(letter.isdigit() for letter in word) else "word"
