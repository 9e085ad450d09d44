"""What the code of a session runs in: a cell, the REPLs in it, and what is kept of both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from interpreter.assembly.cell.languages import session_runtimes
from interpreter.assembly.cell.life import CellLife, Resumption
from interpreter.assembly.cell.opener import CellOpener
from interpreter.assembly.cell.saved_variables import carried_over
from interpreter.assembly.cell.shutdown import END_SECONDS, Shutdown
from interpreter.assembly.computer.host_calls import HostCalls
from interpreter.assembly.conversation import Conversation
from interpreter.assembly.policy import SessionRules
from interpreter.assembly.tool_servers.servers import ToolServers
from interpreter.protocol.calls import MOST_LINES
from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import CallPolicy, Cell, Checkpoints, Process, Runtimes, Tool
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.tools.guarded import Escalations, Guarded
from interpreter.tools.run_code import RunCode, RunLimits
from interpreter.tools.toolbox import Toolbox, ToolParts

if TYPE_CHECKING:
    from interpreter.assembly.cell.contents import CellContents
    from interpreter.assembly.cell.draft_cell import DraftCell
    from interpreter.assembly.cell.permissions import Permission, Permissions
    from interpreter.policies.autorun import AutorunGuard
    from interpreter.policies.env_files import SecretsNow
    from interpreter.policies.secrets import Secrets
    from interpreter.runtimes.pool import RuntimePool
    from interpreter.sandboxes.network.host_gate import HostGate
    from interpreter.tools.guarded import Guard

Notify = Callable[[str], None]


class Environment:
    """Made from the settings of the moment when the session began; it does not change with them.

    Nothing is started before it is needed, or `warm` is called.
    """

    def __init__(
        self,
        settings: Settings,
        notice: Notify,
        policy: Callable[[], CallPolicy],
        conversation: Conversation | None = None,
        choose: Callable[[Runtimes], Runtimes] = lambda runtimes: runtimes,
    ) -> None:
        from interpreter.assembly.cell.kept_files import unkept_session

        self._settings = settings
        self._workspace = settings.directory()
        self._notice = notice
        self.first_session = ""
        """The session that began here; what is kept of files goes by its name."""
        self.session = ""
        """The session that goes on here now; the variables are its own."""
        self._unkept = unkept_session()
        self._news: list[str] = []
        self.choose = choose
        self._runtimes = session_runtimes(settings, choose, self._pool)
        self._run_code = RunCode(self._runtimes, self._limits())
        self.escalations = Escalations(self._run_code.inject)  # questions of a block that runs
        guarded = Guarded(self._run_code, self._block_guard, self.escalations)
        self.execute: Tool = guarded
        """Runs blocks of code."""
        # Where texts of this session come from.
        self.origins = (conversation or Conversation()).origins(lambda: guarded.running)
        self.calls = HostCalls(self.escalations, policy, self._called_in_background, self._origin)
        """What code may call of the host's."""
        self.tool_servers = ToolServers(
            settings, self.launch, self.escalations, notice, lambda: self.opener.reaches_hosts
        )
        self.tool_servers.offer(self.calls.functions)
        self._policy = policy
        self.toolbox = Toolbox(
            ToolParts(
                execute=guarded,
                jobs=self._run_code.jobs,
                workspace=self._workspace,
                launch=self.launch,
                functions=self.calls.functions,
                notice=notice,
            ),
            self._shielded,
        )
        """What a model can do here."""
        self._rules = SessionRules(settings, self.escalations, lambda: guarded.running)
        self._permissions: Lazy[Permissions] = Lazy(self._make_permissions)
        self._autorun: Lazy[AutorunGuard] = Lazy(self._make_autorun)
        self._secrets_now, self._warmth = Lazy(self._make_secrets), Lazy(self._warm)
        self.opener = CellOpener(settings, self._rules, self._permissions, notice)
        self._life = CellLife(self._open_cell, self._set_up)
        self.resumption = Resumption(self._resume, self._is_confined)
        self.drafts = self._make_drafts()
        """Runs what is only to be compared, and not offered to any model."""
        self._sweep: threading.Timer | None = None

    def native_tools(self, *, small: bool) -> dict[str, Tool]:
        """Tools of servers that the model calls itself, for those that ask for it."""
        if not self.tool_servers.loads_any:
            return {}
        from interpreter.assembly.tool_servers.native_tools import native_tools

        found = native_tools(
            self.tool_servers.servers, self._policy, self.origins.get().of_written, small=small
        )
        return {one.spec.name: self._shielded(one) for one in found}

    def _origin(self, given: Mapping[str, Any]) -> str:
        return self.origins.get().of_call(given)

    def _shielded(self, tool: Tool) -> Tool:
        return Guarded(tool, self._secret_guard, self.escalations)

    # Beginning and ending.

    def check(self) -> None:
        """Raise at once what would stop the first block, without starting anything."""
        self.opener.check()

    def serve(self, session: str) -> None:
        """A session begins here, or goes on."""
        self.first_session = self.first_session or session
        self.session = session

    def grant(self, path: Path) -> None:
        """Let code change what is in a directory beside the workspace; before there is a cell."""
        self._permissions.get().session.remember(path, "write")

    def warm(self) -> None:
        """Begin what the first block will need, in the background."""
        self._warmth.begin()

    def close(self, tell: Notify | None = None) -> None:
        """Save the variables, and end everything that runs here; `tell` hears what takes long."""
        shutdown = Shutdown(tell or self._notice)
        self.calls.close()
        shutdown.step("Ending the drafts", self.drafts.close, END_SECONDS)
        shutdown.step("Ending the tool servers", self.tool_servers.close, END_SECONDS)
        self._life.close(shutdown, (self._warmth.settle, self.resumption.settle), self._save)
        if self._sweep is not None:
            self._sweep.cancel()
        if self._autorun.made is not None:
            self._autorun.made.close()

    # What is there.

    @property
    def cell(self) -> Cell:
        """The cell, opened now if need be."""
        return self._life.contents().cell

    @property
    def unconfined(self) -> str:
        """Why there is no sandbox although one was asked for; empty where there is one."""
        self._life.contents()
        return self.opener.unconfined

    @property
    def opened(self) -> CellContents | None:
        """The cell with all that is in it, if anything has needed it yet."""
        return self._life.opened

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run here."""
        return self._runtimes.names()

    def choose_runtimes(self, choose: Callable[[Runtimes], Runtimes]) -> None:
        """Let the caller add languages of its own, or leave some out."""
        self.choose = choose
        self._runtimes = session_runtimes(self._settings, choose, self._pool)
        self._run_code.use(self._runtimes)

    def restart_runtimes(self) -> None:
        """End every REPL; they start again when they are needed."""
        if contents := self.opened:
            contents.close_runtimes()

    def background(self) -> bool:
        """Let the block that runs now go on alone; False if there is none. From any thread."""
        return self._run_code.background()

    def checkpoints(self) -> Checkpoints:
        """What was kept before each block; variables that are on their way come first."""
        self.resumption.settle()
        return self._life.contents().checkpoints

    def granted(self) -> tuple[Permission, ...]:
        """The hosts and places that the user has allowed."""
        return self._permissions.get().granted()

    def host_gate(self) -> HostGate | None:
        """Who decides which hosts are reached; None where there are no walls."""
        return self._permissions.get().gate if self.opener.is_confined else None

    def take_back(self, value: str) -> tuple[Permission, ...]:
        """Ask again about a host or a place that was allowed; what that was."""
        walls = contents.walls if (contents := self.opened) else None
        return self._permissions.get().take_back(value, walls.grants if walls else None)

    def unenforced(self) -> str:
        """The user's rules that nothing holds here, in a sentence; empty where all are held."""
        journal = self._life.contents().journal
        return self._rules.unenforced(confined=self.opener.is_full, journal=journal is not None)

    # Around blocks.

    def before_block(self) -> None:
        """Have the variables back, and the cell that the user's grants need."""
        self.resumption.finish()
        old = self._life.contents()
        if old.walls is None or not old.walls.permissions.session.needs_new_cell or self._is_busy():
            return
        self._warmth.settle()
        grants = old.walls.permissions.session
        try:
            new = self.opener.open_again(old.cell)
        except SandboxUnavailable as error:
            grants.give_up()
            self._tell(f"{error} What was granted last is not shown.")
            return
        grants.cell_opened()
        back = carried_over(old, partial(self._life.move_to, new))
        self._tell(f"The sandbox was opened anew with what was granted; {back}.")

    def touched(self, language: str) -> None:
        """Code that is no block is about to run in this language."""
        contents = self.opened
        if contents and contents.runtimes.get().canonical(language) == "python":
            contents.variables.touched()

    def describe_files(self, text: str) -> str:
        """What the data files named in a text hold, looked at inside the cell."""
        from interpreter.policies.places import is_secret
        from interpreter.tools.profile_file import Profiler, ProfilerOptions, mentioned_files

        if not mentioned_files(text, self._workspace):
            return ""
        cell = self.cell
        options = ProfilerOptions(
            cell.workspace, data_directory() / "profiles", is_secret, self._secrets().redact
        )
        return Profiler(cell.launch, options).describe(text)

    def adopt_variables(
        self, file: BinaryIO, moved: tuple[Path, Path], *, exact: bool = False
    ) -> None:
        """Take variables over from a file, and say what did not come."""
        contents = self._life.contents()
        contents.run_quietly("python", "")
        places = (str(moved[0]), str(moved[1]))
        report = contents.variables.adopt(file, places, exact=exact)
        if report.lost:
            self._notice(f"Not taken over: {', '.join(sorted(report.lost))}.")

    # How it is put together.

    def _limits(self) -> RunLimits:
        return RunLimits(
            seconds=self._settings.timeout or None,
            output_directory=lambda: self.cell.exchange / "output",
        )

    def _open_cell(self) -> Cell:
        from interpreter.assembly.cell.kept_files import sweep_later

        cell = self.opener.open()
        self._sweep = sweep_later()
        if self.opener.weaker:  # the model may have been asked before this was known
            self._news.append(self.opener.weaker)
        return cell

    def _set_up(self, cell: Cell) -> CellContents:
        from interpreter.assembly.cell.contents import CellSetup
        from interpreter.checkpoints.variables.kept import Owner

        def owner() -> Owner:
            level = self._settings.sandbox if self.opener.is_confined else "off"
            return Owner(self.session, level, str(self._workspace.resolve()))

        setup = CellSetup(
            settings=self._settings,
            notice=self._notice,
            rules=self._rules,
            escalations=self.escalations,
            permissions=self._permissions,
            calls=self.calls,
        )
        name = self.first_session or self._unkept
        return setup.set_up(cell, name, owner if self.first_session else None)

    def launch(self, argv: Any, **options: Any) -> Process:
        """Start a program in the cell."""
        return self._life.contents().launch(argv, **options)

    def _pool(self) -> RuntimePool:
        return self._life.contents().runtimes.get()

    def _make_permissions(self) -> Permissions:
        from interpreter.assembly.cell.permissions import Permissions

        return Permissions(self._settings, self._rules, self.escalations, self.origins.get())

    def _make_drafts(self) -> DraftCell:
        from interpreter.assembly.cell.draft_cell import DraftCell, DraftParts

        return DraftCell(
            DraftParts(
                settings=self._settings,
                open_cell=self.opener.open_for_drafts,
                variables=lambda: self._life.contents().variables,
                choose=lambda runtimes: self.choose(runtimes),
                guard=self._secret_guard,
                notice=self._notice,
            )
        )

    def _make_autorun(self) -> AutorunGuard:
        from interpreter.policies.autorun import AutorunGuard

        return AutorunGuard(self._workspace)

    def _warm(self) -> None:
        contents = self._life.contents()
        # Without a sandbox, it waits for a block.
        if self.opener.is_confined and self._life.state == "open":
            contents.runtimes.get().warm("python")

    def _is_confined(self) -> bool:
        self._life.contents()
        return self.opener.is_confined

    def _resume(self) -> str:
        contents = self._life.contents()
        assert contents.saved is not None, "only a session that is kept goes on"
        return contents.saved.resume(partial(contents.run_quietly, "python", ""))

    def _save(self, contents: CellContents) -> None:
        if contents.saved is not None:
            contents.saved.save(busy=self._is_busy())

    def _is_busy(self) -> bool:
        return any(job.running for job in self._run_code.jobs.all())

    def _tell(self, text: str) -> None:
        """Tell the user now, and the model with the next block."""
        self._notice(text)
        self._news.append(text)

    def _called_in_background(self, line: str) -> None:
        """Code called the host while no block ran: the next one tells it, of the first calls."""
        if len(self._news) < MOST_LINES:
            self._news.append(f"called in the background: {line}")

    def _block_guard(self) -> Guard:
        """Who watches one block."""
        from interpreter.assembly.cell import guards

        self.resumption.finish()
        contents, workspace = self._life.contents(), self._workspace
        found: list[Guard] = [guards.News(self._news)] if self._news else []
        found.append(guards.SecretGuard(self._secrets()))
        if walls := contents.walls:
            found += [
                guards.HostGuard(walls.permissions.gate),
                guards.PassingFiles(walls.cell),
                guards.PathGuard(walls.grants, walls.permissions.session, workspace),
            ]
        found.append(guards.AutorunWatch(self._autorun.get(), workspace, contents.journal))
        return guards.GuardChain(*found)

    def _secret_guard(self) -> Guard:
        """Who watches a tool that runs no code of the model's."""
        from interpreter.assembly.cell.guards import SecretGuard

        return SecretGuard(self._secrets())

    def _secrets(self) -> Secrets:
        """What is to be shown to nobody."""
        return self._secrets_now.get().get()

    def _make_secrets(self) -> SecretsNow:
        from interpreter.policies.env_files import SecretsNow

        return SecretsNow(self._workspace)
