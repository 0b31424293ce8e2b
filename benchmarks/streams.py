"""Streams whose spam changes its words half way: StreamClassifier with its half-life against nothing that ages.

`python benchmarks/streams.py` makes results/labels_streams.json. Each stream has forty periods of the same size in a
fixed random order, with the same share of spam in each; its ham is that of one set all the way, and its spam is that
set's in the first half and another set's in the second:

- SMS: SMS Spam, then the beginnings of SpamAssassin's spam, as many words as a message has.
- mail: SpamAssassin, then SMS spam.
- turned: SpamAssassin. In the second half a third of the words of spam, those that most of its messages have, are
  exchanged for ham's most frequent words and the other way round: what spoke for spam now speaks for ham.

The first five periods fit the model, each later one is predicted before it is learned. Errors are counted from the
period after the change on: the first period with new spam, which nobody could have learned, is not counted.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from data import rows

from banbury import StreamClassifier

STREAM_RESULTS = Path(__file__).parent / "results" / "labels_streams.json"
PERIODS = 40
CHANGE = 20
FITTED = 5
Document = tuple[str, str]


def split_by_label(name: str, most: int) -> dict[str, list[str]]:
    """The texts of ham and of spam, in a fixed random order."""
    texts: dict[str, list[str]] = {"ham": [], "spam": []}
    table = rows(name)
    Random(0).shuffle(table)
    for row in table:
        texts[row["label"]].append(row["text"])
    return {label: some[:most] for label, some in texts.items()}


def shortened(text: str, random: Random) -> str:
    """The first words of a message, as many as one of SMS has."""
    return " ".join(text.split()[: random.randint(8, 30)])


def dealt(ham: list[str], first: list[str], second: list[str]) -> list[list[Document]]:
    """Ham in all periods, the first spam before the change and the second after it."""
    periods: list[list[Document]] = [[] for _ in range(PERIODS)]
    for number, text in enumerate(ham):
        periods[number % PERIODS].append((text, "ham"))
    n_spam = min(len(first), len(second))
    for number in range(n_spam):
        periods[number % CHANGE].append((first[number], "spam"))
        periods[CHANGE + number % CHANGE].append((second[number], "spam"))
    return periods


def exchanged(ham: list[str], spam: list[str]) -> dict[str, str]:
    """Words of spam and of ham that change places."""
    seen = {label: Counter(word for text in some for word in set(text.lower().split())) for label, some in
            (("ham", ham), ("spam", spam))}  # fmt: skip
    shares = {
        word: seen["spam"][word] / len(spam) - seen["ham"][word] / len(ham) for word in {*seen["ham"], *seen["spam"]}
    }
    order = sorted(shares, key=lambda word: (-shares[word], word))
    pairs = list(zip(order[:300], reversed(order[-300:]), strict=True))
    return dict(pairs) | {theirs: ours for ours, theirs in pairs}


def streams() -> dict[str, list[list[Document]]]:
    """The three streams."""
    sms, mail, random = split_by_label("sms_spam", 4_000), split_by_label("spamassassin", 3_000), Random(1)
    short = [shortened(text, random) for text in mail["spam"]]
    half = len(mail["spam"]) // 2
    places = exchanged(mail["ham"], mail["spam"])

    def turned(text: str) -> str:
        return " ".join(places.get(word.lower(), word) for word in text.split())

    turning = dealt(mail["ham"], mail["spam"][:half], mail["spam"][half:])
    for number in range(CHANGE, PERIODS):
        turning[number] = [(turned(text), label) for text, label in turning[number]]
    return {
        "SMS": dealt(sms["ham"], sms["spam"], short),
        "mail": dealt(mail["ham"], mail["spam"], sms["spam"]),
        "turned": turning,
    }


def measured(periods: list[list[Document]], half_life: Any) -> dict[str, Any]:
    """Every period predicted, then learned."""
    first = [(text, label, number) for number in range(FITTED) for text, label in periods[number]]
    texts, labels, times = map(list, zip(*first, strict=True))
    started = process_time()
    model = StreamClassifier(period=1, half_life=half_life, threads=1).fit(texts, labels, times)
    wrong: list[tuple[int, int]] = []
    for number in range(FITTED, PERIODS):
        new, truth = [text for text, _ in periods[number]], [label for _, label in periods[number]]
        guesses = model.predict(new).tolist()
        wrong.append((sum(guess != true for guess, true in zip(guesses, truth, strict=True)), len(truth)))
        model.learn(new, truth, [number] * len(new))
    seconds = process_time() - started
    before, after = wrong[: CHANGE - FITTED], wrong[CHANGE - FITTED + 1 :]
    drift = model.drift()
    rate = {name: sum(n for n, _ in part) / sum(n for _, n in part) for name, part in
            (("before", before), ("soon_after", after[:5]), ("after", after))}  # fmt: skip
    return {
        "half_life": half_life,
        "chosen": model.half_life_,
        **{f"error_{name}": round(value, 5) for name, value in rate.items()},
        "log_losses": {str(name): round(value, 5) for name, value in model.half_lives_.items()},
        "drifted": [row.period for row in drift.drifted],
        "words": [f"{word.label}: {word.word}" for row in drift.drifted[:1] for word in row.words[:5]],
        "seconds": round(seconds, 2),
    }


def main() -> None:
    """Measure all streams."""
    found = []
    for name, periods in streams().items():
        for half_life in ("auto", None):
            row = {"stream": name, "documents": sum(map(len, periods)), **measured(periods, half_life)}
            print(row, flush=True)
            found.append(row)
    STREAM_RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
