"""Run code with a language model on your own machine."""

from __future__ import annotations

from interpreter._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interpreter.facade.computer import Computer
    from interpreter.facade.interpreter import OpenInterpreter

    interpreter: OpenInterpreter
    computer: Computer

__all__ = ["OpenInterpreter", "__version__", "computer", "interpreter"]


def __getattr__(name: str) -> object:
    """Make the public objects when they are first asked for: importing does no work."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from interpreter.facade.interpreter import OpenInterpreter

    if name == "OpenInterpreter":
        return OpenInterpreter
    shared = globals().setdefault("interpreter", OpenInterpreter())
    return shared if name == "interpreter" else shared.computer


def __dir__() -> list[str]:
    return sorted(__all__)
