"""The tree: every module has its test at the mirrored place, every constant one home."""

import ast
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
