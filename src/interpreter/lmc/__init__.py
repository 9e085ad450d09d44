"""Our values as the message dictionaries of Open Interpreter (LMC), and back.

The only room where such dictionaries are made or read.
"""

from __future__ import annotations

from interpreter.lmc.chunks import ChunkWriter, events_of, merged
from interpreter.lmc.conversations import (
    conversation,
    decode_all,
    is_conversation,
    read_conversation,
)
from interpreter.lmc.messages import Dictionary, decode, edited, encode

__all__ = [
    "ChunkWriter",
    "Dictionary",
    "conversation",
    "decode",
    "decode_all",
    "edited",
    "encode",
    "events_of",
    "is_conversation",
    "merged",
    "read_conversation",
]
