"""Tree: paths by names and by parents, distances, and what no hierarchy is."""

from typing import Any

import pytest

import hierarchy_reference as reference
from banbury.errors import InputError, LabelError
from banbury.hierarchy.tree import Tree, steps_between

LABELS = ["a/x/1", "a/x/2", "a/y", "b", "c/z"]


def test_paths_and_distances_are_those_of_the_reference() -> None:
    tree, expected = Tree.of(LABELS), reference.paths(LABELS)
    assert tree.paths == expected
    assert tree.depth == 3
    for one in LABELS:
        for other in LABELS:
            assert steps_between(tree.paths[one], tree.paths[other]) == reference.distance(
                expected[one], expected[other]
            )


def test_nodes_children_and_leaves_by_hand() -> None:
    tree = Tree.of(LABELS)
    assert tree.nodes == ["a", "b", "c", "a/x", "a/y", "c/z", "a/x/1", "a/x/2"]
    assert tree.children[None] == ["a", "b", "c"]
    assert tree.children["a"] == ["a/x", "a/y"]
    assert tree.leaves_of["a"] == [0, 1, 2]
    assert tree.leaves_of["c"] == [4]
    assert [tree.at(label, 2) for label in LABELS] == ["a/x", "a/x", "a/y", "b", "c/z"]


def test_parents_say_the_same_as_names() -> None:
    parents = {"football": "sport", "golf": "sport", "sport": "leisure"}
    tree = Tree.of(["football", "golf", "weather"], parents=parents)
    assert tree.paths["golf"] == ("leisure", "sport", "golf")
    assert tree.paths["weather"] == ("weather",)
    numbers = Tree.of([11, 12, 2], parents={11: 1, 12: 1, 1: None})
    assert numbers.paths == {2: (2,), 11: (1, 11), 12: (1, 12)}


@pytest.mark.parametrize(
    "labels, how, error, message",
    [
        (["a", "a/b"], {}, LabelError, "label 'a' is a leaf and the parent of 'a/b'.*such as 'a/other'"),
        (["a//b"], {}, LabelError, "'a//b' has an empty part"),
        (["/a"], {}, LabelError, "empty part"),
        ([""], {}, LabelError, "empty part"),
        ([3], {}, LabelError, "label 3 is of type int; labels of a hierarchy are texts"),
        (["a"], {"separator": ""}, InputError, "separator is ''"),
        (["a"], {"parents": {"a": "b", "b": "c", "c": "b"}}, InputError, "parents has a cycle: 'b' → 'c' → 'b'"),
        (["a"], {"parents": {"a": "a"}}, InputError, "cycle: 'a' → 'a'"),
        (["a"], {"parents": {"p": "q", "q": "r", "r": "p"}}, InputError, "cycle: 'p' → 'q' → 'r' → 'p'"),
        (["a"], {"parents": ["a"]}, InputError, "parents is of type list; it is a dictionary"),
        (["a"], {"parents": {"a": ["b"]}}, LabelError, r"\['b'\], the parent of 'a', is of type list"),
        (["a"], {"parents": {"a": 3}}, LabelError, "3, the parent of 'a', is of type int"),
        (["a", "b"], {"parents": {"a": "b"}}, LabelError, "label 'b' is a leaf and the parent of 'a'"),
    ],
)
def test_what_is_no_hierarchy_is_one_clear_error(labels: Any, how: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Tree.of(labels, **how)
