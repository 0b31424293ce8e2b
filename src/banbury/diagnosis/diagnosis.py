"""Diagnosis: where a model's assumptions fail on documents, and what is wrong with the documents."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from banbury import _kernel
from banbury.diagnosis.dependence import DependentPair, dependent_pairs, words_only
from banbury.diagnosis.duplicates import Duplicates, duplicates
from banbury.diagnosis.leaks import Leak, leaks
from banbury.display.characters import NAME_WIDTH, padded, shorten, width_of
from banbury.display.html import Markup, element, isolated, piece
from banbury.errors import CountError
from banbury.results.doubtful import Doubtful, doubtful_labels, label_log_probabilities
from banbury.stats.intervals import chi_squared_tail
from banbury.stats.prior_shift import PriorEstimate
from banbury.text.counts import Counts
from banbury.text.documents import Texts, as_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PRINTED = 8  # of each kind, when it is printed
MOST_NEW_WORDS = 50
MOST_LISTED_PAIRS = 100
RARE = 0.01
STRANGE = 1.5  # times as many new words as the training documents make one expect


class Balance(NamedTuple):
    """Class shares of the documents and of training."""

    trained: dict[Any, float]
    here: dict[Any, float]
    p_value: float
    """The p-value of the difference."""
    is_estimated: bool
    """Whether the shares are estimated from the texts, for lack of labels."""

    @property
    def moved(self) -> bool:
        """Whether the shares have changed, at the 1 % level."""
        return self.p_value < RARE


class NewVocabulary(NamedTuple):
    """New words: those that the training documents did not have."""

    share: float
    """Their share of all words of the documents, repetitions included."""
    expected: float
    """The share to be expected in more documents like those of training (Good–Turing estimate)."""
    words: list[tuple[str, int]]
    """The most frequent new words, and how often each occurs."""

    @property
    def is_strange(self) -> bool:
        """Whether new words are more than 1.5 times as frequent as expected."""
        return self.share > STRANGE * self.expected + 0.01


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong with documents: dependence, duplicates, leaks, doubtful labels, drift.

    Documents are named by their rows among those given. A part that could not be examined is None.
    """

    n_documents: int
    were_learned: bool
    """Whether the model has learned them: then their labels are judged by the model without them, one by one."""
    pairs: list[DependentPair] = field(repr=False)
    duplicates: Duplicates = field(repr=False)
    leaks: list[Leak] = field(repr=False)
    """Words of the training documents that give a class away."""
    n_leaking: int
    """How many of the documents contain a leak."""
    balance: Balance | None = None
    vocabulary: NewVocabulary | None = None
    doubtful: list[Doubtful] | None = field(default=None, repr=False)
    """Documents for which another label is more probable than their own, the most doubtful first."""
    doubts: NDArray[Any] | None = field(default=None, compare=False, repr=False)
    """1 − P(label) of each document: the higher, the more likely a labelling mistake."""

    @property
    def counted_twice(self) -> float:
        """Evidence that is counted twice because of dependent pairs, in nats per document."""
        return sum(pair.nats for pair in self.pairs) / max(self.n_documents, 1)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, but for `doubts`; the keys are the names of the attributes."""
        balance, vocabulary = self.balance, self.vocabulary
        return {
            "n_documents": self.n_documents,
            "were_learned": self.were_learned,
            "pairs": [{**pair._asdict(), "ratio": pair.ratio} for pair in self.pairs],
            "duplicates": asdict(self.duplicates),
            "leaks": [leak._asdict() for leak in self.leaks],
            "n_leaking": self.n_leaking,
            "balance": None if balance is None else {**balance._asdict(), "moved": balance.moved},
            "vocabulary": None if vocabulary is None else vocabulary._asdict(),
            "doubtful": None if self.doubtful is None else [asdict(doubt) for doubt in self.doubtful],
        }

    def __str__(self) -> str:
        return "\n\n".join("\n".join(block) for block in self._blocks())

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> Markup:
        """The diagnosis as a part of a page: as much as is printed."""
        parts = []
        for heading, *lines in self._blocks():
            parts.append(element("p", element("b", isolated(heading))))
            if lines:
                parts.append(element("ul", [element("li", isolated(line.strip())) for line in lines]))
        return element("div", parts)

    def _blocks(self) -> list[list[str]]:
        """What is printed: blocks of lines, each with its heading first."""
        whose = "that the model has learned" if self.were_learned else "that are new to the model"
        blocks = [[f"{self.n_documents} documents {whose}"]]
        blocks += [self._pairs_lines(), self._duplicates_lines(), self._leaks_lines()]
        blocks += [_balance_lines(self.balance)] if self.balance else []
        blocks += [_vocabulary_lines(self.vocabulary)] if self.vocabulary else []
        blocks += [] if self.doubtful is None else [_doubtful_lines(self.doubtful, self.n_documents)]
        return blocks

    def _pairs_lines(self) -> list[str]:
        if not self.pairs:
            return ["words that come together: none beyond chance"]
        n = (
            f"{len(self.pairs)} pairs"
            if len(self.pairs) < MOST_LISTED_PAIRS
            else f"the {MOST_LISTED_PAIRS} pairs that matter most"
        )
        lines = [
            f"words that come together within classes: {n}, {self.counted_twice:.2f} nats a document counted twice"
        ]
        shown = [(shorten(f"{pair.first} + {pair.second}", 40), pair) for pair in self.pairs[:MOST_PRINTED]]
        width = max(width_of(name) for name, _ in shown)
        return lines + [
            f"  {padded(name, width)}  {pair.documents:6} documents, {pair.expected:.1f} expected, "
            f"{pair.nats:.1f} nats counted twice"
            for name, pair in shown
        ]

    def _duplicates_lines(self) -> list[str]:
        groups = self.duplicates
        lines = [f"duplicates: {groups.n_repeats} documents repeat an earlier one, {groups.n_near} more nearly do"]
        if groups.conflicting:
            some = ", ".join(" = ".join(map(str, group[:4])) for group in groups.conflicting[:MOST_PRINTED])
            lines.append(f"  {len(groups.conflicting)} groups of them have different labels: {some}")
        return lines

    def _leaks_lines(self) -> list[str]:
        if not self.leaks:
            return ["words that give a class away: none"]
        share = self.n_leaking / max(self.n_documents, 1)
        lines = [f"words that give a class away: {len(self.leaks)}; {share:.1%} of the documents have one"]
        for kind, some in by_kind(self.leaks):
            words = ", ".join(
                f"{shorten(leak.word, 40)} ({shorten(str(leak.label), 20)})" for leak in some[:MOST_PRINTED]
            )
            lines.append(f"  {kind}: {words}{', …' if len(some) > MOST_PRINTED else ''}")
        return lines


def by_kind(leaks: Sequence[Leak]) -> list[tuple[str, list[Leak]]]:
    """Leaks by what they look like, the suspicious kinds first."""
    names = {"address": "addresses", "part of an address": "parts of addresses", "number": "numbers", "word": "words"}
    groups = [(name, [leak for leak in leaks if leak.kind == kind]) for kind, name in names.items()]
    return [(name, some) for name, some in groups if some]


def _balance_lines(balance: Balance) -> list[str]:
    how = "estimated from the texts" if balance.is_estimated else "by the labels"
    verdict = "have changed" if balance.moved else "could be those of training"
    lines = [f"shares of the classes, {how}: they {verdict} (p = {balance.p_value:.2g})"]
    names = {*balance.trained, *balance.here}
    moved = sorted(names, key=lambda label: -abs(balance.here.get(label, 0) - balance.trained.get(label, 0)))
    lines += [
        f"  {shorten(str(label), NAME_WIDTH)}: {balance.here.get(label, 0.0):.1%} here, "
        f"{balance.trained.get(label, 0.0):.1%} in training"
        for label in moved[: MOST_PRINTED if balance.moved else 0]
    ]
    return lines


def _vocabulary_lines(vocabulary: NewVocabulary) -> list[str]:
    words = ", ".join(f"{shorten(word, 30)} ({n})" for word, n in vocabulary.words[:MOST_PRINTED])
    verdict = "more than expected" if vocabulary.is_strange else "about as expected"
    lines = [
        f"words that training had not: {vocabulary.share:.2%} of all, {verdict} "
        f"({vocabulary.expected:.2%} for more documents of the same kind)"
    ]
    return lines + ([f"  {words}"] if words else [])


def _doubtful_lines(doubtful: list[Doubtful], n_documents: int) -> list[str]:
    lines = [f"labels in doubt: {len(doubtful)} of {n_documents}, for which another label is more probable"]
    return lines + [
        f"  {doubt.index:>7}  {shorten(str(doubt.label), 20)} ({doubt.probability:.2%})  "
        f"{shorten(' '.join(doubt.text.split()), 64)}"
        for doubt in doubtful[:MOST_PRINTED]
    ]


def diagnose(
    counts: Counts,
    texts: Texts,
    labels: list[Any] | None,
    *,
    were_learned: bool,
    log_probabilities: NDArray[Any],
    classes: list[Any],
    estimate: Callable[[], PriorEstimate],
    threads: int | None = None,
) -> Diagnosis:
    """The diagnosis of documents, by what a model has counted and the probabilities that it gives them.

    Probabilities of documents that were learned are those of the model without them. `estimate` is asked how frequent
    the classes are where there are no labels.
    """
    listed = as_texts(texts)
    guessed = [classes[class_id] for class_id in log_probabilities.argmax(axis=1).tolist()]
    known = counts if (words := words_only(counts.analyzer)) is None else counts.narrowed(words)
    giving_away = leaks(known) if words is not None else []
    doubts = doubtful = None
    if labels is not None:
        class_ids = _class_ids(labels, classes)
        doubts = -np.expm1(label_log_probabilities(class_ids, log_probabilities))
        doubtful = doubtful_labels(class_ids, log_probabilities, label=labels.__getitem__, text=listed.__getitem__)
    return Diagnosis(
        n_documents=len(listed),
        were_learned=were_learned,
        pairs=dependent_pairs(
            listed, labels or guessed, analyzer=counts.analyzer, top=MOST_LISTED_PAIRS, threads=threads
        ),
        duplicates=duplicates(listed, labels, threads=threads),
        leaks=giving_away,
        n_leaking=_n_leaking(known, listed, giving_away),
        balance=None if were_learned else class_balance(counts, labels, estimate),
        vocabulary=None if were_learned or words is None else new_vocabulary(known, listed, threads=threads),
        doubtful=doubtful,
        doubts=doubts,
    )


def _class_ids(labels: Sequence[Any], classes: Sequence[Any]) -> NDArray[Any]:
    """The number of each label among the classes, and how many classes there are for a label that is none of them."""
    numbers = {label: number for number, label in enumerate(classes)}
    return np.array([numbers.get(label, len(classes)) for label in labels], dtype=int)


def can_be_forgotten(counts: Counts, texts: Texts, labels: list[Any], *, threads: int | None = None) -> bool:
    """Whether all these documents, with these labels, can have been learned: then they could be forgotten.

    >>> counts = Counts().add(["a rose is a rose", "a lily"], ["true", "true"])
    >>> can_be_forgotten(counts, ["a lily"], ["true"]), can_be_forgotten(counts, ["a tulip"], ["true"])
    (True, False)
    """
    words = words_only(counts.analyzer)
    copy = counts.copy() if words is None else counts.narrowed(words)
    try:
        copy.remove(texts, labels, threads=threads)
    except CountError:
        return False
    return True


def n_learned(
    counts: Counts, texts: Sequence[str], labels: Sequence[Any], *, most_new: int = 64, threads: int | None = None
) -> int:
    """How many of these documents, with these labels, were probably learned; 0 where more than `most_new` were not.

    They are forgotten from a copy of the counts, all at once where that is possible, else half by half.

    >>> counts = Counts().add(["a rose is a rose", "a tulip"], ["red", "blue"])
    >>> n_learned(counts, ["a tulip", "a rose is a rose", "no daisy"], ["blue", "red", "red"])
    2
    """
    words = words_only(counts.analyzer)
    copy = counts.copy() if words is None else counts.narrowed(words)
    waiting, n_new, n_found = [(0, len(labels))], 0, 0
    while waiting:
        start, end = waiting.pop()
        try:
            copy.remove(list(texts[start:end]), list(labels[start:end]), threads=threads)
            n_found += end - start
        except CountError:
            if end - start == 1:
                n_new += 1
                if n_new > most_new:
                    return 0
                continue
            middle = (start + end) // 2
            waiting += [(middle, end), (start, middle)]
    return n_found


def class_balance(counts: Counts, labels: Sequence[Any] | None, estimate: Callable[[], PriorEstimate]) -> Balance:
    """Class shares of the labels, or of an estimate where there are none, tested against training.

    >>> counts = Counts().add(["x", "y"] * 50, ["no", "yes"] * 50)
    >>> class_balance(counts, ["yes"] * 90 + ["no"] * 10, None).moved  # type: ignore[arg-type]
    True
    """
    n = sum(counts.documents)
    trained = {label: size / n for label, size in zip(counts.classes, counts.documents, strict=True)}
    if labels is None:
        estimated = estimate()
        return Balance(trained, estimated.prior, estimated.p_value, True)
    here = dict.fromkeys(sorted({*labels, *counts.classes}), 0)
    for label in labels:
        here[label] += 1
    sizes = dict(zip(counts.classes, counts.documents, strict=True))
    # A test of two samples: both were drawn, those of training too.
    gain = 0.0
    whole = n + len(labels)
    for label, seen in here.items():
        both = seen + sizes.get(label, 0)
        for part, size in ((seen, len(labels)), (sizes.get(label, 0), n)):
            gain += 2 * part * log(part * whole / (both * size)) if part else 0.0
    shares = {label: seen / len(labels) for label, seen in here.items()}
    return Balance(trained, shares, chi_squared_tail(gain, len(here) - 1), False)


def new_vocabulary(counts: Counts, texts: Texts, *, threads: int | None = None) -> NewVocabulary:
    """New words of documents, against `counts` of single words.

    >>> counts = Counts().add(["a rose is a rose"], ["true"])
    >>> new_vocabulary(counts, ["a tulip is a tulip"])
    NewVocabulary(share=0.4, expected=0.2, words=[('tulip', 2)])
    """
    fresh = Counts(counts.analyzer).add(texts, [""] * len(texts), threads=threads)
    table = fresh.features()
    names, times = table.names, np.asarray(table.occurrences).sum(axis=1)
    known = set(counts.features(names).names)
    is_new = np.array([name not in known for name in names], dtype=bool)
    order = sorted(np.flatnonzero(is_new).tolist(), key=lambda place: (-int(times[place]), names[place]))[
        :MOST_NEW_WORDS
    ]
    # log P(word | class) is not needed: the sums of all classes are.
    seen = np.asarray(counts.features().occurrences).sum(axis=1)
    return NewVocabulary(
        share=float(times[is_new].sum() / max(times.sum(), 1)),
        expected=float((seen == 1).sum() / max(seen.sum(), 1)),
        words=[(names[place], int(times[place])) for place in order],
    )


def _n_leaking(counts: Counts, texts: list[str], leaks: list[Leak]) -> int:
    """How many texts have one of these words."""
    if not leaks:
        return 0
    numbers = array("I", bytes(4 * len(texts)))
    documents = _kernel.Documents(counts.kernel, texts, numbers, None, 2**62, 0)
    sums = np.asarray(documents.words([leak.word for leak in leaks]).ends)
    has = sums > np.concatenate([[0], sums[:-1]])
    return int(has[np.asarray(documents.places)].sum())
