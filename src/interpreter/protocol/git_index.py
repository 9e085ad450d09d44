"""What a git index says: which files it holds, and which of them git must never write."""

from __future__ import annotations

import hashlib
import re
import struct
from typing import NamedTuple

LARGEST = 64 << 20
_HEADER = 12
_BEFORE_NAME = 40  # bytes of an entry: times, numbers, mode and sizes; then name and flags
_MODE = slice(24, 28)
_DIRECTORY = 0o040000  # of a sparse index, which ends in a slash
_EXTENDED = 0x4000
_STAGE = 0x3000
_LONG_PATH = 0xFFF
_SHA1 = 20
_OFFSETS = 12  # of the extension by which git finds entries elsewhere, and its own size

# Git checks a path when it comes into the index, and trusts what it finds there: a checkout writes
# `.git/hooks/…`, `../…` and `/…` if they are in it.
_UNSAFE = re.compile(rb"(?:\A|/)(?:\.{0,2}|\.git)(?:/|\Z)", re.IGNORECASE)


class _Entry(NamedTuple):
    fixed: bytes
    name: bytes
    flags: int
    extended: bytes
    path: bytes


def meaning_of_index(data: bytes) -> str:
    """A digest of the files, contents and stages in an index; empty where it cannot be read.

    When files were last looked at is left out: `git status` writes that. A split index, whose
    entries are in another file, is one that cannot be read.
    """
    try:
        entries, end = _read(data, _SHA1)
        if b"link" in _extensions(data, end):
            return ""
    except (struct.error, IndexError, ValueError):
        return ""
    digest = hashlib.sha256()
    for one in entries:
        stage = (one.flags & _STAGE).to_bytes(2, "big")
        digest.update(one.fixed[_MODE] + one.name + stage + one.extended + one.path + b"\0")
    return digest.hexdigest()


def problem_of_index(data: bytes, object_size: int) -> str:
    """Why code must not give git this index, whose objects have names of so many bytes; or "".

    Whatever git could read in another way than we do is a problem, too.
    """
    try:
        entries, _ = _read(data, object_size)
    except (struct.error, IndexError, ValueError):
        return "it cannot be read"
    if data[-object_size - object_size - _OFFSETS :].startswith(b"EOIE"):
        return "it has a table of offsets"
    for one in entries:
        is_directory = int.from_bytes(one.fixed[_MODE], "big") == _DIRECTORY
        if _UNSAFE.search(one.path.removesuffix(b"/") if is_directory else one.path):
            return f"it names {one.path.decode(errors='replace')}"
    return ""


def _read(data: bytes, object_size: int) -> tuple[list[_Entry], int]:
    """The entries, and where they end."""
    signature, version, count = struct.unpack(">4sII", data[:_HEADER])
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index that we know")
    fixed = _BEFORE_NAME + object_size + 2
    at, path, entries = _HEADER, b"", []
    for _ in range(count):
        entry = data[at : at + fixed]
        (flags,) = struct.unpack(">H", entry[-2:])
        extended = data[at + fixed : at + fixed + 2] if flags & _EXTENDED else b""
        start = named = at + fixed + len(extended)
        kept = 0
        if version == 4:  # only what differs from the path before
            dropped, named = _varint(data, start)
            kept = len(path) - dropped
            if kept < 0:
                raise ValueError("more dropped than there was")
        end = data.index(b"\0", named)
        path = path[:kept] + data[named:end]
        if flags & _LONG_PATH != min(len(path), _LONG_PATH):
            raise ValueError("a path of another length")
        at = end + 1 if version == 4 else at + ((end - at) // 8 + 1) * 8
        name = entry[_BEFORE_NAME:-2]
        entries.append(_Entry(entry[:_BEFORE_NAME], name, flags, extended, path))
    return entries, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _extensions(data: bytes, at: int) -> list[bytes]:
    found = []
    while at < len(data) - _SHA1:
        name, size = struct.unpack(">4sI", data[at : at + 8])
        found.append(name)
        at += 8 + size
    return found
