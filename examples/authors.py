"""Authors: who wrote it, by words, punctuation and turns of phrase; the twelve disputed Federalist papers."""

from public_sets import rows

import banbury

AUSTEN = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a …",
    "However little known the feelings or views of such a man may be on his first entering a neighbourhood, …",
    "Vanity and pride are different things, though the words are often used synonymously.",
]
DICKENS = [
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, …",
    "Mr. Bounderby was as near being Mr. Gradgrind's bosom friend as a man perfectly devoid of sentiment can be.",
    "Please, sir, I want some more.",
]
model = banbury.Classifier(analyzer="authors").fit(AUSTEN + DICKENS, ["Austen"] * 3 + ["Dickens"] * 3)
print(model.explain("It was the worst of winters, sir."))

papers = rows("federalist")
if papers:
    known = [paper for paper in papers if paper["label"] in ("hamilton", "madison")]
    model = banbury.Classifier().fit([paper["text"] for paper in known], [paper["label"] for paper in known])
    print(f"known papers, each by all others: accuracy {model.report_.accuracy:.3f}")
    for paper in papers:
        if paper["label"] == "disputed":
            chances = model.probabilities(paper["text"])
            print(f"No. {paper['number']}: {max(chances, key=chances.__getitem__)} {max(chances.values()):.4f}")
