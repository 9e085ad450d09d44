"""Sound, and the two ports of the voice: what hears, and what speaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.values import frozen

EAR_RATE = 16_000
"""Samples in a second that ears take."""


class VoiceError(InterpreterError):
    """Something cannot be heard or said; the text is one sentence that says what to do."""


@frozen
class Sound:
    """One channel of sound: samples of 16 bits, signed, little-endian."""

    samples: bytes
    rate: int = EAR_RATE

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / 2 / self.rate


@frozen
class Heard:
    """Words out of sound, all from its beginning; what follows may still change the last ones."""

    text: str
    final: bool = False


class Ear(Protocol):
    """Hears words."""

    @property
    def name(self) -> str: ...

    def prepare(self) -> None:
        """Get ready, so that the first word does not wait."""
        ...

    def hear(self, frames: Iterable[bytes], language: str = "") -> Iterator[Heard]:
        """What is said, while it is said and when it ends; frames are samples at `EAR_RATE`.

        No language means whatever it sounds like. Without words, the final text is empty.
        """
        ...


class Mouth(Protocol):
    """Says words."""

    @property
    def name(self) -> str: ...

    def prepare(self) -> None:
        """Get ready, so that the first word does not wait."""
        ...

    def hush(self) -> None:
        """Give up the sounds that are being made, if that would take long."""
        ...

    def say(self, text: str, language: str = "", speed: float = 1.0) -> Iterator[Sound]:
        """The sound of a text, sentence by sentence; nobody waits for the rest once it is closed.

        No language means the one that the text seems to be in.
        """
        ...
