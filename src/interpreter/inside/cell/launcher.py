"""The first process of a cell: starts programs when the host asks, and reports how they end.

Run as ``python -I -S launcher.py FD [UID GID]``; it becomes that user before anything else. The
host's end of FD sends frames: eight hexadecimal digits of length, then NUL-separated fields;
descriptors travel with the first byte. What goes back is lines of ASCII words. Modules that are
slow to import are avoided: a cell should open at once.
"""

# pathlib and contextlib would take longer to import than all the rest
# ruff: noqa: PTH120, PTH123, SIM105

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import os
import select
import sys

# It is run as a compiled file, which lies one directory deeper.
sys.path.insert(0, os.path.dirname(__file__).removesuffix("/__pycache__"))
from launcher_probes import newest_files, successes  # type: ignore[import-not-found]

TYPING = False
if TYPING:
    from collections.abc import Callable
    from typing import Any

HEADER = 8
MOST_FDS = 250
MOST_OPEN = 65_536
NOT_DUMPABLE = 4  # PR_SET_DUMPABLE, with zero
LANDLOCK_CREATE, LANDLOCK_RESTRICT, SCOPES_SINCE = 444, 446, 6
ABSTRACT_SOCKETS = bytes(16) + (1).to_bytes(8, sys.byteorder)  # no files, no network, one scope
EPERM = 1
CLOSE_ON_EXEC = getattr(_socket, "MSG_CMSG_CLOEXEC", 0)  # which macOS does not have


class HostGone(Exception):
    """The other end of the wire is closed."""


class Wire:
    """Frames in, lines out."""

    def __init__(self, fd: int) -> None:
        self.socket = _socket.socket(fileno=fd)
        os.set_inheritable(fd, False)

    def fileno(self) -> int:
        return self.socket.fileno()

    def receive(self) -> tuple[list[str], list[int]]:
        space = _socket.CMSG_SPACE(4 * MOST_FDS)
        header, ancillary, _, _ = self.socket.recvmsg(HEADER, space, CLOSE_ON_EXEC)
        fds: list[int] = []
        for _, _, data in ancillary:
            fds += memoryview(data)[: len(data) - len(data) % 4].cast("i")
        header += self._exactly(HEADER - len(header)) if header else b""
        if not header:
            raise HostGone
        fields = self._exactly(int(header, 16)).split(b"\0")
        return [os.fsdecode(field) for field in fields], fds

    def _exactly(self, count: int) -> bytes:
        pieces = []
        while count:
            piece = self.socket.recv(min(count, 1 << 16))
            if not piece:
                raise HostGone
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def send(self, *words: str | int, fds: list[int] | None = None) -> None:
        line = (" ".join(map(str, words)) + "\n").encode("ascii", "replace")
        packed = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds or ())
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)] if fds else []
        sent = self.socket.sendmsg([line], rights)
        if sent < len(line):
            self.socket.sendall(line[sent:])


def set_limits(words: list[str]) -> None:
    """Limit ourselves, and so all programs, where the host cannot do that from outside."""
    if words:
        import resource  # noqa: PLC0415 (the host does this on Linux, and it takes a while)
    for word in words:
        name, _, value = word.partition("=")
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        wanted = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (wanted, wanted))


def listener(port: int) -> _socket.socket:
    """A socket that listens in the cell's own network; the host answers on it."""
    sock = _socket.socket()
    sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen(64)
    return sock


class Program:
    """What is to be started, as the host wrote it down."""

    def __init__(self, fields: list[str], fds: list[int]) -> None:
        words = iter(fields)
        self.cwd = next(words)
        self.argv = [next(words) for _ in range(int(next(words)))]
        self.env = dict(next(words).split("=", 1) for _ in range(int(next(words))))
        self.sources = fds
        self.targets = [int(word) for word in words]


def moved_up(fd: int, above: int) -> int:
    """A copy with a number from `above` on; what `fcntl` does, without importing it."""
    low = []
    while (copy := os.dup(fd)) < above:
        low.append(copy)
    for number in low:
        os.close(number)
    return copy


def become(program: Program, join: Callable[[], None], tell: int) -> None:
    """Turn this forked child into the program; only returns by raising OSError.

    It keeps what it was given, and `tell`, which is closed when it has become the program.
    """
    join()
    os.setsid()
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    above = max([2, *program.targets]) + 1
    copies = [moved_up(fd, above) for fd in program.sources]
    for copy, target in zip(copies, program.targets, strict=True):
        os.dup2(copy, target, inheritable=True)
    kept = sorted({2, tell, *program.targets})
    for fd, following in zip(kept, [*kept[1:], MOST_OPEN], strict=True):
        os.closerange(fd + 1, following)
    os.chdir(program.cwd)
    os.execvpe(program.argv[0], program.argv, program.env)


def start(program: Program, join: Callable[[], None]) -> tuple[int, int]:
    """Fork, `join` a journal, and execute: the pid, and where the child tells its error's number.

    Nobody waits for that: a program may be held up, and others must go on meanwhile.
    """
    told, tell = os.pipe()
    above = max([2, *program.targets]) + 1
    if tell < above:
        tell, low = moved_up(tell, above), tell
        os.close(low)
    pid = os.fork()
    if pid == 0:
        try:
            become(program, join, tell)
        except OSError as error:
            os.write(tell, b"%d" % (error.errno or EPERM))
        finally:
            os._exit(127)
    os.close(tell)
    return pid, told


class Launcher:
    """Serves one host until it hangs up."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.pids: dict[str, int] = {}  # of programs that live
        self.groups: dict[str, int] = {}  # of all programs ever started: their children may live on
        self.names: dict[int, str] = {}
        self.starting: dict[int, tuple[str, int]] = {}  # by where they tell how it went
        self.join: Callable[[], None] = lambda: None
        self.poll = select.poll()

    def setup(self, name: str, *words: str) -> None:
        limits, probes, port = ([w[2:] for w in words if w[0] == kind] for kind in "lpn")
        set_limits(limits)
        sock = listener(int(port[0])) if port else None
        self.wire.send(name, "ready", *successes(probes), fds=[sock.fileno()] if sock else [])
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.close(null)

    def probe(self, name: str, *words: str) -> None:
        self.wire.send(name, "ready", *successes(list(words)))

    def newest(self, name: str, directory: str) -> None:
        self.wire.send(name, "ready", *newest_files(directory))

    def launch(self, name: str, fields: list[str], fds: list[int]) -> None:
        try:
            pid, told = start(Program(fields, fds), self.join)
        except OSError as error:
            self.wire.send(name, "failed", error.errno or 0)
            return
        self.starting[told] = (name, pid)
        self.poll.register(told, select.POLLIN)

    def started(self, told: int) -> None:
        """A program has begun, or could not be."""
        name, pid = self.starting.pop(told)
        self.poll.unregister(told)
        problem = os.read(told, 32)
        os.close(told)
        if problem:
            self.wire.send(name, "failed", int(problem))
            return
        self.pids[name] = self.groups[name] = pid
        self.names[pid] = name
        self.wire.send(name, "started", pid)

    def watch(self, name: str, address: str, shim: str) -> None:
        """From now on start nothing that the journal at this socket does not watch; or all.

        Programs join it before they begin, in a process whose memory nobody can reach: so there is
        never one in the cell that could write without it.
        """
        self.join = lambda: None
        if address:
            scope: dict[str, Any] = {"__name__": "journal_shim"}
            with open(shim, encoding="utf-8") as file:
                exec(compile(file.read(), shim, "exec"), scope)
            self.join = lambda: scope["join"](address)
        self.wire.send(name, "ready")

    def signal(self, name: str, number: str) -> None:
        if name in self.pids:
            self.quietly(os.kill, self.pids[name], int(number))

    def signal_group(self, name: str, number: str) -> None:
        group = self.groups.get(name)
        if group is not None and self.names.get(group, name) == name:
            self.quietly(os.killpg, group, int(number))

    @staticmethod
    def quietly(call: Callable[..., object], *arguments: int) -> None:
        try:
            call(*arguments)
        except OSError:
            pass  # it is gone, or what it became is not ours to signal

    def reap(self) -> None:
        """Report every program that has ended; orphans of programs end here too."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for told in [told for told, (_, begun) in self.starting.items() if begun == pid]:
                self.started(told)
            name = self.names.pop(pid, None)
            if name is not None:
                del self.pids[name]
                self.wire.send(name, "ended", os.waitstatus_to_exitcode(status))

    def obey(self) -> None:
        (word, *fields), fds = self.wire.receive()
        try:
            if word == "launch":
                self.launch(fields[0], fields[1:], fds)
            else:
                getattr(self, word)(*fields)
        finally:
            for fd in fds:
                os.close(fd)

    def serve(self) -> None:
        wake, alarm = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(alarm, False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
        self.poll.register(self.wire, select.POLLIN)
        self.poll.register(wake, select.POLLIN)
        while True:
            ready = [fd for fd, _ in self.poll.poll()]
            for told in self.starting.keys() & set(ready):
                self.started(told)
            if wake in ready:
                os.read(wake, 4096)
                self.reap()
            if self.wire.fileno() in ready:
                self.obey()


def children_of(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []  # not Linux


def end_everything(groups: list[int]) -> None:
    """Kill what is left, orphans too; in a pid namespace the kernel does the same once more."""
    for group in groups:
        Launcher.quietly(os.killpg, group, _signal.SIGKILL)
    while children := children_of(os.getpid()):
        for pid in children:
            Launcher.quietly(os.kill, pid, _signal.SIGKILL)
        for pid in children:
            Launcher.quietly(os.waitpid, pid, 0)


def close_doors() -> None:
    """Let no program of the cell look into us: we can do what the journal of files never hears.

    And let none reach programs of the host by sockets that have a name and no file; a network of
    its own does that, too, but not every cell has one. Only kernels from 6.12 on can.
    """
    if sys.platform != "linux":
        return
    import _ctypes  # noqa: PLC0415 (ctypes takes 5 ms)

    ourselves = _ctypes.dlopen(None, 2)  # type: ignore[arg-type]
    prctl, syscall = (_ctypes.dlsym(ourselves, name) for name in ("prctl", "syscall"))
    if _ctypes.call_function(prctl, (NOT_DUMPABLE, 0, 0, 0, 0)):
        raise OSError("our memory stays open to others")
    if _ctypes.call_function(syscall, (LANDLOCK_CREATE, None, 0, 1)) < SCOPES_SINCE:
        return
    rules = _ctypes.call_function(syscall, (LANDLOCK_CREATE, ABSTRACT_SOCKETS, 24, 0))
    if rules < 0 or _ctypes.call_function(syscall, (LANDLOCK_RESTRICT, rules, 0)):
        raise OSError("sockets of the host stay open")
    os.close(rules)


def become_user(user: int, group: int) -> None:
    """Be root no more; the kernel takes all capabilities away with it."""
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)


def main() -> None:
    if sys.argv[2:]:
        become_user(*map(int, sys.argv[2:]))
    close_doors()
    control = int(sys.argv[1])
    for first, last in ((3, control), (control + 1, MOST_OPEN)):
        os.closerange(first, last)  # what only those needed who made the cell
    launcher = Launcher(Wire(control))
    try:
        launcher.serve()
    except (HostGone, ConnectionError):
        starting = [pid for _, pid in launcher.starting.values()]
        end_everything([*launcher.pids.values(), *starting])


if __name__ == "__main__":
    main()
