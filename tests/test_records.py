"""A record does what a frozen dataclass of the same fields does."""

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, asdict, dataclass, fields, is_dataclass, replace
from typing import Any

import pytest

from banbury.records import Record


class Place(Record):
    row: int
    name: str = "here"

    def __post_init__(self) -> None:
        if self.row < 0:
            raise ValueError("rows are counted from 0")


@dataclass(frozen=True)
class PlainPlace:
    row: int
    name: str = "here"


class Named(Record, kw_only=True):
    size: int = 1


class Itself(Record, eq=False):
    size: int = 1


@pytest.mark.parametrize("given", [((3,), {}), ((3, "there"), {}), ((), {"row": 3}), ((3,), {"name": "there"})])
def test_fields_are_given_by_place_or_by_name(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    record, plain = Place(*given[0], **given[1]), PlainPlace(*given[0], **given[1])
    assert (record.row, record.name) == (plain.row, plain.name)
    assert repr(record) == repr(plain).replace("PlainPlace", "Place")
    assert asdict(record) == asdict(plain)


@pytest.mark.parametrize(
    "given", [((), {}), ((1, "a", 2), {}), ((1,), {"row": 1}), ((1,), {"column": 1}), ((), {"name": "x"})]
)
def test_what_a_dataclass_refuses_is_refused(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    for kind in (Place, PlainPlace):
        with pytest.raises(TypeError):
            kind(*given[0], **given[1])


def test_a_record_stays_as_it_is() -> None:
    record = Place(1)
    with pytest.raises(FrozenInstanceError):
        record.row = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del record.row
    assert record == Place(1)


def test_equality_is_that_of_the_fields_within_one_class() -> None:
    assert Place(1) == Place(1)
    assert hash(Place(1)) == hash(Place(1))
    assert Place(1) != Place(2)
    assert Place(1) != PlainPlace(1)
    assert Place(1) != (1, "here")
    assert Itself() != Itself()
    assert len({Itself(), Itself()}) == 2


def test_a_changed_record_is_a_new_one_that_is_checked_too() -> None:
    record = Place(1)
    assert record.replace(name="there") == replace(record, name="there") == Place(1, "there")
    assert record == Place(1)
    with pytest.raises(ValueError, match="from 0"):
        record.replace(row=-1)
    with pytest.raises(TypeError):
        record.replace(column=1)


def test_fields_by_name_alone() -> None:
    assert Named(size=2).size == 2
    with pytest.raises(TypeError, match="takes 0 fields by their place"):
        Named(2)  # type: ignore[call-arg]


def test_dataclasses_take_a_record_for_one_of_theirs() -> None:
    record = Place(1)
    assert all(map(is_dataclass, (Place, record)))
    assert [(field.name, field.default) for field in fields(Place)[1:]] == [("name", "here")]
    assert [field.name for field in fields(record)] == ["row", "name"]
    assert fields(Named)[0].kw_only


def test_records_are_copied_and_pickled() -> None:
    record = Place(1, "there")
    assert copy.copy(record) == copy.deepcopy(record) == pickle.loads(pickle.dumps(record)) == record


def test_what_predicts_is_imported_without_dataclasses_and_inspect() -> None:
    program = "import sys, banbury.classifier; print({'dataclasses', 'inspect', 'json', 'numpy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"
