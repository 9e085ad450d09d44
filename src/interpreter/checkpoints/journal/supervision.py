"""The supervisor seen from the host: started, asked, and started again if it dies."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import CheckpointError

Ask = Callable[[str, int, str], bool]
AskProgram = Callable[[list[str], str, str], bool]
"""Asked with a command line, the rule that wants to be asked, and its reason."""

_PACKAGE = Path(__file__).parents[3]
# Nothing but the standard library and ourselves: it starts in a moment, and no site is loaded.
_PROGRAM = """import gc, sys
gc.disable()
sys.path.append(sys.argv.pop(1))
from interpreter.checkpoints.journal.supervisor import main
gc.freeze()
gc.enable()
main()
"""
_SLOTS = 512
_MOST_RESTARTS = 8
_FAREWELL = 5.0  # seconds
_PATIENCE = 600.0  # seconds; an undo of very many files takes its time


def nothing() -> None:
    """What is done meanwhile by those who only wait."""


@dataclass
class _Line:
    """Commands to one supervisor, each with its reply."""

    socket: socket.socket
    replaced: threading.Event
    """Set when it was found dead, and there is another one in its place, or none any more."""

    def __post_init__(self) -> None:
        self._replies = self.socket.makefile("rb")
        self._numbers = itertools.count()

    def ask(self, message: dict[str, Any], meanwhile: Callable[[], None]) -> dict[str, Any] | None:
        """The reply; None if it is dead. A reply that nobody waited for any more is passed over."""
        number = next(self._numbers)
        line = json.dumps({**message, "number": number}).encode() + b"\n"
        with contextlib.suppress(OSError):  # it died: that is read below
            self.socket.sendall(line)
        meanwhile()
        with contextlib.suppress(ConnectionError):  # a killed process resets the connection
            while (line := self._replies.readline()).endswith(b"\n"):  # else it was cut short
                reply: dict[str, Any] = json.loads(line)
                if reply["number"] == number:
                    return reply
        return None

    def close(self) -> None:
        """Nothing more is asked."""
        self._replies.close()
        self.socket.close()


class Supervision:
    """Keeps a supervisor alive. Commands name what they mean, so asking twice is harmless."""

    def __init__(self, options: dict[str, Any], ask: Ask, ask_program: AskProgram) -> None:
        self._options = options
        self._ask = ask
        self._ask_program = ask_program
        self._listeners: dict[int, int] = {}
        self._lock = threading.Lock()
        self._calling = threading.Lock()
        self._restarts = 0
        self._closed = False
        with self._lock:
            self._start(takes_over=False)

    @property
    def pid(self) -> int:
        """The supervisor's process."""
        return self._process.pid

    def call(self, meanwhile: Callable[[], None] = nothing, **message: Any) -> dict[str, Any]:
        """Have a command carried out; CheckpointError if it cannot be, or nobody answers.

        What is to be done `meanwhile` is done once, here.
        """
        with self._calling:
            reply = self._ask_until_answered(message, meanwhile)
        if "error" in reply:
            raise CheckpointError(f"The file journal could not {message['do']}: {reply['error']}")
        found: dict[str, Any] = reply["ok"]
        return found

    def admit(self, listener: int) -> None:
        """Take a listener in. We hold it too: its programs wait while a supervisor is replaced."""
        with self._lock:
            self._let_the_dead_go()
            slot = next((n for n in range(_SLOTS) if n not in self._listeners), None)
            if slot is None:
                os.close(listener)
                raise OSError(errno.EAGAIN, "too many programs run under the journal")
            self._listeners[slot] = listener
            with contextlib.suppress(OSError):  # it has just died; the next one gets them all
                self._hand_over(slot, listener, "new")

    def close(self) -> None:
        """Stop asking; the supervisor ends when the cell is empty."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._line.socket.shutdown(socket.SHUT_RDWR)
            self._door.close()
            self._drop_listeners()
        self._watcher.join(_FAREWELL)

    def _ask_until_answered(
        self, message: dict[str, Any], meanwhile: Callable[[], None]
    ) -> dict[str, Any]:
        for _ in range(_MOST_RESTARTS):
            with self._lock:
                if self._closed:
                    break
                line = self._line
            once, meanwhile = meanwhile, nothing
            try:
                reply = line.ask(message, once)
            except OSError:  # it takes too long
                break
            if reply is not None:
                return reply
            line.replaced.wait(_PATIENCE)
        raise CheckpointError("The file journal does not answer; start the session again.")

    def _start(self, *, takes_over: bool) -> None:
        control, theirs = socket.socketpair()
        questions, their_questions = socket.socketpair()
        door, their_door = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.settimeout(_PATIENCE)
        options = json.dumps({**self._options, "takes_over": takes_over})
        command = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(_PACKAGE)]
        with theirs, their_questions, their_door:
            numbers = [one.fileno() for one in (theirs, their_questions, their_door)]
            process = subprocess.Popen(
                [*command, *map(str, numbers), options],
                pass_fds=numbers,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # it may outlive us, and whoever reads ours waits for it
                start_new_session=True,  # the user's Ctrl-C is not for the journal
            )
        self._process, self._door = process, door
        self._line = line = _Line(control, threading.Event())
        for slot, listener in self._listeners.items():
            self._hand_over(slot, listener)
        arguments = (process, line, questions)
        self._watcher = threading.Thread(target=self._watch, args=arguments, daemon=True)
        self._watcher.start()

    def _hand_over(self, slot: int, listener: int, word: str = "") -> None:
        socket.send_fds(self._door, [f"{slot} {word}".encode()], [listener])

    def _watch(
        self, process: subprocess.Popen[bytes], line: _Line, questions: socket.socket
    ) -> None:
        with questions, contextlib.suppress(OSError):  # a killed process resets the connection
            self._answer(questions)
        process.wait()  # after `close` it ends by itself, when the last program of the cell has
        self._replace()
        line.replaced.set()
        with self._calling:  # whoever still listened to it has turned to the new one
            line.close()

    def _answer(self, questions: socket.socket) -> None:
        with questions.makefile("rb") as lines:
            for line in lines:
                message = json.loads(line)
                if "ask" in message:
                    answer = self._ask(message["ask"], message["size"], message["why"])
                else:
                    words = (message["ask_program"], message["rule"], message["why"])
                    answer = self._ask_program(*words)
                questions.sendall(json.dumps({"answer": answer}).encode() + b"\n")

    def _replace(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._door.close()
            self._restarts += 1
            if self._restarts > _MOST_RESTARTS:
                self._closed = True
                self._drop_listeners()  # its programs' calls fail now, rather than wait for ever
                return
            self._start(takes_over=True)

    def _let_the_dead_go(self) -> None:
        waiting = select.poll()
        for listener in self._listeners.values():
            waiting.register(listener, 0)
        dead = {number for number, _ in waiting.poll(0)}
        for slot in [slot for slot, listener in self._listeners.items() if listener in dead]:
            os.close(self._listeners.pop(slot))

    def _drop_listeners(self) -> None:
        while self._listeners:
            os.close(self._listeners.popitem()[1])
