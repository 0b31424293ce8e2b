"""Stand-ins for the names of `typing`: they do what those do, and nobody who predicts a text imports `typing`."""

import pickle
import subprocess
import sys
import typing

import pytest

from banbury import annotations
from banbury.latest import Latest
from banbury.text.analyzer import Token


def test_every_name_is_one_of_typing() -> None:
    names = [name for name in vars(annotations) if name[0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" or "dataclass" in name]
    assert len(names) > 10
    assert [name for name in names if not hasattr(typing, name)] == []


def test_a_tuple_with_names_is_what_typing_makes() -> None:
    class Place(annotations.NamedTuple):
        """A place."""

        row: int
        column: int = 7

        @property
        def both(self) -> int:
            """Their sum."""
            return self.row + self.column

    class Same(typing.NamedTuple):
        """A place."""

        row: int
        column: int = 7

    place = Place(3)
    assert (place, place.both, place._replace(row=4)) == ((3, 7), 10, (4, 7))
    assert repr(place) == repr(Same(3)).replace("Same", "Place")
    assert Place.__doc__ == Same.__doc__
    for name in ("__bases__", "_fields", "_field_defaults", "__match_args__", "__slots__", "__module__"):
        assert getattr(Place, name) == getattr(Same, name), name
    assert set(dir(Place)) ^ set(dir(Same)) <= {"both", "__orig_bases__"}
    with pytest.raises(TypeError):
        Place(1, 2, 3)  # type: ignore[call-arg]


def test_what_is_made_of_stand_ins_can_be_pickled_and_has_types_in_brackets() -> None:
    token = Token._make(range(len(Token._fields)))
    assert pickle.loads(pickle.dumps(token)) == token
    assert isinstance(Latest[int](), Latest)


def test_a_classifier_needs_no_typing() -> None:
    program = "import banbury, sys; banbury.Classifier; print({'typing', 're', 'inspect', 'numpy'} & set(sys.modules))"
    program = f"import sys; sys.path[:] = {sys.path!r}; {program}"  # without the modules that a virtual environment has
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")
