"""Topics: what a text is about, and which words say so."""

from public_sets import picture, rows

import banbury

TEXTS = [
    "The striker scored twice in the second half", "The goalkeeper saved a late penalty",
    "Parliament passed the budget after a long debate", "The minister lost the vote on the new law",
    "The gene is switched on in early cells", "A new telescope has found a distant planet",
]  # fmt: skip
TOPICS = ["sport", "sport", "politics", "politics", "science", "science"]

model = banbury.Classifier().fit(TEXTS, TOPICS)
print(model.explain("The debate on the law goes into its second half"))

news = rows("20newsgroups")
if news:
    parts = {part: [row for row in news if row["split"] == part] for part in ("train", "test")}
    texts = {part: [row["text"] for row in parts[part]] for part in parts}
    labels = {part: [row["label"] for row in parts[part]] for part in parts}
    model = banbury.Classifier().fit(texts["train"], labels["train"])
    print(f"20 Newsgroups: accuracy {model.evaluate(texts['test'], labels['test']).accuracy:.4f}")
    for topic in ("rec.autos", "sci.space"):
        print(topic, model.words(topic, top=8, min_count=50).words)
    picture("topics", lambda: model.words("sci.space", min_count=50).plot(most=15))
