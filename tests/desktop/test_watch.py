"""While a model uses the desktop: the banner, the key that stops, the hand on the mouse."""

import threading
from contextlib import closing

import pytest
from Xlib.display import Display

from interpreter.desktop.mode.emergency import Emergency, Stoppable
from interpreter.desktop.mode.safety import Shielded
from interpreter.desktop.mode.tool import ComputerTool
from interpreter.desktop.opening import open_watch
from interpreter.desktop.pictures import image_of
from interpreter.protocol.desktop import Box, DesktopError, Point
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Face
from tests.desktop.conftest import in_front, wait_for
from tests.desktop.test_mode import done
from tests.desktop.test_typing import press

CORNER = Box(1280 - 330, 900 - 22, 330, 22)
RED = (0xB3, 0x26, 0x1E)


def banner_colours(desktop):
    colours = image_of(desktop.grab(CORNER)).getcolors(10_000)
    return {colour for _, colour in colours}


def test_the_key_stops_a_turn_from_any_window_and_the_banner_says_so(screen, desktop):
    stopped = threading.Event()
    app = screen.start("gtk3")
    in_front(app, desktop)
    with closing(open_watch(stopped.set, screen.environment)) as watch:
        assert watch.has_key
        wait_for(lambda: {RED, (255, 255, 255)} <= banner_colours(desktop), "the banner")
        press(desktop, "ctrl", "alt", "escape")
        assert stopped.wait(10)
    wait_for(lambda: RED not in banner_colours(desktop), "the end of the banner")


def test_clicks_go_through_the_banner(screen, desktop):
    with closing(open_watch(lambda: None, screen.environment)) as watch:
        wait_for(lambda: RED in banner_colours(desktop), "the banner")
        desktop.move(CORNER.center)
        with closing(Display(screen.environment["DISPLAY"])) as display:
            under = display.screen().root.query_pointer().child
        assert watch.banner_id != (under.id if under else 0)


def test_the_key_stops_what_is_being_typed(screen, desktop):
    app = screen.start("gtk3")
    in_front(app, desktop)
    emergency, interrupt = Emergency(), Interrupt()
    tool = ComputerTool(lambda: Stoppable(desktop, emergency), emergency=emergency)
    with closing(open_watch(emergency.press, screen.environment)):
        done(tool, interrupt, action="screenshot")
        press(desktop, "ctrl", "alt", "escape")
        wait_for(lambda: interrupt.requested, "the stop")
        _, end = done(tool, interrupt, action="type", text="no more")
    assert end.outcome == "interrupted"
    assert app.state()["text"] == ""


def test_a_moved_mouse_stops_on_a_real_screen(screen, desktop):
    tool, interrupt = ComputerTool(lambda: desktop), Interrupt()
    done(tool, interrupt, action="mouse_move", coordinate=[100, 100])
    desktop.move(Point(600, 500))
    _, end = done(tool, interrupt, action="left_click", coordinate=[100, 100])
    assert (end.outcome, interrupt.requested) == ("interrupted", True)


def test_dry_mode_and_excluded_windows_on_a_real_screen(screen, desktop):
    app = screen.start("gtk3", 100, 100)
    box = app.window(desktop).box
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Cancel" for e in desktop.elements()), "the tree")
    (picture,), end = done(
        ComputerTool(lambda: desktop, dry=True), action="click_text", text="Cancel"
    )
    assert isinstance(picture.image, Face)
    assert end.summary.startswith("Dry mode")
    shielded = Shielded(desktop, ["shop"])
    assert image_of(shielded.grab(box)).getcolors() == [(box.width * box.height, (0, 0, 0))]
    assert not any(e.name == "Cancel" for e in shielded.elements())
    desktop.move(box.center)
    with pytest.raises(DesktopError, match="excluded"):
        shielded.button("left", down=True)
    assert app.state()["clicked"] == []


def test_a_small_change_is_shown_alone_on_a_real_screen(screen, desktop):
    app = screen.start("gtk3", 100, 100)
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Cancel" for e in desktop.elements()), "the tree")
    tool = ComputerTool(lambda: desktop)
    done(tool, action="screenshot")
    pictures, end = done(tool, action="type", text="words")
    wait_for(lambda: app.state()["text"] == "words", "the words")
    assert (len(pictures), end.outcome) == (1, "ok")
    assert "what changed: (" in pictures[0].text
