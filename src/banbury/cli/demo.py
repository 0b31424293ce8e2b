"""`banbury demo`: training, prediction and explanation on the demo corpus."""

from __future__ import annotations

from banbury.classifier import Classifier
from banbury.cli.console import show
from banbury.cli.declared import argument, command
from banbury.datasets import demo as demo_corpus
from banbury.results.evaluation import evaluate

EXAMPLE_TEXT = "The staff were friendly, but the room was dirty and we will never come back."


@command(
    epilog="""\b
Example:
  banbury demo "What a lovely day"
"""
)
@argument("text", default=EXAMPLE_TEXT)
def demo(text: str) -> None:
    """Train on the demo corpus, and explain what it says of TEXT."""
    texts, labels = demo_corpus()
    model = Classifier.textbook(analyzer="tweets").fit(texts, labels)
    show(f"Counted {len(texts)} short texts: {model.counts_.n_features} words and pairs of words.\n")

    # Each text is predicted by the model that has never seen it: it is forgotten, asked about, and learned again.
    predicted = []
    for example, label in zip(texts, labels, strict=True):
        predicted.append(model.forget([example], [label]).predict(example))
        model.learn([example], [label])
    show("Every text predicted by the model without it (exact leave-one-out):")
    show(f"{evaluate(labels, predicted)}\n")

    for label in model.classes_.tolist():
        strongest = model.words(label, top=12, min_count=4).words
        show(f"Strongest for {label}: {', '.join(strongest)}")
    show(f"\n{text}")
    probability = model.predict_proba([text])[0].max()
    show(f"→ {model.predict(text)} ({probability:.1%})\n")
    show(str(model.explain(text)))
