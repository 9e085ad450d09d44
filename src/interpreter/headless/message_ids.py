"""Ids of messages that say before which block each one was: so a session can go back to any of
them, also in another process."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from uuid import UUID

_MARK = (1 << 62) - 1  # the last bits of an id, below those that say what kind of id it is


def new_id(session: str, checkpoint: str) -> str:
    """An id for a message that comes after a block; after none where the checkpoint is empty."""
    random = secrets.randbits(64) & ~0xF000 | 0x8000  # the version that is for one's own use
    return str(UUID(int=random << 64 | 0b10 << 62 | _mark(session, checkpoint)))


def next_checkpoint(found: str, session: str, checkpoints: Sequence[str]) -> str | None:
    """The checkpoint of the first block after the message with this id; empty if there was none,
    and None if no such message is known."""
    try:
        mark = UUID(found).int & _MARK
    except ValueError:
        return None
    for before, after in zip(("", *checkpoints), (*checkpoints, ""), strict=True):
        if _mark(session, before) == mark:
            return after
    return None


def _mark(session: str, checkpoint: str) -> int:
    digest = hashlib.sha256(f"{session}\0{checkpoint}".encode()).digest()
    return int.from_bytes(digest[:8]) & _MARK
