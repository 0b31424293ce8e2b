"""The tree: every module has its test at its place, every constant one home, every private name one module."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "banbury"

# Modules that hold no code to test, or that another test is about.
EXCEPTIONS = {
    "__init__": "public names, tested by whatever uses them",
    "__main__": "tests/cli/test_manners.py runs the package as a module",
}


def without_test() -> set[str]:
    """The modules of the package that have no `test_<module>.py` in the folder of tests that mirrors theirs."""
    modules = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.stem not in EXCEPTIONS]
    return {
        path.with_suffix("").as_posix()
        for path in modules
        if not (ROOT / "tests" / path.parent / f"test_{path.stem}.py").exists()
    }


def test_every_module_has_its_test_at_the_mirrored_place() -> None:
    assert without_test() == set()


def constants(path: Path) -> dict[str, str]:
    """The constants that a module defines, by their names without a leading underscore, as they are written."""
    return {
        name.lstrip("_"): ast.unparse(value)
        for statement in ast.parse(path.read_text("utf-8")).body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        for name, value in assigned(target, statement.value)
        if name.isupper() and len(name) > 1 and name != "TYPE_CHECKING"  # neither a type variable nor Python's own
    }


def assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives, each with its value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for part, part_value in zip(target.elts, values, strict=True):
            yield from assigned(part, part_value)


def test_constants_of_a_module_are_found_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("MOST = 3\n_A, B_2 = 1, 'x'\nNAMES: tuple[str, ...] = ('a',)\nlower = 4\n")
    assert constants(tmp_path / "module.py") == {"MOST": "3", "A": "1", "B_2": "'x'", "NAMES": "('a',)"}


def test_no_constant_is_defined_in_two_modules() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in constants(path):
            homes.setdefault(name, []).append(path.relative_to(PACKAGE).as_posix())
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}  # public by Python's own word, in spite of the underscore


def is_private(name: str) -> bool:
    """Whether a name begins with an underscore and is no protocol of somebody else, such as `_repr_html_`."""
    return name.startswith("_") and not name.endswith("_") and name not in NAMED_TUPLE | {"_kernel"}


def private_names(path: Path) -> set[str]:
    """The private names that a file takes from other modules: imported ones, and attributes that it does not define."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    reached = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("banbury"):
            reached |= {alias.name for alias in node.names if is_private(alias.name)}
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            if ast.unparse(node.value) in ("self", "cls", "super()"):
                defined.add(node.attr)
            else:
                reached.add(node.attr)
    return reached - defined


def test_private_names_that_are_reached_from_elsewhere_are_seen(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "from banbury.text.model import _start\nmodel._hidden\nself._mine = copy._mine\nrow._replace(a=1)\n"
    )
    assert private_names(tmp_path / "module.py") == {"_start", "_hidden"}


def test_no_private_name_is_reached_from_another_module_or_a_test() -> None:
    paths = [path for folder in ("src", "tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")]
    reached = {path.relative_to(ROOT).as_posix(): private_names(path) for path in sorted(paths)}
    assert {path: names for path, names in reached.items() if names} == {}


def test_architecture_names_every_room_and_no_file_that_is_not_there() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0][
        "layers"
    ]
    rooms = {
        room
        for layer in layers
        for room in re.findall(r"\w+", layer)
        if (PACKAGE / room).exists() or (PACKAGE / f"{room}.py").exists()
    }
    picture = page.partition("## The rooms")[2].partition("`kernel/`")[0]
    assert {room for room in rooms if not re.search(rf"^[\w ·]*\b{room}\b", picture, re.MULTILINE)} == set()
    files = re.findall(r"`([\w/]+\.(?:py|rs|pyi|toml))`", page)
    homes = (ROOT, PACKAGE, ROOT / "kernel" / "src")
    assert files
    assert [file for file in files if not any((home / file).exists() for home in homes)] == []
