"""What a git index says: which files it holds, and which of them git must never write."""

from __future__ import annotations

import hashlib
import re
import struct

LARGEST = 64 << 20
_HEADER = 12
_BEFORE_NAME = 40  # bytes of an entry: times, numbers, mode and sizes; then name and flags
_MODE = 24  # where it begins
_DIRECTORY = 0o040000  # of a sparse index, which ends in a slash
_EXTENDED = 0x4000
_STAGE = 0x3000
_LONG_PATH = 0xFFF
_SHA1 = 20
_FLAGS = struct.Struct(">H")
_OFFSETS = 12  # of the extension by which git finds entries elsewhere, and its own size

# Git checks a path when it comes into the index, and trusts what it finds there: a checkout writes
# `.git/hooks/…`, `../…` and `/…` if they are in it.
_UNSAFE = re.compile(rb"(?:\A|/)(?:\.{0,2}|\.git)(?:/|\Z)", re.IGNORECASE)


Entry = tuple[int, int, int, bytes]
"""Where an entry begins, its flags, how many bytes of further flags it has, and its path."""


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
    for at, flags, extended, path in entries:
        further = at + _BEFORE_NAME + _SHA1 + 2
        stage = (flags & _STAGE).to_bytes(2, "big")
        digest.update(data[at + _MODE : at + _MODE + 4] + data[at + _BEFORE_NAME : further - 2])
        digest.update(stage + data[further : further + extended] + path + b"\0")
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
    for at, _, _, path in entries:
        if not _UNSAFE.search(path) or not path:  # the name of some is in a shared index
            continue
        is_directory = int.from_bytes(data[at + _MODE : at + _MODE + 4], "big") == _DIRECTORY
        if not is_directory or _UNSAFE.search(path.removesuffix(b"/")):
            return f"it names {path.decode(errors='replace')}"
    return ""


def _read(data: bytes, object_size: int) -> tuple[list[Entry], int]:
    """The entries, and where they end."""
    signature, version, count = struct.unpack(">4sII", data[:_HEADER])
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index that we know")
    fixed = _BEFORE_NAME + object_size + 2
    at, path = _HEADER, b""
    entries: list[Entry] = []
    for _ in range(count):
        (flags,) = _FLAGS.unpack_from(data, at + fixed - 2)
        extended = 2 if flags & _EXTENDED else 0
        named, kept = at + fixed + extended, 0
        if version == 4:  # only what differs from the path before
            dropped, named = _varint(data, named)
            kept = len(path) - dropped
            if kept < 0:
                raise ValueError("more dropped than there was")
        end = data.index(b"\0", named)
        path = path[:kept] + data[named:end]
        if flags & _LONG_PATH != min(len(path), _LONG_PATH):
            raise ValueError("a path of another length")
        entries.append((at, flags, extended, path))
        at = end + 1 if version == 4 else at + ((end - at) // 8 + 1) * 8
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
