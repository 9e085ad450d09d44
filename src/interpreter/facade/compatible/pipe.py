"""Chunks in, chunks out: the protocol of Open Interpreter's servers, for asyncio."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator
from typing import Any

Chunk = dict[str, Any]
Answer = Callable[[list[Chunk]], Generator[Chunk, None, None]]
MOST_WAITING = 10_000
COMPLETE: Chunk = {"role": "server", "type": "status", "content": "complete"}


class Pipe:
    """One answer at a time: a new message stops the one that is being given."""

    def __init__(self, answer: Answer, stop: Callable[[], None]) -> None:
        self.thread: threading.Thread | None = None
        self.stopping = threading.Event()
        self.waiting: deque[Chunk] = deque()
        self._answer = answer
        self._stop = stop
        self._messages: list[Chunk] = []
        self._room = threading.Condition()
        self._reader: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    async def put(self, chunk: Chunk) -> None:
        """Take a chunk of what the user says."""
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
        self._messages[-1]["content"] += content

    async def get(self) -> Chunk:
        """The next chunk of the answer."""
        arrived = asyncio.Event()
        self._reader = (asyncio.get_running_loop(), arrived)
        while True:
            with self._room:
                if self.waiting:
                    self._room.notify_all()
                    return self.waiting.popleft()
                arrived.clear()
            await arrived.wait()

    def stop(self) -> None:
        """End the answer that is being given, and wait for its end."""
        thread = self.thread
        if thread is not None and thread.is_alive():
            self.stopping.set()
            self._stop()
            with self._room:
                self._room.notify_all()
            thread.join()

    async def _command(self, command: str) -> None:
        if command == "stop":
            await asyncio.to_thread(self.stop)
        elif command == "go":
            await asyncio.to_thread(self.stop)
            self._start()

    def _start(self) -> None:
        messages, self._messages = self._messages, []
        self.stopping.clear()
        self.thread = threading.Thread(target=self._work, args=(messages,), name="respond")
        self.thread.start()

    def _work(self, messages: list[Chunk]) -> None:
        try:
            for chunk in self._answer(messages):
                self._give(chunk)
                if self.stopping.is_set():
                    self._stop()  # in case it was asked before there was anything to stop
        except Exception:  # noqa: BLE001  (the other side is told, as the protocol has it)
            self._give({"role": "server", "type": "error", "content": traceback.format_exc()})
        self._give(dict(COMPLETE))

    def _give(self, chunk: Chunk) -> None:
        with self._room:
            self._room.wait_for(lambda: len(self.waiting) < MOST_WAITING or self.stopping.is_set())
            self.waiting.append(chunk)
            reader = self._reader
        if reader is not None and not reader[0].is_closed():
            reader[0].call_soon_threadsafe(reader[1].set)
