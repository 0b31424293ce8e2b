"""Semi-supervised: a few texts with labels, many without."""

from random import Random

from public_sets import picture, rows

import banbury
from banbury.display.matplotlib import bars

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
    scores = [
        ("60 labels", alone.score(asked, truth)),
        (f"and {len(others):,} texts without", model.score(asked, truth)),
    ]
    print(f"60 labelled texts alone {scores[0][1]:.3f}, with the others {scores[1][1]:.3f}")
    picture("semi_supervised", lambda: bars(scores, title="R8: texts without labels help", x_title="accuracy"))
