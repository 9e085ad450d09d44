"""The `espeak-ng` program, as a process beside us: phonemes for other voices, and a voice."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

from interpreter.protocol.system.host_programs import find_program
from interpreter.protocol.voice import Sound, VoiceError
from interpreter.voice.languages import language_of
from interpreter.voice.sentences import sentences
from interpreter.voice.wav import read_wav

TIMEOUT = 30  # seconds for one sentence
WORDS_A_MINUTE = 165
NAMES = {"en": "en-us", "pt": "pt-br", "fr": "fr-fr", "zh": "cmn"}
"""Languages that the program knows by another name."""
MISSING = "espeak-ng is not installed, and speaking needs it; try: apt install espeak-ng"


def espeak() -> str:
    """Where the program is."""
    program = find_program("espeak-ng")
    if program is None:
        raise VoiceError(MISSING)
    return program


def phonemes(text: str, language: str) -> str:
    """How a piece of text without pauses sounds, in IPA; `^` ties what is one sound."""
    output = _ran(text, "-q", "--ipa", "--tie=^", "-v", NAMES.get(language, language))
    words = re.sub(r"\([a-z-]{2,12}\)", "", output.decode(errors="replace"))  # changes of language
    return " ".join(words.split())


class EspeakMouth:
    """A plain voice that speaks a hundred languages, at once and without any weights."""

    name = "espeak-ng"

    def prepare(self) -> None:
        """There is nothing to load."""

    def hush(self) -> None:
        """A sentence is made soon."""

    def say(self, text: str, language: str = "", speed: float = 1.0) -> Iterator[Sound]:
        """Sentence by sentence."""
        spoken = language or language_of(text)
        pace = str(max(80, min(450, round(WORDS_A_MINUTE * speed))))
        for sentence in sentences(text):
            wav = _ran(sentence, "--stdout", "-s", pace, "-v", NAMES.get(spoken, spoken))
            yield read_wav(wav)


def _ran(text: str, *options: str) -> bytes:
    """Brackets in pairs would be read as phonemes, so that there are none."""
    plain = text.replace("[", " ").replace("]", " ")
    try:
        ended = subprocess.run(
            [espeak(), *options, "--stdin"],
            input=plain.encode(),
            capture_output=True,
            timeout=TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise VoiceError(f"espeak-ng did not speak: {error}.") from error
    if ended.returncode and "-v" in options and options[-1] != "en-us":
        return _ran(text, *options[:-1], "en-us")  # a language that it does not know
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip()
        raise VoiceError(f"espeak-ng did not speak: {said or ended.returncode}.")
    return ended.stdout
