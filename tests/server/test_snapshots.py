"""Snapshots: the model as it was, with its place in the journal; or none, where anything is wrong."""

from pathlib import Path

import pytest

from banbury import Classifier
from banbury.server import snapshots
from serving import bytes_of

PLACE = snapshots.Place("journal", 17, "digest", 2)


@pytest.fixture
def model() -> Classifier:
    return Classifier.textbook().fit(["so happy", "so sad"], ["glad", "sad"])


def test_a_snapshot_gives_back_the_model_and_its_place(tmp_path: Path, model: Classifier) -> None:
    snapshots.save(tmp_path / "new", "mood", model.parts(), PLACE)
    found = snapshots.load(tmp_path / "new", "mood", "digest")
    assert found is not None
    assert found[1] == PLACE
    assert bytes_of(found[0], tmp_path) == bytes_of(model, tmp_path)


def test_one_of_another_file_is_not_used(tmp_path: Path, model: Classifier) -> None:
    snapshots.save(tmp_path, "mood", model.parts(), PLACE)
    assert snapshots.load(tmp_path, "mood", "another digest") is None
    assert snapshots.load(tmp_path, "other", "digest") is None
    assert snapshots.load(None, "mood", "digest") is None


def test_a_damaged_one_is_not_used_and_says_so(
    tmp_path: Path, model: Classifier, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "mood.banbury"
    model.save(path)  # a model without a place
    assert snapshots.load(tmp_path, "mood", "digest") is None
    snapshots.save(tmp_path, "mood", model.parts(), PLACE)
    path.write_bytes(path.read_bytes()[:-9])
    assert snapshots.load(tmp_path, "mood", "digest") is None
    assert caplog.text.count("the snapshot of mood is not used") == 2
