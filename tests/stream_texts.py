"""A small stream: eight periods, in the middle of which spam changes its words."""

from random import Random

OLD, NEW = ["money", "prize", "winner", "cash"], ["coins", "wallet", "token", "airdrop"]
HAM = ["lunch", "meeting", "report", "train"]


def _stream() -> list[tuple[str, str, int]]:
    random = Random(2)
    rows = []
    for period in range(8):
        for number in range(30):
            is_spam = number % 3 == 0
            words = random.choices((OLD if period < 4 else NEW) if is_spam else HAM, k=2)
            words += random.choices(["the", "a", "now", "we", "today"], k=3)
            rows.append((f"{' '.join(words)} n{period}x{number}", "spam" if is_spam else "ham", period))
    return rows


STREAM = _stream()
TEXTS = [text for text, _, _ in STREAM]
LABELS = [label for _, label, _ in STREAM]
TIMES = [period for _, _, period in STREAM]
DATES = [f"2026-{period + 1:02}-{3 + row % 20:02}" for row, period in enumerate(TIMES)]
