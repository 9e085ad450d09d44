"""Talking over a voice: telling who speaks from the echo of what is being said."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from interpreter.protocol.voice import EAR_RATE
from interpreter.voice.turns import SECONDS, STEP, Detector, silero
from interpreter.voice.wav import loudest

ENOUGH = 0.16  # seconds of somebody's speech
LEARNT = 0.4  # seconds of the voice's sound after which its echo is known
ABOVE = 2.0  # times as loud as that echo is somebody else
FLOOR = 0.02  # of full loudness: below it is a quiet room
FADES = 0.995  # of what is known of the echo, after each step
KEPT = 1.0  # seconds from before it was noticed: the words begin there


class Interruption:
    """Listens while a voice speaks; with `playing`, how loud that has been just now, from 0 to 1.

    A microphone hears a loudspeaker, too. How much of it is learnt while the voice begins; what is
    clearly louder, or comes while the voice pauses, is somebody who wants to speak.
    """

    def __init__(self, playing: Callable[[], float], detector: Detector | None = None) -> None:
        self._playing = playing
        self._detector = detector or silero()
        self._rest = b""
        self._echo = 0.0
        self._known = 0.0
        self._spoken = 0.0

    def add(self, samples: bytes) -> bool:
        """Whether somebody speaks, after this much more."""
        data = self._rest + samples
        whole = len(data) // (2 * STEP) * (2 * STEP)
        self._rest = data[whole:]
        for at in range(0, whole, 2 * STEP):
            self._step(data[at : at + 2 * STEP])
            if self._spoken >= ENOUGH:
                return True
        return False

    def _step(self, samples: bytes) -> None:
        heard, played = loudest(samples), self._playing()
        speech = self._detector(samples) >= 0.5  # it has a memory, so it hears everything
        is_loud = heard > FLOOR + ABOVE * self._echo * played
        if speech and is_loud and (self._known >= LEARNT or played < FLOOR):
            self._spoken += SECONDS
            return
        self._spoken = max(0.0, self._spoken - SECONDS / 2)
        if played >= FLOOR:
            self._echo = max(self._echo * FADES, heard / played)
            self._known += SECONDS


def after_the_voice(
    frames: Iterable[bytes],
    is_silent: Callable[[], bool],
    be_silent: Callable[[], object],
    interruption: Interruption,
) -> Iterator[bytes]:
    """Frames from when the voice has ended, or from where somebody began to talk over it."""
    recent: deque[bytes] = deque()
    waits = True
    for frame in frames:
        if waits and is_silent():
            waits = False
            recent.clear()
        if not waits:
            yield frame
            continue
        recent.append(frame)
        while sum(map(len, recent)) > 2 * EAR_RATE * KEPT:
            recent.popleft()
        if interruption.add(frame):
            be_silent()
            waits = False
            yield from recent
