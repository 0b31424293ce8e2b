"""Sentiment of reviews: how often a word stands in positive and negative ones, and what that says of a new one."""

from public_sets import picture, rows

import banbury
from banbury.datasets import demo


def show(texts: list[str], labels: list[str], words: list[str], review: str) -> None:
    """In how many reviews each word stands, and why a new review is positive or negative."""
    # The textbook's Bernoulli model: presence and absence of words count, not how often they come.
    model = banbury.Classifier.textbook(
        likelihood="bernoulli", smoothing=None, analyzer=banbury.Analyzer(words="python")
    )
    table = model.fit(texts, labels).words()
    for word in words:
        documents = table.row(word)["documents"]
        print(f"{word:8} {documents}  P(positive | {word}) = {documents['positive'] / sum(documents.values()):.4f}")
    why = banbury.Classifier().fit(texts, labels).explain(review, by="words")
    print(why)
    picture("sentiment", why.plot)


show(*demo(), words=["lovely", "late"], review="What a lovely day, but my train is late")

amazon = [row for row in rows("sentiment_labelled") if row["source"] == "amazon"]
if amazon:
    texts, labels = [row["text"] for row in amazon], [row["label"] for row in amazon]
    show(texts, labels, words=["great", "waste"], review="A great phone, not a waste of money")
