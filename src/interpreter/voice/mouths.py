"""Mouths of the system, and the choice among mouths by language."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from interpreter.protocol.system.host_programs import find_program
from interpreter.protocol.voice import Mouth, Sound, VoiceError
from interpreter.voice.espeak import EspeakMouth
from interpreter.voice.languages import language_of
from interpreter.voice.sentences import sentences
from interpreter.voice.wav import read_wav

SAY_RATE = 22_050
SAY_TIMEOUT = 60
NO_MOUTH = "Nothing on this machine can speak; try: apt install espeak-ng"


class Limited(Mouth, Protocol):
    """A mouth that does not speak every language."""

    def speaks(self, language: str) -> bool: ...


class SayMouth:
    """The voice of macOS."""

    name = "say"

    def __init__(self, program: str) -> None:
        self._program = program

    def prepare(self) -> None:
        """There is nothing to load."""

    def hush(self) -> None:
        """A sentence is made soon."""

    def say(self, text: str, language: str = "", speed: float = 1.0) -> Iterator[Sound]:
        """Sentence by sentence, in the voice that the user has chosen."""
        for sentence in sentences(text):
            with tempfile.TemporaryDirectory() as scratch:
                file = Path(scratch) / "said.wav"
                form = f"--data-format=LEI16@{SAY_RATE}"
                command = [self._program, "-o", str(file), form, "-r", str(round(175 * speed))]
                try:
                    subprocess.run(
                        command, input=sentence.encode(), check=True, timeout=SAY_TIMEOUT
                    )
                    sound = read_wav(file.read_bytes())
                except (OSError, subprocess.SubprocessError) as error:
                    raise VoiceError(f"`say` did not speak: {error}.") from error
            yield sound


class ManyTongues:
    """A natural voice for what it speaks, a plain one for the rest; that is told once."""

    def __init__(self, first: Limited, second: Mouth, tell: Callable[[str], object]) -> None:
        self.name = first.name
        self._first = first
        self._second = second
        self._tell = tell
        self._told: set[str] = set()

    def prepare(self) -> None:
        """Load the natural voice."""
        self._first.prepare()

    def hush(self) -> None:
        """Whoever speaks."""
        self._first.hush()
        self._second.hush()

    def say(self, text: str, language: str = "", speed: float = 1.0) -> Iterator[Sound]:
        """By whoever speaks the language of the text."""
        spoken = language or language_of(text)
        if self._first.speaks(spoken):
            return self._first.say(text, spoken, speed)
        if spoken not in self._told:
            self._told.add(spoken)
            self._tell(f"{self._first.name} does not speak {spoken!r}; {self._second.name} does.")
        return self._second.say(text, spoken, speed)


def system_mouth() -> Mouth:
    """What this system speaks with."""
    if say := find_program("say"):
        return SayMouth(say)
    if find_program("espeak-ng"):
        return EspeakMouth()
    raise VoiceError(NO_MOUTH)
