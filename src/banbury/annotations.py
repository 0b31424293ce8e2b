"""Names for annotations, without importing `typing`: that takes 4 ms, a third of what importing a classifier takes.

What a program that predicts one text imports has its names from here, everything else from `typing`. A type checker
sees those of `typing`; what runs are stand-ins that do no more than they must.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Any
    from typing import ClassVar as ClassVar
    from typing import Generic as Generic
    from typing import Literal as Literal
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import Self as Self
    from typing import TypedDict as TypedDict
    from typing import TypeVar as TypeVar
    from typing import Unpack as Unpack
    from typing import dataclass_transform as dataclass_transform
else:
    from collections import namedtuple

    Any = NoReturn = Self = object

    class Protocol:
        """A class of which only the methods count."""

    class Generic:
        """What can have types in brackets, and is the same without them."""

        def __class_getitem__(cls, types):
            return cls

    ClassVar = Literal = Unpack = Generic

    class TypedDict:
        """Of a dictionary with known keys: their annotations."""

        def __init_subclass__(cls, *, total=True):
            pass

    def TypeVar(name):
        """Any type."""
        return object

    def dataclass_transform(**how):
        """A decorator that speaks to type checkers alone."""
        return lambda made: made

    class _TupleClass(type):
        """Makes a tuple with names of each class that is written as one."""

        def __new__(kind, name, bases, names):
            if not bases:
                return super().__new__(kind, name, bases, names)
            fields = list(names.get("__annotations__", ()))
            defaults = [names.pop(field) for field in fields if field in names]
            made = namedtuple(name, fields, defaults=defaults, module=names["__module__"])
            for attribute, value in names.items():
                if attribute not in ("__module__", "__dict__", "__weakref__"):
                    setattr(made, attribute, value)
            return made

    class NamedTuple(metaclass=_TupleClass):
        """The base of tuples with names, which none of them has among its parents."""
