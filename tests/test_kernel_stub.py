"""What src/banbury/_kernel.pyi says of the kernel is what the compiled kernel says of itself."""

import ast
import inspect
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from banbury import Counts, _kernel
from banbury.text.likelihoods import scorer

STUB = ast.parse((Path(__file__).parents[1] / "src" / "banbury" / "_kernel.pyi").read_text(encoding="utf-8"))
Function = ast.FunctionDef
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, Function)}
METHODS = [
    pytest.param(name, node, id=f"{name}.{node.name}")
    for name, body in CLASSES.items()
    for node in body.body
    if isinstance(node, Function) and node.name != "__buffer__"  # which Python shows from 3.12 on
]

Parameters = list[tuple[str, Any, Any]]


def written(function: Function) -> Parameters:
    """Name, kind and default of each parameter in the stub."""
    arguments = function.args
    by_place = [*arguments.posonlyargs, *arguments.args]
    defaults = [inspect.Parameter.empty] * (len(by_place) - len(arguments.defaults))
    values = [*defaults, *map(ast.literal_eval, arguments.defaults)]
    kinds: list[Any] = [inspect.Parameter.POSITIONAL_ONLY] * len(arguments.posonlyargs)
    kinds += [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(arguments.args)
    parameters: Parameters = [(a.arg, kind, v) for a, kind, v in zip(by_place, kinds, values, strict=True)]
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        parameters.append((argument.arg, inspect.Parameter.KEYWORD_ONLY, value))
    return [parameter for parameter in parameters if parameter[0] != "self"]


def compiled(callable_: Any) -> Parameters:
    parameters = inspect.signature(callable_).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters if p.name != "self"]


def decorators(function: Function) -> set[str]:
    return {node.id for node in function.decorator_list if isinstance(node, ast.Name)}


def test_the_names_are_the_same() -> None:
    public = {name for name in dir(_kernel) if not name.startswith("_")}
    assert public == {*CLASSES, *FUNCTIONS}


@pytest.mark.parametrize("name", CLASSES)
def test_the_members_of_a_class_are_the_same(name: str) -> None:
    public = {member for member in vars(getattr(_kernel, name)) if not member.startswith("_")}
    assert public == {n.name for n in CLASSES[name].body if isinstance(n, Function) and not n.name.startswith("_")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_signature_of_a_function_is_the_same(name: str) -> None:
    assert compiled(getattr(_kernel, name)) == written(FUNCTIONS[name])


@pytest.mark.parametrize("name, method", METHODS)
def test_the_signature_of_a_method_is_the_same(name: str, method: Function) -> None:
    owner = getattr(_kernel, name)
    member = vars(owner).get(method.name)
    if method.name == "__init__":
        assert compiled(owner) == written(method)
    elif "property" in decorators(method):
        assert inspect.isgetsetdescriptor(member) or inspect.ismemberdescriptor(member)
    else:
        assert isinstance(member, staticmethod) == ("staticmethod" in decorators(method))
        assert compiled(getattr(owner, method.name)) == written(method)


@pytest.mark.parametrize("labels", [["a", "b"], []])
def test_an_array_has_its_type_and_shape_without_a_copy(labels: list[str]) -> None:
    counts = Counts().add(["so happy", "so sad"][: len(labels)], labels)
    plain = scorer(counts.kernel, "multinomial", 1.0, "shared")
    n_words, n_classes = 3 * bool(labels), len(labels)
    table, prior = plain.table(), [0.0] * n_classes
    expected = {
        table.documents: ("I", (n_words, n_classes)),
        table.log_probabilities: ("d", (n_words, n_classes)),
        plain.lengths(): ("B", (n_words,)),
        plain.scores(["so", "sad", "so"], prior, 1): ("d", (3, n_classes)),
        plain.scores([], prior, 1): ("d", (0, n_classes)),
        counts.kernel.postings().ends: ("Q", (n_words,)),
    }
    for array, (code, shape) in expected.items():
        view = memoryview(array)
        assert (view.format, view.shape, view.readonly, view.obj) == (code, shape, True, array)
        assert (array.shape, len(array), array.tolist()) == (shape, shape[0], view.tolist())
        numbers = np.asarray(array)
        assert (numbers.dtype, numbers.shape) == (np.dtype(code), shape)
        assert numbers.tolist() == view.tolist()
        assert numbers.ctypes.data == np.asarray(array).ctypes.data


def test_an_array_cannot_be_changed() -> None:
    counts = Counts().add(["so happy", "so sad"], ["a", "b"])
    scores = scorer(counts.kernel, "multinomial", 1.0, "shared").scores(["so"], [0.0, 0.0], 1)
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(b"abc").readinto(scores)
