"""A thread for everything that a session does, one thing after the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 3.0  # seconds for work to end by itself before it is ended by force


class SessionThread:
    """Starts with the first thing to do, and ends when it is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def do(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Have something done when all before it is; its result."""
        result: Future[T] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._jobs.put((lambda: work(*arguments), result))
        return result

    def ado(self, work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        """The same for asyncio; whoever is cancelled while waiting does not stop the work."""
        return asyncio.wrap_future(self.do(work, *arguments))

    async def stoppable(self, running: asyncio.Future[T], stop: Callable[[bool], None]) -> T:
        """Wait for work; a task that is cancelled meanwhile stops it, and waits for its end.

        `stop` is called again, with True, when the work does not end by itself.
        """
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await self.stopped(running, stop)
            raise

    @staticmethod
    async def stopped(running: asyncio.Future[Any], stop: Callable[[bool], None]) -> None:
        """Stop work and wait for its end, whatever it is."""
        stop(False)
        _, going = await asyncio.wait([running], timeout=PATIENCE)
        if going:
            stop(True)
            await asyncio.wait([running])

    def close(self) -> None:
        """Let the thread end after what it has to do; called from it, it is not waited for."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._jobs.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, result = job
            if not result.set_running_or_notify_cancel():
                continue
            try:
                result.set_result(work())
            except BaseException as error:  # noqa: BLE001  (whoever wanted it gets it)
                result.set_exception(error)
            del work, result, job
