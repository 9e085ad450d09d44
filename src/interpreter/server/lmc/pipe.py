"""Chunks in, chunks out: the protocol of Open Interpreter's servers, for asyncio."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Generator
from typing import Any

from interpreter.assembly.live import EventLog
from interpreter.protocol.errors import InterpreterError
from interpreter.server.errors import Refused

Chunk = dict[str, Any]
Answer = Callable[[list[Chunk]], Generator[Chunk, None, None]]
LONGEST = 64_000_000  # characters of messages that have not ended
logger = logging.getLogger(__name__)
COMPLETE: Chunk = {"role": "server", "type": "status", "content": "complete"}


class Pipe:
    """One answer at a time: a new message stops the one that is being given."""

    def __init__(self, answer: Answer, stop: Callable[[], None]) -> None:
        self.thread: threading.Thread | None = None
        self.stopping = threading.Event()
        self.waiting: EventLog[Chunk] = EventLog()
        self._reader = self.waiting.reader()
        self._answer = answer
        self._stop = stop
        self._messages: list[Chunk] = []
        self._length = 0

    async def put(self, chunk: Chunk | bytes) -> None:
        """Take a chunk of what the user says; bytes go on with it."""
        if isinstance(chunk, bytes):
            chunk = {"role": "user", "content": chunk}
        if chunk.get("type") == "command":
            await self._command(str(chunk.get("content", "")))
            return
        if chunk.get("start"):
            await asyncio.to_thread(self.stop)
        self.accumulate(chunk)
        if chunk.get("end"):
            self._start()

    def accumulate(self, chunk: Chunk) -> None:
        """Add a chunk to the messages that are being made."""
        if "start" in chunk or not self._messages:
            kind = {k: v for k, v in chunk.items() if k not in ("start", "end", "content")}
            self._messages.append({"role": "user", "type": "message", **kind, "content": ""})
        content = chunk.get("content", "")
        if isinstance(content, bytes):
            content = content.decode(errors="replace")
        if not isinstance(content, str):
            raise Refused(400, "invalid", "'content' must be a text.")
        self._length += len(content) + len(self._messages)
        if self._length > LONGEST:
            self._messages, self._length = [], 0
            raise Refused(413, "too_large", f"A message has at most {LONGEST:,} characters.")
        self._messages[-1]["content"] += content

    async def get(self) -> Chunk:
        """The next chunk of the answer."""
        return (await self._reader.some(1))[0].event

    def stop(self) -> None:
        """End the answer that is being given, and wait for its end."""
        thread = self.thread
        if thread is not None and thread.is_alive():
            self.stopping.set()
            self._stop()
            self.waiting.wait_for_readers(False)
            thread.join()

    async def _command(self, command: str) -> None:
        if command == "stop":
            await asyncio.to_thread(self.stop)
        elif command == "go":
            await asyncio.to_thread(self.stop)
            self._start()

    def _start(self) -> None:
        messages, self._messages, self._length = self._messages, [], 0
        self.stopping.clear()
        self.waiting.wait_for_readers(True)
        self.thread = threading.Thread(target=self._work, args=(messages,), name="respond")
        self.thread.start()

    def _work(self, messages: list[Chunk]) -> None:
        try:
            for chunk in self._answer(messages):
                self.waiting.append(chunk)
                if self.stopping.is_set():
                    self._stop()  # in case it was asked before there was anything to stop
        except Exception as error:  # noqa: BLE001  (the other side is told, as the protocol has it)
            self.waiting.append({"role": "server", "type": "error", "content": _sentence(error)})
        self.waiting.append(dict(COMPLETE))


def _sentence(error: Exception) -> str:
    """What went wrong, for whoever is at the other end; the rest is in the log."""
    if isinstance(error, InterpreterError | Refused):
        return str(error)
    logger.exception("An answer broke off.")
    return f"{type(error).__name__}: {error}".splitlines()[0]
