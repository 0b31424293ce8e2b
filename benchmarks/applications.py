"""How well each application does, on real data: our figures beside what is asked of them and what scikit-learn gives.

`python benchmarks/applications.py` makes the table; name some applications for a part of it. benchmarks/README.md says
what is measured.
"""

from __future__ import annotations

import argparse
import gzip
import operator
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import data
import numpy as np
from clocks import stopwatch
from saving import check_names, saved, write

import banbury
from banbury.apps.spam import SPAM_THRESHOLD
from banbury.apps.spam import rows as rows_of
from banbury.readers.mail import parse

RESULTS = Path(__file__).parent / "results" / "applications.json"
SMOOTHINGS = (1.0, 0.5, 0.1, 0.05, 0.01)
"""Among which the peer's is tuned, in five folds of each training part."""
RELATIONS = {"≥": operator.ge, "≤": operator.le, "=": operator.eq}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    application: str
    set: str
    """The data, how they are split, and what is measured on them."""
    measured: float
    asked: float | None = None
    """What has to be reached; None for a figure that stands beside others."""
    relation: str = "≥"
    """How what is measured has to stand to what is asked: `≥`, `≤` or `=`."""
    peer: float | None = None
    """scikit-learn's, in the same run on the same folds; of spelling a plain edit-distance corrector's."""

    @property
    def is_met(self) -> bool | None:
        """Whether what is asked is reached; None where nothing is asked."""
        if self.asked is None:
            return None
        return RELATIONS[self.relation](self.measured, self.asked)

    def __str__(self) -> str:
        asked = "" if self.asked is None else f"{self.relation} {self.asked:.6g}"
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


def naive_bayes(vectorizer: Any, smoothings: tuple[float, ...] = SMOOTHINGS) -> Any:
    """scikit-learn's multinomial model, its α tuned by five folds of the training part."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    return GridSearchCV(make_pipeline(vectorizer, MultinomialNB()), {"multinomialnb__alpha": smoothings}, cv=5)


def best_naive_bayes(texts: list[str], labels: list[str]) -> Any:
    """scikit-learn's best on texts: model, weighting, pairs and α chosen on a fifth of the training part."""
    from peers import PEERS

    return PEERS["grid"].fit(texts, labels)


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
    texts = [" ".join(str(row[name]) for name in TEXTS_OF_A_MAIL) for row in rows_of(letters)]
    ours, theirs = np.zeros(len(labels)), np.zeros(len(labels))
    for train, test in data.folds(labels, 10):
        known = [labels[row] for row in train]
        model = banbury.SpamFilter().fit([letters[row] for row in train], known)
        ours[test] = model.probability([letters[row] for row in test])
        peer = best_naive_bayes([texts[row] for row in train], known)
        theirs[test] = peer.predict_proba([texts[row] for row in test])[:, 1]
    is_spam = np.array([label == "spam" for label in labels])
    peer_mcc, peer_caught, peer_lost = mail_figures(is_spam, theirs)
    mcc, caught, lost = mail_figures(is_spam, ours)
    yield Figure("spam", "SpamAssassin raw, 10 folds, MCC", mcc, 0.98, peer=peer_mcc)
    yield Figure(
        "spam", f"SpamAssassin raw, 10 folds, spam caught at P ≥ {SPAM_THRESHOLD}", caught, 0.95, peer=peer_caught
    )
    yield Figure(
        "spam", f"SpamAssassin raw, 10 folds, ham lost at P ≥ {SPAM_THRESHOLD}", lost, 0.002, "≤", peer=peer_lost
    )
    yield Figure("spam", "SpamAssassin raw, one by one, MCC", one_by_one(letters, labels))


TEXTS_OF_A_MAIL = ("sender", "name", "subject", "body", "hosts", "attachments", "mailer", "tags")
"""What the filter reads, for the peer: joined into one text."""


def mail_figures(is_spam: Any, chances: Any) -> tuple[float, float, float]:
    """Matthews' coefficient, the share of spam caught, and the share of ham lost, by the filter's own threshold."""
    sure = chances >= SPAM_THRESHOLD  # what `is_spam` asks for where nobody says otherwise
    return matthews(is_spam, chances > 0.5), float(sure[is_spam].mean()), float(sure[~is_spam].mean())


def one_by_one(letters: list[Any], labels: list[str]) -> float:
    """Matthews' coefficient over a stream of mails, from the first one on."""
    spam_filter = banbury.SpamFilter()
    chances = []
    order = list(range(len(labels)))
    Random(0).shuffle(order)
    for row in order:
        chances.append(spam_filter.probability(letters[row]) if chances else 0.0)
        spam_filter.learn([letters[row]], [labels[row]])
    return matthews(np.array([labels[row] == "spam" for row in order]), np.array(chances) > 0.5)


def online() -> Iterator[Figure]:
    """Short messages one by one in their order: each is predicted, then learned."""
    rows = data.rows("sms_spam")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    is_spam = np.array([label == "spam" for label in labels])
    theirs = matthews(is_spam, peer_one_by_one(texts, labels))
    with_characters = banbury.Analyzer(ngrams=(1, 2), characters=(2, 5))
    for name, analyzer in (("the default", None), ("with characters", with_characters)):
        for how, refits in (("", False), (", settings chosen anew", True)):
            model = banbury.Classifier(analyzer=analyzer)
            guesses: list[bool] = []
            for at, (text, label) in enumerate(zip(texts, labels, strict=True)):
                guesses.append(at > 0 and model.predict(text) == "spam")
                model.learn([text], [label])
                n = at + 1
                if refits and n >= 32 and n & (n - 1) == 0:  # 32, 64, 128 …
                    model.refit_settings(texts[:n], labels[:n])
            mcc = matthews(is_spam, np.array(guesses))
            yield Figure("spam, online", f"SMS one by one, MCC, {name}{how}", mcc, 0.93, peer=theirs)


def peer_one_by_one(texts: list[str], labels: list[str]) -> Any:
    """Which messages of a stream scikit-learn takes for spam; it knows all words beforehand, which can only help it."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    model, table = MultinomialNB(), CountVectorizer().fit_transform(texts)
    guesses = [False]
    for row in range(len(labels) - 1):
        model.partial_fit(table[row], [labels[row]], classes=["ham", "spam"])
        guesses.append(model.predict(table[row + 1])[0] == "spam")
    return np.array(guesses)


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


def federalist() -> Iterator[Figure]:
    """The Federalist papers, each of the known ones by all others, and those that were disputed."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
    from sklearn.naive_bayes import MultinomialNB

    papers = data.rows("federalist")
    known = [row for row in papers if row["label"] in ("hamilton", "madison")]
    texts, labels = [row["text"] for row in known], [row["label"] for row in known]
    disputed = [row["text"] for row in papers if row["label"] == "disputed"]
    right = 0
    for at, (text, label) in enumerate(zip(texts, labels, strict=True)):
        model = banbury.Classifier().fit(texts[:at] + texts[at + 1 :], labels[:at] + labels[at + 1 :])
        right += model.predict(text) == label
    found = banbury.Classifier().fit(texts, labels).predict(disputed).tolist()
    vectorizer = CountVectorizer()
    table = vectorizer.fit_transform(texts)
    peer = GridSearchCV(MultinomialNB(), {"alpha": SMOOTHINGS}, cv=5)
    peer_right = fmean(cross_val_predict(peer, table, labels, cv=LeaveOneOut()) == np.array(labels))
    peer_found = peer.fit(table, labels).predict(vectorizer.transform(disputed)).tolist()
    yield Figure("authors", "Federalist, 65 papers, leave one out", right / len(labels), 0.95, peer=peer_right)
    madisons = found.count("madison"), peer_found.count("madison")
    yield Figure("authors", "Federalist, Madison's, of the 12 disputed", madisons[0], 11, peer=madisons[1])


def spooky() -> Iterator[Figure]:
    """Sentences by Poe, Shelley and Lovecraft, five folds."""
    from sklearn.feature_extraction.text import CountVectorizer

    rows = data.rows("spooky_authors")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    vectorizer = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]")
    _, theirs = cross_validated(texts, labels, 5, lambda *part: naive_bayes(vectorizer, (0.5, 0.1)).fit(*part))
    for analyzer, asked in ((None, None), ("authors", 0.88)):
        model = banbury.Classifier(analyzer=analyzer)
        _, ours = cross_validated(texts, labels, 5, model.fit)
        name = "the default" if analyzer is None else f'analyzer="{analyzer}"'
        yield Figure("authors", f"spooky, 5 folds, accuracy, {name}", ours, asked, peer=theirs)


def sentiment() -> Iterator[Figure]:
    """Reviews from Amazon: the counts of the Bernoulli model, which have to be exact, and ten folds."""
    rows = [row for row in data.rows("sentiment_labelled") if row["source"] == "amazon"]
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    model = banbury.Classifier.textbook(
        likelihood="bernoulli", smoothing=None, analyzer=banbury.Analyzer(words="python")
    )
    table = model.fit(texts, labels).words()
    asked = {("great", "positive"): 92, ("great", "negative"): 5, ("waste", "positive"): 0, ("waste", "negative"): 14}
    for (word, label), n in asked.items():
        found = table.row(word)["documents"][label]
        yield Figure("sentiment", f"Amazon, Bernoulli, {label} reviews with {word}", found, n, "=")
    _, ours = cross_validated(texts, labels, 10, lambda *part: banbury.Classifier().fit(*part))
    _, theirs = cross_validated(texts, labels, 10, best_naive_bayes)
    yield Figure("sentiment", "Amazon, 10 folds, accuracy", ours, peer=theirs)


def topics() -> Iterator[Figure]:
    """20 Newsgroups, as its publishers split it."""
    news = data.split("20newsgroups")
    ours = banbury.Classifier().fit(news.train, news.train_labels).score(news.test, news.test_labels)
    theirs = best_naive_bayes(news.train, news.train_labels).score(news.test, news.test_labels)
    yield Figure("topics", "20 Newsgroups, publishers' split, accuracy", ours, peer=theirs)


def bitmaps() -> Iterator[Figure]:
    """The zeros and ones of MNIST in black and white, as their publishers split them."""
    from sklearn.naive_bayes import BernoulliNB

    from tables import black_and_white

    (digits,) = black_and_white((0, 1))
    peer = BernoulliNB().fit(digits.train, digits.train_labels).score(digits.test, digits.test_labels)
    columns = {str(at): banbury.Bernoulli() for at in range(784)}
    for name, make in (("the default", banbury.Classifier), ("textbook", banbury.Classifier.textbook)):
        model = make(columns=columns).fit(digits.train, digits.train_labels)
        ours = model.score(digits.test, digits.test_labels)
        yield Figure("bitmaps", f"MNIST, 0 and 1, accuracy, {name}", ours, peer=peer)


def symptoms() -> Iterator[Figure]:
    """A thousand made-up patients with some of seven symptoms, two hundred ill; and ten thousand more to ask about."""
    from peers import log_loss
    from sklearn.naive_bayes import BernoulliNB

    random = np.random.default_rng(0)
    is_ill, asked_ill = np.arange(1_000) < 200, np.arange(10_000) < 2_000
    columns = {str(at): banbury.Bernoulli() for at in range(7)}
    for name, draw in (("independent symptoms", drawn), ("symptoms that follow fever", drawn_after_fever)):
        patients, asked = draw(is_ill, random), draw(asked_ill, random)
        peer = BernoulliNB().fit(patients, is_ill)
        theirs = log_loss(peer.classes_, peer.predict_proba(asked), asked_ill.tolist())
        for how, make in (("the default", banbury.Classifier), ("textbook", banbury.Classifier.textbook)):
            model = make(columns=columns).fit(patients, is_ill)
            ours = log_loss(model.classes_, model.predict_proba(asked), asked_ill.tolist())
            yield Figure("symptoms", f"{name}, log loss, {how}", ours, relation="≤", peer=theirs)


IF_ILL = (0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1)
IF_WELL = (0.05, 0.2, 0.3, 0.3, 0.1, 0.05, 0.1)
"""How frequent each symptom is; fever is the first."""


def drawn(is_ill: Any, random: Any) -> Any:
    """Patients whose symptoms depend on nothing but whether they are ill: [patient, symptom]."""
    return random.random((len(is_ill), 7)) < np.where(is_ill[:, None], IF_ILL, IF_WELL)


def drawn_after_fever(is_ill: Any, random: Any) -> Any:
    """Patients who have the next three symptoms nine times out of ten where they have fever, else hardly ever."""
    patients = drawn(is_ill, random)
    patients[:, 1:4] = random.random((len(is_ill), 3)) < np.where(patients[:, :1], 0.9, 0.05)
    return patients


def ranking() -> Iterator[Figure]:
    """Cranfield: mean average precision over its queries, and how many of them are answered in a second."""
    documents, queries = data.rows("cranfield_docs"), data.rows("cranfield_queries")
    numbers = {row["id"]: number for number, row in enumerate(documents)}
    relevant: dict[str, set[int]] = {row["id"]: set() for row in queries}
    with gzip.open(data.folder() / "cranfield_qrels.tsv.gz", "rt") as lines:
        for query, document, _ in (line.split("\t") for line in list(lines)[1:]):
            relevant[query].add(numbers[document])
    ranker = banbury.Ranker([row["text"] for row in documents])

    def precision(scorer: str, feedback: int | None) -> float:
        ranker.scorer, ranker.feedback = scorer, feedback
        return fmean(average_precision(ranker.search(row["text"], top=None), relevant[row["id"]]) for row in queries)

    bm25 = precision("bm25", 0)
    yield Figure("ranking", "Cranfield, MAP, bm25", bm25)
    for scorer, asked in (("dirichlet", None), ("jelinek-mercer", None), ("pitman-yor", 0.39)):
        yield Figure("ranking", f"Cranfield, MAP, {scorer}, no feedback", precision(scorer, 0), asked)
    yield Figure("ranking", "Cranfield, MAP, bm25 with feedback", precision("bm25", 10))
    yield Figure("ranking", "Cranfield, MAP, the default (asked: bm25)", precision("pitman-yor", None), bm25)
    for name, feedback in (("no feedback", 0), ("the default", None)):
        ranker.feedback = feedback
        rounds = [stopwatch(*(partial(ranker.search, row["text"]) for row in queries)) for _ in range(30)]
        # The best of thirty for each query: a busy machine interrupts some of them, and hardly the same one each time.
        best = np.diff(np.array(rounds), axis=1, prepend=0).min(axis=0)
        yield Figure("ranking", f"Cranfield, queries a second, {name}", len(queries) / float(best.sum()), 2000)


def average_precision(hits: list[Any], relevant: set[int]) -> float:
    """The share of relevant documents among those down to each relevant one, on average; one not found counts 0."""
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit.index in relevant]
    return sum(n / rank for n, rank in enumerate(ranks, 1)) / len(relevant)


def semi_supervised() -> Iterator[Figure]:
    """20 Newsgroups: 300 texts with labels, the rest of the training part without."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.semi_supervised import SelfTrainingClassifier

    part = data.split("20newsgroups")
    scores: dict[str, list[float]] = {"alone": [], "with": [], "peer alone": [], "peer with": []}
    for draw in range(10):
        rows = shuffled(len(part.train), draw)
        texts, labels = [part.train[row] for row in rows[:300]], [part.train_labels[row] for row in rows[:300]]
        others = [part.train[row] for row in rows[300:]]
        alone = banbury.Classifier().fit(texts, labels)
        both = banbury.Classifier().fit(texts, labels, unlabelled=others)
        peer = naive_bayes(CountVectorizer()).fit(texts, labels)
        classes = list(peer.classes_)  # it marks what has no label with −1, so labels are numbers there
        trained = make_pipeline(CountVectorizer(), SelfTrainingClassifier(peer.best_estimator_[-1]))
        trained.fit(texts + others, [classes.index(label) for label in labels] + [-1] * len(others))
        for name, model in (("alone", alone), ("with", both), ("peer alone", peer)):
            scores[name].append(model.score(part.test, part.test_labels))
        scores["peer with"].append(trained.score(part.test, [classes.index(label) for label in part.test_labels]))
    mean = {name: fmean(several) for name, several in scores.items()}
    gains = [more - less for more, less in zip(scores["with"], scores["alone"], strict=True)]
    title = "20 Newsgroups, 300 labels, 10 draws"
    yield Figure("semi-supervised", f"{title}, accuracy, labels only", mean["alone"], peer=mean["peer alone"])
    yield Figure("semi-supervised", f"{title}, accuracy, and others", mean["with"], peer=mean["peer with"])
    gained = mean["peer with"] - mean["peer alone"]
    yield Figure("semi-supervised", f"{title}, gained", fmean(gains), 0.08, peer=gained)
    yield Figure("semi-supervised", f"{title}, gained in the worst", min(gains))


def shuffled(n: int, draw: int) -> list[int]:
    """The numbers up to `n`, in an order that depends on the draw."""
    rows = list(range(n))
    Random(draw).shuffle(rows)
    return rows


AT_RANDOM = (500, 1000, 2000)
CHOSEN = [round(125 * 2 ** (step / 3)) for step in range(14)]
"""How many labels there are: each time a quarter more, from 125 at random to 2520."""


def next_label() -> Iterator[Figure]:
    """How many labels fewer than at random do as well, where they are chosen."""
    for name, part in (
        ("20 Newsgroups", data.split("20newsgroups")),
        ("RT-polarity", data.splits("rt_polarity")[0]),
    ):
        draws = [shuffled(len(part.train), draw) for draw in range(3)]
        at_random = [fmean(accuracy(part, rows[:n])[0] for rows in draws) for n in AT_RANDOM]
        for by, asked in (("gain", 1 / 3), ("uncertainty", None)):
            curve = [fmean(several) for several in zip(*(chosen_curve(part, rows, by) for rows in draws), strict=True)]
            saved = [1 - needed(curve, level) / n for n, level in zip(AT_RANDOM, at_random, strict=True)]
            for n, share in zip(AT_RANDOM, saved, strict=True):
                yield Figure("next label", f"{name}, 3 draws, by {by}, saved of {n}", share)
            yield Figure("next label", f"{name}, 3 draws, by {by}, saved, mean", fmean(saved), asked)


def accuracy(part: data.Split, rows: list[int]) -> tuple[float, banbury.Classifier]:
    """On the test part, of a model of these rows of the training part; and the model."""
    model = banbury.Classifier().fit([part.train[row] for row in rows], [part.train_labels[row] for row in rows])
    return model.score(part.test, part.test_labels), model


def chosen_curve(part: data.Split, order: list[int], by: str) -> list[float]:
    """The accuracy with so many labels, the first at random, then those that the model of these asks for."""
    rows, curve = order[: CHOSEN[0]], []
    for n in [*CHOSEN[1:], CHOSEN[-1]]:
        level, model = accuracy(part, rows)
        curve.append(level)
        known = set(rows)
        left = [row for row in order if row not in known]
        asked = model.what_to_label_next([part.train[row] for row in left], top=n - len(rows), by=by)
        rows = rows + [left[at] for at in asked]
    return curve


def needed(curve: list[float], level: float) -> float:
    """With how many labels an accuracy is first reached, the logarithm interpolated; the most where it never is."""
    before = curve[0]
    for at, here in enumerate(curve):
        if here >= level:
            share = (level - before) / (here - before) if at else 1.0
            return CHOSEN[max(at - 1, 0)] * (CHOSEN[at] / CHOSEN[max(at - 1, 0)]) ** share
        before = here
    return CHOSEN[-1]


ENGLISH = (
    "20newsgroups",
    "cranfield_docs",
    "federalist",
    "imdb",
    "r8",
    "rt_polarity",
    "sentiment_labelled",
    "sms_spam",
)
ENGLISH += ("spamassassin", "spooky_authors", "trec6")
"""The sets whose words are counted for spelling."""


def spelling() -> Iterator[Figure]:
    """Misspelled words: those of the test part whose correction the counts know, right at the first guess."""
    with gzip.open(data.folder() / "spelling.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    pairs = [(wrong, right) for right, wrong, part in rows if part == "development"]
    corrector = banbury.SpellingCorrector()
    for name in ENGLISH:
        corrector.learn([row["text"] for row in data.rows(name)])
    counted = corrector.counts.kernel.postings()
    counts = dict(zip(counted.names, np.asarray(counted.occurrences).tolist(), strict=True))
    asked = [(wrong, right) for right, wrong, part in rows if part == "test" and right in counts]
    nearest = fmean(nearest_word(wrong, counts) == right for wrong, right in asked)

    def share(is_wrong: bool) -> float:
        guesses = [corrector.suggest(wrong, top=1, is_wrong=is_wrong) for wrong, _ in asked]
        return fmean(
            guess[0].word == right if guess else False for guess, (_, right) in zip(guesses, asked, strict=True)
        )

    yield Figure("spelling", "test words, known to be wrong, counts of words only", share(True), peer=nearest)
    corrector.learn(pairs=pairs)
    yield Figure("spelling", "test words, known to be wrong, words and edits", share(True), 0.75, peer=nearest)
    yield Figure("spelling", "test words, in running text, words and edits", share(False))


def nearest_word(typed: str, counts: dict[str, int]) -> str:
    """A plain corrector: the known word with the fewest edits, the most frequent of equally near ones."""
    near = [word for word in counts if word != typed and word.isalpha() and abs(len(word) - len(typed)) <= 2]
    distances = {word: edit_distance(word, typed) for word in near if len(set(word) ^ set(typed)) <= 4}
    return min(distances, key=lambda word: (distances[word], -counts[word], word), default=typed)


def edit_distance(word: str, typed: str) -> int:
    """How many letters have to be replaced, left out, put in or swapped with the next one."""
    before: list[int] = []
    last = list(range(len(typed) + 1))
    for row, letter in enumerate(word, 1):
        here = [row]
        for column, other in enumerate(typed, 1):
            best = min(last[column] + 1, here[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == typed[column - 2] and other == word[row - 2]:
                best = min(best, before[column - 2] + 1)
            here.append(best)
        before, last = last, here
    return last[-1]


APPLICATIONS = {
    "senses": senses,
    "spam": spam,
    "online": online,
    "languages": languages,
    "federalist": federalist,
    "spooky": spooky,
    "sentiment": sentiment,
    "topics": topics,
    "bitmaps": bitmaps,
    "symptoms": symptoms,
    "ranking": ranking,
    "semi_supervised": semi_supervised,
    "next_label": next_label,
    "spelling": spelling,
}


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="How well each application does, on real data.")
    parser.add_argument(
        "applications", nargs="*", metavar="application", help=f"which (all): {', '.join(APPLICATIONS)}"
    )
    parser.add_argument("--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save")
    options = parser.parse_args()
    check_names(parser, options.applications, APPLICATIONS)
    print(HEADER)
    figures: dict[str, list[Figure]] = {}
    for name in options.applications or APPLICATIONS:
        figures[name] = []
        for figure in APPLICATIONS[name]():
            print(figure, flush=True)
            figures[name].append(figure)
    verdicts = [figure.is_met for several in figures.values() for figure in several]
    print(f"{verdicts.count(True)} figures met, {verdicts.count(False)} missed.")
    if options.json:
        save(options.json, figures)


def save(path: Path, figures: dict[str, list[Figure]]) -> None:
    """Write the figures to a file; those of applications that were not measured now stay as they are there."""
    rows = saved(path, "figures") or {}
    for name, several in figures.items():
        rows[name] = [{**asdict(figure), "is_met": figure.is_met} for figure in several]
    write(path, "figures", {name: rows[name] for name in APPLICATIONS if name in rows})


if __name__ == "__main__":
    main()
