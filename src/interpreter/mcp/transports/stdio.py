"""A server that is a program: one line of JSON for each message, on its standard streams."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping

from interpreter.mcp.errors import McpError, ServerGone, ServerMisbehaves
from interpreter.mcp.transports.arrivals import (
    Arrival,
    LargeAnswer,
    Lines,
    Receiver,
    StreamEnded,
    TooLong,
    is_for,
)
from interpreter.protocol.json.rpc import Call, Note, NotJsonRpc, Rpc, encoded
from interpreter.protocol.ports import Process
from interpreter.protocol.visible import visible

PIECE = 1 << 16
WRITING_SECONDS = 30.0  # for a server that does not read what it is told
LEAVING_SECONDS = 2.0  # for each of the three ways of asking it to end
MOST_JUNK = 200  # lines that are no messages, in the life of a server
MOST_UNASKED = 100_000  # messages since the last call
KEPT_COMPLAINTS = 4_000  # bytes of the end of its standard error


class StdioTransport:
    """Talks to a running program; one thread reads both of its streams."""

    def __init__(
        self, name: str, process: Process, on_note: Callable[[Rpc], None] = lambda note: None
    ) -> None:
        assert process.stdin is not None, "it was started without pipes"
        assert process.stdout is not None, "it was started without pipes"
        assert process.stderr is not None, "it was started without pipes"
        self._name = name
        self._process = process
        self._on_note = on_note
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._waiting: dict[int, Receiver] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._complaints = b""
        self._ended: McpError | None = None
        self._junk = self._unasked = 0
        self.version = ""
        self.may_resume = False
        os.set_blocking(self._stdin.fileno(), False)
        self._reader = threading.Thread(target=self._read, name=f"mcp-{name}", daemon=True)
        self._reader.start()

    @property
    def is_open(self) -> bool:
        """Whether it can be asked something."""
        return self._ended is None

    def begin(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        """Send a call; what comes for it is put to the receiver. Headers are not for programs."""
        assert isinstance(call.id, int), "our calls are numbered"
        with self._lock:
            self._waiting[call.id] = receiver
            self._unasked = 0
            ended = self._ended
        if ended is not None:
            raise ended
        self.send(call)

    def send(self, message: Rpc) -> None:
        """Write one message; ServerGone if it cannot be."""
        with self._writing:
            try:
                self._write(encoded(message) + b"\n")
            except (OSError, ValueError) as error:
                raise self._ended or self._gone("it does not listen any more") from error

    def listen(self, receiver: Receiver) -> None:
        """What it says unasked is heard already."""

    def forget(self, call: Call, *, cancel: bool) -> None:
        """Nobody waits for this answer any more; the server is told so, if it is not done."""
        with self._lock:
            self._waiting.pop(int(call.id), None)
        if cancel and self.is_open:
            with contextlib.suppress(McpError):
                self.send(Note("notifications/cancelled", {"requestId": call.id}))

    def close(self) -> None:
        """End the program: its input ends, then it is asked to, then it is killed."""
        with self._writing, contextlib.suppress(OSError):
            self._stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._has_ended():
                break
            self._process.signal_group(number)
        self._has_ended()
        self._process.signal_group(signal.SIGKILL)  # whatever it has left behind
        self._reader.join(LEAVING_SECONDS)

    def complaints(self) -> str:
        """The end of what it said on its standard error, to be shown."""
        return "\n".join(map(visible, self._complaints.decode("utf-8", "replace").splitlines()))

    def _has_ended(self) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LEAVING_SECONDS)
        return self._process.poll() is not None

    def _write(self, line: bytes) -> None:
        descriptor, rest = self._stdin.fileno(), memoryview(line)
        until = time.monotonic() + WRITING_SECONDS
        while rest:
            with contextlib.suppress(BlockingIOError):
                rest = rest[os.write(descriptor, rest) :]
                continue
            poll = select.poll()
            poll.register(descriptor, select.POLLOUT)
            if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
                raise TimeoutError("it does not read")

    # The reader's thread.

    def _read(self) -> None:
        error = self._ended_by_reading()
        with self._lock:
            self._ended = error
            waiting, self._waiting = self._waiting, {}
        for receiver in waiting.values():
            receiver.put(StreamEnded(error))
        if isinstance(error, ServerMisbehaves):
            self._process.signal_group(signal.SIGKILL)
        for stream in (self._stdout, self._stderr):
            stream.close()

    def _ended_by_reading(self) -> McpError:
        lines = Lines()
        try:
            for piece in self._said():
                for line in lines.feed(piece):
                    self._arrived(line.message)
            return self._gone("it has ended")
        except (TooLong, ServerMisbehaves) as error:
            return ServerMisbehaves(f"{self._name} was ended: it sent {error}.")
        except (OSError, ValueError):
            return self._gone("its streams are closed")
        finally:
            lines.close()

    def _said(self) -> Iterator[bytes]:
        """What it says, until it ends; the end of its complaints is kept."""
        said, complained = self._stdout.fileno(), self._stderr.fileno()
        poll = select.poll()
        poll.register(said, select.POLLIN)
        poll.register(complained, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                piece = os.read(descriptor, PIECE)
                if not piece and descriptor == said:
                    self._hear_last_words()
                    return
                if not piece:
                    poll.unregister(descriptor)
                if descriptor == said:
                    yield piece
                else:
                    self._complaints = (self._complaints + piece)[-KEPT_COMPLAINTS:]

    def _hear_last_words(self) -> None:
        os.set_blocking(self._stderr.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            piece = os.read(self._stderr.fileno(), PIECE)
            self._complaints = (self._complaints + piece)[-KEPT_COMPLAINTS:]

    def _arrived(self, message: Callable[[], Rpc | LargeAnswer]) -> None:
        try:
            arrival = message()
        except NotJsonRpc as error:
            self._junk += 1
            if self._junk > MOST_JUNK:
                raise ServerMisbehaves("too much that is no message") from error
            return
        self._unasked += 1
        if self._unasked > MOST_UNASKED:
            raise ServerMisbehaves("too many messages")
        self._hand_on(arrival)

    def _hand_on(self, arrival: Arrival) -> None:
        assert not isinstance(arrival, StreamEnded)
        number = is_for(arrival)
        with self._lock:
            receiver = self._waiting.get(number) if number is not None else None
        if receiver is not None:
            receiver.put(arrival)
        elif isinstance(arrival, LargeAnswer):
            arrival.file.close()
        else:
            self._on_note(arrival)

    def _gone(self, what: str) -> ServerGone:
        said = self.complaints().rstrip().rpartition("\n")[2]
        return ServerGone(f"{self._name}: {what}." + (f" It last said: {said}" if said else ""))
