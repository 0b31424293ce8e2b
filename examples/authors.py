"""Authors: who wrote it, by words, punctuation and turns of phrase; the twelve disputed Federalist papers."""

from public_sets import picture, rows

import banbury
from banbury.display.matplotlib import bars

ANN = [
    "It rained; I read; the cat, who reads nothing, slept upon the letters.",
    "You will, I trust, forgive my silence; the post, as you know, is slow.",
    "We dined late; my uncle, whose stories never end, had found a new one.",
]
BOB = [
    "Rain. I went out anyway. The streets were empty.",
    "No letter came. I made tea. I waited.",
    "My uncle talked. Nobody listened. The soup got cold.",
]
model = banbury.Classifier(analyzer="authors").fit(ANN + BOB, ["Ann"] * 3 + ["Bob"] * 3)
print(model.explain("I trust, my dear, that the cat is well; mine sleeps."))

papers = rows("federalist")
if papers:
    known = [paper for paper in papers if paper["label"] in ("hamilton", "madison")]
    model = banbury.Classifier().fit([paper["text"] for paper in known], [paper["label"] for paper in known])
    print(f"known papers, each by all others: accuracy {model.report_.accuracy:.3f}")
    weights = []
    for paper in papers:
        if paper["label"] == "disputed":
            chances = model.probabilities(paper["text"])
            print(f"No. {paper['number']}: {max(chances, key=chances.__getitem__)} {max(chances.values()):.4f}")
            weights.append((f"No. {paper['number']}", float(model.decision_function([paper["text"]])[0])))
    title = "The disputed Federalist papers"
    picture("authors", lambda: bars(weights, title=title, x_title="log odds for Madison"))
