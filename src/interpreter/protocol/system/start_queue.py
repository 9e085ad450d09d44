"""Whoever starts something heavy waits until few others do.

Fifty kernels that start together on two cores each take as long as all of them, and whatever else
the process does, answering others above all, waits among them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 120.0  # seconds; then it starts all the same
_places = threading.Semaphore((os.cpu_count() or 1) + 1)


@contextmanager
def place_to_start(seconds: float = PATIENCE) -> Iterator[None]:
    """One of a few places in this process, for as long as the block takes."""
    taken = _places.acquire(timeout=seconds)
    try:
        yield
    finally:
        if taken:
            _places.release()
