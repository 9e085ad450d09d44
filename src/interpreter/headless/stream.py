"""What comes in while a session goes on: messages wait for their turn, the rest is done at once."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Mapping
from queue import Empty, Full, Queue
from typing import Any

from interpreter.headless.control import ControlRequests, Send
from interpreter.headless.lines import BrokenLine, LineReader
from interpreter.headless.requests import IncomingRequests
from interpreter.protocol.messages import Display, Face, Message, Part, Text
from interpreter.protocol.values import frozen

MOST_WAITING = 100  # messages
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@frozen
class Arrived:
    """A message; or a problem, after which nothing may come any more."""

    message: Message = Message("user", ())
    uuid: str = ""
    problem: str = ""
    ends: bool = False


class LineInbox(threading.Thread):
    """Reads lines in a thread of its own, until they end."""

    def __init__(
        self, descriptor: int, send: Send, requests: IncomingRequests, control: ControlRequests
    ) -> None:
        super().__init__(name="input", daemon=True)
        self._lines = LineReader(descriptor)
        self._send = send
        self._requests = requests
        self._control = control
        self._messages: Queue[Arrived | None] = Queue(MOST_WAITING + 1)

    @property
    def is_empty(self) -> bool:
        """Whether no message waits."""
        return self._messages.empty()

    def take(self) -> Arrived | None:
        """The next message; None when there are no more."""
        return self._messages.get()

    def run(self) -> None:
        """Read; whatever ends it, all that waits for an answer is told so."""
        last = None
        try:
            for line in self._lines:
                self._received(line)
        except BrokenLine as error:
            last = Arrived(problem=str(error), ends=True)
        except OSError:
            last = Arrived(problem="Nobody reads what is said here.", ends=True)
        self._control.close("the input has ended")
        if last is not None:
            self._requests.stop()
            self._clear()
        self._messages.put(last)

    def _clear(self) -> None:
        try:
            while True:
                self._messages.get_nowait()
        except Empty:
            return

    def _received(self, line: Mapping[str, Any]) -> None:
        match line.get("type"):
            case "user":
                self._requests.expect()
                try:
                    self._messages.put_nowait(_arrived(line))
                except Full as error:
                    raise BrokenLine(f"More than {MOST_WAITING} messages wait.") from error
            case "control_request":
                self._send(self._requests.answer(line))
            case "control_response":
                self._control.answered(line.get("response"))
            case _:
                pass  # such as `keep_alive`: nothing that is known here, and nothing is meant


def _arrived(line: Mapping[str, Any]) -> Arrived:
    told = line.get("message")
    content = told.get("content") if isinstance(told, dict) else None
    uuid = line.get("uuid")
    known = uuid if isinstance(uuid, str) and len(uuid) <= 64 else ""
    if isinstance(content, str):
        return Arrived(Message("user", (Text(content),) if content.strip() else ()), known)
    try:
        parts = tuple(map(_part, content if isinstance(content, list) else [None]))
    except ValueError as error:
        return Arrived(problem=str(error))
    return Arrived(Message("user", parts), known)


def _part(block: Any) -> Part:
    match block:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "image", "source": {"type": "base64", "media_type": kind, "data": str(data)}}:
            if kind not in PICTURES:
                raise ValueError(f"Pictures of the type {str(kind)[:40]!r} cannot be shown.")
            try:
                return Display((Face(kind, base64.b64decode(data, validate=True)),))
            except binascii.Error as error:
                raise ValueError(f"A picture is not in base64: {error}.") from error
    raise ValueError("A message has text, or a list of texts and pictures; this one has neither.")
