"""Spelling correction: the word that was meant, by counts of words and of edits."""

import gzip

from public_sets import FOLDER, picture, rows

import banbury
from banbury.display.matplotlib import bars

TEXTS = [
    "The spelling of words is hard.",
    "I receive a letter.",
    "Spelling bees are for those who spell.",
    "The letters",
]
PAIRS = [("recieve", "receive"), ("adress", "address"), ("acommodate", "accommodate"), ("seperate", "separate")]
corrector = banbury.SpellingCorrector(TEXTS, pairs=PAIRS)
print(corrector.correct("I recieve leters: speling is hrad"))
print(corrector.suggest("speling")[0])

reviews = rows("imdb")
if FOLDER and reviews and (FOLDER / "spelling.tsv.gz").exists():
    corrector = banbury.SpellingCorrector([row["text"] for row in reviews])
    with gzip.open(FOLDER / "spelling.tsv.gz", "rt", encoding="utf-8") as lines:
        pairs = [line.split("\t") for line in lines][1:]
    corrector.learn(pairs=[(wrong, right) for right, wrong, part in pairs if part.strip() == "development"])
    for typed in ("succesful", "carrer", "definately", "nessisitates"):
        print(typed, "→", ", ".join(one.word for one in corrector.suggest(typed, top=3, is_wrong=True)))
    likely = [(one.word, one.probability) for one in corrector.suggest("carrer", top=6, is_wrong=True)]
    picture("spelling", lambda: bars(likely, title="What was meant by “carrer”", x_title="probability"))
