"""Draws the picture of the README: the explanation that `make demo` prints, as a waterfall.

python docs/pictures/draw.py
"""

from pathlib import Path

from banbury import Classifier
from banbury.cli.demo import EXAMPLE_TEXT
from banbury.datasets import demo
from banbury.display.svg import standalone, waterfall

PICTURE = Path(__file__).with_name("waterfall.svg")
MOST_STEPS = 8


def picture() -> str:
    """The SVG, from the demo corpus alone."""
    texts, labels = demo()
    explanation = Classifier.textbook(analyzer="tweets").fit(texts, labels).explain(EXAMPLE_TEXT)
    title = f"“{EXAMPLE_TEXT}” is {explanation.label}: log odds, word by word"
    return standalone(waterfall(explanation.steps(MOST_STEPS), title=title, score=explanation.score))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"{PICTURE}: {PICTURE.stat().st_size} bytes")
