"""The ground that code runs on: the cell, its walls, the runtimes in it, and what is kept of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from interpreter.assembly.host_calls import HostCalls
from interpreter.assembly.later import Later
from interpreter.assembly.leaving import END_SECONDS, SAVE_SECONDS, START_SECONDS, Leaving
from interpreter.assembly.walls import Walls
from interpreter.protocol.errors import CheckpointError, InterpreterError, SandboxUnavailable
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.ports import Cell, Process, Runtimes, Tool
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.assembly.memory import Memory
    from interpreter.assembly.ruling import SessionRules
    from interpreter.checkpoints.files import FileKeeper
    from interpreter.checkpoints.journal.client import FileJournal
    from interpreter.checkpoints.transaction import Transaction
    from interpreter.checkpoints.variables.python import PythonVariables
    from interpreter.runtimes.pool import RuntimePool
    from interpreter.tools.guarded import Guard
    from interpreter.tools.jobs import Job

Notify = Callable[[str], None]


class Ground:
    """Made from the settings of the moment when the session began; it does not change with them."""

    def __init__(self, settings: Settings, notice: Notify) -> None:
        self._settings = settings
        self._notice = notice
        self._walls = Walls(settings, notice)
        self.cell = Later(self._open_cell)
        self.checkpoints = Later(self._open_checkpoints)
        self._pool = Later(self._open_pool)
        self._kept_variables = Later(self._open_variables)
        self._warmth = Later(self._warm)
        self._leaving = False
        self._block_came = False
        self.session_id = ""
        """The session that began here; what is kept of files goes by its name."""
        self.last_session = ""
        """The session that goes on here now; the variables are its own."""
        self.choose: Callable[[Runtimes], Runtimes] = lambda runtimes: runtimes
        self.background: Callable[[], bool] = lambda: False
        """Lets the block that runs now go on alone; whether there is one."""
        self.resumption = Later(self._resume)
        """Brings back the variables of a session that goes on; what is to be said about it."""
        self._kept_as = ""
        self._journal: FileJournal | None = None
        self._memory: Memory | None = None
        self._jobs: Callable[[], tuple[Job, ...]] = tuple
        self._closing: list[Callable[[], None]] = []
        self._news: list[str] = []
        self.calls = HostCalls(self._walls.escalations)

    @property
    def unconfined(self) -> str:
        """Why there is no sandbox although one was asked for."""
        return self._walls.unconfined

    @property
    def walls(self) -> Walls:
        """What confines code here."""
        return self._walls

    def close(self, tell: Notify | None = None) -> None:
        """Save the variables, and end everything that runs here; `tell` hears what takes long."""
        self._leaving = True
        leaving = Leaving(tell or self._notice)
        for started in (self._warmth, self.resumption):
            leaving.step("Waiting for what still starts", started.settle, START_SECONDS)
        if self._memory is not None:
            busy = any(job.running for job in self._jobs())
            leaving.step(
                "Saving the variables", partial(self._memory.save, busy=busy), SAVE_SECONDS
            )
        leaving.step("Ending the languages", self._close_pool, END_SECONDS)
        self.calls.close()
        while self._closing:
            leaving.step("Ending the sandbox", self._closing.pop(), END_SECONDS)
        self._walls.close()

    def wait_for_variables(self) -> None:
        """A block is about to run: let nothing come before what a session that goes on had."""
        self._block_came = True
        if self.resumption.wanted and not self.resumption.get():
            self.resumption = Later(self._resume)
            self.resumption.get()

    @property
    def _is_open(self) -> bool:
        """Whether there are no walls, which is known for sure once there is a cell."""
        return self._settings.sandbox == "off" or bool(self._walls.unconfined)

    def touched(self, language: str) -> None:
        """Code that is no block is about to run in this language."""
        if self._kept_variables.wanted and self.runtimes.canonical(language) == "python":
            self._variables.touched()

    # Trying several ways.

    def export_variables(self, file: Any) -> bool:
        """Write the variables to a file; False where there is no kernel that has any."""
        if not (self._kept_variables.wanted and self._variables.attached):
            return False
        self._variables.export(file)
        return True

    def adopt_variables(self, file: Any, moved: tuple[Path, Path], *, exact: bool = False) -> None:
        """Take variables over from a file, and say what did not come."""
        self._run_quietly("python", "")
        places = (str(moved[0]), str(moved[1]))
        report = self._variables.adopt(file, places, exact=exact)
        if report.lost:
            self._notice(f"Not taken over: {', '.join(sorted(report.lost))}.")

    def settle_variables(self) -> None:
        """Have a copy of the variables as they are."""
        if self._kept_variables.wanted:
            self._variables.settle()

    def digests(self) -> dict[str, str]:
        """What tells each variable from the same one after it was changed."""
        has_any = self._kept_variables.wanted and self._variables.attached
        return self._variables.digests() if has_any else {}

    def apply_changes(self, staged: Path) -> None:
        """Bring changed files into the workspace, by a program under the journal."""
        from interpreter.runtimes import handover

        exchange = self.cell.get().exchange
        handover.copy(INSIDE / "apply_changes.py", exchange)
        command = [sys.executable, "-I", str(exchange / "apply_changes.py"), str(staged)]
        if self._journal is not None:  # the user has answered where it was tried
            self._journal.watch()
        status = self._launch(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL).wait()
        if self._journal is not None:
            self._journal.settle(allow=True)
        if status:
            raise CheckpointError("Not all files could be brought over; undo takes back the rest.")

    def restart_runtimes(self) -> None:
        """End every REPL; they start again when they are needed."""
        self._close_pool()
        self._pool = Later(self._open_pool)
        self.__dict__.pop("tools", None)

    def reopen_cell(self) -> None:
        """Between blocks: give the user's grants that need a new cell one, with the variables."""
        from interpreter.assembly.reopening import carried_over

        if not self._walls.reopening.wanted or any(job.running for job in self._jobs()):
            return
        self._warmth.settle()
        self.wait_for_variables()
        old = self.cell.get()
        try:
            new = self._walls.reopened_cell(old)
        except SandboxUnavailable as error:
            self._walls.reopening.give_up()
            self._tell(f"{error} What was granted last is not shown.")
            return
        move = partial(self._move, old, new)
        start = partial(self._run_quietly, "python", "")
        back = carried_over(move, self.export_variables, start, lambda f: self._variables.adopt(f))
        self._tell(f"The sandbox was opened anew with what was granted; {back}.")

    def _move(self, old: Cell, new: Cell) -> None:
        """Leave a cell for another; what is kept of files goes on in the same store."""
        self._close_pool()
        if self._memory is not None:
            self._memory.close()
        self._walls.leave(old, new)
        if self.checkpoints.wanted:
            with contextlib.suppress(InterpreterError):  # whoever wanted it has been told
                self.checkpoints.get().close()
        self._closing = [new.close]
        self._journal, self._memory = None, None
        self.cell = Later(lambda: new)
        self._kept_variables = Later(self._open_variables)
        self.checkpoints = Later(self._open_checkpoints)
        self._pool = Later(self._open_pool)

    def _tell(self, text: str) -> None:
        """Tell the user now, and the model with the next block."""
        self._notice(text)
        self._news.append(text)

    def _close_pool(self) -> None:
        if self._pool.wanted:
            with contextlib.suppress(InterpreterError):  # whoever wanted it has been told
                self._pool.get().close()

    def check(self) -> None:
        """Raise at once what would stop the first block, without starting anything."""
        self._walls.check()

    def warm(self) -> None:
        """Begin what the first block will need, in the background."""
        self._warmth.begin()

    def _warm(self) -> None:
        for begin in (self.cell.get, self.checkpoints.get):
            if not self._leaving:
                begin()
        if not (self._leaving or self._is_open):  # without walls, it waits for a block
            self.runtimes.warm("python")

    def choose_runtimes(self, choose: Callable[[Runtimes], Runtimes]) -> None:
        """Let the caller add languages of its own, or leave some out."""
        self.choose = choose
        self.__dict__.pop("tools", None)

    @property
    def runtimes(self) -> RuntimePool:
        """The REPLs of this session."""
        return self._pool.get()

    @property
    def late_runtimes(self) -> Runtimes:
        """The same, of which the names are known before there is a cell."""
        from interpreter.assembly.languages import late_runtimes

        return late_runtimes(self._settings, self.choose, self._pool_now)

    def _pool_now(self) -> RuntimePool:
        return self._pool.get()

    def _open_pool(self) -> RuntimePool:
        from interpreter.assembly.languages import open_pool

        cell = self.cell.get()
        names = self.calls.serve(cell.exchange)
        return open_pool(self._settings, self._notice, cell, self._launch, self._variables, names)

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """What a model can do here."""
        from interpreter.tools.guarded import Guarded
        from interpreter.tools.job_control import JobControl
        from interpreter.tools.run_code import RunCode, RunLimits

        limits = RunLimits(
            seconds=self._settings.timeout or None,
            output_directory=lambda: self.cell.get().exchange / "output",
        )
        run = RunCode(self.late_runtimes, limits)
        escalations = self._walls.escalations
        escalations.inject = run.inject
        self.background = run.background
        self._jobs = run.jobs.all
        guarded = Guarded(run, self._guards, escalations)
        self._walls.running = lambda: guarded.running
        return {"execute": guarded, "jobs": JobControl(run.jobs)}

    def describe_files(self, text: str) -> str:
        """What the data files named in a text hold, looked at inside the cell."""
        from interpreter.tools.profile_file import Profiler, ProfilerOptions, mentioned_files

        if not mentioned_files(text, self._settings.directory()):
            return ""
        cell = self.cell.get()
        options = ProfilerOptions(cell.workspace, data_directory() / "profiles")
        return self._walls.secrets().redact(Profiler(cell.launch, options).describe(text))

    def _open_cell(self) -> Cell:
        from interpreter.assembly import keeping

        cell = self._walls.open_cell()
        self._closing += [cell.close, keeping.sweep_later().cancel]
        if self._walls.instead:  # the model may have been asked before this was known
            self._news.append(self._walls.instead)
        return cell

    def _guards(self) -> list[Guard]:
        from interpreter.assembly.guards import News

        self.wait_for_variables()
        return [News(self._news), *self._walls.guards(self.cell.get(), self._journal)]

    # What is kept.

    def _open_checkpoints(self) -> Transaction:
        from interpreter.assembly import keeping
        from interpreter.checkpoints.transaction import Transaction
        from interpreter.checkpoints.variables.language_state import node_state, shell_state

        workspace = self._settings.directory().resolve()
        self._kept_as = self.session_id or self._kept_as or keeping.unkept_session()
        store = keeping.undo_store(self._kept_as, workspace)
        kept = Transaction(
            self._file_keeper(store, workspace),
            workspace,
            lambda name: self.runtimes.canonical(name),
            lambda: self._walls.traffic,
        )
        kept.attach("python", self._variables)
        if self.session_id:
            self._memory = self._remember()
        kept.attach("shell", shell_state(partial(self._run_quietly, "shell")))
        kept.attach("zsh", shell_state(partial(self._run_quietly, "zsh"), "zsh"))
        kept.attach("javascript", node_state(partial(self._run_quietly, "javascript")))
        # The journal ends when the cell is empty.
        self._closing.insert(0, partial(keeping.close_store, store, kept.close))
        keeping.let_go_of_old_stores(store)
        return kept

    def _ask_about_file(self, path: str, size: int, why: str) -> bool:
        """Whether a file may be changed; asked in the journal's name."""
        from interpreter.assembly.guards import ask_about_file
        from interpreter.protocol.git_config import QUESTION

        accepted = self._settings.auto_run or self.checkpoints.get().was_announced(path)
        if accepted and not why.startswith(QUESTION):
            return True
        return ask_about_file(self._walls.escalations, path, size, why)

    def _run_quietly(self, language: str, source: str) -> str:
        from interpreter.checkpoints.variables.language_state import through

        return through(self.runtimes.get(language))(source)

    def _file_keeper(self, store: Path, workspace: Path) -> FileKeeper:
        from interpreter.assembly import keeping

        try:
            cell = self.cell.get()
            ask, rules = self._walls.ask_about_program, self._rules
            enforced = keeping.Enforced(rules.programs, ask, rules.denied_paths)
            self._journal = keeping.open_journal(
                store, cell, workspace, self._ask_about_file, enforced
            )
        except CheckpointError as reason:
            self._notice(f"{reason} Files are kept by snapshots instead.")
            return keeping.snapshots(store, workspace)
        return self._journal

    @property
    def _rules(self) -> SessionRules:
        return self._walls.rules

    def unenforced(self) -> str:
        """The user's rules that nothing holds here, in a sentence; empty where all are held."""
        self.cell.get()
        if self._rules.programs:
            self.checkpoints.get()
        return self._rules.unenforced(walls=self._walls.are_full, journal=self._journal is not None)

    @property
    def _variables(self) -> PythonVariables:
        return self._kept_variables.get()

    def _open_variables(self) -> PythonVariables:
        from interpreter.checkpoints.variables.python import PythonVariables

        return PythonVariables(self.cell.get().exchange)

    def _remember(self) -> Memory:
        """Keeps the variables over the end of the session."""
        from interpreter.assembly.memory import Memory
        from interpreter.checkpoints.variables.kept import Owner

        level = "off" if self._is_open else self._settings.sandbox
        place = str(self._settings.directory().resolve())
        return Memory(self._variables, lambda: Owner(self.last_session, level, place), self._notice)

    def _resume(self) -> str:
        self.checkpoints.get()
        if self._is_open and not self._block_came:
            return ""  # Python may be the workspace's: without walls nothing of it runs unasked
        assert self._memory is not None, "only a session that is kept goes on"
        return self._memory.resume(partial(self._run_quietly, "python", ""))

    def _launch(self, argv: Any, **options: Any) -> Process:
        """Start a program in the cell, under the journal."""
        self.checkpoints.get()
        words = self._journal.wrap(argv) if self._journal is not None else argv
        return self.cell.get().launch(words, **options)
