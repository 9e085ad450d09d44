"""Without a display everything can be imported, and opening says in a sentence what is missing."""

import subprocess
import sys

import pytest

from interpreter.desktop.opening import open_desktop
from interpreter.protocol.desktop import DesktopError, NoDesktop

IMPORTS = """
import sys
import interpreter.desktop.opening, interpreter.desktop.fake, interpreter.desktop.pictures
import interpreter.desktop.accessibility, interpreter.desktop.wayland, interpreter.desktop.elsewhere
heavy = {"mss", "Xlib", "PIL", "numpy", "jeepney", "cv2", "rapidocr", "playwright", "pynput"}
print(sorted(heavy & set(sys.modules)))
"""


def test_importing_needs_no_display_and_loads_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], env={"PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


def test_without_a_display_it_says_what_to_do():
    with pytest.raises(NoDesktop, match="neither DISPLAY nor WAYLAND_DISPLAY is set"):
        open_desktop({})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Xlib's sockets
def test_a_display_that_nobody_serves_is_named():
    with pytest.raises(NoDesktop, match="display ':4711' cannot be reached"):
        open_desktop({"DISPLAY": ":4711"})


def test_wayland_says_exactly_what_it_lacks(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    desktop = open_desktop({"WAYLAND_DISPLAY": "wayland-9"})
    lacks = desktop.lacks()
    assert lacks["screen"] == "Install grim."
    assert lacks["clipboard"] == "Install wl-clipboard."
    assert "X11 session" in lacks["pointer"]
    with pytest.raises(DesktopError, match="lets no other program move the pointer"):
        desktop.button("left", down=True)
    with pytest.raises(DesktopError, match="needs wtype; install the package wtype"):
        desktop.type("a")
