"""The limits that the docs tell of are those of the code."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| ([^|]+) \| (\d+) \| `([\w.]+)`(?: in `([\w/.]+)`)? \|", re.MULTILINE)
LIMITS = ROW.findall((ROOT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8"))


def value(name: str, file: str) -> int:
    """The number that a limit has in the code."""
    if file:
        found = re.search(rf"const {name}: \w+ = ([^;]+);", (ROOT / file).read_text(encoding="utf-8"))
        assert found is not None, f"{file} has no {name}"
        return int(eval(found[1]))  # a number, or 1 << 30
    module, _, attribute = name.rpartition(".")
    if "Limits" in module:
        return int(getattr(import_module(module.removesuffix(".Limits")).Limits(), attribute))
    return int(getattr(import_module(module), attribute))


@pytest.mark.parametrize("what, number, name, file", LIMITS)
def test_a_limit_is_what_the_docs_say(what: str, number: str, name: str, file: str) -> None:
    assert value(name, file) == int(number), what


def test_the_page_tells_of_limits() -> None:
    assert len(LIMITS) >= 15
