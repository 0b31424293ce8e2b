"""Texts whose labels stand in a tree: words of the top, words of the label, and chance."""

from random import Random

TOPS = {"sport": ["match", "team", "league", "win"], "play": ["stage", "actor", "scene", "curtain"]}
ENDS = {
    "sport/football": ["goal", "penalty", "keeper"],
    "sport/golf": ["hole", "club", "green"],
    "sport/tennis": ["serve", "set", "racket"],
    "play/comedy": ["joke", "laugh", "clown"],
    "play/drama": ["tears", "king", "dagger"],
    "weather": ["rain", "sun", "wind"],
}


def _texts() -> tuple[list[str], list[str]]:
    random = Random(5)
    texts, labels = [], []
    for number in range(96):
        label = random.choice(sorted(ENDS))
        words = random.choices(["the", "a", "of", "today", "new"], k=4) + random.choices(ENDS[label], k=1)
        words += random.choices(TOPS.get(label.split("/")[0], ["cloud", "cold"]), k=2)
        if random.random() < 0.2:
            words += random.choices(ENDS[random.choice(sorted(ENDS))], k=2)
        random.shuffle(words)
        texts.append(f"{' '.join(words)} n{number}")
        labels.append(label)
    return texts, labels


TEXTS, LABELS = _texts()
