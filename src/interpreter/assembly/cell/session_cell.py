"""The cell of one session: opened when it is needed, left for another one, saved in the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from interpreter.assembly.cell.life import CellLife, Resumption
from interpreter.assembly.cell.opener import CellOpener
from interpreter.assembly.cell.saved_variables import carried_over
from interpreter.assembly.cell.shutdown import Shutdown
from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Cell, Checkpoints, Process

if TYPE_CHECKING:
    from interpreter.assembly.cell.contents import CellContents, CellSetup
    from interpreter.checkpoints.variables.kept import Owner
    from interpreter.runtimes.pool import RuntimePool

Notify = Callable[[str], None]


class SessionCell:
    """Where the code of a session runs. Nothing is started before it is needed, or `warm`."""

    def __init__(
        self,
        opener: CellOpener,
        setup: Lazy[CellSetup],
        workspace: Path,
        is_busy: Callable[[], bool],
        notice: Notify,
        add_news: Notify,
    ) -> None:
        from interpreter.assembly.cell.kept_files import unkept_session

        self.opener = opener
        self.first_session = ""
        """The session that began here; what is kept of files goes by its name."""
        self.session = ""
        """The session that goes on here now; the variables are its own."""
        self._unkept = unkept_session()
        self._setup = setup
        self._workspace = workspace
        self._is_busy = is_busy
        self._notice = notice
        self._add_news = add_news
        self._life = CellLife(self._open, self._set_up)
        self.resumption = Resumption(self._resume, self._is_confined)
        self._warmth = Lazy(self._warm)
        self._sweep: threading.Timer | None = None

    def serve(self, session: str) -> None:
        """A session begins here, or goes on."""
        self.first_session = self.first_session or session
        self.session = session

    def warm(self) -> None:
        """Begin what the first block will need, in the background."""
        self._warmth.begin()

    def close(self, shutdown: Shutdown) -> None:
        """Save the variables, and end everything that runs here."""
        self._life.close(shutdown, (self._warmth.settle, self.resumption.settle), self._save)
        if self._sweep is not None:
            self._sweep.cancel()

    # What is there.

    def contents(self) -> CellContents:
        """The cell with all that is in it, opened now if need be."""
        return self._life.contents()

    def ready(self) -> CellContents:
        """The same for a block, with the variables of a session that goes on."""
        self.resumption.finish()
        return self._life.contents()

    @property
    def opened(self) -> CellContents | None:
        """The same, if anything has needed it yet."""
        return self._life.opened

    @property
    def exchange(self) -> Path:
        """The directory that host and code share."""
        return self._life.contents().cell.exchange

    @property
    def unconfined(self) -> str:
        """Why there is no sandbox although one was asked for; empty where there is one."""
        self._life.contents()
        return self.opener.unconfined

    def launch(self, argv: Any, **options: Any) -> Process:
        """Start a program in the cell."""
        return self._life.contents().launch(argv, **options)

    def pool(self) -> RuntimePool:
        """The REPLs in it."""
        return self._life.contents().runtimes.get()

    def restart_runtimes(self) -> None:
        """End every REPL; they start again when they are needed."""
        if contents := self.opened:
            contents.close_runtimes()

    def checkpoints(self) -> Checkpoints:
        """What was kept before each block; variables that are on their way come first."""
        self.resumption.settle()
        return self._life.contents().checkpoints

    # Around blocks.

    def before_block(self) -> None:
        """Have the variables back, and the cell that the user's grants need."""
        old = self.ready()
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

    # How it lives.

    def _open(self) -> Cell:
        from interpreter.assembly.cell.kept_files import sweep_later

        cell = self.opener.open()
        self._sweep = sweep_later()
        if self.opener.weaker:  # the model may have been asked before this was known
            self._add_news(self.opener.weaker)
        return cell

    def _set_up(self, cell: Cell) -> CellContents:
        name = self.first_session or self._unkept
        return self._setup.get().set_up(cell, name, self._owner if self.first_session else None)

    def _owner(self) -> Owner:
        from interpreter.checkpoints.variables.kept import Owner

        level = self._setup.get().settings.sandbox if self.opener.is_confined else "off"
        return Owner(self.session, level, str(self._workspace.resolve()))

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

    def _tell(self, text: str) -> None:
        """Tell the user now, and the model with the next block."""
        self._notice(text)
        self._add_news(text)
