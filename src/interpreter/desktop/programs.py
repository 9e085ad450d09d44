"""The system's own programs for what they do best: the clipboard, notices, opening things."""

from __future__ import annotations

import configparser
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.desktop import DesktopError
from interpreter.protocol.system.host_programs import find_program

SECONDS = 10
LARGEST_ENTRY = 1 << 18
PACKAGES = {"notify-send": "libnotify-bin", "xdg-open": "xdg-utils", "wl-copy": "wl-clipboard",
            "wl-paste": "wl-clipboard"}  # fmt: skip
BROWSERS = ("chromium", "google-chrome", "microsoft-edge", "brave-browser")


def first(*names: str) -> str | None:
    """The path of the first of these that is installed."""
    return next((found for found in map(find_program, names) if found), None)


def located(name: str) -> str:
    """Where a program is; a sentence when it is not."""
    found = find_program(name)
    if not found:
        raise DesktopError(f"This needs {name}; install the package {PACKAGES.get(name, name)}.")
    return found


def read(
    words: Sequence[str], environment: Mapping[str, str], *, empty_on_failure: bool = False
) -> bytes:
    """What a program prints."""
    argv = [located(words[0]), *words[1:]]
    try:
        done = subprocess.run(
            argv, env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        raise DesktopError(f"{words[0]} failed: {error}") from error
    if done.returncode and not empty_on_failure:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise DesktopError(f"{words[0]} failed: {said or f'it ended with {done.returncode}'}")
    return b"" if done.returncode else done.stdout


def feed(words: Sequence[str], data: bytes, environment: Mapping[str, str]) -> None:
    """Hand something to a program that may go on in the background: it inherits no pipe of ours."""
    argv = [located(words[0]), *words[1:]]
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(
            argv, input=data, env=dict(environment), stdout=quiet, stderr=quiet,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        raise DesktopError(f"{words[0]} failed: {error}") from error
    if done.returncode:
        raise DesktopError(f"{words[0]} failed: it ended with {done.returncode}.")


def open_with_system(name: str, environment: Mapping[str, str]) -> None:
    """Start a program by its name, or open a file or address with the program made for it."""
    argv = _argv_of(name)
    quiet = subprocess.DEVNULL
    try:
        subprocess.Popen(
            argv, env=dict(environment), stdin=quiet, stdout=quiet, stderr=quiet,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise DesktopError(f"{name!r} cannot be opened: {error}") from error


def _argv_of(name: str) -> list[str]:
    if re.match(r"[a-z][a-z0-9+.-]+:", name) or Path(name).expanduser().exists():
        return [located("xdg-open"), name]
    entry = _desktop_entry(name)
    if entry:
        return entry
    program = find_program(name) if re.fullmatch(r"[\w.+-]+", name) else None
    if not program:
        raise DesktopError(f"There is no program {name!r} here.")
    talkative = ["--force-renderer-accessibility"] if name in BROWSERS else []
    return [program, *talkative]


def _desktop_entry(name: str) -> list[str] | None:
    """The command of an installed application, by the name that menus show."""
    for place in ("/usr/local/share/applications", "/usr/share/applications"):
        for file in sorted(Path(place).glob("*.desktop")):
            parser = configparser.ConfigParser(interpolation=None, strict=False)
            try:
                parser.read_string(
                    safe_files.read_bytes(file, LARGEST_ENTRY).decode("utf-8", "replace")
                )
                entry = parser["Desktop Entry"]
                shown, command = entry.get("Name", ""), entry.get("Exec", "")
            except (configparser.Error, KeyError, OSError):
                continue
            if shown.casefold() == name.casefold() and command:
                return [word for word in shlex.split(command) if not word.startswith("%")]
    return None
