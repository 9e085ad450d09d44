"""A kernel that can rest, to be copied, and a copy of it that goes on as the kernel.

In a forked process memory is all there, but no thread and no connection is: they are made anew.
Loaded by our launcher inside the user's Python. Standard library and ipykernel only.
"""

# mypy: allow-untyped-calls, disable-error-code="attr-defined,misc,union-attr"
from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import queue
import selectors
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import ipykernel
import zmq
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

    async def poll_stopped_queue(self) -> None:
        """There is no debugger that could stop."""

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
        self._never: list[Any] = []
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

    def leave_to_the_other(self, loop: Any) -> None:
        """In a copy: never go on with requests that came before; the kernel has them."""
        inner, ready = loop.asyncio_loop, list(loop.asyncio_loop._ready)
        theirs = [handle for handle in ready if serves_a_request(handle, loop)]
        inner._ready = type(inner._ready)(handle for handle in ready if handle not in theirs)
        lock = getattr(self.kernel, "_main_asyncio_lock", None)  # others may wait for it
        self._never += [*theirs, lock]

    def when_at_rest(self, work: Work) -> None:
        """Do this as soon as no request is under way."""
        self._work.append((work, None))
        self.rest_if_wanted()

    def rest_if_wanted(self) -> None:
        """Stop the loop for a moment, if there is work and nothing is under way."""
        if self._work and not self.requests:
            self._loop.stop()


def serves_a_request(handle: Any, loop: Any) -> bool:
    """Whether a step that is due is one of the kernel's own, and none of the user's tasks."""
    owner = getattr(handle._callback, "__self__", None)
    steps = owner.get_coro() if isinstance(owner, asyncio.Task) else None
    source = getattr(getattr(steps, "cr_code", None), "co_filename", "")
    return owner is loop or Path(ipykernel.__file__).parent in Path(source).parents


class Connections:
    """The kernel's way to the host: sockets, and threads with a loop each that serve them.

    In a copy nobody serves them any more. ZeroMQ frees nothing there, so that we must know which
    descriptors are its own; all others may be the user's.
    """

    shell_channel_thread: Any = None  # ipykernel has it since 7

    def __init__(self) -> None:
        self._ours: dict[int, str] = {}
        self._noting = False

    @contextlib.contextmanager
    def noting_descriptors(self) -> Iterator[None]:
        """Take those for ours that are opened meanwhile, when no code of the user runs."""
        if self._noting:  # who called us notes them
            yield
            return
        self._noting, before = True, open_descriptors()
        yield
        self._noting, now = False, open_descriptors()
        self._ours |= {number: now[number] for number in now if before.get(number) != now[number]}

    def descriptors(self) -> set[int]:
        """In a copy that has let go of nothing yet: the numbers that are ours."""
        now = open_descriptors()
        ours = {number for number, what in self._ours.items() if now.get(number) == what}
        ours |= {one.getsockopt(zmq.FD) for one in list(self.context._sockets) if not one.closed}
        return ours | {number for number, what in now.items() if self._leads_to_us(number, what)}

    def cut(self, descriptors: set[int]) -> None:
        """In a copy: close them all, and leave nothing behind that would close a number again.

        They must stand for nothing by now: who takes something out of an `epoll` takes it out of
        the kernel's, too.
        """
        for stop in (self.iopub_thread.stop, self.close):
            atexit.unregister(stop)
        self.context.destroy()  # in a copy it closes nothing but Python's side
        for thread in (self.iopub_thread, self.control_thread, self.shell_channel_thread):
            if thread is not None:
                end_loop(thread.io_loop)
        main = self.io_loop.asyncio_loop
        for part in (main._selector, main._ssock, main._csock):
            part.close()
        self._ours = {}
        for number in descriptors:
            with contextlib.suppress(OSError):  # it has been closed just now
                os.close(number)

    def _leads_to_us(self, number: int, what: str) -> bool:
        """Whether it is one end of a connection with the kernel."""
        if not what.startswith("socket:"):
            return False
        end = socket.socket(fileno=number)
        try:
            return any(str(name).startswith(self.ip) for name in names_of(end))
        finally:
            end.detach()


def names_of(end: socket.socket) -> Iterator[Any]:
    """Where a socket is, and where it leads to."""
    for name in (end.getsockname, end.getpeername):
        with contextlib.suppress(OSError):  # it leads nowhere
            yield name()


def open_descriptors() -> dict[int, str]:
    """What each open descriptor is, but for files with a name."""
    found = {}
    with contextlib.suppress(OSError):  # no Linux: no copies are made
        for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 (four times as fast: undo waits)
            with contextlib.suppress(OSError):  # what listed them is gone
                found[int(number)] = os.readlink(f"/proc/self/fd/{number}")  # noqa: PTH115
    return {number: what for number, what in found.items() if not what.startswith("/")}


def end_loop(loop: Any) -> None:
    """Close the loop of a thread that has not come along."""
    inner = loop.asyncio_loop
    for task in asyncio.all_tasks(inner):
        task._log_destroy_pending = False
    inner._thread_id = None
    inner.close()
    loop.handlers.clear()


def renew_loop(loop: Any) -> None:
    """Have the main loop wait for what this process has; tasks and timers of the user go on."""
    inner = loop.asyncio_loop
    for known in (loop.handlers, loop.readers, loop.writers):
        known.clear()
    inner._selector = selectors.DefaultSelector()
    inner._internal_fds = 0
    inner._make_self_pipe()
    if signal.set_wakeup_fd(-1) >= 0:  # the user has the loop see to signals
        signal.set_wakeup_fd(inner._csock.fileno())
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
