"""Tallies of parts merge to that of the whole, and come back from bytes."""

from typing import Any

import pytest

from banbury import Classifier
from banbury.errors import FileFormatError, InputError, LabelError
from banbury.text.settings import Settings
from banbury.text.tally import Tally

TEXTS = ["free money now", "free lunch", "lunch at noon?", "free money now", "no lunch today", "money"]
LABELS = ["spam", "ham", "ham", "spam", "ham", "spam"]


def tally_of(rows: list[int], **options: Any) -> Tally:
    tally = Tally(None, Settings(), **options)
    for row in rows:
        tally.add([TEXTS[row]], [LABELS[row]], first_row=row)
    return tally


def test_the_order_of_documents_and_merges_does_not_matter() -> None:
    whole = Tally(None, Settings())
    whole.add(TEXTS, LABELS)
    first, second, third = tally_of([4]), tally_of([5, 0, 3]), tally_of([2, 1])
    second.merge(first)
    third.merge(second)
    third.merge(Tally(None, Settings()))
    assert third.parts() == whole.parts()


def test_the_model_is_that_of_the_documents() -> None:
    model, report = tally_of([5, 4, 3, 2, 1, 0]).model()
    whole = Classifier().fit(TEXTS, LABELS)
    assert model.counts.parts() == whole.counts_.parts()
    assert report is not None
    assert report.settings() == whole.report_.settings()
    assert report.predictions is not None
    assert report.predictions.rows == whole.report_.predictions.rows  # type: ignore[union-attr]


def test_what_travels_comes_back_whole() -> None:
    tally = tally_of([0, 1, 2, 3])
    again = Tally(None, Settings()).with_parts(*_as_stored(tally))
    assert again.parts() == tally.parts()
    assert Tally(None, Settings()).with_parts(*_as_stored(Tally(None, Settings()))).n_documents == 0


def _as_stored(tally: Tally) -> tuple[Any, Any]:
    settings, arrays = tally.parts()
    return settings, {name: memoryview(values) for name, values in arrays.items()}


@pytest.mark.parametrize(
    "name, values",
    [("sample.ends", [9, 1]), ("sample.classes", [7] * 4), ("sample.weights", [1]), ("sample.ends", [1] * 4)],
)
def test_a_sample_that_contradicts_itself_is_refused(name: str, values: list[int]) -> None:
    settings, arrays = _as_stored(tally_of([0, 1, 2, 4]))
    arrays[name] = memoryview(b"".join(value.to_bytes(8, "little") for value in values)).cast("Q")
    with pytest.raises(FileFormatError, match="sample"):
        Tally(None, Settings()).with_parts(settings, arrays)


def test_shards_merge_to_the_whole_and_share_no_feature() -> None:
    tally = tally_of([0, 1, 2, 3, 4, 5])
    whole, n_features = tally.parts(), tally.counts.n_features
    shards = tally.shards(3)
    assert sum(shard.counts.n_features for shard in shards) == n_features
    first = shards[2]
    first.merge(shards[0])
    first.merge(shards[1])
    assert first.parts() == whole
    assert len(Tally(None, Settings()).shards(3)) == 1


def test_pruning_forgets_rare_features() -> None:
    tally = tally_of([0, 1, 2])
    tally.prune(min_documents=2)
    names = tally.counts.features().names
    assert {"free", "lunch"} <= set(names)
    assert not {"money", "noon"} & set(names)
    Tally(None, Settings()).prune(min_documents=2)


def test_characters_that_only_one_has_are_left_out_and_asked_for() -> None:
    long, short = Tally(None, Settings()), Tally(None, Settings())
    long.add(["word and more words " * 40], ["a"], first_row=0)
    short.add(["short"] * 9, ["b"] * 9, first_row=1)
    assert (long.counts.analyzer.characters, short.counts.analyzer.characters) == (None, (2, 5))
    short.merge(long)
    assert short.must_be_counted_again
    again = short.for_short_documents()
    again.add(["word and more words " * 40], ["a"], first_row=0)
    again.add(["short"] * 9, ["b"] * 9, first_row=1)
    assert not again.must_be_counted_again


def test_what_does_not_fit_is_refused() -> None:
    tally = tally_of([0, 1])
    with pytest.raises(InputError, match="different parameters"):
        tally.merge(tally_of([2], effort="best"))
    with pytest.raises(LabelError, match="of type int"):
        tally.add(["one"], [1])
    numbers = Tally(None, Settings())
    numbers.add(["one"], [1], first_row=7)
    with pytest.raises(LabelError, match="of type int"):
        tally.merge(numbers)
    assert tally.parts() == tally_of([0, 1]).parts()
