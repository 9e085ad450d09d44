"""Our values as the message dictionaries of Open Interpreter (LMC), and back.

The only room where such dictionaries are made or read.
"""

from __future__ import annotations

from interpreter.lmc.chunks import ChunkWriter, events_of, merged
from interpreter.lmc.conversations import decode_all, read_conversation
from interpreter.lmc.messages import Dictionary, decode, edited, encode, end_of

__all__ = [
    "ChunkWriter",
    "Dictionary",
    "decode",
    "decode_all",
    "edited",
    "encode",
    "end_of",
    "events_of",
    "merged",
    "read_conversation",
]
