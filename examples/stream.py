"""Documents with a time: spam that changes its words in May, and when, where and by which words that is seen."""

from random import Random

import banbury

OLD, NEW = "money prize winner cash", "coins wallet token airdrop"
HAM = "lunch meeting report train"

random = Random(4)
texts, labels, dates = [], [], []
for month in range(1, 13):
    for day in range(1, 29):
        for label in ("spam", "ham", "ham"):
            words = (OLD if month < 5 else NEW) if label == "spam" else HAM
            some = random.choices(words.split(), k=2) + random.choices(["the", "a", "now", "we", "today", "you"], k=3)
            texts.append(" ".join(random.sample(some, 5)))
            labels.append(label)
            dates.append(f"2026-{month:02}-{day:02}")

# The year until April is known; then every month is predicted before it is learned.
start = dates.index("2026-05-01")
model = banbury.StreamClassifier(period="month").fit(texts[:start], labels[:start], dates[:start])
for month in range(5, 13):
    rows = [row for row, date in enumerate(dates) if date.startswith(f"2026-{month:02}")]
    model.learn(*([column[row] for row in rows] for column in (texts, labels, dates)))
print(model.drift(top=5))
print(f"half-life: {model.half_life_}; log loss by half-life: {model.half_lives_}")
print(model.explain("your wallet, now"))
