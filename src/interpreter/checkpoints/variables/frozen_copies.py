"""The kernel's frozen copies, seen from the host: each ends when we hang up on it.

The socket they report at lies where code can reach it. So one thread serves all of them, a caller
must give a name that we ordered, and nothing is read from a line that was not asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import socket
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any, BinaryIO

from interpreter.checkpoints.variables.save_stream import receive_whole
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError

MOST_COPIES = 64
MOST_CALLERS = 16  # who have not said yet who they are; a new one takes the place of the oldest
HELLO_SECONDS = 10.0  # until a caller must have said who it is
LONGEST_LINE = 200  # bytes of a greeting, and of an answer
LONGEST_REPORT = 1 << 16  # bytes of what became of a copy
_SENDING = 5.0  # seconds for an order that a copy does not take
_ALL_DESCRIPTORS_USED = 0.1  # seconds until it is tried again to let somebody in
_NAMES = re.compile(r"[A-Za-z0-9-]{1,64}")


class FrozenCopy:
    """One copy's line."""

    def __init__(self, name: str, pid: int, line: socket.socket, fixed: str = "") -> None:
        self.name = name
        self.pid = pid
        self.fixed = fixed
        """Why it cannot become the kernel; empty if it can."""
        self.cost = 0
        self.line = line
        self.asked = False
        self._said = b""

    def become(self, address: str) -> int:
        """Have it become the kernel, listening at an address; it leaves a copy in its place.

        A descriptor from which `became` reads what comes of it.
        """
        reading, writing = os.pipe()
        with contextlib.suppress(OSError):  # it is gone: nothing becomes of it
            socket.send_fds(self.line, [f"become {address}\n".encode()], [writing])
        os.close(writing)
        return reading

    def became(self, reading: int, seconds: float) -> tuple[int, dict[str, str]]:
        """The id of the process that can be the kernel; what it could not take along, and why."""
        report = _object(_line_from(reading, seconds))
        pid, copy, lost = (report.get(word) for word in ("became", "copy", "lost"))
        if not (isinstance(pid, int) and isinstance(copy, int) and isinstance(lost, dict)):
            why = str(report.get("failed") or "the frozen copy is gone")
            raise CheckpointError(f"The frozen copy could not become the kernel: {why}.")
        self.pid = copy
        return pid, {str(name): str(why) for name, why in lost.items()}

    def measure(self, kernel: int, pids: list[int]) -> None:
        """Have the copy measure what copies cost; `cost` is set when it has."""
        if self.asked:
            return
        words = " ".join(str(pid) for pid in (kernel, *pids))
        with contextlib.suppress(OSError):
            self.line.sendall(f"memory {words}\n".encode())
            self.asked = True

    def save(self, file: BinaryIO, largest: int, seconds: float) -> None:
        """Have variables written to a file, up to so many bytes.

        What comes is counted here: the copy gets a pipe, and never a file of ours.
        """
        reading, writing = os.pipe()
        try:
            try:
                socket.send_fds(self.line, [f"save {largest}\n".encode()], [writing])
            except OSError as error:
                raise CheckpointError("The frozen copy of the variables is gone.") from error
            finally:
                os.close(writing)
            receive_whole(reading, file, largest, seconds)
        finally:
            os.close(reading)

    def hear(self) -> bool:
        """Take in the answer that was asked for; False if that is no answer, or the copy ended."""
        try:
            said = self.line.recv(LONGEST_LINE - len(self._said))
        except OSError:
            return False
        self._said += said
        if not self._said.endswith(b"\n"):
            return bool(said) and len(self._said) < LONGEST_LINE
        line, self._said, self.asked = self._said, b"", False
        memory = _object(line).get("memory")
        self.cost = memory if isinstance(memory, int) else 0
        return True

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)
        self.line.close()


def _line_from(reading: int, seconds: float) -> bytes:
    """What is said on a pipe that is ours to close, up to the end of the line."""
    told, deadline = b"", time.monotonic() + seconds
    try:
        while select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
            part = os.read(reading, LONGEST_REPORT)
            told += part
            if not part or part.endswith(b"\n") or len(told) > LONGEST_REPORT:
                break
    finally:
        os.close(reading)
    return told


class _Caller:
    """Somebody who has not said yet who they are."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.deadline = time.monotonic() + HELLO_SECONDS
        self.said = b""


class CopyRegistry:
    """Where frozen copies report, and where a kernel fetches a file that was promised to it."""

    def __init__(self, address: Path) -> None:
        self._address = address
        self._lock = threading.Condition()
        self._copies: dict[str, FrozenCopy] = {}
        self._expected: deque[str] = deque(maxlen=MOST_COPIES)
        self._offers: dict[str, int] = {}
        self._callers: deque[_Caller] = deque()
        self._closed = False
        self._deaf_until = 0.0
        self._hear, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._socket = safe_files.listen(address, MOST_CALLERS)
        self._socket.setblocking(False)
        self._thread = threading.Thread(target=self._serve, name="variables", daemon=True)
        self._thread.start()

    def expect(self, name: str) -> None:
        """A copy of that name was ordered; nobody else is let in."""
        with self._lock:
            self._expected.append(name)

    def expects(self, name: str) -> bool:
        """Whether a copy was ordered that has not reported yet."""
        with self._lock:
            return name in self._expected

    def get(self, name: str, seconds: float) -> FrozenCopy | None:
        """The copy of that name, once it has reported."""
        with self._lock:
            self._lock.wait_for(lambda: name in self._copies, seconds)
            return self._copies.get(name)

    def copies(self) -> list[FrozenCopy]:
        """The copies that live, oldest first."""
        with self._lock:
            return list(self._copies.values())

    def measure(self, kernel: int) -> None:
        """Have the newest copy measure what all of them cost beside the kernel."""
        copies = self.copies()
        if copies:
            copies[-1].measure(kernel, [copy.pid for copy in copies])
            self._wake_up()

    def drop(self, name: str) -> None:
        """End a copy, also one that may still report."""
        with self._lock:
            copy = self._copies.pop(name, None)
            with contextlib.suppress(ValueError):
                self._expected.remove(name)
        if copy is not None:
            copy.close()
            self._wake_up()

    def offer(self, ticket: str, descriptor: int) -> None:
        """Promise a file to whoever shows the ticket."""
        with self._lock:
            self._offers[ticket] = descriptor

    def withdraw(self, ticket: str) -> None:
        """Take a promise back that nobody wants any more."""
        with self._lock:
            descriptor = self._offers.pop(ticket, None)
        if descriptor is not None:
            os.close(descriptor)

    def close(self) -> None:
        """End all copies."""
        self._closed = True
        self._wake_up()
        self._thread.join()
        for line in (self._socket, self._hear, self._wake, *(c.line for c in self._callers)):
            line.close()
        self._address.unlink(missing_ok=True)
        for copy in self.copies():
            self.drop(copy.name)
        for ticket in tuple(self._offers):
            self.withdraw(ticket)

    def _wake_up(self) -> None:
        with contextlib.suppress(OSError):
            self._wake.send(b"!")

    def _serve(self) -> None:
        while not self._closed:
            copies = {copy.line.fileno(): copy for copy in self.copies()}
            callers = {caller.line.fileno(): caller for caller in self._callers}
            for number, event in self._ready(copies, callers):
                if number == self._hear.fileno():
                    self._hear.recv(4096)
                elif number == self._socket.fileno():
                    self._let_in()
                elif number in callers:
                    self._meet(callers[number])
                elif not (event & select.POLLIN and copies[number].hear()):
                    self._lose(copies[number])
            self._send_the_silent_away()

    def _ready(
        self, copies: dict[int, FrozenCopy], callers: dict[int, _Caller]
    ) -> list[tuple[int, int]]:
        """Who has something to say that we want to hear, or has hung up."""
        poll = select.poll()
        poll.register(self._hear, select.POLLIN)
        now = time.monotonic()
        until = [caller.deadline for caller in callers.values()]
        if now >= self._deaf_until:
            poll.register(self._socket, select.POLLIN)
        else:
            until.append(self._deaf_until)
        for number in callers:
            poll.register(number, select.POLLIN)
        for number, copy in copies.items():
            if number >= 0:
                poll.register(number, select.POLLIN if copy.asked else 0)
        found = poll.poll(max(0.0, min(until) - now) * 1000 if until else None)
        return [(number, event) for number, event in found if not event & select.POLLNVAL]

    def _let_in(self) -> None:
        try:
            line, _ = self._socket.accept()
        except BlockingIOError:
            return
        except OSError:  # no descriptor is left; others will give theirs back
            self._deaf_until = time.monotonic() + _ALL_DESCRIPTORS_USED
            return
        line.settimeout(_SENDING)
        if len(self._callers) >= MOST_CALLERS:
            self._callers.popleft().line.close()
        self._callers.append(_Caller(line))

    def _send_the_silent_away(self) -> None:
        while self._callers and self._callers[0].deadline <= time.monotonic():
            self._callers.popleft().line.close()

    def _meet(self, caller: _Caller) -> None:
        if caller not in self._callers:
            return  # sent away in the same round
        try:
            said = caller.line.recv(LONGEST_LINE - len(caller.said))
        except OSError:
            said = b""
        caller.said += said
        line, newline, _ = caller.said.partition(b"\n")
        if not newline and said and len(caller.said) < LONGEST_LINE:
            return
        self._callers.remove(caller)
        hello = _object(line)
        name, pid, ticket = hello.get("name"), hello.get("pid"), hello.get("ticket")
        if isinstance(ticket, str):
            self._hand_over(caller.line, ticket)
        elif isinstance(name, str) and _NAMES.fullmatch(name):
            number, fixed = pid if isinstance(pid, int) else 0, str(hello.get("fixed") or "")
            self._admit(FrozenCopy(name, number, caller.line, fixed))
        else:
            caller.line.close()

    def _hand_over(self, line: socket.socket, ticket: str) -> None:
        with self._lock:
            descriptor = self._offers.pop(ticket, None)
        with line, contextlib.suppress(OSError):
            if descriptor is not None:
                socket.send_fds(line, [b"x"], [descriptor])
        if descriptor is not None:
            os.close(descriptor)

    def _admit(self, copy: FrozenCopy) -> None:
        with self._lock:
            if copy.name not in self._expected or len(self._copies) >= MOST_COPIES:
                copy.close()
                return
            self._expected.remove(copy.name)
            self._copies[copy.name] = copy
            self._lock.notify_all()

    def _lose(self, copy: FrozenCopy) -> None:
        with self._lock:
            if self._copies.get(copy.name) is copy:
                del self._copies[copy.name]
        copy.close()


def _object(line: bytes) -> dict[str, Any]:
    """What a line says; nothing if that is no object."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
