"""The tree: every module has its test at the mirrored place."""

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
