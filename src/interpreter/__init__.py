"""Run code with a language model on your own machine."""

from __future__ import annotations

from interpreter._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interpreter.facade.asynchronous import AsyncInterpreter
    from interpreter.facade.computer import Computer
    from interpreter.facade.interpreter import OpenInterpreter
    from interpreter.facade.languages import BaseLanguage
    from interpreter.facade.result import Block, Result
    from interpreter.facade.typed import Interpreter
    from interpreter.protocol.errors import InterpreterError

    interpreter: OpenInterpreter
    computer: Computer

_PLACES = {
    "AsyncInterpreter": "facade.asynchronous",
    "BaseLanguage": "facade.languages",
    "Block": "facade.result",
    "Interpreter": "facade.typed",
    "InterpreterError": "protocol.errors",
    "OpenInterpreter": "facade.interpreter",
    "Result": "facade.result",
    "load_ipython_extension": "facade.notebook",
    "unload_ipython_extension": "facade.notebook",
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
    if name not in ("interpreter", "computer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from interpreter.facade.interpreter import OpenInterpreter

    shared = globals().setdefault("interpreter", OpenInterpreter())
    return shared if name == "interpreter" else shared.computer


def __dir__() -> list[str]:
    return sorted(__all__)
