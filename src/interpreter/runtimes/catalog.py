"""Which languages there are, what each needs on the machine, and how to get it."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from interpreter.protocol.ports import Language, Launch, Runtime
from interpreter.protocol.values import frozen
from interpreter.runtimes.kernel.files import kernel_specs

Which = Callable[[str], str | None]
Factory = Callable[[Launch, Path], Runtime]


@frozen
class BuiltIn:
    """A language that we bring along; `make` is `module:name` of its factory, imported late."""

    language: Language
    make: str
    programs: tuple[str, ...] = ()
    """One of these must be on the search path; none are needed where this is empty."""
    hint: str = ""
    over: str = ""
    """The language whose runtime this one works in."""


@frozen
class LanguageStatus:
    """A language as `interpreter doctor` reports it."""

    language: Language
    present: bool
    detail: str
    """Where its interpreter is, or how to get it."""


BUILT_IN = (
    BuiltIn(Language("python", ("py", "python3", "ipython"), ".py"), "kernel.python:python_kernel"),
    BuiltIn(
        Language("shell", ("bash", "sh", "terminal", "console"), ".sh"),
        "process.shell:bash",
        ("bash",),
        "install the package bash",
    ),
    BuiltIn(
        Language("javascript", ("js", "node", "nodejs"), ".js"),
        "process.node:javascript",
        ("node",),
        "install Node.js 20 or newer",
    ),
    BuiltIn(
        Language("typescript", ("ts",), ".ts"),
        "process.node:typescript",
        ("node",),
        "install Node.js 22 or newer, or the npm package typescript in the working directory",
    ),
    BuiltIn(Language("zsh", (), ".zsh"), "process.shell:zsh", ("zsh",), "install the package zsh"),
    BuiltIn(
        Language("powershell", ("pwsh", "ps1"), ".ps1"),
        "process.driver_languages:powershell",
        ("pwsh",),
        "install PowerShell 7 (pwsh)",
    ),
    BuiltIn(
        Language("ruby", ("rb",), ".rb"),
        "process.driver_languages:ruby",
        ("ruby",),
        "install the package ruby",
    ),
    BuiltIn(
        Language("r", ("rscript", "rlang"), ".R"),
        "process.driver_languages:r",
        ("Rscript",),
        "install the package r-base-core, or R from its own site",
    ),
    BuiltIn(
        Language("java", ("jshell",), ".java"),
        "process.driver_languages:java",
        ("jshell",),
        "install a JDK, 17 or newer (default-jdk-headless)",
    ),
    BuiltIn(
        Language("perl", ("pl",), ".pl"),
        "process.driver_languages:perl",
        ("perl",),
        "install the package perl",
    ),
    BuiltIn(
        Language("lua", (), ".lua"),
        "process.driver_languages:lua",
        ("lua",),
        "install the package lua5.4",
    ),
    BuiltIn(
        Language("php", (), ".php"),
        "process.driver_languages:php",
        ("php",),
        "install the package php-cli",
    ),
    BuiltIn(
        Language("applescript", ("osascript",), ".applescript"),
        "process.one_shot:applescript",
        ("osascript",),
        "comes with macOS only",
    ),
    BuiltIn(
        Language("sql", ("duckdb", "sqlite", "sqlite3"), ".sql"),
        "kernel.sql:SqlRuntime",
        over="python",
    ),
    BuiltIn(Language("html", ("htm",), ".html"), "html:html"),
)


TAKEN = frozenset(name for e in BUILT_IN for name in (e.language.name, *e.language.aliases))
"""The names of built-in languages; a Jupyter kernel of such a name is not a language of its own."""


def states(which: Which = shutil.which) -> tuple[LanguageStatus, ...]:
    """Every built-in language with where it is, or how to get it."""
    return tuple(_state(entry, which) for entry in BUILT_IN)


def names(directories: Sequence[Path] = (), which: Which = shutil.which) -> tuple[str, ...]:
    """The languages that can be run here: built in, and the Jupyter kernels of the directories."""
    built_in = [entry.language.name for entry in BUILT_IN if is_present(entry, which)]
    kernels = [folder.name.lower() for folder, _ in kernel_specs(directories)]
    return tuple(dict.fromkeys([*built_in, *(name for name in kernels if name not in TAKEN)]))


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


def _state(entry: BuiltIn, which: Which) -> LanguageStatus:
    if not entry.programs:
        return LanguageStatus(entry.language, True, "comes with the interpreter")
    found = next((path for program in entry.programs if (path := which(program))), None)
    return LanguageStatus(entry.language, found is not None, found or entry.hint)
