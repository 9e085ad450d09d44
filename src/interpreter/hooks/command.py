"""A hook that is a command: the event goes to its standard input, its answer is how it ends.

Status 0: what it printed is the answer, in JSON. Status 2: no, and why is on its error output. Any
other status is told to the user and decides nothing. What hangs, floods or is killed has failed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from interpreter.hooks.configuration import CommandHook
from interpreter.hooks.dispatch import holds
from interpreter.protocol.hooks import (
    LONGEST_TEXT,
    NO_ANSWER,
    Hook,
    HookAnswer,
    HookCall,
    HookFailed,
    answer_from,
)
from interpreter.protocol.ports import Process
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence, visible

MOST_PRINTED = 1_000_000  # bytes
BLOCKS = 2
NOT_RUN = 126  # from here on, a shell says that it cannot be run, or that it was killed
TICK = 0.2
SECONDS_FOR_THE_REST = 1.0  # of what it printed, where something it left running holds the pipe
SHOWN = 60  # characters of a command in a sentence
TAKES_PLAIN_TEXT = ("UserPromptSubmit", "SessionStart")

Start = Callable[[CommandHook], Process]
"""Starts the command, with pipes for its input, output and errors."""


@frozen
class Ended:
    """How a command ended."""

    status: int
    printed: bytes
    errors: bytes


def as_hook(command: CommandHook, start: Start) -> Hook:
    """A hook that runs the command."""

    def run(call: HookCall) -> HookAnswer:
        if command.condition and not holds(command.condition, call):
            return NO_ANSWER
        payload = json.dumps(call.payload).encode() + b"\n"
        return read_answer(call, _run(lambda: start(command), payload, command.seconds))

    name = f"`{visible(command.command)[:SHOWN]}`"
    return Hook(command.event, run, command.matcher, name, may_allow=command.source == "user")


def read_answer(call: HookCall, ended: Ended) -> HookAnswer:
    """What a command that came to its end has said."""
    printed, errors = _text(ended.printed), _text(ended.errors)
    if ended.status == BLOCKS:
        return HookAnswer("deny", errors or "a hook said no")
    if ended.status:
        line = errors.partition("\n")[0][:200]
        return HookAnswer(
            notice=f"A hook for {call.event} ended with status {ended.status}: {line}"
        )
    if not printed.startswith("{"):
        return HookAnswer(context=printed) if call.event in TAKES_PLAIN_TEXT else NO_ANSWER
    try:
        output: Any = json.loads(ended.printed)
    except (ValueError, RecursionError) as error:
        raise HookFailed(f"what it printed is no JSON ({error}).") from error
    return answer_from(call.event, output)


def _text(given: bytes) -> str:
    return sentence(given.decode(errors="replace")[:LONGEST_TEXT]).strip()


def _run(start: Callable[[], Process], payload: bytes, seconds: float) -> Ended:
    try:
        process = start()
    except OSError as error:
        raise HookFailed(f"it cannot be started: {error}.") from error
    threading.Thread(target=_tell, args=(process.stdin, payload), daemon=True).start()
    printed, errors = _Listener(process.stdout), _Listener(process.stderr)
    try:
        _await_end(process, (printed, errors), time.monotonic() + seconds, seconds)
        for listener in (printed, errors):
            listener.join(SECONDS_FOR_THE_REST)
        status = process.poll()
    finally:
        with suppress(OSError):
            process.signal_group(signal.SIGKILL)
        process.wait()
    if printed.flooded or errors.flooded:
        raise HookFailed(f"it printed more than {MOST_PRINTED:,} bytes.")
    if status is None or status < 0 or status >= NOT_RUN:
        raise HookFailed("it could not be run, or was killed.")
    return Ended(status, bytes(printed.heard), bytes(errors.heard))


def _await_end(
    process: Process, listeners: tuple[_Listener, _Listener], end: float, seconds: float
) -> None:
    """Until it ends or floods us; whatever it left running is not waited for."""
    while not any(listener.flooded for listener in listeners):
        if time.monotonic() > end:
            raise HookFailed(f"it took longer than {seconds:g} seconds.")
        with suppress(subprocess.TimeoutExpired):
            process.wait(TICK)
            return


class _Listener(threading.Thread):
    """Hears a stream out, up to what a hook may print."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        super().__init__(name="hook", daemon=True)
        assert stream is not None, "it was started with pipes"
        self._stream = stream
        self.heard = bytearray()
        self.flooded = False
        self.start()

    def run(self) -> None:
        """Listen."""
        with suppress(OSError, ValueError), self._stream:
            while piece := os.read(self._stream.fileno(), 1 << 16):
                self.heard += piece
                if len(self.heard) > MOST_PRINTED:
                    self.flooded = True
                    return


def _tell(stdin: IO[bytes], payload: bytes) -> None:
    with suppress(OSError, ValueError):  # it need not listen
        stdin.write(payload)
        stdin.close()
