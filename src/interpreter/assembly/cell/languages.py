"""Which languages a session can run, and the pool of their runtimes in a cell."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from subprocess import DEVNULL, TimeoutExpired
from typing import TYPE_CHECKING

from interpreter.protocol.errors import UnknownLanguage
from interpreter.protocol.ports import Cell, Launch, Runtime, Runtimes
from interpreter.runtimes.catalog import BUILT_IN, names
from interpreter.runtimes.kernel.files import kernel_directories
from interpreter.settings.described_languages import chosen_names, described
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.checkpoints.variables.python import PythonVariables
    from interpreter.runtimes.pool import Registered, RuntimePool

PROBE_SECONDS = 20.0
Notify = Callable[[str], None]


def open_pool(
    settings: Settings,
    notice: Notify,
    cell: Cell,
    launch: Launch,
    variables: PythonVariables,
    host_names: Sequence[str],
) -> RuntimePool:
    """The runtimes in a cell; `launch` starts their programs, `variables` keeps Python's.

    Python code finds the host's functions under `host_names`.
    """
    # The model is asked before there is a pool: what only a pool needs is loaded with it.
    from interpreter.checkpoints.variables.python import ENVIRONMENT
    from interpreter.runtimes.kernel.python import PythonOptions
    from interpreter.runtimes.pool import PoolOptions, RuntimePool
    from interpreter.runtimes.process.node import NodeOptions

    chosen = _python(settings, notice, cell)
    calls = {"REPLOOP_CALLS": " ".join(host_names)}
    python = PythonOptions(python=chosen, env={**ENVIRONMENT, **calls}, companion=variables)
    node = NodeOptions(env=calls)
    options = PoolOptions(
        settings={"python": python, "javascript": node, "typescript": node},
        registered=(*_registered(settings, notice), *_described(settings)),
        kernel_directories=kernel_directories(),
    )
    return RuntimePool(launch, cell.exchange, options)


class SessionRuntimes:
    """The runtimes of a session; what they are called is known before there is a cell."""

    def __init__(self, settings: Settings, pool: Callable[[], RuntimePool]) -> None:
        self._described = [entry.name for entry in described(settings.languages)]
        self._pool = pool

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names."""
        return self._pool().get(language)

    def names(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return tuple(dict.fromkeys([*names(kernel_directories()), *self._described]))

    def close(self) -> None:
        """Close every runtime that was started."""
        self._pool().close()


class ChosenRuntimes:
    """Runtimes of which only some may be used."""

    def __init__(self, inner: Runtimes, wanted: tuple[str, ...]) -> None:
        self._inner = inner
        self._wanted = {_usual_name(name) for name in wanted}

    def get(self, language: str) -> Runtime:
        """The runtime of a language by any of its names."""
        if _usual_name(language) not in self._wanted:
            known = ", ".join(self.names())
            raise UnknownLanguage(f"{language!r} is not among the chosen languages: {known}.")
        return self._inner.get(language)

    def names(self) -> tuple[str, ...]:
        """The languages that are chosen and can be run here."""
        return tuple(name for name in self._inner.names() if _usual_name(name) in self._wanted)

    def close(self) -> None:
        """Close every runtime that was started."""
        self._inner.close()


def session_runtimes(
    settings: Settings, choose: Callable[[Runtimes], Runtimes], pool: Callable[[], RuntimePool]
) -> Runtimes:
    """The runtimes that a session may use: `choose` is the caller's choice, then the settings'."""
    chosen = choose(SessionRuntimes(settings, pool))
    wanted = chosen_names(settings.languages)
    return ChosenRuntimes(chosen, wanted) if wanted else chosen


def _usual_name(name: str) -> str:
    wanted = name.strip().lower()
    for entry in BUILT_IN:
        if wanted in (entry.language.name, *entry.language.aliases):
            return entry.language.name
    return wanted


def _registered(settings: Settings, notice: Notify) -> tuple[Registered, ...]:
    """Python elsewhere than in the cell, where the user asks for that; it is said."""
    from interpreter.runtimes.kernel.choose_python import INLINE
    from interpreter.runtimes.kernel.python import PYTHON
    from interpreter.runtimes.pool import Registered

    if settings.kernel:
        from interpreter.runtimes.kernel.attached import attached_kernel, find_connection_file

        file = find_connection_file(settings.kernel)
        notice(f"Python runs in the kernel of {file}, outside of the sandbox.")
        return (Registered(PYTHON, lambda launch, exchange: attached_kernel(file)),)
    if settings.python == INLINE:
        from interpreter.runtimes.inline_python import InlinePython

        notice("Python runs in this very process, outside of the sandbox.")
        return (Registered(PYTHON, lambda launch, exchange: InlinePython()),)
    return ()


def _described(settings: Settings) -> tuple[Registered, ...]:
    """The languages that a profile describes; their commands run in the cell."""
    entries = described(settings.languages)
    if not entries:
        return ()
    from interpreter.runtimes.custom import registered

    return tuple(map(registered, entries))


def _python(settings: Settings, notice: Notify, cell: Cell) -> str:
    from interpreter.runtimes.kernel.choose_python import INLINE, choose_python
    from interpreter.sandboxes.backends.none import OpenCell

    wanted = "" if settings.python == INLINE else settings.python

    def succeeds(command: list[str]) -> bool:
        return _succeeds(cell, command)

    try_inside = None if isinstance(cell, OpenCell) else succeeds
    choice = choose_python(wanted, settings.directory(), os.environ, try_inside)
    if choice.offer:
        notice(choice.offer)
    return choice.python


def _succeeds(cell: Cell, command: list[str]) -> bool:
    """Whether a command does, tried inside the cell."""
    try:
        program = cell.launch(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
        return program.wait(PROBE_SECONDS) == 0
    except (OSError, TimeoutExpired):
        return False
