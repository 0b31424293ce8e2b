"""Ranking as it stands in the papers: dictionaries, lists and `math`. What the Ranker is compared with."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

Documents = Sequence[Sequence[str]]


def background(documents: Documents, scorer: str) -> dict[str, float]:
    """P(w): among all words, for Pitman–Yor among all pairs of a document and a word in it."""
    counts = Counter(word for one in documents for word in (set(one) if scorer == "pitman-yor" else one))
    return {word: n / counts.total() for word, n in counts.items()}


def probability(
    word: str, document: Sequence[str], chances: Mapping[str, float], scorer: str, smoothing: Sequence[float]
) -> float:
    """P(w|d)."""
    n, length, distinct = document.count(word), len(document), len(set(document))
    if scorer == "jelinek-mercer":
        (share,) = smoothing
        return (1 - share) * n / max(length, 1) + share * chances[word]
    mass, discount = (*smoothing, 0.0)[:2]
    return (max(n - discount, 0) + (mass + discount * distinct) * chances[word]) / (length + mass)


def score(query: Mapping[str, float], at: int, documents: Documents, scorer: str, smoothing: Sequence[float]) -> float:
    """Of the document at this place, for a query of words and their weights."""
    document = documents[at]
    known = {word: weight for word, weight in query.items() if any(word in one for one in documents)}
    if scorer != "bm25":
        chances = background(documents, scorer)
        return sum(
            weight * math.log(probability(word, document, chances, scorer, smoothing) / chances[word])
            for word, weight in known.items()
        )
    k, b = smoothing
    mean = sum(map(len, documents)) / len(documents)
    total = 0.0
    for word, weight in known.items():
        having = sum(word in one for one in documents)
        n = document.count(word)
        limit = k * (1 - b + b * len(document) / mean)
        rarity = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        total += weight * rarity * n * (k + 1) / (n + limit) if n else 0.0
    return total


def leave_one_out(documents: Documents, scorer: str, smoothing: Sequence[float]) -> float:
    """The log-likelihood of every occurrence of a word, given the rest of its document, and of the smoothing itself."""
    chances = background(documents, scorer)
    if scorer == "jelinek-mercer":
        total = -(((smoothing[0] - 0.6) / 0.2) ** 2) / 2
    else:
        mass, discount = (*smoothing, 0.0)[:2]
        total = -((math.log(mass) - 4) ** 2) / 2 - ((discount - 0.5) / 0.2) ** 2 / 2
    for document in documents:
        for at, word in enumerate(document):
            rest = [*document[:at], *document[at + 1 :]]
            total += math.log(probability(word, rest, chances, scorer, smoothing))
    return total


def fed_back(
    query: Mapping[str, float],
    documents: Documents,
    scorer: str,
    smoothing: Sequence[float],
    n_documents: int,
    n_words: int,
) -> dict[str, float]:
    """The query, half of it replaced by the words of its best documents: Lavrenko and Croft's relevance model."""
    known = {word: weight for word, weight in query.items() if any(word in one for one in documents)}
    found = [at for at, one in enumerate(documents) if any(word in one for word in known)]
    scores = {at: score(known, at, documents, scorer, smoothing) for at in found}
    best = sorted(found, key=lambda at: (-scores[at], at))[:n_documents]
    if not best:
        return dict(known)
    shares: Counter[str] = Counter()
    for at in best:
        for word in documents[at]:
            shares[word] += math.exp(scores[at] - scores[best[0]]) / len(documents[at])  # type: ignore[assignment]
    likeliest = sorted(shares, key=lambda word: (-shares[word], word))[:n_words]
    whole, total = sum(shares[word] for word in likeliest), sum(known.values())
    mixed = {word: weight / 2 for word, weight in known.items()}
    for word in likeliest:
        mixed[word] = mixed.get(word, 0.0) + total / 2 * shares[word] / whole
    return mixed
