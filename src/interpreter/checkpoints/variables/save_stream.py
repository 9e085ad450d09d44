"""Variables on their way out of the cell: counted, and waited for only so long."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import time
from typing import Any, BinaryIO

from interpreter.protocol.errors import CheckpointError

WHOLE = b"whole\n"  # comes last, and is not kept: a copy that was killed did not write it
_PIECE = 1 << 20
_LONGEST_HEADER = 1 << 20
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


def read_header(file: BinaryIO) -> dict[str, Any]:
    """The first line of variables that were written down."""
    try:
        header = json.loads(file.readline(_LONGEST_HEADER))
    except (ValueError, RecursionError) as error:
        raise CheckpointError("The kernel's copy of its variables cannot be read.") from error
    if not isinstance(header, dict) or "lost" not in header:
        raise CheckpointError("The kernel's copy of its variables cannot be read.")
    return header
