"""What a model can do: tools by name, registered as entry points of the group `interpreter.tools`.

An installed package adds its own; a session has those that its settings name, or else the usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol.errors import ConfigurationError, InterpreterError, PluginError
from interpreter.protocol.events import ExecutionFinished, RuntimeEvent
from interpreter.protocol.messages import Action
from interpreter.protocol.ports import Launch, Tool, ToolContext
from interpreter.protocol.values import frozen
from interpreter.tools.calls.functions import HostFunctions
from interpreter.tools.jobs import Jobs

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "interpreter.tools"
BUILT_IN = {
    "execute": "interpreter.tools.run_code:execute",
    "jobs": "interpreter.tools.job_control:jobs",
}
"""The tools that need no search; pyproject.toml registers the same ones."""
USUAL = tuple(BUILT_IN)
FOR_SMALL_MODELS = ("execute",)


@frozen
class ToolParts:
    """What a session has that tools are made of."""

    execute: Tool
    """Runs a block of code in the cell, under guard."""
    jobs: Jobs
    """The blocks that go on in the background."""
    workspace: Path
    launch: Launch
    """Starts a program in the cell."""
    functions: HostFunctions
    """What code in the cell may call; a tool can offer the same to code."""
    notice: Callable[[str], None]
    """Says a sentence to the user."""


class Toolbox:
    """Makes the tools of one session, each once; `shield` goes around all that run no block."""

    def __init__(self, parts: ToolParts, shield: Callable[[Tool], Tool]) -> None:
        self._parts = parts
        self._shield = shield
        self._made: dict[str, Tool] = {}

    def tools(self, names: Sequence[str]) -> dict[str, Tool]:
        """The tools of these names; ConfigurationError says which there are, PluginError whose is
        broken."""
        return {name: self.get(name) for name in names}

    def get(self, name: str) -> Tool:
        """One tool."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Tool:
        if name in BUILT_IN:
            module, _, attribute = BUILT_IN[name].partition(":")
            made: Tool = getattr(import_module(module), attribute)(self._parts)
            return made if made is self._parts.execute else self._shield(made)
        from importlib.metadata import entry_points  # noqa: PLC0415  (slow, and rarely needed)

        found = entry_points(group=GROUP)
        plugin = next((one for one in found if one.name == name), None)
        if plugin is None:
            known = ", ".join(sorted({*BUILT_IN, *(one.name for one in found)}))
            raise ConfigurationError(f"There is no tool {name!r}; there are: {known}.")
        return self._shield(_Foreign(_plugged_in(plugin, self._parts), _owner(plugin)))


def _plugged_in(plugin: EntryPoint, parts: ToolParts) -> Tool:
    try:
        tool: Tool = plugin.load()(parts)
        if tool.spec.name != plugin.name:
            raise TypeError(f"it calls itself {tool.spec.name!r}")
    except Exception as error:
        raise PluginError(
            f"The tool {plugin.name!r} of the package {_owner(plugin)!r} is broken: {error!r}"
        ) from error
    return tool


def _owner(plugin: EntryPoint) -> str:
    return plugin.dist.name if plugin.dist else plugin.value


class _Foreign:
    """A tool of somebody else's: its faults are news for the model, not the end of the turn."""

    def __init__(self, tool: Tool, owner: str) -> None:
        self.spec = tool.spec
        self._tool = tool
        self._owner = owner

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Do it."""
        try:
            yield from self._tool.run(action, context)
        except InterpreterError as error:
            yield ExecutionFinished("failed", str(error))
        except Exception as error:  # noqa: BLE001  (whatever a plug-in does)
            whose = f"The tool {self.spec.name!r} of the package {self._owner!r}"
            yield ExecutionFinished("failed", f"{whose} failed: {error!r}")
