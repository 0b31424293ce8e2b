"""A stream, plainly: documents with periods, counts that age by halving, and losses of predicting the next period.

What `banbury.stream` is compared with.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Dated = tuple[int, str, str]
"""Period, text and label of a document."""


def rounded(number: Fraction) -> int:
    """To the next whole number, a half up."""
    return int((number + Fraction(1, 2)) // 1)


def aged(stream: Sequence[Dated], now: int, half_life: int | None) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    """Documents of each label, and documents that have each word with each label, as they count at `now`."""
    by_age: dict[int, tuple[Counter[str], Counter[tuple[str, str]]]] = {}
    for period, text, label in stream:
        age = 0 if half_life is None else max(now // half_life - period // half_life, 0)
        documents, words = by_age.setdefault(age, (Counter(), Counter()))
        documents[label] += 1
        words.update((word, label) for word in set(text.split()))
    sizes: Counter[str] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for age, (documents, words) in by_age.items():
        sizes.update({label: rounded(Fraction(n, 2**age)) for label, n in documents.items()})
        seen.update({key: rounded(Fraction(n, 2**age)) for key, n in words.items()})
    return {label: n for label, n in sizes.items() if n}, {key: n for key, n in seen.items() if n}
