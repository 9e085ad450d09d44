"""Pays for a frozen copy while nobody waits: loaded into the user's kernel.

After a fork, the first write to a page copies it. Blocks write to much the same pages one after the
other, more than a thousand, so those that one of them wrote to are copied right after the fork.
Which these are is looked up now and then, after a fork that was not followed by that.
"""

import contextlib
import os
import re
from collections.abc import Iterator

PAGE = os.sysconf("SC_PAGE_SIZE")
ENTRY, HIGHEST_BYTE = 8, 7  # what the kernel tells of a page, the lowest byte first
OURS = 0x81  # in its highest byte: present, and mapped by nobody else
IS_OURS = bytes(byte & OURS == OURS for byte in range(256))
MOST = 32 << 20  # bytes; where there is more it is data, or no copy was made before
LARGEST_MAPPING = 64 << 20
WRITABLE = re.compile(rb"^(\w+)-(\w+) rw-p", re.MULTILINE)
EVERY = 8  # copies
PIECE = 64 << 10  # bytes
AT_ONCE = 20  # pieces, mostly of a few pages: about a millisecond
POPULATE_WRITE = 23  # of madvise, from Linux 5.14 on; older ones refuse it


class BusyPages:
    """The memory that blocks write to."""

    def __init__(self) -> None:
        self._memory: list[tuple[int, int]] = []
        self._rest: list[tuple[int, int]] = []
        self._copies = 0

    def before_copy(self) -> None:
        """A copy is about to be made."""
        self._copies += 1
        if self._copies % EVERY == 1:
            self._memory = []
        elif self._copies % EVERY == 2:  # nothing was made ready after the last one
            self._memory = written_since_the_last_copy()

    def after_copy(self) -> None:
        """A copy was made: there is memory to make ready."""
        self._rest = [piece for stretch in self._memory for piece in pieces(*stretch)]

    def make_some_ready(self) -> bool:
        """Make a part of it ready; whether there is more."""
        part, self._rest = self._rest[:AT_ONCE], self._rest[AT_ONCE:]
        if part:
            make_ready(part)
        return bool(self._rest)

    def forget_the_rest(self) -> None:
        """Somebody waits: what is not ready yet is copied when it is written to."""
        self._rest = []


def written_since_the_last_copy() -> list[tuple[int, int]]:
    """Memory that we share with no copy: addresses and lengths; none where that is not known."""
    found: list[tuple[int, int]] = []
    with contextlib.suppress(OSError, ValueError), open("/proc/self/pagemap", "rb", 0) as pages:
        for start, end in private_mappings():
            pages.seek(start // PAGE * ENTRY)
            found += runs(start, pages.read((end - start) // PAGE * ENTRY))
    return found if sum(length for _, length in found) <= MOST else []


def pieces(start: int, length: int) -> Iterator[tuple[int, int]]:
    """A stretch of memory in parts that do not take long."""
    for at in range(0, length, PIECE):
        yield start + at, min(PIECE, length - at)


def make_ready(memory: list[tuple[int, int]]) -> None:
    """Have pages that can be written to at once, without writing."""
    import ctypes  # noqa: PLC0415  (a kernel starts without it)

    libc = ctypes.CDLL(None)
    for start, length in memory:
        libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), POPULATE_WRITE)


def private_mappings() -> Iterator[tuple[int, int]]:
    """The writable memory of this process, without what is too large to be the kernel's own."""
    with open("/proc/self/maps", "rb") as maps:
        for found in WRITABLE.finditer(maps.read()):
            start, end = (int(word, 16) for word in found.groups())
            if end - start <= LARGEST_MAPPING:
                yield start, end


def runs(start: int, entries: bytes) -> Iterator[tuple[int, int]]:
    """The stretches of a mapping that are ours alone, by what the kernel tells of its pages."""
    for run in re.finditer(rb"\x01+", entries[HIGHEST_BYTE::ENTRY].translate(IS_OURS)):
        yield start + run.start() * PAGE, (run.end() - run.start()) * PAGE
