"""Text of any letters arrives whole, in every toolkit; the programs themselves are the judges."""

import os
import subprocess
from contextlib import suppress

import pytest

from interpreter.protocol.desktop import Point
from tests.desktop.conftest import in_front, wait_for

TRIES = int(os.environ.get("TYPING_TRIES", "3"))  # `make test-desktop` tries twenty times
SAMPLE = 'a<b>C naïve café — ß ñ Ω ж 你好 😀 € {x:"1"}'
SELECT_ALL = {"tk": ("ctrl", "/")}
CLICK_FIRST = ("tk", "chromium", "qt")  # whose field does not have the focus by itself


def focus(app, desktop):
    """Have its field take what is typed."""
    window = in_front(app, desktop)  # its manager may have moved it meanwhile
    if app.kind in CLICK_FIRST:
        desktop.move(Point(window.box.left + 100, window.box.top + 14))
        desktop.button("left", down=True)
        desktop.button("left", down=False)


def press(desktop, *names):
    """Press keys together."""
    for name in names:
        desktop.key(name, down=True)
    for name in reversed(names):
        desktop.key(name, down=False)


def typed(app, desktop, text):
    """What has arrived once it is the text, or much later what is there instead."""
    before = app.state()["text"]
    desktop.type(text)
    with suppress(AssertionError):  # the caller compares, and shows both
        wait_for(lambda: app.state()["text"] == before + text)
    return app.state()["text"].removeprefix(before)


@pytest.mark.parametrize("kind", ["gtk3", "gtk4", "qt", "tk", "xterm", "chromium"])
def test_letters_of_all_kinds_arrive_as_they_are(kind, screen, desktop):
    app = screen.start(kind)
    focus(app, desktop)
    for number in range(TRIES):
        turn = number % len(SAMPLE)
        text = f"{number}:{SAMPLE[turn:]}{SAMPLE[:turn]}."
        assert typed(app, desktop, text) == text
        if kind != "xterm":
            press(desktop, *SELECT_ALL.get(kind, ("ctrl", "a")))
            press(desktop, "backspace")
            wait_for(lambda: app.state()["text"] == "", "an empty field")


def test_what_is_typed_after_a_click_into_another_window_goes_there(screen, desktop):
    """Its window manager moves the focus a moment after the click."""
    apps = [screen.start("gtk3", 40, 40), screen.start("tk", 700, 40)]
    boxes = [app.window(desktop).box for app in apps]
    for app in apps:
        focus(app, desktop)
    wanted = ["", ""]
    for turn in range(2 * TRIES):
        place = boxes[turn % 2]
        desktop.move(Point(place.left + 100, place.top + 14))
        desktop.button("left", down=True)
        desktop.button("left", down=False)
        desktop.key("end", down=True)
        desktop.key("end", down=False)
        desktop.type(f"{turn},")
        wanted[turn % 2] += f"{turn},"
    with suppress(AssertionError):
        wait_for(lambda: [app.state()["text"] for app in apps] == wanted, seconds=10)
    assert [app.state()["text"] for app in apps] == wanted


def test_more_letters_than_there_are_spare_keys(screen, desktop):
    app = screen.start("gtk3")
    focus(app, desktop)
    text = "".join(map(chr, range(0x400, 0x450))) + "かなカナ漢字 עברית"
    assert typed(app, desktop, text) == text


def test_caps_lock_and_held_keys_change_no_letter(screen, desktop):
    app = screen.start("gtk3")
    focus(app, desktop)
    press(desktop, "capslock")
    desktop.key("ctrl", down=True)
    try:
        arrived = typed(app, desktop, "Quiet Words é")
    finally:
        desktop.key("ctrl", down=False)
        press(desktop, "capslock")
    assert arrived == "Quiet Words é"


def test_another_layout_types_the_same(screen, desktop):
    app = screen.start("gtk3")
    focus(app, desktop)
    for layout in ("de", "fr", "us"):
        subprocess.run(["setxkbmap", layout], env=screen.environment, check=True)
        arrived = typed(app, desktop, "zyZY@^~{}q ")
        assert (layout, arrived) == (layout, "zyZY@^~{}q ")
