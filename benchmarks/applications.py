"""How well each application does, on real data: our figures beside what is asked of them and what scikit-learn gives.

`python benchmarks/applications.py` makes the table; name some applications for a part of it. benchmarks/README.md says
what is measured.
"""

from __future__ import annotations

import argparse
import json
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import data
import numpy as np
from speed import machine

import banbury
from banbury.mail import parse
from banbury.spam import SURE

RESULTS = Path(__file__).parent / "results" / "applications.json"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    application: str
    set: str
    """The data, how they are split, and what is measured on them."""
    measured: float
    asked: float | None = None
    """What has to be reached: at least, or with `at_most` at most."""
    at_most: bool = False
    peer: float | None = None
    """scikit-learn's, in the same run on the same folds."""

    @property
    def is_met(self) -> bool | None:
        """Whether what is asked is reached; None where nothing is asked."""
        if self.asked is None:
            return None
        return self.measured <= self.asked if self.at_most else self.measured >= self.asked

    def __str__(self) -> str:
        asked = "" if self.asked is None else f"{'≤' if self.at_most else '≥'} {self.asked:g}"
        peer = "" if self.peer is None else f"{self.peer:.4f}"
        verdict = {True: "met", False: "MISSED", None: ""}[self.is_met]
        return f"{self.application:<16}{self.set:<58}{self.measured:>9.4f}{peer:>10}{asked:>10}  {verdict}".rstrip()


HEADER = f"{'application':<16}{'set':<58}{'measured':>9}{'sklearn':>10}{'asked':>10}"


def cross_validated(
    rows: list[Any], labels: list[str], n: int, fit: Callable[[list[Any], list[str]], Any]
) -> tuple[list[Any], float]:
    """What a model of the others predicts of each row, in `n` folds, and how often that is right."""
    predicted: list[Any] = [None] * len(rows)
    for train, test in data.folds(labels, n):
        model = fit([rows[row] for row in train], [labels[row] for row in train])
        for row, label in zip(test, model.predict([rows[row] for row in test]), strict=True):
            predicted[row] = label
    return predicted, fmean(one == other for one, other in zip(predicted, labels, strict=True))


def naive_bayes(vectorizer: Any, smoothings: tuple[float, ...] = (1.0, 0.5, 0.1, 0.05, 0.01)) -> Any:
    """scikit-learn's multinomial model, its α tuned by five folds of the training part."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    return GridSearchCV(make_pipeline(vectorizer, MultinomialNB()), {"multinomialnb__alpha": smoothings}, cv=5)


# The applications: each yields its figures


def senses() -> Iterator[Figure]:
    """Senseval: *hard* and *serve*, ten folds."""
    for word, asked in (("hard", 0.935), ("serve", 0.92)):
        rows = [row for row in data.rows("senseval_wsd") if row["word"] == word]
        contexts = []
        for row in rows:
            tokens, head = row["tokens"], row["head"]
            contexts.append((" ".join(tokens[:head]), tokens[head], " ".join(tokens[head + 1 :])))
        labels = [row["label"] for row in rows]
        _, ours = cross_validated(contexts, labels, 10, lambda *part: banbury.SenseTagger().fit(*part))
        features = [hand_made(row["tokens"], row["head"]) for row in rows]
        _, theirs = cross_validated(features, labels, 10, lambda *part: context_model().fit(*part))
        yield Figure("word senses", f"senseval {word}, 10 folds, accuracy", ours, asked, peer=theirs)


def hand_made(tokens: list[str], head: int) -> list[str]:
    """What people make of a context for scikit-learn: the words, the neighbours by place, pairs of these."""
    words = [token.lower() for token in tokens]
    near = {at: words[head + at] if 0 <= head + at < len(words) else "edge" for at in (-2, -1, 1, 2)}
    pairs = [f"{a}:{b} {near[a]} {near[b]}" for a, b in ((-2, -1), (-1, 1), (1, 2))]
    return words[:head] + words[head + 1 :] + [f"{at} {word}" for at, word in near.items()] + pairs


def context_model() -> Any:
    """scikit-learn on such features, with presences and a tuned α."""
    from sklearn.feature_extraction.text import CountVectorizer

    return naive_bayes(CountVectorizer(analyzer=_as_it_is, binary=True))


def _as_it_is(features: list[str]) -> list[str]:
    return features


@cache
def mails() -> tuple[list[Any], list[str]]:
    """The raw messages of SpamAssassin's corpus, parsed, and whether they are spam."""
    with tarfile.open(data.folder() / "spamassassin_raw.tar.xz") as archive:
        files = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
        parsed = [(name, parse(file.read())) for name, file in files if file is not None]
    return [mail for _, mail in parsed], ["spam" if name.startswith("spam") else "ham" for name, _ in parsed]


def spam() -> Iterator[Figure]:
    """Raw e-mails, ten folds: Matthews' coefficient, and what is lost where most spam is caught."""
    letters, labels = mails()
    chances = np.zeros(len(labels))
    for train, test in data.folds(labels, 10):
        model = banbury.SpamFilter().fit([letters[row] for row in train], [labels[row] for row in train])
        chances[test] = model.probability([letters[row] for row in test])
    is_spam = np.array([label == "spam" for label in labels])
    sure = chances >= SURE  # what `is_spam` asks for where nobody says otherwise
    yield Figure("spam", "SpamAssassin raw, 10 folds, MCC", matthews(is_spam, chances > 0.5), 0.98)
    yield Figure("spam", f"  of the spam caught, P(spam) ≥ {SURE}", float(sure[is_spam].mean()), 0.95)
    yield Figure("spam", "  of the ham lost with it", float(sure[~is_spam].mean()), 0.002, at_most=True)


def online() -> Iterator[Figure]:
    """Short messages one by one in their order: each is predicted, then learned."""
    rows = data.rows("sms_spam")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    analyzer = banbury.Analyzer(ngrams=(1, 2), characters=(2, 5))
    for name, refits in (("counting alone", False), ("settings chosen anew at 32, 64, 128 …", True)):
        model = banbury.Classifier(analyzer=analyzer)
        predicted: list[str] = []
        for at, (text, label) in enumerate(zip(texts, labels, strict=True)):
            predicted.append(model.predict(text) if at else "ham")
            model.learn([text], [label])
            n = at + 1
            if refits and n >= 32 and n & (n - 1) == 0:
                model.refit_settings(texts[:n], labels[:n])
        truth, guess = (np.array([one == "spam" for one in several]) for several in (labels, predicted))
        yield Figure("spam, online", f"SMS, predict then learn, MCC, {name}", matthews(truth, guess), 0.93)


def matthews(truth: Any, guess: Any) -> float:
    """The correlation of two columns of yes and no."""
    return float(np.corrcoef(truth, guess)[0, 1])


def languages() -> Iterator[Figure]:
    """Seventeen languages, five folds."""
    from sklearn.feature_extraction.text import CountVectorizer

    rows = data.rows("lang17")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    _, ours = cross_validated(texts, labels, 5, lambda *part: banbury.Classifier().fit(*part))
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4))
    _, theirs = cross_validated(texts, labels, 5, lambda *part: naive_bayes(vectorizer, (0.1, 0.01)).fit(*part))
    yield Figure("language", "lang17, 5 folds, accuracy", ours, 0.993, peer=theirs)


def authors() -> Iterator[Figure]:
    """The Federalist papers, each known one by all others, and the disputed ones; sentences by three authors."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    papers = data.rows("federalist")
    known = [row for row in papers if row["label"] in ("hamilton", "madison")]
    texts, labels = [row["text"] for row in known], [row["label"] for row in known]
    disputed = [row["text"] for row in papers if row["label"] == "disputed"]
    makers: dict[str, Callable[[], Any]] = {
        "theirs": lambda: make_pipeline(CountVectorizer(), MultinomialNB()),
        "ours": banbury.Classifier,
    }
    right, madison = {}, {}
    for side, make in makers.items():
        hits = 0
        for at, (text, label) in enumerate(zip(texts, labels, strict=True)):
            model = make().fit(texts[:at] + texts[at + 1 :], labels[:at] + labels[at + 1 :])
            hits += model.predict([text])[0] == label
        right[side] = hits / len(labels)
        madison[side] = float((make().fit(texts, labels).predict(disputed) == "madison").sum())
    yield Figure("authors", "Federalist, 65 papers, leave one out", right["ours"], 0.95, peer=right["theirs"])
    yield Figure("authors", "  Madison's, of the 12 disputed", madison["ours"], 11, peer=madison["theirs"])
    rows = data.rows("spooky_authors")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    vectorizer = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]")
    _, theirs = cross_validated(texts, labels, 5, lambda *part: naive_bayes(vectorizer, (0.5, 0.1)).fit(*part))
    for name, analyzer in (("the default", None), ('analyzer="authors"', "authors")):
        _, ours = cross_validated(texts, labels, 5, lambda *part, a=analyzer: banbury.Classifier(analyzer=a).fit(*part))
        yield Figure("authors", f"spooky, 5 folds, accuracy, {name}", ours, 0.88, peer=theirs)


def sentiment() -> Iterator[Figure]:
    """The counts of the Bernoulli model of the labelled sentences from Amazon, which have to be exact."""
    rows = [row for row in data.rows("sentiment_labelled") if row["source"] == "amazon"]
    model = banbury.Classifier.textbook("bernoulli", smoothing=None, analyzer=banbury.Analyzer(words="python"))
    table = model.fit([row["text"] for row in rows], [row["label"] for row in rows]).words()
    asked = {"great": {"positive": 92, "negative": 5}, "waste": {"positive": 0, "negative": 14}}
    for word, documents in asked.items():
        found = table.row(word)["documents"]
        right = sum(found[label] == n for label, n in documents.items())
        yield Figure("sentiment", f"Amazon, {word}: {found}, counts that are right", right, 2)


APPLICATIONS = {
    "senses": senses,
    "spam": spam,
    "online": online,
    "languages": languages,
    "authors": authors,
    "sentiment": sentiment,
}


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="How well each application does, on real data.")
    parser.add_argument(
        "applications", nargs="*", metavar="application", help=f"which (all): {', '.join(APPLICATIONS)}"
    )
    parser.add_argument("--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save")
    options = parser.parse_args()
    if unknown := set(options.applications) - set(APPLICATIONS):
        parser.error(f"there is no {', '.join(sorted(unknown))} here; there is {', '.join(APPLICATIONS)}")
    print(HEADER)
    figures: list[Figure] = []
    for name in options.applications or APPLICATIONS:
        for figure in APPLICATIONS[name]():
            print(figure, flush=True)
            figures.append(figure)
    missed = sum(figure.is_met is False for figure in figures)
    print(f"{sum(figure.is_met is True for figure in figures)} figures met, {missed} missed.")
    if options.json:
        rows = [{**asdict(figure), "is_met": figure.is_met} for figure in figures]
        options.json.parent.mkdir(exist_ok=True)
        options.json.write_text(json.dumps({"machine": machine(), "figures": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
