"""Whisper as the ear, by onnxruntime on this machine: many languages, told by their sound."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol.voice import EAR_RATE, Heard, VoiceError
from interpreter.voice.engine import NOT_INSTALLED
from interpreter.voice.turns import Phrases

if TYPE_CHECKING:
    from interpreter.voice.whisper_model import WhisperModel

LONGEST = 1_800  # seconds of a recording
PARTLY = 1.5  # seconds of new sound after which the words so far are looked for
TOO_LONG = f"The recording is longer than {LONGEST // 60} minutes; cut it into parts."
NO_SPEECH, GUESSED = 0.6, -1.0
"""Sound that is likely no speech, and words that are guessed: together they are none."""
SOUNDS = re.compile(r"[\[(*♪][^\])*♪]{0,60}[\])*♪]|♪")  # what it writes for music and noises
STUCK = re.compile(r"(\b.{2,60}?)(?:[\s,.!?-]+\1){4,}", re.IGNORECASE)


class WhisperEar:
    """Hears what is said, phrase by phrase."""

    name = "whisper-base"

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._model: WhisperModel | None = None
        self._working = threading.Lock()

    def prepare(self) -> None:
        """Load the networks, so that the first word does not wait for them."""
        with self._working:
            self._loaded()

    def hear(self, frames: Iterable[bytes], language: str = "") -> Iterator[Heard]:
        """Words after each phrase, and within a long one as often as this machine can.

        Of a recording, which comes faster than somebody speaks, only whole phrases are looked at.
        """
        phrases, said, taken = Phrases(), "", 0.0
        next_look, start = PARTLY, time.monotonic()
        for frame in frames:
            taken += len(frame) / 2 / EAR_RATE
            if taken > LONGEST:
                raise VoiceError(TOO_LONG)
            for phrase in phrases.add(frame):
                said = joined(said, self._words(phrase, language))
                next_look = taken + PARTLY
                yield Heard(said)
            is_live = taken - (time.monotonic() - start) < PARTLY
            if taken >= next_look and is_live and (growing := phrases.growing):
                began = time.monotonic()
                yield Heard(joined(said, self._words(growing, language)))
                next_look = taken + PARTLY + 3 * (time.monotonic() - began)
        if phrase := phrases.close():
            said = joined(said, self._words(phrase, language))
        yield Heard(said, final=True)

    def _words(self, samples: bytes, language: str) -> str:
        with self._working:  # it is one program for all cores
            model = self._loaded()
            if language and not model.knows(language):
                raise VoiceError(f"{language!r} is no language that {self.name} knows.")
            from interpreter.voice.samples import as_floats  # noqa: PLC0415  (needs numpy)

            heard = model.words(as_floats(samples), language)
        if heard.no_speech > NO_SPEECH and heard.certainty < GUESSED:
            return ""
        return tidied(heard.text)

    def _loaded(self) -> WhisperModel:
        if self._model is None:
            try:
                from interpreter.voice.whisper_model import WhisperModel  # noqa: PLC0415
            except ImportError as error:
                raise VoiceError(NOT_INSTALLED) from error
            self._model = WhisperModel(self._directory)
        return self._model


def joined(before: str, after: str) -> str:
    """Two pieces of what was said."""
    return f"{before} {after}".strip()


def tidied(text: str) -> str:
    """Words only: no notes about music, and nothing over and over."""
    words = " ".join(STUCK.sub(r"\1", SOUNDS.sub(" ", text)).split())
    return words if any(map(str.isalnum, words)) else ""
