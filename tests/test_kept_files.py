"""Files of every version open, and predict what they did. `python tests/test_kept_files.py` keeps those of this one.

Those of one release whose format has changed since are in folders of their own: `0.1.0` has format 2.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import banbury
from banbury import storage
from banbury.datasets import demo

KEPT = Path(__file__).parent / "kept"
OF_THIS_VERSION = KEPT / f"{banbury.__version__}-format{storage.VERSION}"
TEXTS, LABELS = demo()
ASKED = ["what a lovely day", "the room was dirty and loud", "nothing"]
ROWS = [{"size": 1.5, "kind": "a"}, {"size": 7.25, "kind": "b"}, {"size": None, "kind": "c"}]


def models() -> dict[str, Any]:
    """A small model of each kind."""
    table = {"size": [1.0, 2.5, 1.5, 8.0, 7.5, 9.25] * 4, "kind": ["a", "a", "b", "b", "c", "b"] * 4}
    return {
        "plain": banbury.Classifier.textbook().fit(TEXTS[:60], LABELS[:60]),
        "automatic": banbury.Classifier().fit(TEXTS[:60], LABELS[:60]),
        "table": banbury.Classifier().fit(table, ["low", "low", "low", "high", "high", "high"] * 4),
        "several": banbury.MultiLabelClassifier().fit(TEXTS[:60], [[label] for label in LABELS[:60]]),
        "tree": banbury.HierarchicalClassifier().fit(TEXTS[:60], [f"said/{label}" for label in LABELS[:60]]),
    }


def said(model: Any, name: str) -> Any:
    """What a model predicts, as plain data."""
    asked = ROWS if name == "table" else ASKED
    return [[float(share) for share in row] for row in model.predict_proba(asked)]


def files() -> list[Path]:
    return sorted(KEPT.glob("*/*.banbury"))


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_file_of_an_older_version_predicts_what_it_did(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    found = said(banbury.load(path), path.stem)
    assert len(found) == len(expected)
    for row, expected_row in zip(found, expected, strict=True):
        assert row == pytest.approx(expected_row, rel=1e-12, abs=1e-15)


def test_files_of_this_version_are_kept() -> None:
    kinds = {path.stem for path in files() if path.parent == OF_THIS_VERSION}
    assert kinds == {"plain", "automatic", "table", "several", "tree"}


if __name__ == "__main__":
    OF_THIS_VERSION.mkdir(parents=True, exist_ok=True)
    for name, model in models().items():
        model.save(OF_THIS_VERSION / f"{name}.banbury")
        (OF_THIS_VERSION / f"{name}.json").write_text(json.dumps(said(model, name)) + "\n", encoding="utf-8")
