"""Labels in a hierarchy: news that are about a kind of sport, or only about sport as far as one can tell."""

from random import Random

from public_sets import picture, rows

import banbury
from banbury.display.matplotlib import bars

WORDS = {
    "sport/football": "goal penalty keeper striker",
    "sport/golf": "hole club green putt",
    "arts/theatre": "stage actor scene curtain",
    "arts/music": "song band guitar concert",
    "weather": "rain sun wind cloud",
}
ABOVE = {"sport": "match team league", "arts": "ticket critic audience", "weather": "today warm cold"}

random = Random(1)
texts, labels = [], []
for _ in range(100):
    label = random.choice(list(WORDS))
    words = random.choices(WORDS[label].split(), k=2) + random.choices(ABOVE[label.split("/")[0]].split(), k=2)
    texts.append(" ".join(random.sample([*words, "the", "new", "of"], 7)))
    labels.append(label)

model = banbury.HierarchicalClassifier().fit(texts, labels)
for text in ("penalty for the team", "the team and the league of the match", "new"):
    print(f"{text}: {model.predict(text, sure=0.8)}")
for step in model.explain("penalty for the team"):
    print(step)
print(f"how much each level counts: { {name: round(weight, 2) for name, weight in model.level_weights_.items()} }")

news = rows("20newsgroups")
if news:
    # Twenty messages of each group; the dots of the names are the hierarchy.
    parts = {part: [row for row in news if row["split"] == part] for part in ("train", "test")}
    by_group: dict[str, list[str]] = {}
    for row in parts["train"]:
        by_group.setdefault(row["label"], []).append(row["text"])
    few = [(text, group) for group, messages in sorted(by_group.items()) for text in messages[:20]]
    given = [text for text, _ in few], [group for _, group in few]
    test = [row["text"] for row in parts["test"][::4]], [row["label"] for row in parts["test"][::4]]
    tree = banbury.HierarchicalClassifier(separator=".").fit(*given).evaluate(*test)
    flat = banbury.Classifier().fit(*given).evaluate(*test)
    print(f"20 Newsgroups, 20 messages a group: log loss {tree.log_loss:.3f}, flat {flat.log_loss:.3f}")
    losses = [("by the hierarchy", tree.log_loss), ("flat", flat.log_loss)]
    picture("hierarchy", lambda: bars(losses, title="20 messages a group", x_title="log loss, lower is better"))
