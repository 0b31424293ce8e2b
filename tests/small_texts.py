"""Four texts, and models of them, that several tests share."""

import io
from typing import Any

from banbury import Analyzer, Classifier

TEXTS = ["I am happy because I love the weather", "I am happy", "I am sad because I hate the weather", "I am sad"]
SIGNS = ["positive", "positive", "negative", "negative"]
ANALYZERS = {
    "words": Analyzer(),
    "python": Analyzer(words="python"),
    "pairs": Analyzer(ngrams=(1, 2)),
    "only runs": Analyzer(ngrams=(2, 3)),
    "characters": Analyzer.preset("characters"),
    "words and characters": Analyzer(ngrams=(1, 2), characters=(1, 3)),
    "negation": Analyzer(negation=True, ngrams=(1, 2)),
    "stems": Analyzer(stemmer="english", stop_words="english"),
    "everything": Analyzer(negation=True, stemmer="english", ngrams=(1, 3), characters=(2, 4), punctuation="all"),
}
MODELS: dict[str, dict[str, Any]] = {
    "automatic": {},
    "best": {"effort": "best"},
    "multinomial": {"likelihood": "multinomial", "smoothing": 0.5, "calibration": None},
    "multinomial, calibrated": {"likelihood": "multinomial", "smoothing": 0.5},
    "class vocabulary": {"likelihood": "multinomial", "smoothing": 1.0, "vocabulary": "class", "calibration": None},
    "bernoulli": {"likelihood": "bernoulli", "smoothing": 1.0, "calibration": None},
    "bernoulli, calibrated": {"likelihood": "bernoulli"},
    "complement": {"likelihood": "complement", "smoothing": 1.0, "calibration": None},
    "complement, calibrated": {"likelihood": "complement"},
}


def signs(**options: Any) -> Classifier:
    return Classifier.textbook(**options).fit(TEXTS, SIGNS)


def terminal(shown: Any, *, colour: bool = False, width: int = 100) -> str:
    """What reaches a terminal."""
    from rich.console import Console

    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    console.print(shown)
    return file.getvalue()
