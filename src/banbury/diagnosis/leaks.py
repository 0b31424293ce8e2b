"""Words that give a class away: so much more frequent in one class that they may be no sign of its subject."""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury.stats.intervals import least
from banbury.text.likelihoods import scorer

if TYPE_CHECKING:
    from banbury.text.counts import Counts

TIMES = 10.0
SURE = 0.01
FEWEST = 10  # documents of the class that have the word: fewer are an accident, not a leak
KINDS = ("address", "part of an address", "number", "word")


class Leak(NamedTuple):
    """A word that gives a class away."""

    word: str
    label: Any
    documents: int
    """Of this class that have the word."""
    others: int
    """Documents of other classes that have it."""
    weight: float
    """log P(word | class) / P(word | other classes) at least, in nats, over presences."""
    kind: str
    """What it looks like: an `"address"`, a `"part of an address"`, a `"number"` or a `"word"`.

    Addresses, hosts, names in them and numbers rarely say what a document is about: they say where it comes from.
    """


def leaks(counts: Counts, *, times: float = TIMES) -> list[Leak]:
    """Words that are at least so many times as frequent in one class as in all others together.

    That is believed only where it would be found by chance, anywhere in the vocabulary, with a probability of 1 %. The
    words whose evidence, over all their documents, weighs most come first.

    >>> from banbury import Counts
    >>> texts = [f"x{i} mail from boss@example.org" for i in range(90)] + [f"y{i} see you soon" for i in range(90)]
    >>> found = leaks(Counts().add(texts, ["work"] * 90 + ["home"] * 90))
    >>> sorted(leak.word for leak in found), {leak.word: leak.kind for leak in found}["boss@example.org"]
    (['boss@example.org', 'from', 'mail', 'see', 'soon', 'you'], 'address')
    """
    classes, sizes = counts.classes, np.array(counts.documents, dtype=float)
    if len(classes) < 2:
        return []
    words = scorer(counts.kernel, "multinomial", 1.0, "shared").table(None, FEWEST)
    names, table = words.names, np.asarray(words.documents).astype(float)
    best = (table / np.maximum(sizes, 1)).argmax(axis=1)
    own = table[np.arange(len(table)), best]
    whole = table.sum(axis=1)
    inside, outside = sizes[best], sizes.sum() - sizes[best]
    # Of the documents that have the word, those of the class are a share q; then the ratio of the two frequencies is
    # q / (1 - q) over that of the sizes.
    some = np.flatnonzero((own >= FEWEST) & (own * outside > times * (whole - own) * inside))
    share = least(own[some], whole[some], SURE / max(len(table), 1))
    weights = np.log(share / np.maximum(1 - share, 1e-300)) - np.log(inside[some] / outside[some])
    kept = np.flatnonzero(weights >= log(times))
    order = sorted(kept.tolist(), key=lambda at: (-own[some[at]] * weights[at], names[some[at]]))
    in_addresses = _in_addresses(names, whole.tolist())
    return [
        Leak(
            word=names[row],
            label=classes[best[row]],
            documents=int(own[row]),
            others=int(whole[row] - own[row]),
            weight=float(weights[at]),
            kind=_kind(names[row], in_addresses.get(names[row], 0.0) / whole[row]),
        )
        for at in order
        for row in [int(some[at])]
    ]


def _in_addresses(names: list[str], documents: list[float]) -> dict[str, float]:
    """For each part of an address, how many documents have an address with it."""
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
