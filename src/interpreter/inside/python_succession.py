"""A kernel that can rest, to be copied, and a copy of it that goes on as the kernel.

In a forked process memory is all there, but no thread and no connection is: they are made anew.
Loaded by our launcher inside the user's Python. Standard library and ipykernel only.
"""

# mypy: allow-untyped-calls, disable-error-code="attr-defined,misc,union-attr"
from __future__ import annotations

import asyncio
import os
import queue
import selectors
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from ipykernel.ipkernel import IPythonKernel

Work = Callable[[], bool]
"""What is done while the kernel rests; True in a process that has just become the kernel."""


class PythonKernel(IPythonKernel):
    """ipykernel's, which knows when a request is under way and can be given new channels."""

    banner = ""  # IPython's draws a tip by lot, which would change the user's random numbers

    @classmethod
    def instance(cls, *arguments: Any, **parts: Any) -> Any:
        """The one kernel; it takes new channels over when it is there already."""
        is_there = cls.initialized()
        kernel = super().instance(*arguments, **({} if is_there else parts))
        for name, part in parts.items() if is_there else ():
            if name.endswith(("_stream", "_socket", "_thread")):
                setattr(kernel, name, part)
        return kernel

    async def dispatch_shell(self, *arguments: Any, **options: Any) -> None:
        self.parent.requests += 1
        try:
            await super().dispatch_shell(*arguments, **options)
        finally:
            self.parent.requests -= 1
            self.parent.rest_if_wanted()

    async def do_execute(self, code: str, silent: bool, *arguments: Any, **options: Any) -> Any:
        if not silent:
            await self.parent.before_run()
        return await super().do_execute(code, silent, *arguments, **options)

    def _send_interrupt_children(self) -> None:
        os.killpg(os.getpgrp(), signal.SIGINT)  # the keeper, who leads the group, ignores it


async def nothing_before() -> None:
    """What is done before a block when nobody keeps variables."""


class Resting:
    """Runs the kernel's loop, and work between two of its turns, where no code is under way."""

    def __init__(self) -> None:
        self.requests = 0
        self.before_run: Callable[[], Awaitable[None]] = nothing_before
        self._work: list[tuple[Work, asyncio.Future[None] | None]] = []
        self._never: list[asyncio.Future[None] | None] = []
        self._loop: Any = None

    def serve(self, loop: Any) -> None:
        """Until the loop is stopped for another reason than work."""
        self._loop = loop
        while True:
            try:
                loop.start()
            except KeyboardInterrupt:  # it came when the block had ended
                continue
            if not self._work:
                return
            while self._work:
                self._do(*self._work.pop(0))

    def _do(self, work: Work, done: asyncio.Future[None] | None) -> None:
        is_the_new_kernel = False
        try:
            is_the_new_kernel = work()
        except KeyboardInterrupt:
            pass  # it is sent again
        finally:
            if is_the_new_kernel:  # what was under way is done by the kernel that we come from
                self._never.append(done)  # held, since whoever waits for it would be ended else
                self._work.clear()
                self.requests = 0
            elif done is not None:
                done.set_result(None)

    async def rest(self, work: Work) -> None:
        """Do this now, before what has been begun goes on."""
        done = self._loop.asyncio_loop.create_future()
        self._work.append((work, done))
        self._loop.stop()
        await done

    def when_at_rest(self, work: Work) -> None:
        """Do this as soon as no request is under way."""
        self._work.append((work, None))
        self.rest_if_wanted()

    def rest_if_wanted(self) -> None:
        """Stop the loop for a moment, if there is work and nothing is under way."""
        if self._work and not self.requests:
            self._loop.stop()


def renew_loop(loop: Any) -> None:
    """Have the main loop wait for what this process has; tasks and timers of the user go on."""
    inner = loop.asyncio_loop
    for known in (loop.handlers, loop.readers, loop.writers):
        known.clear()
    inner._ready = type(inner._ready)(
        handle for handle in inner._ready if getattr(handle._callback, "__self__", None) is not loop
    )
    inner._selector = selectors.DefaultSelector()
    inner._internal_fds = 0
    inner._make_self_pipe()
    inner._default_executor = None
    asyncio.set_event_loop(inner)
    renew_thread_pools()


def renew_thread_pools() -> None:
    """Have the pools of the user start new threads: theirs have not come along."""
    pools = sys.modules.get("concurrent.futures.thread")
    for thread in list(getattr(pools, "_threads_queues", ())):
        pool = (getattr(thread, "_args", None) or [lambda: None])[0]()
        if hasattr(pool, "_idle_semaphore"):
            pool._threads.discard(thread)
            pool._idle_semaphore = threading.Semaphore(0)
            pool._work_queue = queue.SimpleQueue()
