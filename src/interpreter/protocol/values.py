"""Value classes: frozen dataclasses with slots that cost little to define.

`dataclass(frozen=True, slots=True)` writes and compiles seven methods for every class, which is a
third of the time to our first request. Here only `__init__` is compiled, with the first value of
its class; the others are shared.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")

UNSET: Any = object()  # stands for "call the factory": a default of None could be meant


@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def frozen(cls: type[T]) -> type[T]:
    """A class of values: equal when their fields are, hashable, never changed."""
    cls.__doc__ = cls.__doc__ or cls.__name__  # else one is made, with all that reads signatures
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    compared = [one.name for one in fields(made) if one.compare]
    made.__compared__ = staticmethod(attrgetter(*compared) if compared else lambda self: ())
    made.__init__ = _to_be_compiled(made)
    for name, method in _SHARED.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _to_be_compiled(cls: Any) -> Any:
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        cls.__init__ = _init(cls)
        cls.__init__(self, *given, **named)

    return __init__


def _init(cls: type) -> Any:
    names: dict[str, Any] = {"_unset": UNSET}
    given, body = ["self"], []
    ordered = sorted(fields(cls), key=lambda one: one.kw_only is True)
    for one in ordered:
        names[f"_set_{one.name}"] = getattr(cls, one.name).__set__
        if one.init:
            if one.kw_only and "*" not in given:
                given.append("*")
            given.append(one.name + _default(one, names))
        body.append(f"_set_{one.name}(self, {_assigned(one, names)})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    source = f"def __init__({', '.join(given)}):\n " + "\n ".join(body or ["pass"])
    exec(source, names)
    init = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in ordered if one.init} | {"return": None}
    return init


def _default(one: Field[Any], names: dict[str, Any]) -> str:
    if one.default is not MISSING:
        names[f"_default_{one.name}"] = one.default
        return f"=_default_{one.name}"
    return "=_unset" if one.default_factory is not MISSING else ""


def _assigned(one: Field[Any], names: dict[str, Any]) -> str:
    if one.default_factory is MISSING:
        return one.name if one.init else f"_default_{one.name}"
    names[f"_make_{one.name}"] = one.default_factory
    made = f"_make_{one.name}()"
    return f"{made} if {one.name} is _unset else {one.name}" if one.init else made


# The methods that all value classes share.


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__compared__(self) == self.__compared__(other)


def _hash(self: Any) -> int:
    return hash(self.__compared__(self))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _setattr(self: Any, name: str, new: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for one, kept in zip(fields(self), state, strict=True):
        getattr(type(self), one.name).__set__(self, kept)


_SHARED = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
