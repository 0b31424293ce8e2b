"""What to label next: the texts whose labels teach the most."""

from random import Random

from public_sets import picture, rows

import banbury
from banbury.datasets import demo
from banbury.display.matplotlib import bars


def show(texts: list[str], labels: list[str], asked: list[str], truth: list[str]) -> None:
    """A hundred labels: for texts at random, and for those that the model asks for, twenty at a time."""
    order = list(range(len(texts)))
    Random(0).shuffle(order)
    chosen = order[:20]
    while len(chosen) < 100:
        model = banbury.Classifier().fit([texts[row] for row in chosen], [labels[row] for row in chosen])
        left = [row for row in order if row not in set(chosen)]
        chosen += [left[at] for at in model.what_to_label_next([texts[row] for row in left], top=20)]
    scores = []
    for name, some in (("at random", order[:100]), ("asked for", chosen)):
        model = banbury.Classifier().fit([texts[row] for row in some], [labels[row] for row in some])
        scores.append((name, model.score(asked, truth)))
        print(f"100 labels {name}: accuracy {scores[-1][1]:.3f}")
    picture("what_to_label_next", lambda: bars(scores, title="100 labels", x_title="accuracy"))


texts, labels = demo()
show(texts[::2], labels[::2], texts[1::2], labels[1::2])

news = rows("r8")
if news:
    train, test = ([row for row in news if row["split"] == part] for part in ("train", "test"))
    columns = [[row[name] for row in part] for part in (train[::2], test) for name in ("text", "label")]
    show(columns[0], columns[1], columns[2], columns[3])
