"""What a git index says, apart from when files were last looked at: `git status` writes that."""

from __future__ import annotations

import hashlib
import struct

_FIXED = 62  # bytes of an entry before its path: times, numbers, mode, sizes, name, flags
_MODE = slice(24, 28)
_NAME = slice(40, 60)
_EXTENDED = 0x4000
_STAGE = 0x3000
_CHECKSUM = 20


def meaning_of_index(data: bytes) -> str:
    """A digest of the files, contents and stages in an index; empty where it cannot be read.

    A split index, whose entries are in another file, is one that cannot.
    """
    try:
        return _digest(data)
    except (struct.error, IndexError, ValueError):
        return ""


def _digest(data: bytes) -> str:
    signature, version, count = struct.unpack(">4sII", data[:12])
    if signature != b"DIRC" or version not in (2, 3, 4):
        return ""
    digest = hashlib.sha256()
    at, path = 12, b""
    for _ in range(count):
        entry = data[at : at + _FIXED]
        (flags,) = struct.unpack(">H", entry[60:62])
        at += _FIXED
        extended = data[at : at + 2] if flags & _EXTENDED else b""
        at += len(extended)
        kept = path[: len(path) - _varint(data, at)[0]] if version == 4 else b""
        start = _varint(data, at)[1] if version == 4 else at
        end = data.index(b"\0", start)
        path = kept + data[start:end]
        at = end + 1 if version == 4 else _padded(at, end, len(extended))
        stage = (flags & _STAGE).to_bytes(2, "big")
        digest.update(entry[_MODE] + entry[_NAME] + stage + extended + path + b"\0")
    return "" if b"link" in _extensions(data, at) else digest.hexdigest()


def _padded(start: int, end: int, extended: int) -> int:
    """Where the next entry begins: each is filled up to a multiple of eight by at least a zero."""
    length = _FIXED + extended + end - start
    return start + (length // 8 + 1) * 8 - _FIXED - extended


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _extensions(data: bytes, at: int) -> list[bytes]:
    found = []
    while at < len(data) - _CHECKSUM:
        name, size = struct.unpack(">4sI", data[at : at + 8])
        found.append(name)
        at += 8 + size
    return found
