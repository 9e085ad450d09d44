"""Python's variables, kept by frozen copies of the kernel; the host never reads a value.

The runtime does three things: it runs `bootstrap()` in a new kernel before anything else, hands in
a function that runs source silently and returns what it printed, and says when the kernel died.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from interpreter.checkpoints.variables.frozen_copies import CopyRegistry, FrozenCopy
from interpreter.checkpoints.variables.kernel_source import KERNEL, bootstrap
from interpreter.checkpoints.variables.save_stream import read_header
from interpreter.checkpoints.variables.states import StateReport
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError, RuntimeFailure
from interpreter.protocol.ports import Follow
from interpreter.protocol.values import frozen

_REPORTING = 10.0  # seconds for a copy to say that it is there
SAVING_SECONDS = 20.0  # for a copy to write its variables: the user may be waiting to leave
_BETWEEN_MEASUREMENTS = 5.0  # seconds; looking through a gigabyte takes some milliseconds
_A_MOMENT = 0.2  # seconds for the copy that is made when a block is over
_MOST_LOST = 1000

RunSilently = Callable[[str], str]

ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""What a kernel is started with: large values on large pages, so that a copy of the kernel, which
copies the table of its pages, takes half a millisecond with a gigabyte of bytes instead of 50."""


@frozen
class VariableLimits:
    """How many copies are kept, the bytes they may cost, and those of one by value or saved."""

    copies: int = 8
    memory: int = 2 << 30
    by_value: int = 256 << 20
    saved: int = 4 << 30


class PythonVariables:
    """The variables of one session's Python kernel."""

    def __init__(self, exchange: Path, limits: VariableLimits | None = None) -> None:
        self._exchange = exchange
        self._limits = limits or VariableLimits()
        self._registry = CopyRegistry(exchange / "variables.sock")
        self._run: RunSilently | None = None
        self._runner: RunSilently | None = None
        self._follow: Follow | None = None
        self._kernel = 0  # its process id, where it is known
        self._copies: dict[str, str] = {}
        self._idle = ""
        self._announced = ""  # the last block
        self._not_begun = ""  # the same, if the kernel died before it began
        self._count = 0
        self._measured = 0.0
        self.when_attached: Callable[[], None] | None = None
        """Called once, with the first kernel that is there."""
        self.when_used: Callable[[], None] = lambda: None
        """Called when a block is about to run."""

    def bootstrap(self) -> str:
        """The source that a new kernel runs first; it leaves no name behind."""
        return bootstrap(self._exchange, self._limits.by_value)

    def attach(self, run: RunSilently, follow: Follow) -> None:
        """A kernel is there, and has run `bootstrap()`."""
        self._run = self._runner = run
        self._follow = follow
        self._kernel = 0
        first, self.when_attached = self.when_attached, None
        if first is not None:
            first()

    def died(self) -> None:
        """The kernel is gone; its copies live."""
        self._run = None
        if self._idle and self._exists(self._idle):  # it died between two blocks
            self._copies.setdefault(self._idle, self._idle)
        self._idle = ""
        if self._order_lies_there():
            self._not_begun = self._announced

    def before(self, name: str) -> None:
        """A block is about to run. The copy made after the last one serves; one that has not said
        yet that it is there is ordered once more, and the kernel knows whether it has made it.

        A kernel that starts with this block finds the order, too.
        """
        self._announced, self._not_begun = name, ""
        made = self._registry.expects(self._idle) or self._exists(self._idle)
        if not self._idle or not made:
            self._idle = name
            self._registry.expect(name)
        self._remember(name, self._idle)
        now = "" if self._exists(self._idle) else self._idle
        self._name_the_next_idle()
        safe_files.write(self._exchange / "next", f"{now}\n{self._idle}")
        self.when_used()

    def touched(self) -> None:
        """Code runs that is no block: the copy made after the last block is out of date.

        So is one that is being made, and has not said so yet: it ends as soon as it is heard of.
        """
        if self._idle and self._exists(self._idle):
            self._give_up_idle()
        elif self._idle:
            self._registry.drop(self._idle)
            self._idle = ""

    @property
    def state(self) -> str:
        """The copy of how things are now, that can be saved; empty while a block runs, or never."""
        return self._idle if self._idle and self._exists(self._idle) else ""

    def keep_now(self, name: str) -> None:
        """Have a copy made at once, unless there is one of how things are."""
        if self.state:
            self._remember(name, self._idle)
        else:
            self._take(name)
            self._remember(name, name)
            self._must_exist(name)
        self.after()

    def restore(self, name: str) -> StateReport:
        """Go back to a copy: it becomes the kernel, or hands over what changed where it cannot."""
        copy = self._copies.get(name, name)
        if self._run is None:
            raise CheckpointError("No Python kernel is running; run a block first.")
        self._must_exist(copy)
        frozen = self._registry.get(copy, 0.0)
        if frozen is None:
            return self._report("restore", copy)
        if frozen.fixed:
            return self._by_value(copy, frozen.fixed)
        try:
            return self._become(frozen, lambda: self._report("compare", copy))
        except CheckpointError as error:
            return self._by_value(copy, str(error))

    def go_on(self) -> str:
        """Have the newest copy that lives become the kernel, which is gone."""
        copy = self._newest()
        frozen = self._registry.get(copy, 0.0) if copy else None
        if frozen is None or frozen.fixed:
            return ""
        try:
            lost = self._become(frozen, StateReport).lost
        except CheckpointError:
            return ""
        self._announce_again()
        told = "Everything in memory is as it was before this block"
        return f"{told}; {StateReport(lost=lost).sentence()}" if lost else told

    def _become(self, frozen: FrozenCopy, compare: Callable[[], StateReport]) -> StateReport:
        """Have a copy become the kernel; meanwhile it is found out what that changes."""
        if self._follow is None:
            raise CheckpointError("No Python kernel is running; run a block first.")
        reports: list[StateReport] = []

        def become(address: str) -> int:
            reading = frozen.become(address)
            try:
                reports.append(compare())
            except (CheckpointError, RuntimeFailure):  # the old kernel is past answering
                reports.append(StateReport(unseen=True))
            self._kernel, lost = frozen.became(reading, _REPORTING)
            restored = tuple(name for name in reports[0].restored if name not in lost)
            reports.append(replace(reports[0], restored=restored, lost=lost))
            return self._kernel

        self._give_up_idle()
        try:
            self._follow(become)
        except RuntimeFailure as error:
            raise CheckpointError(
                f"The frozen copy could not become the kernel: {error}"
            ) from error
        self._run = self._runner
        self._idle = frozen.name  # it is how things are
        return reports[-1]

    def _by_value(self, copy: str, why: str) -> StateReport:
        report = self._report("restore", copy)
        inexact = {"all else in memory": why}
        return replace(report, lost={**report.lost, **inexact})

    def _newest(self) -> str:
        patience = _REPORTING  # the newest may have been made a moment before the crash
        for copy in reversed(self._order()):
            if self._exists(copy, patience):
                return copy
            patience = 0.0
        return ""

    def recover(self) -> StateReport | None:
        """Fill a new kernel from the newest copy that lives; None if there is none."""
        copy = self._newest()
        return self._report("recover", copy) if copy else None

    def revive(self) -> str:
        """Fill a new kernel from the newest copy that lives; one sentence about it."""
        report = self.recover()
        self._announce_again()
        return f"variables: {report.sentence()}" if report is not None else ""

    def forget(self, name: str) -> None:
        """End a copy, unless it is also kept for another reason."""
        copy = self._copies.pop(name, "")
        if copy and copy not in self._order():
            self._drop(copy)

    def kept(self) -> tuple[str, ...]:
        """The names under which variables are kept, oldest first."""
        return tuple(self._copies)

    def cost(self) -> int:
        """The bytes that the copies take up beside the kernel itself, as last measured."""
        return max((copy.cost for copy in self._registry.copies()), default=0)

    def export(self, file: BinaryIO) -> dict[str, str]:
        """Write the variables as they are now to a file; those that could not be, and why.

        The copy made after the last block does the writing, if there is one: nobody waits for it.
        """
        if self._idle and self._exists(self._idle, _A_MOMENT):
            return self._write(self._idle, file)
        name = f"export-{secrets.token_hex(4)}"
        self._take(name)
        try:
            return self._write(name, file)
        finally:
            self._drop(name)

    def adopt(
        self, file: BinaryIO, moved: tuple[str, str] | None = None, *, exact: bool = False
    ) -> StateReport:
        """Fill the kernel from a file that `export` wrote; it must come from ourselves.

        `moved` is where the workspace was and where it is; `exact` removes all other variables.
        """
        ticket = secrets.token_hex(16)
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        self._registry.offer(ticket, os.dup(file.fileno()))
        try:
            return self._report("resume", ticket, moved, exact)
        finally:
            self._registry.withdraw(ticket)

    def settle(self) -> None:
        """Have a copy of how things are, now: what changes next is not a block of the kernel's."""
        if self._run is not None and not self._exists(self._idle or "none", _A_MOMENT):
            self._name_the_next_idle()
            self._take(self._idle)
            self._must_exist(self._idle)

    def digests(self) -> dict[str, str]:
        """What tells each variable from the same one after it was changed."""
        try:
            return _texts(json.loads(self._call("digests").strip().splitlines()[-1]))
        except (ValueError, LookupError) as error:
            raise CheckpointError("The variables cannot be compared.") from error

    @property
    def attached(self) -> bool:
        """Whether there is a kernel."""
        return self._run is not None

    def close(self) -> None:
        """End all copies."""
        self._registry.close()
        for copy in self._order():
            self._drop(copy)

    def _name_the_next_idle(self) -> None:
        self._count += 1
        self._idle = f"after-{self._count}-{secrets.token_hex(2)}"
        self._registry.expect(self._idle)

    def _take(self, name: str) -> None:
        self._registry.expect(name)
        self._call("take", name)

    def _write(self, name: str, file: BinaryIO) -> dict[str, str]:
        room = os.fstatvfs(file.fileno())
        largest = min(self._limits.saved, room.f_bavail * room.f_frsize // 2)
        by_value = safe_files.is_file(self._exchange / f"{name}.values")
        copy = self._registry.get(name, 0.0 if by_value else _REPORTING)
        if copy is not None:
            copy.save(file, largest, SAVING_SECONDS)
            file.seek(0)
            return _texts(read_header(file).get("lost"))
        try:
            values = safe_files.opened(self._exchange / f"{name}.values")
        except OSError as error:
            raise CheckpointError("The kernel made no copy of its variables to save.") from error
        with values:
            if os.fstat(values.fileno()).st_size > largest:
                raise CheckpointError("There is no room for the variables.")
            header = read_header(values)
            header.pop("environ", None)  # it has secrets
            file.write(json.dumps(header).encode() + b"\n")
            shutil.copyfileobj(values, file)
            file.flush()
        return _texts(header.get("lost"))

    def _order(self) -> list[str]:
        """The copies that are kept, oldest first."""
        return [*self._copies.values(), *([self._idle] if self._idle else [])]

    def _drop(self, copy: str) -> None:
        self._registry.drop(copy)
        for suffix in ("frozen", "values"):
            safe_files.remove(self._exchange / f"{copy}.{suffix}")

    def _remember(self, name: str, copy: str) -> None:
        self._copies.pop(name, None)  # the newest, also where the name was used before
        self._copies[name] = copy

    def after(self) -> None:
        """The block has ended: copies that are too many end now, not when one begins."""
        if time.monotonic() - self._measured > _BETWEEN_MEASUREMENTS:
            self._measured = time.monotonic()
            self._registry.measure(self._kernel)
        while len(self._copies) > self._limits.copies:
            self.forget(next(iter(self._copies)))
        if self.cost() > self._limits.memory and len(self._copies) > 2:
            self.forget(next(iter(self._copies)))

    def _order_lies_there(self) -> bool:
        """Take back an order that was not carried out; False if it was."""
        order = self._exchange / "next"
        try:
            with safe_files.opened(order) as file:
                name = file.read(200).decode().partition("\n")[0]
        except (OSError, ValueError):
            return False
        safe_files.remove(order)
        self._copies.pop(name, None)
        return True

    def _announce_again(self) -> None:
        """The block that the dead kernel did not begin runs in this one, with its orders."""
        if self._not_begun:
            self.before(self._not_begun)

    def _exists(self, name: str, patience: float = 0.0) -> bool:
        by_value = safe_files.is_file(self._exchange / f"{name}.values")
        return by_value or self._registry.get(name, patience) is not None

    def _must_exist(self, name: str) -> None:
        if not self._exists(name, _REPORTING if name in self._order() else 0.0):
            raise CheckpointError("The variables of that block are no longer kept.")

    def _report(self, function: str, *arguments: Any) -> StateReport:
        self._give_up_idle()
        text = self._call(function, *arguments)
        try:
            plain = json.loads(text.strip().splitlines()[-1])
            if plain.get("failed"):
                raise CheckpointError(str(plain["failed"]))
            return StateReport(
                tuple(str(name) for name in plain["restored"]),
                tuple(str(name) for name in plain["removed"]),
                _texts(plain["lost"]),
                _texts(plain["kept"]),
                plain.get("unseen") is True,
            )
        except (ValueError, LookupError, TypeError) as error:
            raise CheckpointError(f"The kernel could not {function} its variables.") from error

    def _give_up_idle(self) -> None:
        """The variables are about to change: the copy made after the last block is history."""
        if self._idle and self._idle not in self._copies.values():
            self._drop(self._idle)
        self._idle = ""
        safe_files.remove(self._exchange / "next")

    def _call(self, function: str, *arguments: Any) -> str:
        if self._run is None:
            raise CheckpointError("No Python kernel is running; run a block first.")
        return self._run(f"{KERNEL}.{function}({', '.join(map(repr, arguments))})")


def _texts(plain: Any) -> dict[str, str]:
    found = plain if isinstance(plain, dict) else {}
    return {str(name): str(why) for name, why in list(found.items())[:_MOST_LOST]}
