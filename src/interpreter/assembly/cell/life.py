"""The life of a session's cell, from its opening to its end.

          it is warmed, or something              a grant that needs
          is to happen in it                      another cell
unopened ──────────────────────▶ opening ──▶ open ──────────────────▶ reopening
   │                                │         │ ▲                        │ │
   │                                │         │ └────────────────────────┘ │
   └───────────────┬────────────────┴─────────┴────────────────────────────┘
                   ▼
                 closed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from interpreter.assembly.cell.shutdown import END_SECONDS, SAVE_SECONDS, START_SECONDS, Shutdown
from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import Cell

if TYPE_CHECKING:
    from interpreter.assembly.cell.contents import CellContents

State = Literal["unopened", "opening", "open", "reopening", "closed"]


class CellLife:
    """Holds the one cell of a session; what is in it comes, is replaced and goes with it."""

    def __init__(
        self, open_cell: Callable[[], Cell], set_up: Callable[[Cell], CellContents]
    ) -> None:
        self.state: State = "unopened"
        self._open_cell = open_cell
        self._set_up = set_up
        self._cell: Cell | None = None
        self._contents = Lazy(self._open)
        self._open_now: CellContents | None = None

    def contents(self) -> CellContents:
        """The cell with all that is in it, which is opened by the first who asks."""
        if self.state == "open" and self._open_now is not None:
            return self._open_now
        if self.state == "closed":
            raise SandboxUnavailable("The session has ended.")
        if self.state == "unopened":
            self.state = "opening"
        self._contents.begin()
        return self._contents.get()

    @property
    def opened(self) -> CellContents | None:
        """The same, if anybody has asked for it."""
        return None if self.state in ("unopened", "closed") else self.contents()

    def move_to(self, cell: Cell) -> CellContents:
        """Leave the cell for another one; to be called between blocks."""
        old = self.contents()
        self.state = "reopening"
        old.leave_for(cell)
        self._cell = cell
        self._contents = Lazy(lambda: self._furnished(cell))
        return self.contents()

    def close(
        self,
        shutdown: Shutdown,
        starting: Iterable[Callable[[], None]],
        save: Callable[[CellContents], None],
    ) -> None:
        """End everything, with the variables saved; what is `starting` is waited for a while.

        A cell that is being opened is not set up any more.
        """
        before, self.state = self.state, "closed"
        if before in ("unopened", "closed"):
            return
        for settle in (*starting, self._contents.settle):
            shutdown.step("Waiting for what still starts", settle, START_SECONDS)
        contents = self._contents.made
        if contents is not None:
            shutdown.step("Saving the variables", lambda: save(contents), SAVE_SECONDS)
            shutdown.step("Ending the languages", contents.close_runtimes, END_SECONDS)
        if self._cell is not None:
            shutdown.step("Ending the sandbox", self._cell.close, END_SECONDS)
        if contents is not None:
            shutdown.step("Ending the sandbox", contents.close_checkpoints, END_SECONDS)

    def _open(self) -> CellContents:
        cell = self._open_cell()
        if self.state == "closed":  # nobody has waited for it
            cell.close()
            raise SandboxUnavailable("The session has ended.")
        self._cell = cell
        return self._furnished(cell)

    def _furnished(self, cell: Cell) -> CellContents:
        contents = self._open_now = self._set_up(cell)
        if self.state != "closed":
            self.state = "open"
        return contents


class Resumption:
    """Brings the variables of a session that goes on back, before anything else runs there.

    In a sandbox that begins at once. Without one it waits for the first block: Python may be the
    workspace's, and nothing of it runs unasked.
    """

    def __init__(self, resume: Callable[[], str], is_confined: Callable[[], bool]) -> None:
        self._sentence = Lazy(resume)
        self._early = Lazy(lambda: is_confined() and bool(self._sentence.get()))
        self._wanted = self._told = False

    def begin(self) -> None:
        """The session that begins is one that goes on."""
        self._wanted = True
        self._early.begin()

    def settle(self) -> None:
        """Wait for what has begun."""
        if self._wanted:
            self._early.settle()

    def finish(self) -> None:
        """A block is about to run: wait until the variables are back."""
        if self._wanted:
            self._early.get()
            self._sentence.begin()
            self._sentence.get()

    def news(self) -> str:
        """What is to be said about it, once."""
        if self._told or not self._wanted:
            return ""
        self._early.get()
        if not self._sentence.begun:
            return ""
        self._told = True
        return self._sentence.get()
