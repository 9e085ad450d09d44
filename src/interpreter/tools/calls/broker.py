"""Answers the calls that code in a cell makes: each is looked up, checked, ruled on, and run."""

from __future__ import annotations

import contextlib
import json
import select
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.actions import Asks, Decision
from interpreter.protocol.calls import Arguments, CallContext, HostFunction, in_one_line
from interpreter.protocol.errors import CallFailed, InterpreterError
from interpreter.protocol.events import (
    HostCallFinished,
    HostCallProposed,
    HostCallRuled,
    RuntimeEvent,
)
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Face, Outcome
from interpreter.protocol.ports import CallPolicy
from interpreter.protocol.system.reception import Reception
from interpreter.protocol.visible import visible
from interpreter.tools.calls import frames
from interpreter.tools.calls.functions import HostFunctions
from interpreter.tools.calls.parameters import Unfit, bound

MOST_AT_ONCE = 32
PATIENCE = 30.0  # seconds for a caller to say what it wants, and to take the answer
SHOWN_CHARACTERS = 2_000  # of an argument, in events and questions
SHOWN_IN_ALL = 20_000
SHOWN_ITEMS = 100

Ask = Callable[[ActionCall, str], Decision]
Tell = Callable[[RuntimeEvent], bool]
Ended = Callable[[Outcome, float, str], None]


class Broker:
    """Serves the cells of one session; `ask` and `tell` reach the user through the block that runs.

    What comes over the socket is hostile: bounded, and only a key into the registry.
    """

    def __init__(
        self,
        functions: HostFunctions,
        policy: Callable[[], CallPolicy],
        ask: Ask,
        tell: Tell,
        unheard: Callable[[str], None] = lambda line: None,
        origin: Callable[[Arguments], str] = lambda arguments: "",
    ) -> None:
        self.functions = functions
        self._policy = policy
        self._ask = ask
        self._inject = tell
        self._unheard = unheard
        self._origin = origin
        self._numbers = count(1)
        self._room = frames.Room()
        self._reception: Reception | None = None

    def serve(self, exchange: Path) -> None:
        """Serve the cell with this exchange, and no other any more; hand it what calls us."""
        self.close()
        for name in ("host_calls.py", "host_calls.js", *self.functions.inside_files()):
            safe_files.write(exchange / name, (INSIDE / "functions" / name).read_bytes())
        safe_files.make_folder(exchange / "bin")
        program = [sys.executable, "-ISB", str(exchange / "host_calls.py")]
        words = " ".join(map(shlex.quote, program))
        command = f'#!/bin/sh\nexec {words} "$@"\n'
        safe_files.write(exchange / "bin" / "reploop-call", command, mode=0o700)
        self._reception = Reception(exchange / "calls", self._meet, MOST_AT_ONCE)

    def close(self) -> None:
        """Answer nobody any more."""
        reception, self._reception = self._reception, None
        if reception is not None:
            reception.close()

    def _meet(self, line: socket.socket) -> None:
        with self._room.share() as admit:
            self._answer(line, admit)

    def _answer(self, line: socket.socket, admit: frames.Admit) -> None:
        try:
            head, value = frames.receive(line, PATIENCE, admit)
            line.settimeout(PATIENCE)
            if head.get("call") == "":
                line.sendall(frames.encoded({"is": "value"}, self.functions.listed()))
                return
            function, arguments = self._understood(head, value)
            self._carry_out(line, function, arguments)
        except (frames.Garbled, Unfit) as error:
            line.sendall(_refusal(CallFailed(str(error))))
        except CallFailed as error:
            line.sendall(_refusal(error))

    def _understood(self, head: dict[str, Any], value: Any) -> tuple[HostFunction, Arguments]:
        name = head.get("call")
        function = self.functions.get(name) if isinstance(name, str) else None
        if function is None:
            reason = self.functions.why_missing(visible(str(name)[:200]))
            raise CallFailed(reason, "NotHere")
        try:
            return function, bound(function.parameters, value, texts=head.get("texts") is True)
        except Unfit as error:
            raise CallFailed(f"{function.name}: {error}", "WrongArguments") from error

    def _carry_out(self, line: socket.socket, function: HostFunction, arguments: Arguments) -> None:
        number = f"call-{next(self._numbers)}"
        call = ActionCall(function.name, _shown_in_all(arguments), number)
        self._tell(HostCallProposed(call))
        decision = self._decided(call, function, arguments)
        self._tell(HostCallRuled(call, decision))
        if not decision.allows:
            reason = decision.reason or "the user said no"
            raise CallFailed(f"{function.name} was not allowed: {reason}", "CallDenied")

        def ended(outcome: Outcome, seconds: float, summary: str) -> None:
            self._tell(HostCallFinished(call, outcome, seconds, visible(summary)))

        _Work(line, function, arguments, ended).follow()

    def _tell(self, event: HostCallProposed | HostCallRuled | HostCallFinished) -> None:
        """Let it come out of the block that runs; a call in the background leaves a line."""
        if self._inject(event) or isinstance(event, HostCallProposed):
            return
        if line := in_one_line(event):
            self._unheard(line)

    def _decided(self, call: ActionCall, function: HostFunction, arguments: Arguments) -> Decision:
        policy = self._policy()
        origin = self._origin(arguments) if function.sends() else ""
        asks: Asks = "from what was read" if origin else function.asks
        verdict = policy.review_call(call, asks=asks)
        if verdict.ruling == "allow":
            return Decision("yes")
        if verdict.ruling == "deny":
            return Decision("no", verdict.reason or "a rule forbids it")
        shown = ", ".join(f"{n}={v!r}" for n, v in json.loads(call.arguments).items())
        what = f"This block calls {call.tool}({visible(shown)})."
        why = f"What it is given leaves the sandbox: {origin}." if origin else ""
        decision = self._ask(call, " ".join(filter(None, (what, verdict.reason, why))))
        policy.remember_call(call, decision)
        return decision


class _Work:
    """One call in a thread of its own, while this one waits for its end, a hang-up, or its time."""

    def __init__(
        self, line: socket.socket, function: HostFunction, arguments: Arguments, ended: Ended
    ) -> None:
        self._line = line
        self._function = function
        self._arguments = arguments
        self._ended = ended
        self._interrupt = Interrupt()
        self._answering = threading.Lock()
        self._answered = False
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=function.name, daemon=True)

    def follow(self) -> None:
        """Until the function has returned: one that does not stop keeps its place among the calls.

        The caller has its answer when the time is over, and whoever hangs up wants none.
        """
        self._thread.start()
        waiting = select.poll()
        waiting.register(self._line, getattr(select, "POLLRDHUP", 0))
        in_time = waiting.poll(self._function.seconds * 1000)
        self._interrupt.request()
        if not in_time:
            limit = f"{self._function.name} took longer than {self._function.seconds:g} seconds."
            self._fail(CallFailed(limit, "CallTimedOut"), "timed_out")
        else:
            self._fail(CallFailed("The call was taken back.", "CallCancelled"), "interrupted")
        self._thread.join()

    def _run(self) -> None:
        try:
            value = self._function.call(self._arguments, CallContext(self._interrupt))
            if isinstance(value, Iterator):
                self._send_pieces(value)
            else:
                self._end("ok", frames.encoded({"is": "value"}, value))
        except CallFailed as error:
            self._fail(error)
        except (InterpreterError, frames.Garbled) as error:
            self._fail(CallFailed(f"{self._function.name}: {error}"))
        except Exception as error:  # noqa: BLE001  (a fault of the function is the caller's news)
            self._fail(CallFailed(f"{self._function.name} failed: {error!r}"))

    def _send_pieces(self, pieces: Iterator[Any]) -> None:
        frame = frames.encoded({"is": "pieces"})
        while frame and self._send(frame):
            frame = b"".join(frames.encoded({"is": "piece"}, piece) for piece in islice(pieces, 1))
        self._end("ok", frames.encoded({"is": "end"}))

    def _send(self, frame: bytes) -> bool:
        with self._answering:
            if self._answered:
                return False
            try:
                self._line.sendall(frame)
            except OSError:  # nobody is there any more
                return False
            return True

    def _fail(self, error: CallFailed, outcome: Outcome = "failed") -> None:
        self._end(outcome, _refusal(error), str(error))

    def _end(self, outcome: Outcome, last: bytes, summary: str = "") -> None:
        """Answer, unless that has been done; then hang up, which ends the other thread's wait."""
        with self._answering:
            if self._answered:
                return
            self._answered = True
            # Told first: who has the answer may end the block, and nothing can be told then.
            self._ended(outcome, time.monotonic() - self._began, summary)
            with contextlib.suppress(OSError):  # nobody is there any more
                self._line.sendall(last)
                self._line.shutdown(socket.SHUT_RDWR)


def _refusal(error: CallFailed) -> bytes:
    head = {"is": "error", "kind": error.kind, "text": str(error)}
    try:
        return frames.encoded(head, error.details)
    except frames.Garbled:
        return frames.encoded(head)


def _shown(value: Any) -> Any:
    """Arguments as they are shown and ruled on: bytes by their size, long texts by their start."""
    match value:
        case bytes():
            return f"<{len(value)} bytes>"
        case Face(media_type, data):
            return f"<{media_type}, {len(data)} bytes>"
        case str() if len(value) > SHOWN_CHARACTERS:
            return f"{value[:SHOWN_CHARACTERS]}… ({len(value)} characters)"
        case dict():
            more = {"…": f"({len(value)} items)"} if len(value) > SHOWN_ITEMS else {}
            first = islice(value.items(), SHOWN_ITEMS)
            return {key[:SHOWN_CHARACTERS]: _shown(item) for key, item in first} | more
        case list():
            items = [_shown(item) for item in value[:SHOWN_ITEMS]]
            return [*items, f"… ({len(value)} items)"] if len(value) > SHOWN_ITEMS else items
    return value


def _shown_in_all(arguments: Arguments) -> str:
    """The same as JSON; where many short things are long together, the start of each argument."""
    shown = _shown(arguments)
    text = json.dumps(shown)
    if len(text) <= SHOWN_IN_ALL:
        return text
    room = SHOWN_IN_ALL // len(shown)
    return json.dumps({key[:room]: _start(json.dumps(one), room) for key, one in shown.items()})


def _start(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room]}… ({len(text)} characters)"
