"""Whatever was saved comes back as what it was."""

from pathlib import Path

import pytest

import banbury
from banbury import Classifier, storage
from banbury.errors import FileFormatError


def test_every_kind_of_file_is_opened(tmp_path: Path) -> None:
    tagger = banbury.SenseTagger("bass").fit(["a *bass* swims", "he plays *bass*"], ["fish", "music"])
    spam = banbury.SpamFilter().fit([b"Subject: win\n\nmoney", b"Subject: hi\n\nlunch"] * 2, ["spam", "ham"] * 2)
    texts, table = Classifier().fit(["a", "b"], ["x", "y"]), Classifier().fit({"legs": [2, 4]}, ["x", "y"])
    for saved in (texts, table, banbury.Ranker(["the cat"]), banbury.SpellingCorrector(["the cat"]), tagger, spam):
        saved.save(tmp_path / "file")
        assert type(banbury.load(tmp_path / "file")) is type(saved)
    assert Classifier.load(tmp_path / "file").columns_ == spam.model.columns_


def test_what_is_not_known_is_refused_by_name(tmp_path: Path) -> None:
    storage.write(tmp_path / "new", {"kind": "regressor"}, {})
    with pytest.raises(FileFormatError, match="new: it holds a 'regressor', which this version of banbury does not"):
        banbury.load(tmp_path / "new")
    storage.write(tmp_path / "half", {"kind": "classifier"}, {})
    with pytest.raises(FileFormatError, match="half: not a model of this version"):
        banbury.load(tmp_path / "half")


@pytest.mark.parametrize("shapes", ["x", [], None, 3])
def test_settings_of_another_type_are_a_damaged_file(tmp_path: Path, shapes: object) -> None:
    Classifier(columns={"legs": banbury.Gaussian(scale="log")}).fit({"legs": [2, 4]}, ["x", "y"]).save(
        tmp_path / "file"
    )
    file = storage.read(tmp_path / "file")
    file.settings["groups"][0]["statistics"]["shapes"] = shapes
    storage.write(tmp_path / "other", file.settings, file.arrays)
    with pytest.raises(FileFormatError, match="not a model of this version"):
        banbury.load(tmp_path / "other")
