"""Watches what a cell uses together: no limit of a single process can bound many of them."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from interpreter.protocol.values import frozen
from interpreter.sandboxes.cell.cell import ConfinedCell
from interpreter.sandboxes.confinement import CellLimits
from interpreter.sandboxes.limits.cgroup import confine

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)
_INTERVAL = 0.25
_SHARE_OF_COUNTING = 20  # counting takes a twentieth of the time: environments have many files
_STILL_TAKING_MB = 1.0


@frozen
class Member:
    """A process in the cell, with the memory it holds in megabytes."""

    pid: int
    is_program: bool
    megabytes: float


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def members(first: int) -> Iterator[Member]:
    """All processes of a cell but its first, each with its resident memory."""
    waiting = [(pid, True) for pid in children(first)]
    while waiting:
        pid, is_program = waiting.pop()
        waiting += [(child, False) for child in children(pid)]
        with contextlib.suppress(OSError, ValueError, IndexError):
            resident = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
            yield Member(pid, is_program, int(resident) * _PAGE_MB)


def proportional_mb(pid: int) -> float:
    """The memory of a process with shared pages shared out among those who share them."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


class Watchdog:
    """Ends processes when the cell holds too much memory, or the disk is nearly full."""

    def __init__(
        self,
        first: int,
        room: Sequence[Callable[[], float]],
        limits: CellLimits,
        notice: Callable[[str], None],
    ) -> None:
        """`room` are functions that tell how many megabytes are left, somewhere."""
        self._first = first
        self._room = [(measure, measure()) for measure in room]
        self._limits = limits
        self._notice = notice
        self._done = threading.Event()
        self._warned_at: float | None = None
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._done.set()
        self._thread.join(10)

    def _watch(self) -> None:
        while not self._done.wait(_INTERVAL):
            self._check_memory()
            self._check_disk()

    def _check_memory(self) -> None:
        limit = self._limits.memory_mb
        found = list(members(self._first))
        if not limit or sum(member.megabytes for member in found) <= limit:
            return
        exact = [Member(m.pid, m.is_program, proportional_mb(m.pid)) for m in found]
        total = sum(member.megabytes for member in exact)
        if total > limit:
            # What a program started goes before the program, whose variables would be lost.
            victim = max(exact, key=lambda member: (not member.is_program, member.megabytes))
            _end(victim.pid)
            self._notice(
                f"The sandbox held {total:.0f} MB, more than its {limit} MB: its largest process "
                "was ended."
            )

    def _check_disk(self) -> None:
        """Interrupt what runs when room gets short, and end it if it goes on taking more."""
        reserve = self._limits.disk_reserve_mb
        now = [(measure(), at_start) for measure, at_start in self._room]
        short = [free for free, at_start in now if free < min(reserve, at_start)]
        if not short:
            self._warned_at = None
            return
        free, last = min(short), self._warned_at
        if last is not None and free > last - _STILL_TAKING_MB:
            return  # what is idle lives on, so that the user can delete something
        self._warned_at = free
        for member in list(members(self._first)):
            _end(member.pid, signal.SIGINT if last is None else signal.SIGKILL)
        if last is None:
            self._notice(
                f"Only {max(0, free):.0f} MB are left on the disk or for packages: "
                "what ran was interrupted."
            )


def free_space_mb(place: Path) -> float:
    """How much more a user may write to the disk of a place, in megabytes."""
    try:
        figures = os.statvfs(place)
    except OSError:
        return float("inf")  # the place is gone, and nothing more is written to it
    return figures.f_bavail * figures.f_frsize / (1 << 20)


class WatchedFiles:
    """How much room the cell's own directory still has: packages, and what is handed over."""

    def __init__(self, place: Path, most_mb: int) -> None:
        self._place = place
        self._most_mb = most_mb
        self._next_count = 0.0
        self._left = float("inf")

    def left_mb(self) -> float:
        """As last counted, which was not long ago."""
        began = time.monotonic()
        if self._most_mb and began > self._next_count:
            self._left = self._most_mb - _size_mb(self._place, self._most_mb)
            self._next_count = began + _SHARE_OF_COUNTING * (time.monotonic() - began)
        return self._left


def _size_mb(place: Path, most_mb: int) -> float:
    """What a directory takes up; counting stops where it is enough. No link is followed."""
    blocks = 0
    for _, _, names, folder in os.fwalk(place):
        for name in names:
            with contextlib.suppress(OSError):
                blocks += os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks
        if blocks / 2048 > most_mb:
            break
    return blocks / 2048


def _end(pid: int, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def limit(
    cell: ConfinedCell, first: int, limits: CellLimits, notice: Callable[[str], None]
) -> None:
    """Bound what a cell's programs use together; nothing has been started in it yet."""
    group = confine(first, limits)
    own = WatchedFiles(cell.own_directory, limits.own_files_mb)
    disks = [partial(free_space_mb, place) for place in (cell.workspace, cell.own_directory)]
    watchdog = Watchdog(first, [*disks, own.left_mb], limits, notice)
    watchdog.start()
    cell.at_close(watchdog.close)
    cell.at_close(group.close)
    cell.limited = group.limited
