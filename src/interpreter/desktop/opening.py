"""Which desktop there is here: X11, Wayland, macOS, Windows, or none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from interpreter.protocol.desktop import Desktop, NoDesktop
from interpreter.protocol.errors import install_command

if TYPE_CHECKING:
    from interpreter.desktop.x11.watch import Watch

EXTRA = f"Install what drives the desktop: {install_command('os')}."


def open_desktop(environment: Mapping[str, str] | None = None) -> Desktop:
    """The desktop of this session; NoDesktop says in a sentence why there is none."""
    variables = os.environ if environment is None else environment
    try:
        return _open(variables)
    except ImportError as error:
        raise NoDesktop(f"{EXTRA} ({error.name} is missing.)") from error


def open_watch(
    stop: Callable[[], None], environment: Mapping[str, str] | None = None
) -> Watch | None:
    """A banner and a key that stops everything, on desktops that have them: X11."""
    variables = os.environ if environment is None else environment
    name = variables.get("DISPLAY")
    if sys.platform in ("darwin", "win32") or variables.get("WAYLAND_DISPLAY") or not name:
        return None
    from interpreter.desktop.x11.watch import Watch  # noqa: PLC0415  (needs extras)

    return Watch(name, stop)


def _open(variables: Mapping[str, str]) -> Desktop:
    if sys.platform in ("darwin", "win32"):
        from interpreter.desktop.elsewhere import OtherDesktop  # noqa: PLC0415  (needs extras)

        return OtherDesktop()
    if variables.get("WAYLAND_DISPLAY"):
        from interpreter.desktop.wayland import WaylandDesktop  # noqa: PLC0415

        return WaylandDesktop(variables)
    if name := variables.get("DISPLAY"):
        from interpreter.desktop.x11.desktop import X11Desktop  # noqa: PLC0415  (needs extras)

        return X11Desktop(name)
    raise NoDesktop(
        "There is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set. "
        "Start a desktop session, or a virtual one with `Xvfb :1 & export DISPLAY=:1`."
    )
