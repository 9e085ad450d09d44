"""The host's end of the wire to a cell's launcher; whatever comes out of the cell is distrusted."""

from __future__ import annotations

import array
import contextlib
import os
import queue
import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from interpreter.protocol.errors import Died, StartFailed
from interpreter.sandboxes.cell.process import CellProcess, Streams

_PATIENCE = 30.0  # seconds for an answer that takes a millisecond
_LONGEST_LINE = 4096
_MOST_UNREAD = 1 << 16
_GONE = "the sandbox has ended; start the session again"

Reply = CellProcess | list[str]


class LauncherWire:
    """Asks the launcher to do things, and hears from it how programs end."""

    def __init__(self, control: socket.socket, *, patience: float = _PATIENCE) -> None:
        seconds = struct.pack("ll", max(1, int(patience)), 0)
        control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, seconds)
        self._patience = patience
        self._control = control
        self._sending = threading.Lock()
        self._bookkeeping = threading.Lock()
        self._counter = 0
        self._answers: dict[str, queue.SimpleQueue[Reply]] = {}
        self._programs: dict[str, CellProcess] = {}
        self._gone = False
        self._reader = threading.Thread(target=self._listen, name="cell", daemon=True)

    @property
    def programs(self) -> tuple[CellProcess, ...]:
        """The programs that run."""
        with self._bookkeeping:
            return tuple(self._programs.values())

    def setup(
        self, limits: Mapping[str, int], probes: Sequence[str], port: int | None
    ) -> tuple[list[int], int | None]:
        """Set limits, try the walls and listen; before any foreign code has run.

        Returns the positions of the attempts that succeeded, and the listening socket.
        """
        words = [f"l:{name}={value}" for name, value in limits.items()]
        words += [f"p:{probe}" for probe in probes]
        words += [f"n:{port}"] if port else []
        self._send(["setup", "0", *words])
        self._control.settimeout(self._patience)
        try:
            line, fds, _, _ = socket.recv_fds(self._control, _LONGEST_LINE, 1)
        except OSError:
            line, fds = b"", []
        self._control.settimeout(None)
        match line.decode("ascii", "replace").split():
            case ["0", "ready", *positions]:
                self._reader.start()
                return [_number(word) for word in positions], fds[0] if fds else None
        raise StartFailed("the launcher did not come up in the cell")

    def probe(self, probes: Sequence[str]) -> list[int]:
        """The positions of the attempts that succeeded inside."""
        match self._ask("probe", probes):
            case ["ready", *positions]:
                return [_number(word) for word in positions]
        raise StartFailed("the launcher does not answer its self-test")

    def watch(self, journal: Path | None, shim: Path) -> None:
        """Have a journal that listens at a socket watch whatever is started from now on."""
        match self._ask("watch", [str(journal) if journal else "", str(shim)]):
            case ["ready"]:
                return
        raise StartFailed("the launcher gives no sensible answer")

    def newest_files(self, directory: Path) -> dict[str, int]:
        """The newest files of a directory as seen inside, by name, and their sizes."""
        match self._ask("newest", [str(directory)]):
            case ["ready", *words]:
                pairs = (word.partition(".") for word in words)
                return {os.fsdecode(bytes.fromhex(n)): _number(size) for n, _, size in pairs}
        return {}

    def launch(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        streams: Streams,
        pass_fds: Sequence[int],
    ) -> CellProcess:
        """Start a program; OSError as Popen raises it."""
        words = [str(cwd), str(len(argv)), *argv, str(len(env))]
        words += [f"{name}={value}" for name, value in env.items()]
        words += ["0", "1", "2", *(str(fd) for fd in pass_fds)]
        with streams:
            match self._ask("launch", words, [*streams.inside, *pass_fds]):
                case CellProcess() as program:
                    program.stdin, program.stdout, program.stderr = streams.take()
                    return program
                case ["failed", number]:
                    raise OSError(_number(number), os.strerror(_number(number)), argv[0])
        raise StartFailed("the launcher gives no sensible answer")

    def tell(self, word: str, *fields: str) -> None:
        """Send an order that has no answer; nothing happens when the cell has ended."""
        with contextlib.suppress(Died):
            self._send([word, *fields])

    def close(self) -> None:
        """Hang up; the launcher then ends everything inside."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        if self._reader.is_alive():
            self._reader.join(self._patience)
        self._control.close()

    def _ask(self, word: str, fields: Sequence[str], fds: Sequence[int] = ()) -> Reply:
        answer: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        with self._bookkeeping:
            self._counter += 1
            name = str(self._counter)
            self._answers[name] = answer
        try:
            self._send([word, name, *fields], fds)
            reply = answer.get(timeout=self._patience)
        except queue.Empty:
            raise StartFailed("the sandbox does not answer; start the session again") from None
        finally:
            with self._bookkeeping:
                self._answers.pop(name, None)
        if not reply:
            raise Died(_GONE)
        return reply

    def _send(self, fields: Sequence[str], fds: Sequence[int] = ()) -> None:
        body = b"\0".join(os.fsencode(field) for field in fields)
        if body.count(b"\0") != len(fields) - 1:
            raise ValueError("embedded null byte")
        frame = b"%08x" % len(body) + body
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        with self._sending:
            if self._gone:
                raise Died(_GONE)
            try:
                sent = self._control.sendmsg([frame], rights)
                if sent < len(frame):
                    self._control.sendall(frame[sent:])
            except OSError as error:
                raise Died(_GONE) from error

    def _listen(self) -> None:
        unread = b""
        with contextlib.suppress(OSError, ValueError):
            while piece := self._control.recv(_MOST_UNREAD):  # descriptors are dropped by `recv`
                *lines, unread = (unread + piece).split(b"\n")
                for line in lines:
                    self._hear(line.decode("ascii").split())
                if len(unread) > _LONGEST_LINE:
                    break
        self._end()

    def _hear(self, words: list[str]) -> None:
        match words:
            case [name, "started", pid]:
                self._answer(name, self._born(name, _number(pid)))
            case [name, "ended", status]:
                with self._bookkeeping:
                    program = self._programs.pop(name, None)
                if program is not None:
                    program.end(max(-255, min(_number(status), 255)))
            case [name, "failed" | "ready" as word, *rest]:
                self._answer(name, [word, *rest])
            case _:
                raise ValueError("no launcher of ours talks like that")

    def _born(self, name: str, pid: int) -> Reply:
        with self._bookkeeping:
            if name not in self._answers or name in self._programs:
                return []
            program = self._programs[name] = CellProcess(self.tell, name, pid)
        return program

    def _answer(self, name: str, reply: Reply) -> None:
        with self._bookkeeping:
            waiting = self._answers.pop(name, None)
        if waiting is not None:
            waiting.put(reply)

    def _end(self) -> None:
        """The cell is gone, or talks nonsense: nobody may wait for it any longer."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # first: it frees a sender that is stuck
        with self._sending:
            self._gone = True
        with self._bookkeeping:
            waiting, self._answers = list(self._answers.values()), {}
            programs, self._programs = list(self._programs.values()), {}
        for answer in waiting:
            answer.put([])
        for program in programs:
            program.end(-9)


def _number(word: str) -> int:
    """A number from inside; ValueError when it is none, or absurd."""
    if len(word) > 11:
        raise ValueError("not a number of ours")
    return int(word)
