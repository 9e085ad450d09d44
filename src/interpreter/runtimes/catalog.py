"""Which languages there are, what each needs on the machine, and how to get it."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interpreter.protocol.ports import Language, Launch, Runtime

Which = Callable[[str], str | None]
Factory = Callable[[Launch, Path], Runtime]


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A language that we bring along; `make` is `module:name` of its factory, imported late."""

    language: Language
    make: str
    programs: tuple[str, ...] = ()
    """One of these must be on the search path; none are needed where this is empty."""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class LanguageState:
    """A language as `interpreter doctor` reports it."""

    language: Language
    present: bool
    detail: str
    """Where its interpreter is, or how to get it."""


BUILT_IN = (
    BuiltIn(Language("python", ("py", "python3", "ipython"), ".py"), "python:python_kernel"),
    BuiltIn(
        Language("shell", ("bash", "sh", "terminal", "console"), ".sh"),
        "shell:bash",
        ("bash",),
        "install the package bash",
    ),
    BuiltIn(Language("zsh", (), ".zsh"), "shell:zsh", ("zsh",), "install the package zsh"),
)


def states(which: Which = shutil.which) -> tuple[LanguageState, ...]:
    """Every built-in language with where it is, or how to get it."""
    return tuple(_state(entry, which) for entry in BUILT_IN)


def is_present(entry: BuiltIn, which: Which = shutil.which) -> bool:
    """Whether the machine has what the language needs."""
    return not entry.programs or any(which(program) for program in entry.programs)


def load(path: str) -> Callable[..., Any]:
    """The factory behind `module:name`, from this room."""
    module, _, name = path.partition(":")
    factory: Callable[..., Any] = getattr(
        importlib.import_module(f"interpreter.runtimes.{module}"), name
    )
    return factory


def _state(entry: BuiltIn, which: Which) -> LanguageState:
    if not entry.programs:
        return LanguageState(entry.language, True, "comes with the interpreter")
    found = next((path for program in entry.programs if (path := which(program))), None)
    return LanguageState(entry.language, found is not None, found or entry.hint)
