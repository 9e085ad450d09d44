"""Whisper as the ear, by onnx-asr on this machine: many languages, told by their sound."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from interpreter.protocol.voice import EAR_RATE, Heard, VoiceError
from interpreter.voice.engine import NOT_INSTALLED, cpu_session, session_options
from interpreter.voice.turns import Phrases

LONGEST = 1_800  # seconds of a recording
PARTLY = 1.5  # seconds of new sound after which the words so far are looked for
TOO_LONG = f"The recording is longer than {LONGEST // 60} minutes; cut it into parts."
SOUNDS = re.compile(r"[\[(*♪][^\])*♪]{0,60}[\])*♪]|♪")  # what it writes for music and noises
STUCK = re.compile(r"(\b.{2,60}?)(?:[\s,.!?-]+\1){4,}", re.IGNORECASE)


class WhisperEar:
    """Hears what is said, phrase by phrase."""

    name = "whisper-base"

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._model: Any = None
        self._working = threading.Lock()

    def hear(self, frames: Iterable[bytes], language: str = "") -> Iterator[Heard]:
        """Words after each phrase, and within a long one as often as this machine can."""
        phrases, said, taken = Phrases(), "", 0.0
        next_look = PARTLY
        for frame in frames:
            taken += len(frame) / 2 / EAR_RATE
            if taken > LONGEST:
                raise VoiceError(TOO_LONG)
            for phrase in phrases.add(frame):
                said = joined(said, self._words(phrase, language))
                next_look = taken + PARTLY
                yield Heard(said)
            if taken >= next_look and (growing := phrases.growing):
                began = time.monotonic()
                yield Heard(joined(said, self._words(growing, language)))
                next_look = taken + PARTLY + 3 * (time.monotonic() - began)
        if phrase := phrases.close():
            said = joined(said, self._words(phrase, language))
        yield Heard(said, final=True)

    def _words(self, samples: bytes, language: str) -> str:
        from interpreter.voice.samples import as_floats  # noqa: PLC0415  (needs numpy)

        with self._working:  # it is one program for all cores
            try:
                heard = self._loaded().recognize(as_floats(samples), language=language or None)
            except KeyError as error:
                raise VoiceError(f"{language!r} is no language that {self.name} knows.") from error
        return tidied(str(heard))

    def _loaded(self) -> Any:
        if self._model is None:
            options = session_options(arena=True)
            try:
                import onnx_asr  # noqa: PLC0415  (an extra)
            except ImportError as error:
                raise VoiceError(NOT_INSTALLED) from error
            self._model = onnx_asr.load_model(
                "whisper",
                self._directory,
                quantization="quantized",
                sess_options=options,
                providers=["CPUExecutionProvider"],
            )
            # The encoder needs half a gigabyte for a moment, which its arena would keep for ever.
            encoder = self._directory / "encoder_model_quantized.onnx"
            self._model.asr._encoder = cpu_session(encoder)
        return self._model


def joined(before: str, after: str) -> str:
    """Two pieces of what was said."""
    return f"{before} {after}".strip()


def tidied(text: str) -> str:
    """Words only: no notes about music, and nothing over and over."""
    words = " ".join(STUCK.sub(r"\1", SOUNDS.sub(" ", text)).split())
    return words if any(map(str.isalnum, words)) else ""
