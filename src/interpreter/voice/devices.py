"""Microphone and loudspeaker, through the programs that a system has for them."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from collections.abc import Generator, Iterator

from interpreter.protocol.system.host_programs import find_program
from interpreter.protocol.voice import EAR_RATE, Sound, VoiceError
from interpreter.voice.wav import loudest

FRAME = EAR_RATE // 20 * 2  # bytes of a twentieth of a second
HELD_BACK = 0.5  # seconds that a loudspeaker may be behind
LOOK = 0.1  # seconds between two looks at whether it is enough
RECORDERS = {
    "pw-record": "--rate {rate} --channels 1 --format s16 -",
    "parec": "--raw --rate={rate} --channels=1 --format=s16le",
    "arecord": "-q -t raw -f S16_LE -r {rate} -c 1",
    "rec": "-q -t raw -r {rate} -e signed -b 16 -c 1 -",
}
PLAYERS = {
    "pw-play": "--rate {rate} --channels 1 --format s16 -",
    "paplay": "--raw --rate={rate} --channels=1 --format=s16le",
    "aplay": "-q -t raw -f S16_LE -r {rate} -c 1",
    "play": "-q -t raw -r {rate} -e signed -b 16 -c 1 -",
}
HINT = "try: apt install alsa-utils, or on a Mac: brew install sox"
NO_RECORDER = f"No program here can record; {HINT}"
NO_PLAYER = f"No program here can play sound; {HINT}"


class Microphone:
    """Gives what is spoken now, a twentieth of a second at a time, until it is stopped."""

    def __init__(self) -> None:
        self._command = _command(RECORDERS, EAR_RATE) or []
        if not self._command:
            raise VoiceError(NO_RECORDER)

    def frames(self, stop: threading.Event) -> Generator[bytes, None, None]:
        """What it hears; VoiceError where there is no microphone."""
        recorder = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        assert recorder.stdout is not None
        assert recorder.stderr is not None
        heard = False
        try:
            for frame in _read(recorder.stdout.fileno(), stop):
                heard = True
                yield frame
            if not heard and not stop.is_set():
                said = recorder.stderr.read(2000).decode(errors="replace").strip()
                reason = said.splitlines()[-1] if said else "it gives no sound"
                raise VoiceError(f"No microphone can be used: {reason}.")
        finally:
            recorder.kill()
            recorder.wait()
            recorder.stdout.close()
            recorder.stderr.close()


def _read(source: int, stop: threading.Event) -> Iterator[bytes]:
    """Whole samples as they come; a recorder that is silent does not hold up a stop."""
    rest = b""
    while not stop.is_set():
        if not select.select([source], [], [], LOOK)[0]:
            continue
        data = os.read(source, FRAME)
        if not data:
            return
        whole = len(rest + data) // 2 * 2
        frame, rest = (rest + data)[:whole], (rest + data)[whole:]
        yield frame


class Loudspeaker:
    """Plays one sound after the other; stopping is heard at once."""

    def __init__(self) -> None:
        if not _command(PLAYERS, EAR_RATE):
            raise VoiceError(NO_PLAYER)
        self._playing: subprocess.Popen[bytes] | None = None
        self._sound = Sound(b"")
        self._since = 0.0
        self._changing = threading.Lock()

    def play(self, sound: Sound, stop: threading.Event) -> None:
        """Play it to its end, or until stopped."""
        with self._changing:
            if stop.is_set():
                return
            self._playing = subprocess.Popen(
                _command(PLAYERS, sound.rate) or [],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self._sound, self._since = sound, time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            self._playing.communicate(sound.samples)

    def loudness(self) -> float:
        """How loud it has been just now, from 0 to 1; devices hold sound back for a while."""
        sound, at = self._sound, time.monotonic() - self._since
        first, last = (max(0, round(moment * sound.rate)) * 2 for moment in (at - HELD_BACK, at))
        return loudest(sound.samples[first:last])

    def stop(self) -> None:
        """Be silent now."""
        with self._changing:
            if self._playing is not None:
                self._playing.kill()


def _command(programs: dict[str, str], rate: int) -> list[str] | None:
    for name, options in programs.items():
        if path := find_program(name):
            return [path, *options.format(rate=rate).split()]
    return None
