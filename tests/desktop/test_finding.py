"""What is meant is found: exactly before nearly, by accessibility before reading, or asked about."""

import pytest

from interpreter.desktop.fake import FakeDesktop
from interpreter.desktop.finding.finder import Finder
from interpreter.desktop.finding.pictures import find_picture
from interpreter.desktop.finding.ranking import part_of, score
from interpreter.desktop.finding.reading import ScreenReader
from interpreter.desktop.pictures import encoded, image_of, marked
from interpreter.protocol.desktop import (
    AmbiguousTarget,
    Box,
    DesktopError,
    Element,
    Frame,
    TargetNotFound,
    Window,
)
from tests.desktop.conftest import in_front, wait_for
from tests.desktop.test_x11 import click


class NothingToRead(ScreenReader):
    """A reader for desktops that only say what is on them."""

    def lines(self, frame):
        return ()


def button(name, left, top, window="", role="button"):
    return Element(name, role, Box(left, top, 80, 20), "app", window)


def finder(*elements, windows=()):
    desktop = FakeDesktop(elements)
    desktop.window_list = list(windows)
    return Finder(desktop, NothingToRead())


def test_exact_comes_before_prefix_before_words_before_nearly():
    texts = ["Cancel", "CANCEL…", "Cancel order", "Do not cancel", "Cancelo", "Quit"]
    scores = [score("Cancel", text) for text in texts]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert scores[0] == 1.0
    assert scores[-1] == 0.0


def test_short_words_are_never_nearly_the_same():
    assert score("No", "Go") == score("On", "Off") == score("Yes", "Yet") == 0.0


def test_several_that_fit_equally_are_numbered_and_not_chosen_from():
    with pytest.raises(AmbiguousTarget) as raised:
        finder(button("Delete", 10, 10), button("Delete", 10, 50)).find("Delete")
    assert str(raised.value) == (
        "'Delete' is there 2 times: 1. button 'Delete' app at (50, 20); "
        "2. button 'Delete' app at (50, 60). Use one of the points."
    )
    assert [one.box.top for one in raised.value.candidates] == [10, 50]


def test_what_can_be_clicked_comes_before_a_label_of_the_same_name():
    found = finder(button("Save", 10, 10, role="label"), button("Save", 200, 10)).find("Save")
    assert (found.box.left, found.role) == (200, "button")


def test_a_button_and_the_label_in_it_are_one():
    inner = Element("Save", "button", Box(20, 12, 40, 10), "app")
    assert finder(button("Save", 10, 10), inner).find("Save").box == inner.box


def windows():
    return (
        Window("1", "Below", "app", Box(0, 0, 400, 300)),
        Window("2", "Above", "app", Box(200, 0, 400, 300), active=True),
    )


def test_the_active_window_comes_first():
    found = finder(
        button("OK", 20, 20, "Below"), button("OK", 300, 20, "Above"), windows=windows()
    ).find("OK")
    assert found.box.left == 300


def test_what_another_window_covers_is_not_clicked_through_it():
    with pytest.raises(TargetNotFound, match="Nothing on the screen is called 'Hidden'"):
        finder(button("Hidden", 250, 20, "Below"), windows=windows()).find("Hidden")


def test_a_part_of_a_line_has_a_part_of_its_box():
    assert part_of(Box(100, 5, 190, 10), "Proceed to Checkout", "Checkout") == Box(210, 5, 80, 10)


def test_nothing_at_all_is_a_sentence():
    with pytest.raises(TargetNotFound, match="Say what is to be found"):
        finder().find("  ")


# On a real screen.


@pytest.fixture(scope="module")
def reader():
    """One reader for all, because its networks take a while to load."""
    return ScreenReader()


@pytest.fixture
def real(screen, desktop, reader):
    """A finder on the screen; browsers started after it say what they show."""
    assert desktop.lacks() == {}
    return Finder(desktop, reader)


def found(finder, name):
    """What is found for a name, once it is there: windows take a moment to be drawn."""

    def look():
        try:
            return finder.find(name)
        except TargetNotFound:
            return None

    return wait_for(look, name)


@pytest.mark.parametrize(
    ("kind", "name", "how"),
    [("gtk3", "Proceed to Checkout", "accessibility"), ("gtk3", "Cancel", "accessibility"),
     ("gtk4", "Cancel Order", "accessibility"), ("qt", "Pay now", "accessibility"),
     ("chromium", "Look closer", "accessibility"), ("tk", "Order Coffee", "ocr"),
     ("tk", "Order Tea", "ocr")],
)  # fmt: skip
def test_a_click_by_name_is_what_the_program_gets(kind, name, how, screen, desktop, real):
    app = screen.start(kind)
    in_front(app, desktop)
    if how == "accessibility":
        wait_for(lambda: any(e.name == name for e in desktop.elements()), f"{name} in the tree")
    target = found(real, name)
    assert target.how == how
    click(desktop, target.box.center)
    wait_for(lambda: app.state()["clicked"] == [name], "the click")


def test_two_buttons_of_one_name_are_asked_about_with_a_picture(screen, desktop, real):
    app = screen.start("gtk3")
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Delete" for e in desktop.elements()), "the tree")
    with pytest.raises(AmbiguousTarget) as raised:
        real.find("Delete")
    picture = marked(desktop.grab(Box(0, 0, 1280, 900)), raised.value.candidates)
    first = raised.value.candidates[0].box
    assert picture.getpixel((first.left, first.top)) == (255, 0, 0)
    assert app.state()["clicked"] == []


def test_a_line_is_read_whole_after_a_part_of_it_was_painted_anew(screen, desktop, real):
    app = screen.start("gtk3")
    in_front(app, desktop)
    window = app.window(desktop)
    texts = wait_for(
        lambda: (t := [one.text for one in real.read(window.box)]) and "Cancel Order" in t and t,
        "the window's text",
    )
    assert "Proceed to Checkout" in texts
    click(desktop, found(real, "Proceed to Checkout").box.center)  # hovering paints it anew
    wait_for(lambda: app.state()["clicked"] == ["Proceed to Checkout"], "the click")
    assert "Proceed to Checkout" in [one.text for one in real.read(window.box)]


def test_a_saved_picture_is_found_at_its_own_size_and_at_another(screen, desktop):
    app = screen.start("gtk3", 300, 200)
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Cancel" for e in desktop.elements()), "the tree")
    target = next(e for e in desktop.elements() if e.name == "Cancel").box
    frame = desktop.grab(Box(0, 0, 1280, 900))
    icon = image_of(desktop.grab(Box(target.center.x - 40, target.top, 80, target.height)))
    best = find_picture(frame, icon)[0]
    assert best.box.holds(target.center)
    larger = icon.resize((100, target.height * 5 // 4))
    assert find_picture(frame, larger)[0].box.holds(target.center)
    assert encoded(icon)[:4] == b"\x89PNG"


def test_without_its_weights_the_reader_downloads_nothing(monkeypatch, tmp_path):
    import rapidocr

    monkeypatch.setattr(rapidocr, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(DesktopError, match="nothing is downloaded behind your back"):
        ScreenReader().lines(Frame(Box(0, 0, 8, 8), bytes(256), 8, 8))
