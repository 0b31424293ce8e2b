"""Naive Bayes as it stands in a textbook: dictionaries, lists and `math`. The oracle the fast code is compared with.

A document is a list of features, usually words. Slow on purpose: every number is computed from the counts, anew, each
time it is asked for.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

Document = Sequence[str]


@dataclass(frozen=True)
class Counts:
    """All that is learned."""

    classes: list[str]  # sorted
    documents: dict[str, int]  # class → number of documents
    occurrences: dict[str, Counter[str]]  # class → feature → how often
    presences: dict[str, Counter[str]]  # class → feature → in how many documents

    @cached_property
    def vocabulary(self) -> list[str]:
        """Every feature that has been counted at least once."""
        return sorted({word for counter in self.occurrences.values() for word, n in counter.items() if n > 0})


def train(
    documents: Sequence[Document],
    labels: Sequence[str],
    weights: Sequence[int] | None = None,
    classes: Collection[str] = (),
) -> Counts:
    """Count. A document of weight 3 counts as three; `classes` names classes that exist even without documents."""
    names = sorted({*labels, *classes})
    counts = Counts(names, dict.fromkeys(names, 0), {c: Counter() for c in names}, {c: Counter() for c in names})
    for document, label, weight in zip(documents, labels, weights or [1] * len(labels), strict=True):
        counts.documents[label] += weight
        for word, times in Counter(document).items():
            counts.occurrences[label][word] += weight * times
            counts.presences[label][word] += weight
    return counts


@dataclass(frozen=True)
class Model:
    """Counts, and how to read probabilities from them."""

    counts: Counts
    likelihood: str = "multinomial"  # or "bernoulli", "complement"
    smoothing: float | str = 1.0  # any number from 0; "document": one more document per class, which has every word
    vocabulary: str = "shared"  # the V of the multinomial denominator: "shared", or "class", its own words only
    prior: str | Mapping[str, float] = "empirical"  # or "uniform", or a probability for each class

    def log_priors(self) -> list[float]:
        classes, documents = self.counts.classes, self.counts.documents
        if self.prior == "empirical":
            return [log(divide(documents[c], sum(documents.values()))) for c in classes]
        if self.prior == "uniform":
            return [log(1 / len(classes)) for _ in classes]
        assert not isinstance(self.prior, str)
        return [log(self.prior[c]) for c in classes]

    def probability(self, word: str, label: str) -> float:
        """P(word|class): of drawing it (multinomial), holding it (Bernoulli), drawing it elsewhere (complement)."""
        counts, everything = self.counts, self.counts.vocabulary
        if self.likelihood == "bernoulli":
            with_word, without = self.bernoulli_counts(word, label)
            return divide(with_word, with_word + without)
        alpha = 1.0 if isinstance(self.smoothing, str) else self.smoothing
        inside = [c for c in counts.classes if (c == label) == (self.likelihood == "multinomial")]
        size = len(everything)
        if self.vocabulary == "class":
            size = sum(any(counts.occurrences[c][w] for c in inside) for w in everything)
        words = sum(counts.occurrences[c][w] for c in inside for w in everything)
        return divide(sum(counts.occurrences[c][word] for c in inside) + alpha, words + alpha * size)

    def bernoulli_counts(self, word: str, label: str) -> tuple[float, float]:
        """Smoothed numbers of documents with and without the word. The fake document has every word, and lacks none."""
        with_word = self.counts.presences[label][word]
        without = self.counts.documents[label] - with_word
        if isinstance(self.smoothing, str):
            return with_word + 1, without
        return with_word + self.smoothing, without + self.smoothing

    def log_likelihood(self, document: Document, label: str) -> float:
        """Of this document in this class, without the multinomial coefficient. Unknown words add nothing."""
        if self.likelihood == "bernoulli":
            total = 0.0
            for word in self.counts.vocabulary:
                with_word, without = self.bernoulli_counts(word, label)
                total += log(divide(with_word if word in document else without, with_word + without))
            return total
        sign = -1 if self.likelihood == "complement" else 1
        return sum(sign * log(self.probability(word, label)) for word in self.known(document))

    def log_coefficient(self, document: Document) -> float:
        """log N!/∏f!: in how many orders the known words of this document could have come."""
        times = Counter(self.known(document))
        return math.lgamma(times.total() + 1) - sum(math.lgamma(n + 1) for n in times.values())

    def known(self, document: Document) -> list[str]:
        return [word for word in document if word in self.counts.vocabulary]

    def scores(self, document: Document) -> list[float]:
        """log prior + log-likelihood of each class. Complement knows no prior, unless there is one class only."""
        no_prior = self.likelihood == "complement" and len(self.counts.classes) > 1
        priors = [0.0] * len(self.counts.classes) if no_prior else self.log_priors()
        likelihoods = [self.log_likelihood(document, label) for label in self.counts.classes]
        return [prior + likelihood for prior, likelihood in zip(priors, likelihoods, strict=True)]

    def possible_scores(self, document: Document) -> list[float]:
        """The scores, or the log priors for a document that no class could have written."""
        scores = self.scores(document)
        return scores if max(scores) > -math.inf else self.log_priors()

    def posterior(self, document: Document) -> list[float]:
        """The probability of each class. The largest score is taken out first, so that no exponential underflows."""
        scores = self.possible_scores(document)
        shares = [math.exp(score - max(scores)) for score in scores]
        return [share / sum(shares) for share in shares]

    def predict(self, document: Document) -> str:
        """The most probable class; of equally probable ones the first."""
        scores = self.possible_scores(document)
        return self.counts.classes[scores.index(max(scores))]


def leave_one_out(
    documents: Sequence[Document],
    labels: Sequence[str],
    model: Callable[[Counts], Model] = Model,
    is_left_out: Callable[[int, int], bool] = lambda one, other: one == other,
) -> list[list[float]]:
    """The scores of each document under a model trained on all the others; every class stays, if need be empty.

    `is_left_out` says whether the second document leaves with the first.
    """
    scores = []
    for i, document in enumerate(documents):
        rest = [j for j in range(len(documents)) if not is_left_out(i, j)]
        others = train([documents[j] for j in rest], [labels[j] for j in rest], classes=set(labels))
        scores.append(model(others).scores(document))
    return scores


def labels_of_unlabelled(
    documents: Sequence[Document],
    labels: Sequence[str],
    unlabelled: Sequence[Document],
    sure: float,
    *,
    rounds: int = 6,
    model: Callable[[Counts], Model] = Model,
) -> list[str | None]:
    """Expectation maximisation: each is counted under the label that is as probable as `sure`, until none changes.

    One whose words say nothing is not counted.
    """
    given: list[str | None] = [None] * len(unlabelled)
    for _ in range(rounds):
        counted = [(one, label) for one, label in zip(unlabelled, given, strict=True) if label is not None]
        found = model(train([*documents, *(one for one, _ in counted)], [*labels, *(label for _, label in counted)]))
        before, given = given, []
        for one in unlabelled:
            chances = found.posterior(one)
            says_nothing = all(
                math.isclose(*pair, rel_tol=1e-9) for pair in zip(chances, found.posterior([]), strict=True)
            )
            given.append(found.predict(one) if max(chances) >= sure and not says_nothing else None)
        if given == before:
            break
    return given


def next_to_label(
    documents: Sequence[Document], labelled: Sequence[Document], margins: Sequence[float] | None, top: int
) -> list[int]:
    """The documents whose labels teach the most, one after another; the gain of each anew after each choice.

    `margins` are the distances of the two most probable labels, None where nothing is known of them.
    """
    words, known, chosen = [set(one) for one in documents], [set(one) for one in labelled], list[int]()
    sizes = [max(len(one), 1) for one in words]
    share = 0.5
    if margins is not None:
        share = 1 - min(max(5 * correlation([math.log(size) for size in sizes], margins), 0), 0.5)

    def gain(at: int) -> float:
        total = 0.0
        for word in words[at]:
            others = sum(word in one for one in words) - 1
            k = sum(word in one for one in known)
            total += others / ((k + 1) * (k + 2))
        return total / math.pow(sizes[at], share)

    while len(chosen) < min(top, len(documents)):
        left = [at for at in range(len(documents)) if at not in chosen]
        closeness = {at: 1 - (margins[at] if margins else 0) for at in left}
        gains = {at: closeness[at] * gain(at) for at in left}
        worth = gains if max(gains.values()) > 1e-9 else closeness
        best = max(left, key=lambda at: (round(worth[at], 8), -at))
        chosen.append(best)
        known.append(words[best])
    return chosen


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Pearson's; 0 where one of both never changes."""
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    together = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return divide(together, math.sqrt(sum((a - x) ** 2 for a in xs) * sum((b - y) ** 2 for b in ys)))


def log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf


def divide(part: float, whole: float) -> float:
    """A share; of nothing, nothing: a class without words has probability 0 for each word."""
    return part / whole if whole > 0 else 0.0


def python_words(text: str) -> list[str]:
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


def ngrams(words: Sequence[str], low: int, high: int) -> list[str]:
    return [" ".join(words[i : i + n]) for n in range(low, high + 1) for i in range(len(words) - n + 1)]


def char_wb(text: str, low: int, high: int) -> list[str]:
    """Character n-grams of each word with a space on either side; a word too short for n is taken once, whole."""
    found = []
    for word in text.lower().split():
        padded = f" {word} "
        for n in range(low, high + 1):
            found += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if n >= len(padded):
                break
    return found
