"""Reading an answer aloud, by whatever program of the system can."""

from __future__ import annotations

import shutil
import subprocess

PROGRAMS = ("say", "spd-say", "espeak-ng", "espeak")
LONGEST = 2_000  # characters


def speak(text: str) -> bool:
    """Begin to read a text aloud; False where nothing here can."""
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        return False
    words = " ".join(text.split())[:LONGEST].lstrip("-")
    subprocess.Popen(
        [program, words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return True
