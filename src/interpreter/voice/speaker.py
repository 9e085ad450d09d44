"""Speaking while other things go on: the next sentence is made while one is heard."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator
from queue import Queue

from interpreter.protocol.voice import Mouth, Sound, VoiceError
from interpreter.voice.devices import Loudspeaker

AHEAD = 2  # sounds that are made before they are heard
CLOSING = 10.0  # seconds at most, for a sentence that is being made


class Speaker:
    """Says sentences one after the other, until it is told to be silent."""

    def __init__(
        self, mouth: Mouth, loudspeaker: Loudspeaker, tell: Callable[[str], object]
    ) -> None:
        self._mouth = mouth
        self._loudspeaker = loudspeaker
        self._tell = tell
        self._texts: Queue[tuple[str, threading.Event] | None] = Queue()
        self._sounds: Queue[tuple[Sound, threading.Event] | None] = Queue(AHEAD)
        self._stop = threading.Event()
        self._left = 0
        self._change = threading.Condition()
        self._threads = [
            threading.Thread(target=work, name="speak", daemon=True)
            for work in (self._make, self._play)
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)

    def prepare(self) -> None:
        """Load what speaks, so that the first sentence does not wait."""
        self._mouth.prepare()

    @property
    def is_silent(self) -> bool:
        """Whether everything has been said."""
        with self._change:
            return self._left == 0

    def loudness(self) -> float:
        """How loud the voice is now, from 0 to 1."""
        return self._loudspeaker.loudness()

    def say(self, text: str) -> None:
        """Say this after what is being said."""
        self._count(1)
        self._texts.put((text, self._stop))

    def stop(self) -> None:
        """Be silent at once, and forget what was still to be said."""
        self._stop.set()
        self._loudspeaker.stop()
        self._mouth.hush()
        self._stop = threading.Event()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all is said; whether it is."""
        with self._change:
            return self._change.wait_for(lambda: self._left == 0, seconds)

    def close(self) -> None:
        """Say nothing any more; a network that still ran when Python ends would abort it."""
        atexit.unregister(self.close)
        self.stop()
        self._texts.put(None)
        for thread in self._threads:
            thread.join(CLOSING)

    def _count(self, more: int) -> None:
        with self._change:
            self._left += more
            self._change.notify_all()

    def _make(self) -> None:
        while (asked := self._texts.get()) is not None:
            text, stop = asked
            try:
                for sound in self._until(stop, text):
                    self._count(1)
                    self._sounds.put((sound, stop))
            except VoiceError as error:
                self._tell(str(error))
            self._count(-1)
        self._sounds.put(None)

    def _until(self, stop: threading.Event, text: str) -> Iterator[Sound]:
        if stop.is_set():
            return
        for sound in self._mouth.say(text):
            if stop.is_set():
                return
            yield sound

    def _play(self) -> None:
        while (made := self._sounds.get()) is not None:
            self._loudspeaker.play(*made)
            self._count(-1)
