"""Bitmaps: handwritten digits, black or white, each dot a yes or no."""

import gzip
import os
from pathlib import Path

import numpy as np
from public_sets import picture

import banbury

ZERO = [" ### ", "#   #", "#   #", "#   #", " ### "]
ONE = ["  #  ", " ##  ", "  #  ", "  #  ", " ### "]
random = np.random.default_rng(0)


def drawn(lines: list[str]) -> np.ndarray:
    """The dots of a picture in one row: whether each is black. Every tenth is wrong."""
    dots = np.array([[dot == "#" for dot in line] for line in lines])
    return (dots ^ (random.random(dots.shape) < 0.1)).ravel()


def show(weights: dict[str, float], width: int) -> None:
    """What each dot says, as a picture: + for the digit, - against it. The columns of an array are called 0, 1, 2 …"""
    dots = [weights[str(at)] for at in range(len(weights))]
    signs = "".join("+" if weight > 0.1 else "-" if weight < -0.1 else "." for weight in dots)
    for at in range(0, len(signs), width):
        print(signs[at : at + width])


def image(weights: dict[str, float]) -> object:
    """The same in colours: purple for the digit, orange against it."""
    from matplotlib.pyplot import subplots

    _, axes = subplots(figsize=(4, 4))
    dots = np.array([weights[str(at)] for at in range(len(weights))]).reshape(28, 28)
    axes.imshow(dots, cmap="PuOr", vmin=-np.abs(dots).max(), vmax=np.abs(dots).max())
    axes.set_title("What each dot says for a 1")
    axes.set_axis_off()
    return axes


pictures, digits = np.array([drawn(lines) for lines in [ZERO, ONE] * 50]), [0, 1] * 50
model = banbury.Classifier().fit(pictures[:80], digits[:80])
print(f"drawn digits: accuracy {model.evaluate(pictures[80:], digits[80:]).accuracy:.3f}; what says that one is a 0:")
show(model.explain(pictures[80:81], label=0, against=1).columns, 5)


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
    plain = {"likelihood": "multinomial", "calibration": None}
    for name, options in (("plain", plain), ("every dot counts as much as it should", {})):
        model = banbury.Classifier(**options).fit(*parts["train"])
        print(f"MNIST, 0 and 1, {name}: accuracy {model.evaluate(*parts['t10k']).accuracy:.4f}")
    weights = model.explain(parts["t10k"][0][:1], label=1, against=0).columns
    show(weights, 28)
    picture("bitmaps", lambda: image(weights))
