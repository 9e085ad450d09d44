"""Compatibility: modules by the names that programs written for Open Interpreter import.

Nothing else uses them. They are made when they are imported, and load what they stand for when it
is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PARTS = "interpreter.facade.compatible.old_parts"
PLACES: dict[str, dict[str, str]] = {
    "core": {},
    "core.core": {"OpenInterpreter": "interpreter.facade.compatible.interpreter"},
    "core.async_core": {"AsyncInterpreter": "interpreter.facade.typed.asynchronous"},
    "core.computer": {},
    "core.computer.computer": {"Computer": PARTS},
    "core.computer.files": {},
    "core.computer.files.files": {"Files": PARTS},
    "core.computer.terminal": {},
    "core.computer.terminal.base_language": {"BaseLanguage": "interpreter.lmc.languages"},
    "core.computer.terminal.terminal": {"Terminal": "interpreter.facade.compatible.computer"},
    "core.llm": {},
    "core.llm.llm": {"Llm": PARTS},
    "terminal_interface": {},
    "terminal_interface.profiles": {},
    "terminal_interface.profiles.profiles": {"profile": PARTS, "profile_dir": PARTS},
    "terminal_interface.start_terminal_interface": {
        "main": PARTS,
        "start_terminal_interface": PARTS,
    },
    "terminal_interface.utils": {},
    "terminal_interface.utils.count_tokens": {
        "count_tokens": PARTS,
        "count_messages_tokens": PARTS,
        "token_cost": PARTS,
    },
    "terminal_interface.utils.local_storage_path": {"get_storage_path": PARTS},
}


def spec_of(name: str) -> ModuleSpec | None:
    """How the module of a name is made; None where there was none, or nothing stands for it."""
    known = name.partition(".")[2]
    if known not in PLACES:
        return None
    is_package = any(other.startswith(f"{known}.") for other in PLACES)
    return ModuleSpec(name, _Loader(known), origin="compatibility", is_package=is_package)


class _Loader(Loader):
    """Makes a module whose names lead elsewhere."""

    def __init__(self, known: str) -> None:
        self._places = PLACES[known]

    def create_module(self, spec: ModuleSpec) -> None:
        """The usual module."""

    def exec_module(self, module: ModuleType) -> None:
        """Its names are looked up when they are asked for."""

        def look_up(name: str) -> Any:
            if name not in self._places:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return getattr(import_module(self._places[name]), name)

        module.__dict__.update(__getattr__=look_up, __all__=list(self._places))
