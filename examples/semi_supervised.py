"""Semi-supervised: a few texts with labels, many without."""

from random import Random

from public_sets import rows

import banbury

TEXTS = ["a goal in the last minute", "the match was lost", "a vote on the law", "the law was passed"]
LABELS = ["sport", "sport", "politics", "politics"]
OTHERS = [
    "the striker scored the goal",
    "the senate passed the law",
    "a striker left the match",
    "the senate put off the vote",
]
model = banbury.Classifier().fit(TEXTS, LABELS, unlabelled=OTHERS)
for text in ("striker", "senate"):
    print(f"{text}: {model.predict(text)}")

news = rows("r8")
if news:
    train, test = ([row for row in news if row["split"] == part] for part in ("train", "test"))
    Random(0).shuffle(train)
    some, others = train[:60], [row["text"] for row in train[60:]]
    texts, labels = [row["text"] for row in some], [row["label"] for row in some]
    asked, truth = [row["text"] for row in test], [row["label"] for row in test]
    alone = banbury.Classifier().fit(texts, labels)
    model = banbury.Classifier().fit(texts, labels, unlabelled=others)
    print(model.unlabelled_)
    print(f"60 labelled texts alone {alone.score(asked, truth):.3f}, with the others {model.score(asked, truth):.3f}")
