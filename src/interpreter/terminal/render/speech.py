"""Reading an answer aloud, by whatever program of the system can."""

from __future__ import annotations

import subprocess

from interpreter.protocol.system.host_programs import find_program

PROGRAMS = ("say", "spd-say", "espeak-ng", "espeak")
LONGEST = 2_000  # characters
SPEAKING: list[subprocess.Popen[bytes]] = []
"""Programs that may still speak, so that those which are done can be waited for."""


def speak(text: str) -> bool:
    """Begin to read a text aloud; False where nothing here can."""
    program = next((path for name in PROGRAMS if (path := find_program(name))), None)
    if program is None:
        return False
    words = " ".join(text.split())[:LONGEST].lstrip("-")
    SPEAKING[:] = [voice for voice in SPEAKING if voice.poll() is None]
    voice = subprocess.Popen(
        [program, words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    SPEAKING.append(voice)
    return True
