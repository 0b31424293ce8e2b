"""Several labels a document: tickets that are about more than one thing, or about none of them."""

from public_sets import picture, rows

import banbury
from banbury.display.matplotlib import bars

COMPLAINTS = {
    "billing": ["I was charged twice", "the invoice is wrong", "I want my money back"],
    "app": ["the app crashes", "I cannot log in", "the screen stays blank"],
    "delivery": ["the parcel never came", "the parcel is late", "it went to the wrong address"],
}

texts, labels = [], []
for first, first_texts in COMPLAINTS.items():
    for second, second_texts in COMPLAINTS.items():
        for one in first_texts:
            for other in second_texts:
                texts.append(f"Hello, {one} and {other}" if first != second else f"Hello, {one}, number {len(texts)}")
                labels.append(sorted({first, second}))
texts += [f"Hello, thank you for number {number}" for number in range(20)]
labels += [[] for _ in range(20)]

model = banbury.MultiLabelClassifier().fit(texts, labels)
for text in ("charged twice, and the app crashes", "where is the parcel", "thank you"):
    print(f"{text}: {model.predict(text)}")
print(model.explain("charged twice, and the app crashes", label="app"))
print(f"leave-one-out: micro F1 {model.report_.micro_f1:.3f}, subset accuracy {model.report_.subset_accuracy:.3f}")

news = rows("r8")
if news:
    # Two messages in one, with the labels of both.
    pairs = {part: [row for row in news if row["split"] == part] for part in ("train", "test")}
    joined = {part: list(zip(found[::2], found[1::2][::-1], strict=False)) for part, found in pairs.items()}
    given = {
        part: ([f"{a['text']} {b['text']}" for a, b in both], [sorted({a["label"], b["label"]}) for a, b in both])
        for part, both in joined.items()
    }
    report = banbury.MultiLabelClassifier().fit(*given["train"]).evaluate(*given["test"])
    print(f"R8, two messages in one: micro F1 {report.micro_f1:.4f}, log loss {report.log_loss:.4f}")
    scores = [(one.label, one.f1) for one in report.labels]
    picture("several_labels", lambda: bars(scores, title="R8, two messages in one", x_title="F1 of each label"))
