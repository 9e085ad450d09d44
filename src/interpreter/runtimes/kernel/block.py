"""One block running in a kernel: its output, its questions, and its end, whatever happens.

Everything that a kernel publishes is checked, nothing is trusted.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from interpreter.protocol.events import (
    ActiveLine,
    DisplayShown,
    ExecutionFinished,
    InputRequested,
    Notice,
    OutputCleared,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import LIBRARY, TABLE, Display, Face, Outcome
from interpreter.protocol.ports import Answerer
from interpreter.runtimes.kernel.host import KernelHost
from interpreter.runtimes.kernel.wire import MOST_VALUES, Channels, Incoming
from interpreter.runtimes.kernel.zmtp import LARGEST_MESSAGE
from interpreter.runtimes.resident import Insistence

SETTLE_SECONDS = 1.0  # of silence, after a block has replied and still owes us the rest
LATE_CHARACTERS = 4_000
END_OF_FILE = "\x04"  # how ipykernel is told that there is no more input


class KernelBlock:
    """Sends a block and turns what comes back into events."""

    def __init__(self, channels: Channels, host: KernelHost, patience: float) -> None:
        self._channels = channels
        self._host = host
        self._insistence = Insistence(patience, self._ask_to_stop, self._end_kernel)
        self._reply: Incoming | None = None
        self._sent = self._idle = self._given_up = False
        self._owed_replies = 0
        self._late = 0
        self._reported_lines = False

    def run(
        self,
        source: str,
        answer: Answerer,
        interrupts: Callable[[], int],
        *,
        silent: bool = False,
    ) -> Iterator[RuntimeEvent]:
        """Run the block to its end; a silent one leaves no trace in the kernel's history."""
        self._id = self._channels.send("shell", "execute_request", _request(source, silent))
        self._sent = True
        while not self._is_over():
            message = self._channels.receive(self._patience_now())
            if message is not None:
                yield from self._take(message, answer)
            self._mind(message, interrupts())
        yield from self._late_report()
        if self._reported_lines:
            yield ActiveLine(None)
        yield self._end(interrupted=self._insistence.begun)

    def stop(self) -> None:
        """Make sure that the block does not go on: the caller has lost interest in it."""
        if not self._sent or self._is_over():
            return
        self._mind(None, 1)
        while not self._is_over():
            message = self._channels.receive(self._patience_now())
            if message is not None:
                self._note(message)
            self._mind(message, 1)

    def _is_over(self) -> bool:
        if self._given_up or self._host.gone():
            return True
        return self._reply is not None and self._idle and not self._owed_replies

    def _patience_now(self) -> float | None:
        if self._reply is not None or self._idle:
            return SETTLE_SECONDS
        return self._insistence.pause() if self._insistence.begun else self._host.check_seconds

    def _mind(self, message: Incoming | None, count: int) -> None:
        """Look after interrupts, also while messages flood in; and after a silence."""
        if message is None:
            self._channels.silence()
            replied = self._reply is not None or self._idle
            self._given_up = self._rest_is_lost(count) if replied else not self._lives(count)
        if count and not self._given_up and self._reply is None:
            self._insistence.mind(count)

    def _rest_is_lost(self, count: int) -> bool:
        """As when an interrupt hits it; what is long to come on a busy machine is not lost."""
        return count > 1 or self._channels.quiet_seconds() >= SETTLE_SECONDS

    def _lives(self, count: int) -> bool:
        return count > 0 or self._host.check_seconds is None or self._channels.beats()

    def _end_kernel(self) -> None:
        self._host.kill()
        self._given_up = True

    def _ask_to_stop(self, time: int) -> None:
        if not self._host.interrupt():
            self._channels.send("control", "interrupt_request", {})
            self._owed_replies += 1

    def _take(self, message: Incoming, answer: Answerer) -> Iterator[RuntimeEvent]:
        self._note(message)
        if message.channel == "iopub":
            yield from self._show(message)
        elif message.kind == "input_request" and message.parent == self._id:
            request = InputRequested(
                message.text("prompt"), message.content.get("password") is True
            )
            yield request
            line = answer(request)
            value = END_OF_FILE if line is None else line
            self._channels.send("stdin", "input_reply", {"value": value}, message.header)

    def _note(self, message: Incoming) -> None:
        if message.kind == "interrupt_reply":
            self._owed_replies = max(0, self._owed_replies - 1)
        if message.parent != self._id:
            return
        if message.kind == "execute_reply":
            self._reply = message
        if message.kind == "status":
            self._idle = message.text("execution_state") == "idle"

    def _show(self, message: Incoming) -> Iterator[RuntimeEvent]:
        if message.parent != self._id:
            yield from self._late_output(message)
        elif message.kind != "error" or message.text("ename") != "SystemExit":
            event = published(message)
            self._reported_lines = self._reported_lines or isinstance(event, ActiveLine)
            if event is not None:
                yield event

    def _late_output(self, message: Incoming) -> Iterator[RuntimeEvent]:
        text = message.text("text") if message.kind == "stream" else ""
        if text and self._late < LATE_CHARACTERS:
            yield Notice(f"An earlier block still prints: {text[:LATE_CHARACTERS]}")
        self._late += len(text)

    def _late_report(self) -> Iterator[RuntimeEvent]:
        if self._late > LATE_CHARACTERS:
            yield Notice(f"An earlier block printed {self._late} characters meanwhile.")
        if left_out := self._channels.take_left_out():
            yield Notice(
                f"Left out of what was shown: {left_out} larger than {LARGEST_MESSAGE >> 20} MB "
                f"or with more than {MOST_VALUES:,} values."
            )

    def _end(self, interrupted: bool) -> ExecutionFinished:
        gone = self._host.gone()
        if self._reply is None:
            return _lost(gone, interrupted)
        if self._reply.text("status") == "ok":
            return ExecutionFinished("ok")
        summary = failure(self._reply)
        if self._reply.text("ename") == "SystemExit":
            return _left(self._reply.text("evalue"), summary)
        outcome: Outcome = "interrupted" if interrupted else "failed"
        return ExecutionFinished(outcome, summary or self._reply.text("status"))


def _request(source: str, silent: bool) -> dict[str, object]:
    return {
        "code": source,
        "silent": silent,
        "store_history": not silent,
        "user_expressions": {},
        "allow_stdin": not silent,
        "stop_on_error": False,
    }


def _left(status: str, summary: str) -> ExecutionFinished:
    if status in ("", "0", "None"):
        return ExecutionFinished("ok", exit_code=0)
    is_status = status.isdecimal() and len(status) < 4
    return ExecutionFinished("failed", summary, int(status) if is_status else 1)


def _lost(gone: str, interrupted: bool) -> ExecutionFinished:
    if not gone and interrupted:
        return ExecutionFinished("interrupted", "It was stopped and left no result.")
    if not gone:
        return ExecutionFinished("failed", "The kernel gave no result; it may be gone.")
    if interrupted:
        why = "It did not obey the interrupt and was ended"
    else:
        why = f"The process ended ({gone})"
    return ExecutionFinished(
        "died", f"{why}; its variables are gone and the next block starts afresh."
    )


LARGEST_FACE = 20_000_000
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
FRAME = re.compile(r"File |(?:Cell|Input) In ?\[")
LIBRARY_FRAME = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python3|\.p(?:yx|xi|xd):|<frozen "
)
CHAINED = re.compile(r"The above exception was the direct cause|During handling of the above")
BINARY = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", LIBRARY}
SPEAKING = ("text/markdown", "text/latex", "application/json")
RICHNESS = (
    "text/plain",
    "text/markdown",
    "text/latex",
    "application/json",
    TABLE,
    "text/html",
    "image/svg+xml",
    "image/gif",
    "image/webp",
    "image/jpeg",
    "image/png",
)


def published(message: Incoming) -> RuntimeEvent | None:
    """The event a message on the output channel stands for, if any."""
    match message.kind:
        case "stream":
            is_error = message.text("name") == "stderr"
            return OutputDelta(message.text("text"), "stderr" if is_error else "stdout")
        case "execute_result" | "display_data" | "update_display_data":
            return DisplayShown(_display(message), updates=message.kind.startswith("update"))
        case "clear_output":
            return OutputCleared(wait=message.content.get("wait") is True)
        case "error":
            return OutputDelta(_traceback(message), "stderr")
        case "reploop_active_line":
            return _active_line(message)
    return None


def failure(message: Incoming) -> str:
    """One line for the exception in an error or an error reply."""
    name, value = message.text("ename"), ANSI.sub("", message.text("evalue"))
    return f"{name}: {value}" if value else name


def _display(message: Incoming) -> Display:
    data, transient = message.content.get("data"), message.content.get("transient")
    faces = faces_of(data if isinstance(data, dict) else {})
    identity = transient.get("display_id") if isinstance(transient, dict) else None
    return Display(faces, identity if isinstance(identity, str) else "")


def faces_of(data: dict[Any, Any]) -> tuple[Face, ...]:
    """What a bundle of media types can be shown as, the richest last."""
    found = [_face(str(kind), value) for kind, value in data.items()]
    faces = _in_words([face for face in found if face is not None])
    return tuple(sorted(faces, key=lambda face: _richness(face.media_type)))


def _in_words(faces: list[Face]) -> list[Face]:
    """The same faces; one that only names its Python class gives way to what it says."""
    words = [f for f in faces if f.media_type in SPEAKING and isinstance(f.data, str)]
    plain = [f for f in faces if f.media_type == "text/plain"]
    if not words or not plain or not str(plain[0].data).startswith("<IPython.core.display."):
        return faces
    said = Face("text/plain", str(words[0].data)[:2000])
    return [said, *(f for f in faces if f is not plain[0])]


def _richness(media_type: str) -> float:
    return RICHNESS.index(media_type) if media_type in RICHNESS else 0.5


def _face(media_type: str, value: Any) -> Face | None:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)  # notebooks keep text as lines
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    if len(value) > LARGEST_FACE:
        return Face("text/plain", f"({media_type} of {len(value)} characters is left out)")
    if media_type not in BINARY:
        return Face(media_type, value)
    try:
        return Face(media_type, base64.b64decode(value))
    except (binascii.Error, ValueError):
        return None


def _traceback(message: Incoming) -> str:
    lines = message.content.get("traceback")
    if not isinstance(lines, list) or not lines:
        return failure(message) + "\n"
    pieces = [ANSI.sub("", str(line)) for line in lines]
    return "\n".join(own_frames(pieces)).rstrip("\n") + "\n"


def own_frames(pieces: list[str]) -> list[str]:
    """A traceback with the frames of libraries left out, and where the last of them was.

    An exception that came about and was handled in libraries alone is left out as a whole.
    """
    parts: list[list[str]] = [[]]
    for piece in pieces:
        if CHAINED.match(piece.strip()):
            parts.append([])
        parts[-1].append(piece)
    told = [part for part in parts[:-1] if any(map(_is_own, part))]
    last = parts[-1] if told or len(parts) == 1 else parts[-1][1:]
    return [piece for part in (*told, last) for piece in _without_libraries(part)]


def _without_libraries(part: list[str]) -> Iterator[str]:
    left_out: list[str] = []
    for piece in part:
        if FRAME.match(piece) and not _is_own(piece):
            left_out.append(piece)
            continue
        if more := len(left_out[1:]):
            yield f"[{more} library frame{'s' if more > 1 else ''} left out]"
        if left_out:
            yield left_out.pop().split("\n", 1)[0]
            left_out.clear()
        yield piece


def _is_own(piece: str) -> bool:
    return bool(FRAME.match(piece)) and not LIBRARY_FRAME.search(piece.split("\n", 1)[0])


def _active_line(message: Incoming) -> ActiveLine | None:
    line = message.content.get("line")
    return ActiveLine(line) if isinstance(line, int) else None
