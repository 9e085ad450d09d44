"""Variables on their way out of the cell: counted, and waited for only so long."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import time
from typing import BinaryIO

from interpreter.protocol.errors import CheckpointError

WHOLE = b"whole\n"  # comes last, and is not kept: a copy that was killed did not write it
_PIECE = 1 << 20
_AROUND_VALUES = 16 << 20  # bytes of headers and padding beside the values


def receive_whole(reading: int, file: BinaryIO, largest: int, seconds: float) -> None:
    """Write to a file what comes from a pipe, if all of it comes, and in time."""
    with contextlib.suppress(OSError, AttributeError):  # faster, where that may be asked for
        fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, _PIECE)
    deadline = time.monotonic() + seconds
    most = largest + largest // 64 + _AROUND_VALUES
    size, end = 0, b""
    while piece := _piece(reading, deadline, seconds):
        size += len(piece)
        if size > most:
            raise CheckpointError(f"They take more than the {most >> 20} MB that are left for them")
        file.write(piece)
        end = (end + piece[-len(WHOLE) :])[-len(WHOLE) :]
    if end != WHOLE:
        raise CheckpointError("Python's copy of them ended before they were written")
    file.flush()
    os.ftruncate(file.fileno(), size - len(WHOLE))


def _piece(reading: int, deadline: float, seconds: float) -> bytes:
    waiting = select.poll()
    waiting.register(reading, select.POLLIN)
    left = deadline - time.monotonic()
    if left <= 0 or not waiting.poll(left * 1000):
        raise CheckpointError(f"Python's copy of them did not write them within {seconds:g} s")
    return os.read(reading, _PIECE)
