"""Named pipes between us and the cell: the same path inside and outside, and text on our side."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import StartFailed
from interpreter.protocol.events import OutputDelta, RuntimeEvent
from interpreter.protocol.messages import Stream
from interpreter.protocol.ports import Launch, Process
from interpreter.runtimes.handover import make_pipe, open_pipe

READ_BYTES = 65_536
LONGEST_LINE = 2_000_000


class StreamPipe:
    """The reading end of a named pipe that carries one stream's text."""

    def __init__(self, path: Path, stream: Stream = "stdout") -> None:
        self.path = path
        self.stream: Stream = stream
        self.ended = False
        make_pipe(path)
        self._descriptor = open_pipe(path, os.O_RDONLY | os.O_NONBLOCK)
        self._writer: int | None = None
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._descriptor

    def writer(self) -> int:
        """A descriptor of the other end, for a program to inherit; then `close_writer`."""
        self._writer = open_pipe(self.path, os.O_WRONLY)
        return self._writer

    def close_writer(self) -> None:
        """Keep no end of our own: when the programs are gone, so is the stream."""
        if self._writer is not None:
            os.close(self._writer)
            self._writer = None

    def read(self) -> str:
        """The text that is there; empty when there is none yet, or (`ended`) never will be."""
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return ""
        self.ended = not data
        return self._decode(data, final=not data)

    def rest(self) -> Iterator[OutputDelta]:
        """All that can be read without waiting."""
        while not self.ended:
            text = self.read()
            if text:
                yield OutputDelta(text, self.stream)
            elif not self.ended:
                return

    def close(self) -> None:
        """Close our end and remove the name."""
        os.close(self._descriptor)
        safe_files.remove(self.path)


class LinePipe:
    """A named pipe for lines. We hold both ends, so that it never ends while we live."""

    def __init__(self, path: Path) -> None:
        self._path = path
        make_pipe(path)
        self._descriptor = open_pipe(path, os.O_RDWR | os.O_NONBLOCK)
        self._writing = open_pipe(path, os.O_WRONLY)
        self._pieces: list[bytes] = []

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._descriptor

    def read(self) -> list[bytes]:
        """The whole lines that have come. They come from the cell: check them."""
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return []
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = b"".join((*self._pieces, lines[0]))
            self._pieces = []
        self._pieces.append(rest)
        if sum(map(len, self._pieces)) > LONGEST_LINE:
            self._pieces = []
        return lines

    def write(self, data: bytes) -> int:
        """Write, waiting for the reader where it is slow."""
        return os.write(self._writing, data)

    def close(self) -> None:
        """Close and remove the pipe."""
        os.close(self._descriptor)
        os.close(self._writing)
        safe_files.remove(self._path)


def launched(
    launch: Launch,
    argv: Sequence[str],
    pipes: tuple[StreamPipe, StreamPipe],
    *,
    env: Mapping[str, str] | None,
    stdin: int,
) -> Process:
    """A program of the cell whose output comes through the pipes; we keep no other end."""
    try:
        return launch(
            argv, env=env, stdin=stdin, stdout=pipes[0].writer(), stderr=pipes[1].writer()
        )
    except OSError as error:
        raise StartFailed(f"{argv[0]} could not be started: {error}") from error
    finally:
        for pipe in pipes:
            pipe.close_writer()


def joined(events: Iterable[RuntimeEvent]) -> Iterator[RuntimeEvent]:
    """The same events, with neighbouring output of one stream in one piece."""
    held: list[OutputDelta] = []
    for event in events:
        if held and not (isinstance(event, OutputDelta) and event.stream == held[0].stream):
            yield OutputDelta("".join(piece.text for piece in held), held[0].stream)
            held = []
        if isinstance(event, OutputDelta):
            held.append(event)
        else:
            yield event
    if held:
        yield OutputDelta("".join(piece.text for piece in held), held[0].stream)
