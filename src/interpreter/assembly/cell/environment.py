"""What the code of a session runs in, and what it may do there: cell, languages, tools, rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.assembly.cell.block_guards import BlockGuards
from interpreter.assembly.cell.languages import session_runtimes
from interpreter.assembly.cell.opener import CellOpener
from interpreter.assembly.cell.session_cell import Notify, SessionCell
from interpreter.assembly.cell.shutdown import END_SECONDS, Shutdown
from interpreter.assembly.computer.host_calls import HostCalls
from interpreter.assembly.conversation import Conversation
from interpreter.assembly.policy import SessionRules
from interpreter.assembly.tool_servers.servers import ToolServers
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import CallPolicy, Runtimes, Tool
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.tools.guarded import Escalations, Guarded
from interpreter.tools.run_code import RunCode, RunLimits
from interpreter.tools.toolbox import Toolbox, ToolParts

if TYPE_CHECKING:
    from interpreter.assembly.cell.contents import CellSetup
    from interpreter.assembly.cell.draft_cell import DraftCell
    from interpreter.assembly.cell.permissions import Permission, Permissions
    from interpreter.sandboxes.network.host_gate import HostGate


class Environment:
    """Made from the settings of the moment when the session began; it does not change with them.

    Nothing is started before it is needed.
    """

    def __init__(
        self,
        settings: Settings,
        notice: Notify,
        policy: Callable[[], CallPolicy],
        conversation: Conversation | None = None,
        choose: Callable[[Runtimes], Runtimes] = lambda runtimes: runtimes,
    ) -> None:
        self._settings = settings
        self._workspace = settings.directory()
        self._notice = notice
        self._policy = policy
        self.choose = choose
        self._runtimes = session_runtimes(settings, choose, lambda: self.session_cell.pool())
        self._run_code = RunCode(self._runtimes, self._limits())
        self.escalations = Escalations(self._run_code.inject)  # questions of a block that runs
        self._guards = BlockGuards(self._workspace, lambda: self.session_cell.ready())
        guarded = Guarded(self._run_code, self._guards.of_block, self.escalations)
        self.execute: Tool = guarded
        """Runs blocks of code."""
        # Where texts of this session come from.
        self.origins = (conversation or Conversation()).origins(lambda: guarded.running)
        self.calls = HostCalls(
            self.escalations, policy, self._guards.called_in_background, self._origin
        )
        """What code may call of the host's."""
        self._rules = SessionRules(settings, self.escalations, lambda: guarded.running)
        self._permissions: Lazy[Permissions] = Lazy(self._make_permissions)
        opener = CellOpener(settings, self._rules, self._permissions, notice)
        self.session_cell = SessionCell(
            opener,
            Lazy(self._make_setup),
            self._workspace,
            self._is_busy,
            notice,
            self._guards.add_news,
        )
        """The cell that the code runs in."""
        launch = self.session_cell.launch
        self.tool_servers = ToolServers(
            settings, launch, self.escalations, notice, lambda: opener.reaches_hosts
        )
        self.tool_servers.offer(self.calls.functions)
        self.toolbox = Toolbox(
            ToolParts(
                execute=guarded,
                jobs=self._run_code.jobs,
                workspace=self._workspace,
                launch=launch,
                functions=self.calls.functions,
                notice=notice,
            ),
            self._shielded,
        )
        """What a model can do here."""
        self.drafts = self._make_drafts()
        """Runs what is only to be compared, and not offered to any model."""

    def check(self) -> None:
        """Raise at once what would stop the first block, without starting anything."""
        self.session_cell.opener.check()

    def close(self, tell: Notify | None = None) -> None:
        """Save the variables, and end everything that runs here; `tell` hears what takes long."""
        shutdown = Shutdown(tell or self._notice)
        self.calls.close()
        shutdown.step("Ending the drafts", self.drafts.close, END_SECONDS)
        shutdown.step("Ending the tool servers", self.tool_servers.close, END_SECONDS)
        self.session_cell.close(shutdown)
        self._guards.close()

    # Languages and tools.

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._runtimes.names()

    def choose_runtimes(self, choose: Callable[[Runtimes], Runtimes]) -> None:
        """Let the caller add languages of its own, or leave some out."""
        self.choose = choose
        self._runtimes = session_runtimes(self._settings, choose, lambda: self.session_cell.pool())
        self._run_code.use(self._runtimes)

    def background(self) -> bool:
        """Let the block that runs now go on alone; False if there is none. From any thread."""
        return self._run_code.background()

    def native_tools(self, *, small: bool) -> dict[str, Tool]:
        """Tools of servers that the model calls itself, for those that ask for it."""
        if not self.tool_servers.loads_any:
            return {}
        from interpreter.assembly.tool_servers.native_tools import native_tools

        found = native_tools(
            self.tool_servers.servers, self._policy, self.origins.get().of_written, small=small
        )
        return {one.spec.name: self._shielded(one) for one in found}

    def describe_files(self, text: str, *, nearby: bool = False) -> str:
        """What the data files named in a text hold, looked at inside the cell; where it names none,
        the few tables and notes that lie around, if those are wanted."""
        from interpreter.policies.places import is_secret
        from interpreter.tools.profile_file import (
            Profiler,
            ProfilerOptions,
            files_nearby,
            mentioned_files,
        )

        named = bool(mentioned_files(text, self._workspace))
        if not named and not (nearby and files_nearby(self._workspace)):
            return ""
        cell = self.session_cell.contents().cell
        redact = self._guards.secrets().redact
        options = ProfilerOptions(cell.workspace, data_directory() / "profiles", is_secret, redact)
        profiler = Profiler(cell.launch, options)
        return profiler.describe(text) if named else profiler.describe_nearby(text)

    # What the user allows.

    def grant(self, path: Path) -> None:
        """Let code change what is in a directory beside the workspace; before there is a cell."""
        self._permissions.get().session.remember(path, "write")

    def granted(self) -> tuple[Permission, ...]:
        """The hosts and places that the user has allowed."""
        return self._permissions.get().granted()

    def take_back(self, value: str) -> tuple[Permission, ...]:
        """Ask again about a host or a place that was allowed; what that was."""
        walls = contents.walls if (contents := self.session_cell.opened) else None
        return self._permissions.get().take_back(value, walls.grants if walls else None)

    def host_gate(self) -> HostGate | None:
        """Who decides which hosts are reached; None where there are no walls."""
        return self._permissions.get().gate if self.session_cell.opener.is_confined else None

    def unenforced(self) -> str:
        """The user's rules that nothing holds here, in a sentence; empty where all are held."""
        journal = self.session_cell.contents().journal
        is_full = self.session_cell.opener.is_full
        return self._rules.unenforced(confined=is_full, journal=journal is not None)

    # How it is put together.

    def _limits(self) -> RunLimits:
        return RunLimits(
            seconds=self._settings.timeout or None,
            output_directory=lambda: self.session_cell.exchange / "output",
        )

    def _make_setup(self) -> CellSetup:
        from interpreter.assembly.cell.contents import CellSetup

        return CellSetup(
            settings=self._settings,
            notice=self._notice,
            rules=self._rules,
            escalations=self.escalations,
            permissions=self._permissions,
            calls=self.calls,
        )

    def _make_permissions(self) -> Permissions:
        from interpreter.assembly.cell.permissions import Permissions

        return Permissions(self._settings, self._rules, self.escalations, self.origins.get())

    def _make_drafts(self) -> DraftCell:
        from interpreter.assembly.cell.draft_cell import DraftCell, DraftParts

        return DraftCell(
            DraftParts(
                settings=self._settings,
                ways_out=self.session_cell.opener.ways_out,
                open_cell=self.session_cell.opener.open_for_drafts,
                variables=lambda: self.session_cell.contents().variables,
                is_busy=self._is_python_busy,
                choose=lambda runtimes: self.choose(runtimes),
                guard=self._guards.of_tool,
                notice=self._notice,
            )
        )

    def _shielded(self, tool: Tool) -> Tool:
        return Guarded(tool, self._guards.of_tool, self.escalations)

    def _origin(self, given: Mapping[str, Any]) -> str:
        return self.origins.get().of_call(given)

    def _is_python_busy(self) -> bool:
        python = self._runtimes.get("python")
        return self._run_code.jobs.occupying(python) is not None

    def _is_busy(self) -> bool:
        return any(job.running for job in self._run_code.jobs.all())
