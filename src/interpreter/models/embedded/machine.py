"""What this machine can carry: cores, memory, and whether a model fits."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from interpreter.protocol.values import frozen

MEMORY = Path("/proc/meminfo")
QUOTA = Path("/sys/fs/cgroup/cpu.max")
MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")
SIBLINGS = Path("/sys/devices/system/cpu/smt/active")
OVERHEAD = 400 << 20  # what the engine needs beside weights and context
WEIGHTS = 1.55  # weights are mapped, and partly repacked for the processor in use
READ_BY_A_CORE = 7.5e9  # bytes of weights a second, as measured; every token reads all of them
READ_AT_MOST = 45e9  # by all cores together, of memory as it is usual
FAST_ENOUGH = 5.0  # tokens a second: about as fast as one reads
CONTEXTS = (32_768, 16_384, 8_192, 4_096)


@frozen
class Machine:
    """Cores that do arithmetic, and bytes of memory."""

    cores: int
    memory: int
    free: int


def this_machine() -> Machine:
    """The machine we run on, within the limits that a container sets."""
    total, free = _memory()
    limit = _number(MEMORY_LIMIT) or total
    return Machine(_cores(), min(total, limit), min(free, limit))


def room_for(machine: Machine, size: int, kv_bytes: int, context: int) -> int:
    """The longest context that fits beside the weights in half of what is free; 0: none does."""
    room = machine.free - size * WEIGHTS - OVERHEAD
    for tokens in CONTEXTS:
        if tokens <= context and tokens * kv_bytes <= room / 2:
            return tokens
    return 0


def fits(machine: Machine, size: int) -> bool:
    """Whether a model of this size can be expected to run in memory."""
    return memory_for(size) < machine.memory


def memory_for(size: int) -> int:
    """Bytes of memory that a model of this size takes, about."""
    return int(size * WEIGHTS + OVERHEAD)


def speed(machine: Machine, size: int) -> float:
    """Tokens a second that can be expected of a model of this size, on processors alone."""
    return min(machine.cores * READ_BY_A_CORE, READ_AT_MOST) / max(1, size)


def best_size(machine: Machine, sizes: Iterable[int]) -> int:
    """The largest size that fits the free memory and is fast enough; else the smallest of all."""
    known = sorted(sizes)
    good = [
        size
        for size in known
        if memory_for(size) < machine.free and speed(machine, size) >= FAST_ENOUGH
    ]
    return good[-1] if good else known[0]


def _cores() -> int:
    """Threads of one core share its arithmetic, so only one of them is counted."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else (os.cpu_count() or 1)
    if cores > 2 and _number(SIBLINGS):
        cores //= 2
    return max(1, min(cores, _quota() or cores))


def _quota() -> int:
    words = _text(QUOTA).split()
    if len(words) != 2 or not words[0].isdigit() or not words[1].isdigit():
        return 0
    return max(1, int(words[0]) // max(1, int(words[1])))


def _memory() -> tuple[int, int]:
    values = {}
    for line in _text(MEMORY).splitlines():
        name, _, rest = line.partition(":")
        values[name] = int(rest.split()[0]) * 1024 if rest.split()[:1] else 0
    if "MemTotal" in values:
        return values["MemTotal"], values.get("MemAvailable", values["MemTotal"])
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return total, total // 2  # where the free part is not told, half is a careful guess


def _number(path: Path) -> int:
    text = _text(path).strip()
    return int(text) if text.isdigit() else 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
