"""The user's rules about programs, held where programs start: in the cell's calls of `execve`.

A call is looked at twice. Before it goes on, what it names is read from the caller's memory, and a
denied program is refused. Another thread may change that memory meanwhile; so the new program is
looked at as the kernel knows it, at one of the first calls that every program makes, and killed if
it should not have been started.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from interpreter.checkpoints.journal import system_calls
from interpreter.checkpoints.journal.cell_paths import Caller
from interpreter.checkpoints.journal.recorder import ChangeRefused
from interpreter.protocol.system.program_rules import (
    MULTI_CALL,
    ProgramRule,
    Words,
    command_lines,
    runs_others,
    shown,
)

STARTS = frozenset({"execve", "execveat"})
STARTED = frozenset({"set_tid_address", "sched_getaffinity"})
"""What the C library, or Go's, calls once in each new program before anything of its own."""

_CWD = -100 & 0xFFFFFFFF
_MOST_WORDS = 1024  # read from a caller's memory; the second look sees all of them
_MOST_CACHED = 4096
_PLACES = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/lib/git-core")
_Identity = tuple[int, int]

AskProgram = Callable[[ProgramRule, list[str]], bool]
Tell = Callable[[str], None]


class ProgramWatch:
    """Knows the rules, and the files of the programs that they name, by whatever name."""

    def __init__(self, rules: Iterable[ProgramRule], ask: AskProgram, tell: Tell) -> None:
        self._rules = tuple(rules)
        self._ask = ask
        self._tell = tell
        self._permitted: Counter[tuple[ProgramRule, tuple[str, ...]]] = Counter()
        self._known: dict[_Identity, set[str]] = {}
        self._sizes: dict[int, list[tuple[str, str]]] = {}
        self._digests: dict[tuple[int, ...], str] = {}
        self._plain: set[tuple[int, ...]] = set()
        """Files that no rule is about, and that run no others."""
        self._first_words = tuple({rule.words[0].rsplit("/", 1)[-1] for rule in self._rules})
        for name in {rule.words[0] for rule in self._rules}:
            self._learn(name)

    def starting(self, name: str, thread: int, arguments: tuple[int, ...]) -> None:
        """A program is about to be started; Refused if a rule denies it."""
        caller = Caller(thread)
        if name == "execve":
            directory, address, words = _CWD, arguments[0], arguments[1]
        else:
            directory, address, words = arguments[0], arguments[1], arguments[2]
        try:
            path, argv = _read(thread, address, words)
        except OSError:
            return  # it cannot be read: the call fails, or the second look sees what came of it
        with _opened(caller, directory, path) as file:
            names = [*_base(path), *_base(argv[0] if argv else ""), *self._names(file)]
        for rule, rest in self._fitting(caller, names, argv[1:]):
            if rule.decision == "deny" or not self._ask(rule, argv):
                self._tell(f"the rule `{rule}` refused `{shown(argv or [path])}`{_because(rule)}")
                raise ChangeRefused(path)
            self._permitted[rule, tuple(rest)] += 1

    def started(self, thread: int) -> None:
        """A program has just begun: is it what was let through?"""
        caller = Caller(thread)
        try:
            version = _version(os.stat(f"/proc/{thread}/exe"))
            if version in self._plain:
                return
            with _opened(caller, 0, f"/proc/{thread}/exe", host=True) as exe:
                names = [*self._names(exe)]
            if not self._matters(names):
                if len(self._plain) < _MOST_CACHED:
                    self._plain.add(version)
                return
            with open(f"/proc/{thread}/cmdline", "rb") as file:
                argv = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
            names += _base(argv[0] if argv else "")
        except OSError:
            return  # it has ended
        for rule, rest in self._fitting(caller, names, argv[1:]):
            if rule.decision == "ask" and self._permitted[rule, tuple(rest)] > 0:
                self._permitted[rule, tuple(rest)] -= 1
                continue
            with contextlib.suppress(ProcessLookupError):
                os.kill(thread, signal.SIGKILL)
            self._tell(f"the rule `{rule}` ended `{shown(argv)}`{_because(rule)}")
            return

    def _fitting(
        self, caller: Caller, names: list[str], arguments: list[str]
    ) -> Iterator[tuple[ProgramRule, Words]]:
        """The rules that speak about one of the command lines, those that deny first."""
        if not self._matters(names):
            return  # as almost always
        lines = list(command_lines(names, arguments, lambda at: self._names_at(caller, at)))
        for rule in sorted(self._rules, key=lambda rule: rule.decision != "deny"):
            rests = (rule.rest(name, arguments) for name, arguments in lines)
            rest = next((found for found in rests if found is not None), None)
            if rest is not None:
                yield rule, rest

    def _matters(self, names: list[str]) -> bool:
        return any(name.startswith(self._first_words) or runs_others(name) for name in names)

    def _learn(self, name: str) -> None:
        """Remember the files that are this program, to know them again under another name."""
        places = dict.fromkeys((*os.environ.get("PATH", "").split(os.pathsep), *_PLACES))
        for path in [name] if "/" in name else [f"{place}/{name}" for place in places if place]:
            real = os.path.realpath(path)
            if os.path.basename(real) in MULTI_CALL:
                continue  # all its programs are one file
            with contextlib.suppress(OSError), open(real, "rb") as file:
                status = os.fstat(file.fileno())
                self._known.setdefault((status.st_dev, status.st_ino), set()).update(_base(name))
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                self._sizes.setdefault(status.st_size, []).append((digest, name.rsplit("/", 1)[-1]))

    def _names(self, file: int | None) -> set[str]:
        """All names of a file: in its directory, and those of the program that it is or copies."""
        if file is None:
            return set()
        status = os.fstat(file)
        found = set(_base(os.readlink(f"/proc/self/fd/{file}").removesuffix(" (deleted)")))
        known = self._known.get((status.st_dev, status.st_ino))
        if known is not None:
            return found | known
        for digest, name in self._sizes.get(status.st_size, ()):
            if self._digest(file, status) == digest:
                found.add(name)
        return found

    def _names_at(self, caller: Caller, path: str) -> set[str]:
        with _opened(caller, _CWD, path) as file:
            return {*_base(path), *self._names(file)}

    def _digest(self, file: int, status: os.stat_result) -> str:
        key = _version(status)
        if key not in self._digests:
            if len(self._digests) >= _MOST_CACHED:
                self._digests.clear()
            with contextlib.suppress(OSError), open(f"/proc/self/fd/{file}", "rb") as content:
                self._digests[key] = hashlib.file_digest(content, "sha256").hexdigest()
        return self._digests.get(key, "")


def plain(rules: Iterable[ProgramRule]) -> list[dict[str, Any]]:
    """Rules as the supervisor's options carry them."""
    return [{"decision": r.decision, "words": list(r.words), "reason": r.reason} for r in rules]


def from_plain(entries: Iterable[dict[str, Any]]) -> tuple[ProgramRule, ...]:
    """The same, read back."""
    return tuple(ProgramRule(e["decision"], tuple(e["words"]), e["reason"]) for e in entries)


@contextlib.contextmanager
def _opened(
    caller: Caller, directory: int, path: str, *, host: bool = False
) -> Iterator[int | None]:
    """A file as the caller would find it, held as a place only; None if it would not."""
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC) if host else _open(caller, directory, path)
    except (OSError, ValueError):
        yield None
        return
    try:
        yield file
    finally:
        os.close(file)


def _open(caller: Caller, directory: int, path: str) -> int:
    if not path:  # the descriptor itself is meant
        return os.open(f"/proc/{caller.pid}/fd/{directory & 0xFFFFFFFF}", os.O_PATH | os.O_CLOEXEC)
    number = _descriptor(path)
    if number is not None:  # a file in memory has no path
        return os.open(f"/proc/{caller.pid}/fd/{number}", os.O_PATH | os.O_CLOEXEC)
    root = os.open(f"/proc/{caller.pid}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return system_calls.open_place(root, caller.absolute(directory, path))
    finally:
        os.close(root)


def _descriptor(path: str) -> str | None:
    """The number in a path like /proc/self/fd/7."""
    for start in ("/proc/self/fd/", "/dev/fd/", "/proc/thread-self/fd/"):
        if path.startswith(start) and path[len(start) :].isdecimal():
            return path[len(start) :]
    return None


def _read(thread: int, path: int, words: int) -> tuple[str, list[str]]:
    """The text at an address of a program's memory, and those that an array of pointers names."""
    memory = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        pointers = _pointers(memory, words) if words else []
        texts = [os.fsdecode(_text(memory, pointer)) for pointer in (path, *pointers)]
        return texts[0], texts[1:]
    finally:
        os.close(memory)


def _pointers(memory: int, address: int) -> list[int]:
    found: list[int] = []
    while len(found) < _MOST_WORDS:
        here = address + 8 * len(found)
        part = os.pread(memory, 4096 - here % 4096, here)
        part = part[: len(part) // 8 * 8] or os.pread(memory, 8, here)
        words = struct.unpack(f"={len(part) // 8}Q", part[: len(part) // 8 * 8])
        if 0 in words or not words:
            return [*found, *words[: words.index(0) if 0 in words else 0]]
        found += words
    return found[:_MOST_WORDS]


def _text(memory: int, address: int) -> bytes:
    read = bytearray()
    while len(read) < 1 << 17:  # the longest that the kernel takes
        here = address + len(read)
        part = os.pread(memory, 4096 - here % 4096, here)
        end = part.find(b"\0")
        if end >= 0 or not part:
            return bytes(read + part[: max(end, 0)])
        read += part
    return bytes(read)


def _version(status: os.stat_result) -> tuple[int, ...]:
    """What tells a file from others, and from itself after it was changed."""
    changed = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_dev, status.st_ino, status.st_size, *changed)


def _base(path: str) -> tuple[str, ...]:
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return (name,) if name else ()


def _because(rule: ProgramRule) -> str:
    return f": {rule.reason}" if rule.reason else ""
