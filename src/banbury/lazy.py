"""Lazy imports: NumPy, JSON, and the names that a package offers, each imported at its first use.

A command that predicts one text takes a few milliseconds; importing NumPy alone takes ten times as long. So the modules
that lie on this path write `from banbury.lazy import numpy as np` at the top and use `np` as usual. All other modules
import NumPy itself. The contract "A model of texts needs no NumPy to import and predict" in pyproject.toml names those
on the path.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json as json
    from collections.abc import Callable, Mapping
    from types import ModuleType

    import numpy as numpy


def import_module(name: str) -> ModuleType:
    """A module by its full name. That of `importlib` does the same, and imports `warnings` for what it does besides.

    >>> import_module("os.path").basename("a/b")
    'b'
    """
    __import__(name)
    return sys.modules[name]


if not TYPE_CHECKING:

    class LazyModule:
        """A module that is imported when one of its names is used for the first time.

        >>> fractions = LazyModule("fractions")
        >>> fractions.Fraction(1, 2)
        Fraction(1, 2)
        """

        def __init__(self, name: str) -> None:
            self.__name__ = name

        def __getattr__(self, name: str) -> object:
            # Kept as an attribute of its own: Python asks this function only once for each name.
            value = self.__dict__[name] = getattr(import_module(self.__name__), name)
            return value

    json = LazyModule("json")  # a model that is neither saved nor loaded needs none
    numpy = LazyModule("numpy")


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A package's `__getattr__`: each of its names comes from the module that is its home, at its first use.

    >>> name = lazy_names("json", {"JSONDecoder": "decoder"})
    >>> name("JSONDecoder")
    <class 'json.decoder.JSONDecoder'>
    """

    def of_module(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # Python asks only once for each name
        return value

    return of_module
