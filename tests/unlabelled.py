"""Texts without labels for tests of labelling."""

UNLABELLED = [
    "What a lovely day",
    "My train is late again",
    "so so",
    "\x1b]0;owned\x07 a wonderful trick",
    "lovely, late",
]
