"""Pays for a frozen copy while nobody waits: loaded into the user's kernel.

After a fork, the first write to a page copies it. Blocks write to much the same pages one after the
other, more than a thousand, so those that the last block wrote to are copied right after the fork.
"""

import contextlib
import os
from array import array
from collections.abc import Iterator

PAGE = os.sysconf("SC_PAGE_SIZE")
OURS = 1 << 63 | 1 << 56  # of a page: present, and mapped by nobody else
MOST = 32 << 20  # bytes; where there is more it is data, or no copy was made before
LARGEST_MAPPING = 64 << 20
POPULATE_WRITE = 23  # of madvise, from Linux 5.14 on; older ones refuse it


def written_since_the_last_copy() -> list[tuple[int, int]]:
    """Memory that we share with no copy: addresses and lengths; none where that is not known."""
    found: list[tuple[int, int]] = []
    with contextlib.suppress(OSError, ValueError), open("/proc/self/pagemap", "rb", 0) as pages:
        for start, end in private_mappings():
            pages.seek(start // PAGE * 8)
            found += runs(start, array("Q", pages.read((end - start) // PAGE * 8)))
    return found if sum(length for _, length in found) <= MOST else []


def make_ready(memory: list[tuple[int, int]]) -> None:
    """Have pages that can be written to at once, without writing."""
    import ctypes  # noqa: PLC0415  (a kernel starts without it)

    libc = ctypes.CDLL(None)
    for start, length in memory:
        libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), POPULATE_WRITE)


def private_mappings() -> Iterator[tuple[int, int]]:
    """The writable memory of this process, without what is too large to be the kernel's own."""
    with open("/proc/self/maps") as lines:
        for line in lines:
            span, rights, *_ = line.split()
            start, end = (int(word, 16) for word in span.split("-"))
            if rights == "rw-p" and end - start <= LARGEST_MAPPING:
                yield start, end


def runs(start: int, flags: "array[int]") -> Iterator[tuple[int, int]]:
    """The stretches of a mapping that are ours alone."""
    begin = -1
    for number, flag in enumerate((*flags, 0)):
        is_ours = flag & OURS == OURS
        if is_ours and begin < 0:
            begin = number
        elif not is_ours and begin >= 0:
            yield start + begin * PAGE, (number - begin) * PAGE
            begin = -1
