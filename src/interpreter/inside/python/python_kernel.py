"""ipykernel in the user's own Python: ordered, bounded, attributed output.

Started by the keeper with ``-f CONNECTION_FILE``. Needs ipykernel 6.29 or newer.
"""

# mypy: allow-untyped-calls, disable-error-code="union-attr"
from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import resource
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import python_display  # type: ignore[import-not-found]  # (beside this file)
import python_figures  # type: ignore[import-not-found]
import python_plumbing  # type: ignore[import-not-found]
import python_sql  # type: ignore[import-not-found]
import python_succession  # type: ignore[import-not-found]
import zmq
from ipykernel.iostream import OutStream
from ipykernel.kernelapp import IPKernelApp
from tornado.ioloop import IOLoop
from traitlets.config import Config

FLUSH_SECONDS = 0.01
MESSAGE_CHARACTERS = 64_000
BUFFERED_CHARACTERS = 1_000_000
MAIN = threading.get_ident()
OPTIONS = Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor"})


class Segment:
    """Text that one stream printed for one block, in pieces."""

    def __init__(self, stream: Stream, parent: dict[str, Any]) -> None:
        self.stream = stream
        self.parent = parent
        self.pieces: list[str] = []


class Outbox:
    """What both streams printed and is not sent yet, in one order; writers wait when it is full."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._segments: deque[Segment] = deque()
        self._size = 0
        self._flush_is_due = False

    def add(self, stream: Stream, parent: dict[str, Any], text: str) -> None:
        """In few steps: every line that is printed comes by here, twice."""
        with self._lock:
            last = self._segments[-1] if self._segments else None
            if last is None or last.stream is not stream or last.parent is not parent:
                last = Segment(stream, parent)
                self._segments.append(last)
            last.pieces.append(text)
            self._size += len(text)
            was_due, self._flush_is_due = self._flush_is_due, True
        if not was_due:  # without the lock: it may have to wait for the publisher, who flushes
            self._publisher.schedule(self._flush_soon)
        if self._size > BUFFERED_CHARACTERS and not self._in_publisher():
            self._wait_for_room()

    def flush(self) -> None:
        """Send everything; only in the publisher's thread."""
        with self._changed:
            segments, self._segments = self._segments, deque()
            self._flush_is_due = False
        for segment in segments:
            text = "".join(segment.pieces)
            for start in range(0, len(text), MESSAGE_CHARACTERS):
                segment.stream.publish(segment.parent, text[start : start + MESSAGE_CHARACTERS])
            with self._changed:
                self._size -= len(text)
                self._changed.notify_all()

    def _flush_soon(self) -> None:
        self._publisher.io_loop.call_later(FLUSH_SECONDS, self.flush)

    def _in_publisher(self) -> bool:
        return threading.current_thread() is self._publisher.thread

    def _wait_for_room(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._size <= BUFFERED_CHARACTERS, timeout=60)


class Stream(OutStream):
    """sys.stdout or sys.stderr: what it takes goes to the common outbox, under its block's name."""

    outbox: Outbox
    in_child = False  # whether this process was forked from the kernel, and speaks for itself

    def __init__(self, session: Any, pub_thread: Any, name: str, **options: Any) -> None:
        super().__init__(session, pub_thread, name, watchfd=False)
        self._descriptor = {"stdout": 1, "stderr": 2}[name]
        if not hasattr(Stream, "outbox"):
            Stream.outbox = Outbox(pub_thread)

    def succeed(self, pub_thread: Any) -> None:
        """Speak in a new process; what is not sent yet, the old one sends."""
        self.pub_thread = pub_thread
        self._io_loop = pub_thread.io_loop
        self._buffer_lock = threading.RLock()
        self._master_pid = os.getpid()
        Stream.in_child = False
        Stream.outbox = Outbox(pub_thread)

    def fileno(self) -> int:
        return self._descriptor

    def write(self, string: str) -> int:
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string).__name__}")
        if self.pub_thread is None:
            raise ValueError("I/O operation on closed file")
        if Stream.in_child:
            write_all(self._descriptor, string.encode(self.encoding, "replace"))
        elif string:
            in_main = threading.get_ident() == MAIN
            parent = self.parent_header if in_main else parent_of_this_thread(self)
            self.outbox.add(self, parent, string)
        return len(string)

    def flush(self) -> None:
        if self.pub_thread is None or Stream.in_child:
            return
        done = threading.Event()
        self.pub_thread.schedule(self.outbox.flush)
        self.pub_thread.schedule(done.set)
        if threading.current_thread() is not self.pub_thread.thread:
            done.wait(self.flush_timeout)

    def publish(self, parent: dict[str, Any], text: str) -> None:
        self.session.pid = os.getpid()
        message = self.session.msg("stream", {"name": self.name, "text": text}, parent=parent)
        self.session.send(self.pub_thread.socket, message, ident=self.topic)

    def close(self) -> None:
        """Flush only: the session's streams outlive a block that closes them."""
        self.flush()


def note_the_fork() -> None:
    Stream.in_child = True


os.register_at_fork(after_in_child=note_the_fork)


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def parent_of_this_thread(stream: Stream) -> dict[str, Any]:
    """The block a thread belongs to is the one that started it, however late it prints."""
    thread = threading.current_thread()
    started_by: dict[str, Any] | None = getattr(thread, "_reploop_parent", None)
    return header_of(stream) if started_by is None else started_by


def header_of(stream: Stream) -> dict[str, Any]:
    """The header of the block that runs now."""
    header: dict[str, Any] = stream.parent_header
    return header


def remember_who_started_a_thread(current_block: Callable[[], Any]) -> None:
    start = threading.Thread.start

    def remembering(self: threading.Thread) -> None:
        parent = getattr(threading.current_thread(), "_reploop_parent", None)
        vars(self)["_reploop_parent"] = parent or current_block()
        start(self)

    threading.Thread.start = remembering  # type: ignore[method-assign]


class App(python_succession.Resting, python_succession.Connections, IPKernelApp):  # type: ignore[misc]
    """ipykernel with our streams, in one process after another."""

    lines: Any = None
    block: str | None = None
    depth = 0

    def __init__(self, **options: Any) -> None:
        IPKernelApp.__init__(self, **options)
        python_succession.Resting.__init__(self)
        python_succession.Connections.__init__(self)

    def parse_command_line(self, argv: list[str] | None = None) -> None:
        """There is one word to understand: a parser of all that IPython knows takes a while."""
        self.update_config(OPTIONS)
        self.connection_file = sys.argv[-1]

    def start(self) -> None:
        with self.noting_descriptors():
            self.io_loop = IOLoop.current()
            self.kernel.start()
        gc.freeze()
        gc.enable()
        self.serve(self.io_loop)

    def freeze(self, let_go: Callable[[], None]) -> None:
        """In a copy: be out of reach; `let_go` has all descriptors stand for nothing."""
        descriptors = self.descriptors()
        let_go()
        self.leave_to_the_other(self.io_loop)
        self.plumbing.cut()
        self.cut(descriptors)

    def succeed(self, address: str) -> None:
        """Be the kernel in a process that was forked from it, with sockets at a new address."""
        self.ip = address
        self.session.pid = os.getpid()
        with self.noting_descriptors():
            self._take_over()

    def _take_over(self) -> None:
        python_succession.renew_loop(self.io_loop)
        self.context = None
        self.init_sockets()
        for stream in self.streams:
            stream.succeed(self.iopub_thread)
        self.plumbing = python_plumbing.Plumbing()
        self.plumbing.start()
        self.plumbing.renew(self.streams)
        self.displayhook.pub_socket = self.iopub_socket
        self.init_kernel()
        for shown in (self.shell.displayhook, self.shell.display_pub):
            shown.pub_socket = self.iopub_socket
        self.kernel._main_asyncio_lock = asyncio.Lock()
        if self.lines:
            self.lines.start()
        self.kernel.start()

    def init_sockets(self) -> None:
        with self.noting_descriptors():
            super().init_sockets()

    def init_kernel(self) -> None:
        with self.noting_descriptors():
            super().init_kernel()

    def init_heartbeat(self) -> None:
        """There is none to hear: the host learns of our end from the keeper."""

    def configure_tornado_logger(self) -> None:
        if not self.kernel:  # once is enough
            super().configure_tornado_logger()

    def init_iopub(self, context: Any) -> None:
        super().init_iopub(context)
        # A slow reader makes printing wait; without this, messages (even the last) get lost.
        self.iopub_thread.schedule(lambda: self.iopub_thread.socket.setsockopt(zmq.XPUB_NODROP, 1))

    def init_io(self) -> None:
        super().init_io()
        self.streams: tuple[Any, Any] = (sys.stdout, sys.stderr)
        self.plumbing = python_plumbing.Plumbing()
        self.plumbing.start()
        self.plumbing.renew(self.streams)
        remember_who_started_a_thread(self.current_header)

    def init_shell(self) -> None:
        super().init_shell()
        self.shell.events.register("pre_execute", self.before_block)
        self.shell.events.register("post_execute", self.after_block)
        self.shell.ask_exit = leave_the_block
        python_display.show_tables(self.shell)
        python_figures.offer_figures(self.shell)
        python_sql.offer_sql(self.shell)
        if os.environ.pop("REPLOOP_ACTIVE_LINE", ""):
            self.lines = python_display.watch_lines(self.shell, self.publish_line)
        warnings.filterwarnings("ignore", message="To exit: use 'exit'", category=UserWarning)

    def publish_line(self, line: int) -> None:
        message = self.session.msg(
            "reploop_active_line", {"line": line}, parent=self.current_header()
        )
        self.session.send(self.iopub_thread, message, ident=b"reploop_active_line")

    def current_header(self) -> Any:
        return self.streams[0].parent_header

    def before_block(self) -> None:
        block = self.current_header().get("msg_id")
        self.depth = self.depth + 1 if block == self.block else 1
        self.block = block
        if self.depth > 1:  # a magic runs a cell within the block
            return
        sys.stdout, sys.stderr = self.streams
        self.plumbing.renew(self.streams)
        if self.lines:
            self.lines.begin()

    def after_block(self) -> None:
        self.depth -= 1
        if self.depth > 0:
            return
        if self.lines:
            self.lines.end()
        sys.stdout, sys.stderr = self.streams  # the block may have put others there, or none
        self.plumbing.drain()


def leave_the_block() -> None:
    """What exit() and quit() do: end the block as sys.exit() does, and keep the session."""
    raise SystemExit(0)


def limit_memory() -> None:
    """Past its limit an allocation fails with MemoryError; the session lives on."""
    limit = int(os.environ.pop("REPLOOP_MEMORY", "0"))
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def offer_host_calls() -> None:
    """Let code find the functions of the host, where it has any for us."""
    names = os.environ.pop("REPLOOP_CALLS", "").split()
    sys.path[0] = str(Path(sys.argv[-1]).parent)  # where they are handed over
    if names:
        import host_calls  # type: ignore[import-not-found]  # noqa: PLC0415  (handed over with them)

        host_calls.offer(names)
    if "tools" in names:
        import tools_client  # type: ignore[import-not-found]  # noqa: PLC0415  (handed over, too)

        tools_client.offer()


@contextlib.contextmanager
def without_a_debugger() -> Iterator[None]:
    """Nobody attaches one, and it takes as long to import as the rest; code may still do so."""
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    yield
    del sys.modules["debugpy"]


def main() -> None:
    limit_memory()
    offer_host_calls()
    sys.path[0] = ""  # the user's directory instead of ours
    app = App.instance(
        outstream_class="python_kernel.Stream",
        kernel_class="python_succession.PythonKernel",
    )
    with without_a_debugger():
        app.initialize()
    app.start()
