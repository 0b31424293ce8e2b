"""Assumptions: words that come together, and classes that are not as frequent as they were in training."""

from random import Random

from public_sets import picture, rows

import banbury
from banbury.datasets import demo
from banbury.display.matplotlib import bars

# Sunny comes with hot, and the Sahara with its desert: evidence that Naive Bayes counts twice.
SAYINGS = {
    "summer": "sunny hot, Sahara desert, sea, swim, shade, fruit, boat, grass, bees, picnic, garden, storm, beach",
    "winter": "snow, ice, wind, dark, tea, wool, fire, soup, skates, candle, frost, boots, fog, scarf",
}
random, labels = Random(0), ["summer", "winter"] * 200
texts = [" ".join(one for one in SAYINGS[label].split(", ") if random.random() < 0.3) for label in labels]
for pair in banbury.Classifier.textbook().fit(texts, labels).diagnose(texts).pairs:
    print(f"{pair.first} and {pair.second}: together in {pair.documents} texts, {pair.expected:.0f} expected")

# Half of the texts were positive in training; of the next ones all are.
texts, labels = demo()
model = banbury.Classifier().fit(texts[:300], labels[:300])
later = [text for text, label in zip(texts[300:], labels[300:], strict=True) if label == "positive"]
found = model.estimate_prior(later)
share = labels[:300].count("positive") / 300
print(f"positive in training {share:.2f}, now about {found.prior['positive']:.2f}")

messages = rows("sms_spam")
if messages:
    texts, labels = [row["text"] for row in messages], [row["label"] for row in messages]
    diagnosis = banbury.Classifier().fit(texts[:2000], labels[:2000]).diagnose(texts[2000:])
    print(diagnosis)
    times = [(f"{pair.first} + {pair.second}", pair.documents / pair.expected) for pair in diagnosis.pairs[:12]]
    picture("assumptions", lambda: bars(times, title="Words that come together", x_title="times as often as expected"))
