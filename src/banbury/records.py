"""Record: a frozen value with named fields, whose class is made in microseconds.

A frozen dataclass is the same, but `dataclasses` writes and compiles methods for each class, 0.4 ms each, and importing
it takes six more, most of them for `inspect`. So what a program that predicts one text imports is written as records,
everything else as dataclasses. `dataclasses.fields`, `replace` and `asdict` take a record for a dataclass.
"""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any, ClassVar, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import Field
    from typing import Self


class _Fields:
    """The fields of a record as `dataclasses` has them, made when somebody asks for them."""

    def __get__(self, record: object, owner: type[Record]) -> dict[str, Field[Any]]:
        from dataclasses import field, make_dataclass

        given = owner.field_defaults
        fields = [(name, Any, field(default=given[name]) if name in given else field()) for name in owner.field_names]
        made: Any = make_dataclass(owner.__name__, fields, kw_only=owner.is_kw_only)
        fields_by_name: dict[str, Field[Any]] = made.__dataclass_fields__
        return fields_by_name


@dataclass_transform(frozen_default=True)
class Record:
    """The base of records. `kw_only`: fields are given by name alone; without `eq` a record equals only itself.

    >>> class Place(Record):
    ...     row: int
    ...     column: int = 0
    >>> Place(3), Place(3).replace(row=4) == Place(4, 0)
    (Place(row=3, column=0), True)
    """

    field_names: ClassVar[tuple[str, ...]] = ()
    field_defaults: ClassVar[dict[str, Any]] = {}
    is_kw_only: ClassVar[bool] = False
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _Fields()

    def __init_subclass__(cls, *, kw_only: bool = False, eq: bool = True) -> None:
        cls.field_names = tuple(cls.__dict__.get("__annotations__", ()))  # noqa: RUF063  it would import `inspect`
        cls.field_defaults = {name: getattr(cls, name) for name in cls.field_names if hasattr(cls, name)}
        cls.is_kw_only = kw_only
        if not eq:
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **given: Any) -> None:
        names, name = self.field_names, type(self).__name__
        if len(values) > (n_placed := 0 if self.is_kw_only else len(names)):
            raise TypeError(f"{name} takes {n_placed} fields by their place, not {len(values)}")
        placed = dict(zip(names, values, strict=False))
        fields = {**self.field_defaults, **placed, **given}
        if unknown := [field for field in given if field not in names or field in placed]:
            raise TypeError(f"{name} has no field {unknown[0]!r}, or it is given twice")
        if missing := [field for field in names if field not in fields]:
            raise TypeError(f"{name} needs the field {missing[0]!r}")
        self.__dict__.update(fields)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check or change what was given: by default nothing."""

    def _values(self) -> tuple[Any, ...]:
        return tuple(self.__dict__[name] for name in self.field_names)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        fields = zip(self.field_names, self._values(), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in fields)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise _frozen(name)

    def __delattr__(self, name: str) -> None:
        raise _frozen(name)

    def replace(self, **changes: Any) -> Self:
        """The same record with other values of some fields."""
        return type(self)(**{**dict(zip(self.field_names, self._values(), strict=True)), **changes})


def _frozen(name: str) -> AttributeError:
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(f"cannot change field {name!r}: a record stays as it is")
