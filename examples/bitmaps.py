"""Bitmaps: handwritten digits, black or white, each dot a yes or no."""

import gzip
import os
from pathlib import Path

import numpy as np

import banbury

ZERO = [" ### ", "#   #", "#   #", "#   #", " ### "]
ONE = ["  #  ", " ##  ", "  #  ", "  #  ", " ### "]


def noisy(picture: list[str], random: np.random.Generator) -> np.ndarray:
    """The dots of a picture in one row, some of them wrong."""
    dots = np.array([[dot == "#" for dot in line] for line in picture]).ravel()
    return dots ^ (random.random(dots.size) < 0.1)


random = np.random.default_rng(0)
pictures = np.array([noisy(picture, random) for picture in [ZERO, ONE] * 50])
digits = [0, 1] * 50
names = [f"{line},{column}" for line in range(5) for column in range(5)]


def table(dots: np.ndarray, names: list[str]) -> dict[str, np.ndarray]:
    """A column for each dot."""
    return {name: dots[:, at] for at, name in enumerate(names)}


dots_are = dict.fromkeys(names, banbury.Bernoulli())
model = banbury.Classifier(columns=dots_are).fit(table(pictures[:80], names), digits[:80])
print(f"drawn digits: accuracy {model.evaluate(table(pictures[80:], names), digits[80:]).accuracy:.3f}")


def idx(path: Path) -> np.ndarray:
    """The numbers of an idx file: two zero bytes, the type, the dimensions, the sizes, the data."""
    with gzip.open(path) as file:
        data = file.read()
    shape = [int.from_bytes(data[4 + 4 * at : 8 + 4 * at], "big") for at in range(data[3])]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


folder = Path(os.environ.get("BANBURY_DATA", "")) / "mnist"
if folder.is_dir():
    parts = {}
    for part in ("train", "t10k"):
        images, labels = (idx(next(folder.glob(f"{part}-{what}*"))) for what in ("images", "labels"))
        chosen = labels <= 1
        parts[part] = (images[chosen].reshape(-1, 784) > 127, labels[chosen].tolist())
    names = [f"{line},{column}" for line in range(28) for column in range(28)]
    (dots, labels), (asked, truth) = ((table(dots, names), labels) for dots, labels in parts.values())
    textbook = banbury.Classifier(columns=dict.fromkeys(names, banbury.Bernoulli()), calibration=None).fit(dots, labels)
    print(f"MNIST, 0 and 1: accuracy {textbook.evaluate(asked, truth).accuracy:.4f}")
