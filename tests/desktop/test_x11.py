"""Pointer, keys, clipboard, windows and the accessibility tree of a real X11 desktop."""

import os
import signal
import subprocess
import sys
import threading
import zlib
from contextlib import closing
from shutil import which

import pytest

from interpreter.desktop.geometry import monitor_at, whole
from interpreter.desktop.hands import Hands
from interpreter.desktop.pictures import changed_box, image_of, jpeg, still_frame
from interpreter.protocol.desktop import Box, OutOfRange, Point
from tests.desktop.conftest import displayed, in_front, wait_for


def click(desktop, point):
    desktop.move(point)
    desktop.button("left", down=True)
    desktop.button("left", down=False)


def element(desktop, app, name=None, role=None):
    """The first element of a program with this name and role, once it is there."""
    return wait_for(
        lambda: next(
            (one for one in desktop.elements(app.window(desktop))
             if name in (None, one.name) and role in (None, one.role)), None),
        f"{name or role} in the tree of {app.kind}",
    )  # fmt: skip


@pytest.fixture(scope="module")
def shop(screen):
    return screen.start("gtk3", 40, 40)


@pytest.fixture
def gtk(desktop, shop):
    """A program whose window is placed, in front, and has the focus."""
    in_front(shop, desktop)
    return shop


def test_the_monitor_and_the_pointer(desktop):
    (monitor,) = desktop.monitors()
    assert monitor.box == Box(0, 0, 1280, 900)
    desktop.move(Point(321, 123))
    assert desktop.pointer() == Point(321, 123)


def test_a_click_lands_where_the_tree_says_the_button_is(desktop, gtk):
    before = len(gtk.state()["clicked"])
    click(desktop, element(desktop, gtk, "Proceed to Checkout", "button").box.center)
    wait_for(lambda: gtk.state()["clicked"][before:] == ["Proceed to Checkout"], "the click")


def test_a_drag_begins_and_ends_where_it_should(desktop, gtk):
    pad = element(desktop, gtk, "pad").box
    start, end = Point(pad.left + 20, pad.top + 20), Point(pad.left + 150, pad.top + 60)
    desktop.move(start)
    desktop.button("left", down=True)
    desktop.move(end)
    desktop.button("left", down=False)
    wait_for(lambda: gtk.state()["drag"] == [[start.x, start.y], [end.x, end.y]], "the drag")


def test_the_wheel_turns_by_notches(desktop, gtk):
    desktop.move(element(desktop, gtk, "pad").box.center)
    desktop.scroll(0, 3)
    desktop.scroll(0, -1)
    wait_for(lambda: gtk.state()["scrolled"] == 2, "the wheel")


def test_keys_that_are_held_together_arrive_together(desktop, gtk):
    click(desktop, element(desktop, gtk, "pad").box.center)
    for name in ("ctrl", "shift", "k"):
        desktop.key(name, down=True)
    for name in ("k", "shift", "ctrl"):
        desktop.key(name, down=False)
    wait_for(lambda: gtk.state()["keys"][-1:] == ["ctrl+shift+k"], "the keys")


def test_what_is_in_a_password_field_is_not_read(desktop, gtk):
    click(desktop, element(desktop, gtk, role="password text").box.center)
    desktop.type("hunter2 is the secret")
    wait_for(lambda: gtk.state()["secret"] == "hunter2 is the secret", "the secret")
    assert "hunter2" not in repr(desktop.elements())


def test_keys_do_not_overtake_a_click_that_the_window_manager_holds(desktop, screen):
    app = screen.start("gtk4")
    in_front(app, desktop)
    second = element(desktop, app, role="password text").box.center
    first = next(
        e for e in desktop.elements(app.window(desktop)) if e.role in ("text", "entry", "text box")
    ).box.center
    click(desktop, first)
    desktop.type("open")
    wait_for(lambda: app.state()["text"] == "open", "the first text")
    screen.manager.send_signal(signal.SIGSTOP)
    later = threading.Timer(0.3, screen.manager.send_signal, (signal.SIGCONT,))
    later.start()
    click(desktop, second)
    desktop.type("hidden")
    later.join()
    wait_for(lambda: app.state()["secret"] == "hidden", "the second text")
    assert app.state()["text"] == "open"


def test_the_clipboard_waits_for_keys_that_a_busy_program_has_not_read(desktop, screen):
    app = screen.start("gtk3")
    in_front(app, desktop)
    click(desktop, element(desktop, app, role="text").box.center)
    desktop.type("chosen late")
    wait_for(lambda: app.state()["text"] == "chosen late", "the text")
    pid = app.window(desktop).pid
    os.kill(pid, signal.SIGSTOP)
    later = threading.Timer(0.5, os.kill, (pid, signal.SIGCONT))
    later.start()
    hands = Hands(desktop)
    hands.press(("ctrl", "a"))
    hands.press(("ctrl", "c"))
    assert (desktop.selection(), desktop.read_clipboard("text/plain")) == (
        "chosen late",
        b"chosen late",
    )
    later.join()


def test_what_is_in_an_open_field_is_read(desktop, gtk):
    field = next(e for e in desktop.elements(gtk.window(desktop)) if e.role in ("text", "entry"))
    click(desktop, field.box.center)
    desktop.type("plain words")
    wait_for(lambda: gtk.state()["text"] == "plain words", "the text")
    assert "plain words" in [e.value for e in desktop.elements(gtk.window(desktop))]


def test_gtk4_counts_from_its_window_and_is_put_right(desktop, screen):
    app = screen.start("gtk4")
    window = in_front(app, desktop)
    assert (window.box.left, window.box.top) != (0, 0)
    click(desktop, element(desktop, app, "Proceed to Checkout").box.center)
    wait_for(lambda: app.state()["clicked"] == ["Proceed to Checkout"], "the click")
    click(
        desktop, next(e for e in desktop.elements(window) if e.role == "password text").box.center
    )
    desktop.type("hunter2")
    wait_for(lambda: app.state()["secret"] == "hunter2", "the secret")
    assert "hunter2" not in repr(desktop.elements())


def test_qt_programs_answer_although_they_were_started_before_anybody_listened(desktop, screen):
    app = screen.start("qt", 500, 400)
    in_front(app, desktop)
    click(desktop, element(desktop, app, "Pay now").box.center)
    wait_for(lambda: app.state()["clicked"] == ["Pay now"], "the click")


def test_the_active_window_is_known(desktop, gtk):
    (active,) = (window for window in desktop.windows() if window.active)
    assert (active.title, active.pid > 0) == ("GTK 3 shop", True)


def test_a_frame_is_still_once_nothing_moves_and_tells_what_changed(desktop, gtk):
    box = whole(desktop.monitors())
    desktop.move(Point(1270, 890))
    before = still_frame(desktop, box)
    assert changed_box(before, before) is None
    button = element(desktop, gtk, "Cancel Order")
    click(desktop, button.box.center)
    after = still_frame(desktop, box)
    changed = changed_box(before, after)
    assert changed is not None
    assert changed.common(button.box)
    assert image_of(after).size == (1280, 900)
    assert jpeg(after, (640, 450))[:2] == b"\xff\xd8"


# The clipboard.


def test_text_goes_through_the_clipboard(desktop):
    desktop.write_clipboard("naïve 你好 😀".encode(), "text/plain")
    assert "text/plain" in desktop.clipboard_types()
    assert desktop.read_clipboard("text/plain").decode() == "naïve 你好 😀"


def test_pictures_go_through_the_clipboard_byte_by_byte(desktop):
    data = b"\x89PNG\r\n\x1a\n" + zlib.compress(bytes(200_000))
    desktop.write_clipboard(data, "image/png")
    assert desktop.clipboard_types() == ("image/png",)
    assert desktop.read_clipboard("image/png") == data


COPY = """
from interpreter.desktop.opening import open_desktop
open_desktop().write_clipboard(b"held", "text/plain")
"""


def test_what_holds_the_clipboard_does_not_hold_the_pipes_of_our_parent(screen, desktop):
    """`run` returns when the pipes close, so a holder that inherited one would keep it waiting."""
    subprocess.run(
        [sys.executable, "-c", COPY], env=screen.environment, capture_output=True, check=True,
        timeout=30,
    )  # fmt: skip
    assert desktop.read_clipboard("text/plain") == b"held"


def test_an_empty_clipboard_is_empty(screen, desktop):
    small = ["Xvfb", "-screen", "0", "640x480x24"]
    with displayed(small) as other, closing(other.desktop()) as empty:
        assert empty.clipboard_types() == ()
        assert empty.read_clipboard("text/plain") == b""


# Two monitors.

XORG = """
Section "Device"
  Identifier "card"
  Driver "dummy"
  VideoRam 64000
EndSection
Section "Screen"
  Identifier "screen"
  Device "card"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Virtual 2560 1200
  EndSubSection
EndSection
Section "ServerFlags"
  Option "AutoAddDevices" "false"
EndSection
"""


@pytest.fixture
def two_monitors(tmp_path, monkeypatch):
    if not which("Xorg") and not which("xrandr"):
        pytest.skip("needs xserver-xorg-video-dummy and x11-xserver-utils; make test installs them")
    config = tmp_path / "xorg.conf"
    config.write_text(XORG)
    server = ["/usr/lib/xorg/Xorg", "-config", str(config), "-logfile", str(tmp_path / "log"),
              "-novtswitch", "-sharevts", "vt7"]  # fmt: skip
    with displayed(server) as screen:
        for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(name, screen.environment[name])
        for command in (
            "xrandr --newmode small 63.50 1024 1072 1176 1328 768 771 775 798",
            "xrandr --newmode large 101.00 1400 1488 1632 1864 1050 1053 1057 1089",
            "xrandr --addmode DUMMY0 large", "xrandr --addmode DUMMY1 small",
            "xrandr --output DUMMY0 --mode large --pos 0x0 --primary "
            "--output DUMMY1 --mode small --pos 1400x100",
        ):  # fmt: skip
            subprocess.run(command.split(), env=screen.environment, check=True)
        yield screen


def test_a_second_monitor_is_seen_and_clicked_on(two_monitors):
    with closing(two_monitors.desktop()) as desktop:
        first, second = desktop.monitors()
        assert (first.box, first.primary) == (Box(0, 0, 1400, 1050), True)
        assert second.box == Box(1400, 100, 1024, 768)
        app = two_monitors.start("gtk3", 1600, 300)
        box = app.window(desktop).box
        assert monitor_at(desktop.monitors(), box.center) == second
        click(desktop, element(desktop, app, "Cancel Order").box.center)
        wait_for(lambda: app.state()["clicked"] == ["Cancel Order"], "the click")
        frame = desktop.grab(second.box)
        assert image_of(frame).size == (1024, 768)
        assert len(image_of(frame).getcolors(1 << 20)) > 5
        with pytest.raises(OutOfRange):
            monitor_at(desktop.monitors(), Point(2500, 500))
