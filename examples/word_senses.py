"""Word senses: which sense a word has, by the words around it."""

from public_sets import picture, rows

import banbury

CONTEXTS = [
    "We sat on the *bank* of the river.", "The *bank* of the stream was steep.", "Fish hide under the river *bank*.",
    "The *bank* lends money.", "She put her money into the *bank*.", "The *bank* raised its rates.",
]  # fmt: skip
tagger = banbury.SenseTagger("bank").fit(CONTEXTS, ["shore"] * 3 + ["firm"] * 3)
print(tagger.explain("They fished from the banks of the river"))

examples = [row for row in rows("senseval_wsd") if row["word"] == "hard"]
if examples:
    cut = [
        (row["tokens"][: row["head"]], row["tokens"][row["head"]], row["tokens"][row["head"] + 1 :]) for row in examples
    ]
    contexts = [(" ".join(left), word, " ".join(right)) for left, word, right in cut]
    tagger = banbury.SenseTagger().fit(contexts, [row["label"] for row in examples])
    print(tagger.report_)
    picture("word_senses", tagger.report_.plot_confusion)
