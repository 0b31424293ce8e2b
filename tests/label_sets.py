"""Random documents with several labels each, for the laws."""

from dataclasses import dataclass

from hypothesis import strategies as st

from strategies import plain_texts

NAMES = ["comic", "drama", "short"]


@dataclass(frozen=True)
class LabelledTexts:
    """Texts and their label sets."""

    texts: list[str]
    sets: list[tuple[str, ...]]


@st.composite
def labelled_texts(draw: st.DrawFn, *, min_size: int = 1, max_size: int = 8) -> LabelledTexts:
    """Texts with none, some or all of three labels; at least one has a label."""
    label_sets = st.sets(st.sampled_from(NAMES)).map(lambda labels: tuple(sorted(labels)))
    rows = draw(st.lists(st.tuples(plain_texts(), label_sets), min_size=min_size, max_size=max_size))
    texts, sets = [text for text, _ in rows], [labels for _, labels in rows]
    if not any(sets):
        sets[0] = (draw(st.sampled_from(NAMES)),)
    return LabelledTexts(texts, sets)


# Sixty short texts whose words belong to labels, so that something can be learned from them.
WORDS_OF = {"comic": ["laugh", "joke", "funny"], "drama": ["tears", "fate", "alas"], "short": ["brief", "quick"]}


def some_documents(n: int = 60) -> LabelledTexts:
    """Texts with words of each of their labels, and words that say nothing."""
    texts, sets = [], []
    for number in range(n):
        labels = tuple(name for place, name in enumerate(NAMES) if (number >> place) % 2)
        words = [WORDS_OF[label][(number + place) % len(WORDS_OF[label])] for place, label in enumerate(labels)]
        texts.append(" ".join(["a", *words, "play", f"number{number % 7}", "of", "the", "year"]))
        sets.append(labels)
    return LabelledTexts(texts, sets)
