"""A frozen copy of the kernel, and how it becomes the kernel: loaded into the user's kernel.

The copy waits on a socket. Whoever asks is served by a fork of it; before it becomes the kernel
it leaves a fork of itself in its place. So it never changes and can be gone back to again.
"""

import contextlib
import fcntl
import gc
import json
import os
import re
import select
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

HARMLESS = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
WHOLE = b"whole\n"  # tells the host that it has everything
ABOVE_THE_STREAMS = 10
ONLY_WHEN_OPENED = os.O_CREAT | os.O_EXCL | os.O_TRUNC
SIGNALS = (signal.SIGINT, signal.SIGCHLD)
OPENMP = re.compile(r"/\S*/libgomp[^/\s]*\.so\S*")
END_THREADS = 2  # omp_pause_hard
UNHARMED = ("ZMQbg", "jemalloc_bg_thd")  # made anew by us; which starts its own again
A_WHILE = 0.05  # seconds: giving memory back takes milliseconds, and a block is ending or beginning


class OpenFile(NamedTuple):
    """A file that was open before a fork, and where it was read or written next."""

    number: int
    inode: tuple[int, int]
    path: str  # none, if it has no name
    flags: int
    position: int
    inheritable: bool

    def is_open(self) -> bool:
        """Whether the number stands for it still; libraries close files in a fork."""
        with contextlib.suppress(OSError):
            mode = os.fstat(self.number)
            return (mode.st_dev, mode.st_ino) == self.inode
        return False

    def open_again(self) -> None:
        """Have the file under its number, where it was."""
        if not self.path:
            os.lseek(self.number, self.position, os.SEEK_SET)
            return
        opened = os.open(self.path, self.flags | os.O_CLOEXEC)
        try:
            if self.position:
                os.lseek(opened, self.position, os.SEEK_SET)
            os.dup2(opened, self.number, inheritable=self.inheritable)
        finally:
            os.close(opened)


def nowhere() -> int:
    """A number that stands for nothing, opened once: that counts as a change to files, and a copy
    that is made between two blocks must make none."""
    for number in ours_of_nowhere:
        with contextlib.suppress(OSError):  # code has closed it
            if os.readlink(f"/proc/self/fd/{number}") == os.devnull:
                return number
    opened = os.open(os.devnull, os.O_RDWR)
    ours_of_nowhere[:] = [fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, ABOVE_THE_STREAMS)]
    os.close(opened)
    return ours_of_nowhere[0]


ours_of_nowhere: list[int] = []


class Door:
    """The socket at which the next copy can be asked, made while a block runs that may make files:
    after it, the journal would take that for something that programs did by themselves."""

    def __init__(self, path: Callable[[str], str]) -> None:
        self._path = path
        self._name = ""
        self._server: socket.socket | None = None

    def open(self, name: str) -> None:
        """Make it for a copy of that name, if any, instead of the last one that was not made."""
        if self._server is not None:
            self.forget()
            with contextlib.suppress(OSError):
                os.unlink(self._path(f"{self._name}.frozen"))
        if name:
            with contextlib.suppress(OSError):  # it is tried again when the copy is made
                self._name, self._server = name, listening(self._path(f"{name}.frozen"))

    def handed_over(self, name: str) -> socket.socket:
        """The socket for a copy that is made now, which is not ours any more."""
        if self._server is None or self._name != name:
            return listening(self._path(f"{name}.frozen"))
        server, self._server = self._server, None
        return server

    def forget(self) -> None:
        """Close our end; in a copy it is the kernel's, and its number stands for nothing."""
        if self._server is not None:
            self._server.close()
            self._server = None


def listening(path: str) -> socket.socket:
    """A socket at which a copy can be asked."""
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(path)
        server.listen(4)
    except OSError:
        server.close()
        raise
    return server


class Surroundings:
    """What belongs to a process and neither is memory nor goes over into a fork as it is."""

    def __init__(self) -> None:
        """How things are now, before the fork: it draws new numbers for `random`, and where a file
        is read or written next is common to both of us."""
        self.kernel = os.getpid()
        self._nowhere = nowhere()
        self._group = os.getpgrp()
        self._collecting = gc.isenabled()
        self._child_signal = signal.getsignal(signal.SIGCHLD)
        chance = sys.modules.get("random")
        self._chance = chance.getstate() if chance else None
        self._directory = ""
        with contextlib.suppress(OSError):
            self._directory = os.getcwd()
        self._files: list[OpenFile] = []
        self._let_go: list[int] = []
        for number in map(int, os.listdir("/proc/self/fd")):
            with contextlib.suppress(OSError):  # what listed them is gone
                if not self._may_stay(number):
                    self._let_go.append(number)

    def let_go(self, *kept: int) -> None:
        """In the copy: hold nothing that others wait for. Each number stays taken by nothing."""
        gc.disable()
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        self._files = [file for file in self._files if file.is_open()]
        for number in self._let_go:
            with contextlib.suppress(OSError):  # another thread has closed it, or the fork has
                if number not in kept:
                    os.dup2(self._nowhere, number, inheritable=os.get_inheritable(number))

    def take_up(self) -> dict[str, str]:
        """In the new kernel: be where the kernel was; files that could not be opened again."""
        os.setpgid(0, self._group)
        signal.signal(signal.SIGCHLD, self._child_signal)
        if self._collecting:
            gc.enable()
        if self._chance is not None:
            sys.modules["random"].setstate(self._chance)
        with contextlib.suppress(OSError):  # by name: it may have been made again by an undo
            os.chdir(self._directory)
        lost = {}
        for file in self._files:
            try:
                file.open_again()
            except OSError as error:
                lost[file.path] = f"open file: {error.strerror}"
        return lost

    def _may_stay(self, number: int) -> bool:
        """Whether a descriptor disturbs nobody; a file with a name is opened again when needed."""
        mode = os.fstat(number)
        path = os.readlink(f"/proc/self/fd/{number}")
        if number > 2 and (stat.S_ISREG(mode.st_mode) or stat.S_ISDIR(mode.st_mode)):
            nameless = mode.st_nlink == 0
            file = OpenFile(
                number,
                (mode.st_dev, mode.st_ino),
                "" if nameless else path,
                fcntl.fcntl(number, fcntl.F_GETFL) & ~ONLY_WHEN_OPENED,
                os.lseek(number, 0, os.SEEK_CUR) if stat.S_ISREG(mode.st_mode) else 0,
                os.get_inheritable(number),
            )
            self._files.append(file)
            return nameless
        return number > 2 and path in HARMLESS


class FrozenCopy:
    """A copy of the kernel that waits for questions. No clean-up code of the kernel runs here."""

    def __init__(
        self, kernel: Any, name: str, surroundings: Surroundings, news: int, server: socket.socket
    ) -> None:
        self._values = kernel.values
        self._surroundings = surroundings
        self.left_behind = 0  # the process that is the copy once this one is the kernel
        with contextlib.suppress(PermissionError):  # the kernel has moved us already
            os.setpgid(0, 0)  # who ends the kernel with all its children does not mean us
        kernel.app.freeze(lambda: surroundings.let_go(news, server.fileno()))
        with open(news) as told:
            heard = json.load(told)
        self.threads: list[str] = heard["threads"]
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(kernel.path(kernel.registry))
        self._server = server
        hello = {"name": name, "pid": os.getpid(), "fixed": heard["fixed"]}
        self._line.sendall(json.dumps(hello).encode() + b"\n")

    def wait(self) -> str:
        """Serve until the host hangs up: then the process ends. The address of a new kernel."""
        waiting = select.poll()
        waiting.register(self._line, select.POLLIN)
        waiting.register(self._server, select.POLLIN)
        while True:
            ready = {number for number, _ in waiting.poll()}
            if self._server.fileno() in ready:
                connection, _ = self._server.accept()
                in_a_fork(self._answer, connection)
                connection.close()
            if self._line.fileno() in ready:
                address = self._obey()
                if address:
                    return address

    def tell(self, **words: Any) -> None:
        """Say to the host what has become of us."""
        with open(self._told_to, "w") as host:
            host.write(json.dumps(words) + "\n")

    def leave(self) -> dict[str, str]:
        """This process is the kernel now; what it could not take up again."""
        self._server.close()
        self._line.close()
        return self._surroundings.take_up()

    def _obey(self) -> str:
        """Carry out orders of the host; an address, in the process that is to be the kernel."""
        orders, descriptors, _, _ = socket.recv_fds(self._line, 4096, 1)
        if not orders:
            time.sleep(A_WHILE)
            os._exit(0)
        for order in orders.decode().splitlines():
            word, _, rest = order.partition(" ")
            if word == "become" and descriptors and self._leave_a_copy():
                self._told_to = descriptors[0]
                return rest
            if word == "save" and descriptors:
                in_a_fork(self._save, descriptors[0], int(rest))
            elif word == "memory":
                kernel, *copies = (int(pid) for pid in rest.split())
                cost = cost_of(copies, kernel or self._surroundings.kernel)
                self._line.sendall(json.dumps({"memory": cost}).encode() + b"\n")
        for descriptor in descriptors:
            os.close(descriptor)
        return ""

    def _leave_a_copy(self) -> bool:
        """True in the process that is to be the kernel: we fall to the keeper with the old one."""
        self.left_behind = os.fork()
        if not self.left_behind:
            os.setpgid(0, 0)
        return bool(self.left_behind)

    def _save(self, descriptor: int, largest: int) -> None:
        self._values.Session.lives_on = False
        with open(descriptor, "wb", closefd=False) as file:
            around = {"cwd": os.getcwd(), "search": sys.path}  # no environment: it has secrets
            self._values.write_values(file, None, largest, around)
            file.write(WHOLE)

    def _answer(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as reading, connection.makefile("wb") as writing:
            question = json.loads(reading.readline())
            if question["want"] == "digests":
                found = self._values.descriptions(quickly=question["quickly"])
                writing.write(json.dumps(found).encode() + b"\n")
                return
        memory = os.memfd_create("variables")
        with open(memory, "wb", closefd=False) as file:
            self._values.write_values(file, question["names"], None)
        socket.send_fds(connection, [b"v"], [memory])


def in_a_fork(work: Callable[..., None], *arguments: Any) -> None:
    """Do something in a process of its own, so that the copy stays as it is."""
    if os.fork() == 0:
        try:
            work(*arguments)
        finally:
            os._exit(0)


def cost_of(copies: list[int], kernel: int) -> int:
    """The bytes that copies take up beside the kernel."""
    alone = rolled_up(kernel, "Pss:") - rolled_up(kernel, "Rss:")
    return alone + sum(rolled_up(pid, "Pss:") for pid in copies)


def rolled_up(pid: int, field: str) -> int:
    """A sum over all memory of a process, in bytes; 0 once it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
    return 0


# Threads, which a fork leaves behind.


def end_idle_threads() -> None:
    """Have OpenMP of GNU end the threads that it keeps, since it would wait for them in a copy."""
    if not foreign_threads():
        return  # and to look for the library takes longer than all the rest
    with open("/proc/self/maps") as lines:
        libraries = set(OPENMP.findall(lines.read()))
    if not libraries:
        return
    import ctypes  # noqa: PLC0415  (a kernel starts without it)

    for library in libraries:
        with contextlib.suppress(OSError, AttributeError):  # older ones cannot
            ctypes.CDLL(library).omp_pause_resource_all(END_THREADS)


def foreign_threads() -> list[str]:
    """The names of threads that Python knows nothing of, but for those that a fork does no harm."""
    known = {os.getpid(), *(thread.native_id for thread in threading.enumerate())}
    left = [task for task in os.listdir("/proc/self/task") if int(task) not in known]
    return [name for name in map(name_of_task, left) if not name.startswith(UNHARMED)]


def name_of_task(task: str) -> str:
    """What a thread calls itself; one that has just ended is none of ours to mind."""
    try:
        with open(f"/proc/self/task/{task}/comm") as name:
            return name.read().strip()
    except OSError:
        return UNHARMED[0]
