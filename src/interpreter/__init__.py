"""Run code with a language model on your own machine."""

from __future__ import annotations

import sys

from interpreter._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interpreter.facade.compatible.computer import Computer
    from interpreter.facade.compatible.interpreter import OpenInterpreter
    from interpreter.facade.typed.asynchronous import AsyncInterpreter
    from interpreter.facade.typed.interpreter import Interpreter
    from interpreter.facade.typed.result import Block, Result
    from interpreter.lmc.languages import BaseLanguage
    from interpreter.protocol.errors import InterpreterError

    interpreter: OpenInterpreter
    computer: Computer

_PLACES = {
    "AsyncInterpreter": "facade.typed.asynchronous",
    "BaseLanguage": "lmc.languages",
    "Block": "facade.typed.result",
    "Interpreter": "facade.typed.interpreter",
    "InterpreterError": "protocol.errors",
    "OpenInterpreter": "facade.compatible.interpreter",
    "Result": "facade.typed.result",
    "load_ipython_extension": "facade.notebook.extension",
    "unload_ipython_extension": "facade.notebook.extension",
}
__all__ = [
    "AsyncInterpreter",
    "BaseLanguage",
    "Block",
    "Interpreter",
    "InterpreterError",
    "OpenInterpreter",
    "Result",
    "__version__",
    "computer",
    "interpreter",
]


def __getattr__(name: str) -> object:
    """Make the public objects when they are first asked for: importing does no work."""
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(f"interpreter.{_PLACES[name]}"), name)
    if name == "interpreter":
        return globals().setdefault("interpreter", _Shared())
    if name == "computer":
        return __getattr__("interpreter").computer  # type: ignore[attr-defined]
    if not name.startswith("_") and not _is_room(name) and hasattr(_owner(name), name):
        return getattr(_owner(name), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Front(type(sys)):  # type: ignore[misc]
    """The package as the oldest programs use it: `import interpreter; interpreter.chat(…)`."""

    def __setattr__(self, name: str, value: object) -> None:
        ours = name.startswith("_") or name in self.__dict__ or isinstance(value, type(sys))
        if ours or not hasattr(_owner(name), name):
            super().__setattr__(name, value)
        else:
            setattr(_owner(name), name, value)


def _is_room(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(f"{__name__}.{name}") is not None


def _owner(name: str) -> object:
    """Who has an attribute of the shared interpreter: it did once have those of its model."""
    return _real().llm if name in _OF_THE_MODEL else _real()  # type: ignore[attr-defined]


_OF_THE_MODEL = frozenset(
    ("model", "temperature", "max_tokens", "context_window", "max_budget")
    + ("api_base", "api_key", "api_version")
)


class _OldNames:
    """Finds modules that are only known to programs written for Open Interpreter."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        """The module, if its name is one of theirs."""
        if not name.startswith((f"{__name__}.core", f"{__name__}.terminal_interface")):
            return None
        from interpreter.facade.compatible.old_names import spec_of

        return spec_of(name)


class _Shared:
    """The interpreter that all programs share: importing it loads nothing, using it does."""

    def __getattr__(self, name: str) -> object:
        return getattr(_real(), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_real(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_real(), name)

    def __dir__(self) -> list[str]:
        return dir(_real())

    def __repr__(self) -> str:
        return repr(_real())

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(_real())


def _real() -> object:
    from interpreter.facade.compatible.interpreter import OpenInterpreter

    if not _made:
        _made.append(OpenInterpreter())
    return _made[0]


_made: list[object] = []


def __dir__() -> list[str]:
    return sorted(__all__)


sys.modules[__name__].__class__ = _Front
if not any(getattr(finder, "__name__", "") == _OldNames.__name__ for finder in sys.meta_path):
    sys.meta_path.append(_OldNames)  # type: ignore[arg-type]
