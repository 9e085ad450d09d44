"""Python in this very process, sharing its live objects: unsandboxed, only by explicit choice."""

from __future__ import annotations

import ast
import asyncio
import base64
import builtins
import ctypes
import getpass
import inspect
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from interpreter.protocol.events import (
    STILL_RUNS,
    DisplayShown,
    ExecutionFinished,
    InputRequested,
    Notice,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.messages import Display, Face, Stream
from interpreter.protocol.ports import Answerer, nobody_answers
from interpreter.runtimes.kernel.block import faces_of, published
from interpreter.runtimes.kernel.python import PYTHON
from interpreter.runtimes.kernel.wire import Incoming

Put = Callable[[RuntimeEvent], None]


def notebook() -> Any | None:
    """The IPython shell of this process, if it is one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def as_display(value: Any) -> Display | None:
    """How a value looks; None for one that showed itself."""
    shell = notebook()
    if shell is None:
        return Display((Face("text/plain", repr(value)),))
    data, _ = shell.display_formatter.format(value)
    faces = faces_of({kind: _as_text(content) for kind, content in data.items()})
    return Display(faces) if faces else None


@contextmanager
def displays_to(put: Put) -> Iterator[None]:
    """What this thread displays in a Jupyter kernel becomes events, and is not shown twice."""
    publisher: Any = getattr(notebook(), "display_pub", None)
    if not hasattr(publisher, "register_hook"):
        yield
        return

    def take(message: dict[str, Any]) -> dict[str, Any] | None:
        event = published(Incoming("iopub", message["msg_type"], "", message["content"], {}))
        if event is None:
            return message
        put(event)
        return None

    publisher.register_hook(take)
    try:
        yield
    finally:
        publisher.unregister_hook(take)


def _as_text(content: Any) -> Any:
    return base64.b64encode(content).decode("ascii") if isinstance(content, bytes) else content


FILE = "<block>"
QUEUED_EVENTS = 256
INTERRUPT_SECONDS = 5.0


class InlinePython:
    """Runs blocks in a thread of this process, in the namespace it is given.

    In a notebook that is the notebook's own; otherwise the `__main__` module's.
    """

    language = PYTHON

    def __init__(self, namespace: dict[str, Any] | None = None) -> None:
        self._namespace = _namespace() if namespace is None else namespace
        self._warned = False
        self._worker: _Worker | None = None

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Run a block."""
        if self._worker is not None and self._worker.is_alive():
            return iter((ExecutionFinished("invalid", f"python {STILL_RUNS}"),))
        self._worker = _Worker(source, self._namespace)
        return self._follow(self._worker, answer)

    def _follow(self, worker: _Worker, answer: Answerer) -> Iterator[RuntimeEvent]:
        if not self._warned:
            self._warned = True
            yield Notice("Code runs inside this process, without a sandbox.", "warning")
        worker.start()
        try:
            yield from worker.events(answer)
        finally:
            if worker.is_alive():
                worker.interrupt()

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the block; a call into C ends first."""
        if self._worker is not None:
            self._worker.interrupt()

    def restart(self) -> None:
        """The objects are the process's own and stay; only the running block is stopped."""
        self.interrupt()

    def close(self) -> None:
        """Stop the running block."""
        self.interrupt()


class _Worker(threading.Thread):
    """Executes one block and queues what happens."""

    def __init__(self, source: str, namespace: dict[str, Any]) -> None:
        super().__init__(name="inline python", daemon=True)
        self._source = source
        self._namespace = namespace
        self._queue: queue.Queue[RuntimeEvent] = queue.Queue(QUEUED_EVENTS)
        self._answers: queue.Queue[str | None] = queue.Queue(1)
        self._interrupted = threading.Event()

    def events(self, answer: Answerer) -> Iterator[RuntimeEvent]:
        while True:
            try:
                event = self._queue.get(timeout=INTERRUPT_SECONDS)
            except queue.Empty:
                if self._interrupted.is_set():
                    yield ExecutionFinished("interrupted", "It was stopped, and still ends a call.")
                    return
                continue
            yield event
            if isinstance(event, InputRequested):
                self._answers.put(answer(event))
            if isinstance(event, ExecutionFinished):
                self.join()
                return

    def interrupt(self) -> None:
        self._interrupted.set()  # for a block that has been let in and has not begun
        if self.ident is not None and self.is_alive():
            error = ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), error)

    def run(self) -> None:
        with self._streams(), displays_to(self._queue.put):
            end = self._execute()
        self._queue.put(end)

    def _execute(self) -> ExecutionFinished:
        try:
            self._evaluate()
        except KeyboardInterrupt:
            return ExecutionFinished("interrupted", "KeyboardInterrupt")
        except SystemExit as leaving:
            status = (
                leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
            )
            outcome = ExecutionFinished("ok", exit_code=0)
            return outcome if not status else ExecutionFinished("failed", str(leaving), status)
        except BaseException as error:  # noqa: BLE001  (the block's failure is news, whatever it is)
            text = "".join(traceback.format_exception(error, limit=-_own_frames(error)))
            self._queue.put(OutputDelta(text, "stderr"))
            return ExecutionFinished("failed", f"{type(error).__name__}: {error}")
        return ExecutionFinished("ok")

    def _evaluate(self) -> None:
        if self._interrupted.is_set():
            raise KeyboardInterrupt
        body = ast.parse(self._source, FILE)
        last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
        if body.body:
            self._value_of(compile(body, FILE, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            code = compile(expression, FILE, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            value = self._value_of(code)
            display = as_display(value) if value is not None else None
            if display is not None:
                self._queue.put(DisplayShown(display))

    def _value_of(self, code: Any) -> Any:
        value = eval(code, self._namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            return asyncio.run(value)
        return value

    @contextmanager
    def _streams(self) -> Iterator[None]:
        """What this thread prints and asks goes to the queue; other threads are not touched."""
        out, err, ask, secret = sys.stdout, sys.stderr, builtins.input, getpass.getpass
        sys.stdout = _Tee(self, out, "stdout")
        sys.stderr = _Tee(self, err, "stderr")
        builtins.input = lambda prompt="": self.ask(str(prompt), hidden=False)
        getpass.getpass = lambda prompt="Password: ", stream=None: self.ask(prompt, hidden=True)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = out, err
            builtins.input, getpass.getpass = ask, secret

    def ask(self, prompt: str, *, hidden: bool) -> str:
        self._queue.put(InputRequested(prompt, hidden))
        line = self._answers.get()
        if line is None:
            raise EOFError
        return line

    def put(self, text: str, stream: Stream) -> None:
        self._queue.put(OutputDelta(text, stream))


class _Tee:
    """A stream that takes one thread's text and leaves the others their own."""

    def __init__(self, worker: _Worker, behind: TextIO, stream: Stream) -> None:
        self._worker = worker
        self._behind = behind
        self._stream: Stream = stream

    def write(self, text: str) -> int:
        if threading.current_thread() is not self._worker:
            return self._behind.write(text)
        if text:
            self._worker.put(text, self._stream)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)


def _own_frames(error: BaseException) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    outside = next((i for i, frame in enumerate(frames) if frame.filename == FILE), len(frames))
    return max(len(frames) - outside, 1)


def _namespace() -> dict[str, Any]:
    shell = notebook()
    if shell is not None:
        variables: dict[str, Any] = shell.user_ns
        return variables
    return vars(sys.modules["__main__"])
