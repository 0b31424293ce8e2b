"""The public sets, where they are at hand: the examples that import this go without them otherwise."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import banbury

PICTURES = os.environ.get("BANBURY_PICTURES")  # a folder for pictures; none are drawn without it
FOLDER = Path(os.environ["BANBURY_DATA"]) if os.environ.get("BANBURY_DATA") else None


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a set; none where it is not at hand."""
    path = FOLDER / f"{name}.jsonl.gz" if FOLDER else None
    if path is None or not path.exists():
        return []
    return [row for batch in banbury.read(path, label=False, text="text") for row in batch.rows()]


def picture(name: str, draw: Callable[[], Any]) -> None:
    """Save what is drawn, axes of matplotlib, in the folder for pictures."""
    if PICTURES:
        axes = draw()
        axes.figure.set_layout_engine("tight")
        axes.figure.savefig(Path(PICTURES) / f"{name}.png", dpi=110, metadata={"Software": None})
